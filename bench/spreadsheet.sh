#!/usr/bin/env bash
# Our CSV in a program that is not ours: nasty texts are written as exports write
# them, LibreOffice opens both files and saves them as its own, opens those again
# and writes CSV, and every cell is compared with what was written. The exact file
# is opened with all columns as text; the other one as a double click opens it,
# and there a text may have the apostrophe in front that keeps it a text.
#
#   bench/spreadsheet.sh [FOLDER]     needs soffice (Debian: libreoffice-calc)
set -euo pipefail
cd "$(dirname "$0")/.."
work=${1:-$(mktemp -d)}
office() { soffice -env:UserInstallation="file://$work/profile" --headless "$@" >>"$work/soffice.log" 2>&1; }

go run ./bench/files spreadsheet write "$work"
# 44,34,76,1: comma, quote, UTF-8, from line 1; then every column as text.
columns=$(seq -f '%g/2' -s / 1 4)
office --convert-to ods --infilter="CSV:44,34,76,1,$columns" --outdir "$work/exact" "$work/exact.csv"
office --convert-to ods --infilter="CSV:44,34,76,1" --outdir "$work/safe" "$work/safe.csv"
for kind in exact safe; do
  office --convert-to 'csv:Text - txt - csv (StarCalc):44,34,76,1,,0,false,true,false' --outdir "$work/$kind" "$work/$kind/$kind.ods"
done
go run ./bench/files spreadsheet compare "$work"
