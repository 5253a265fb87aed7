#!/usr/bin/env bash
# Planted opinions, end to end: a study of demographics, three topics of POBs and
# 30 polls is taken over HTTP by virtual people who lean to one side or another.
# Then what is found is compared with what was planted, as people came and weighted
# to a population of other shares; and the export must have one row for each
# answer, with the options in the order shown.
#
#   bench/surveys.sh [FOLDER]     with data/pobs in ${OVERTON_SHARED:-../shared}
set -euo pipefail
cd "$(dirname "$0")/.."
data=$(cd "${OVERTON_SHARED:-../shared}/data/pobs" && pwd)
work=${1:-$(mktemp -d)}
mkdir -p "$work/study"
people=${PEOPLE:-300}
addr=127.0.0.1:${PORT:-8078}

go build -o "$work/server" ./cmd/server
go build -o "$work/overton" ./cmd/overton
go run ./bench/files surveys "$data/POBS_v11.json" "$work/study"
"$work/overton" study check "$work/study"
"$work/overton" study launch "$work/study" --db "$work/surveys.db"

"$work/server" --addr "$addr" --db "$work/surveys.db" >"$work/server.log" 2>&1 &
server=$!
trap 'kill $server 2>/dev/null || true' EXIT
for _ in $(seq 50); do
  if curl -fsS "http://$addr/healthz" >/dev/null 2>&1; then break; fi
  sleep 0.2
done
"$work/overton" simulate --url "http://$addr" --study surveys --participants "$people" --groups 3 --seed 1 \
  --folder "$work/study" --db "$work/surveys.db" --truth "$work/truth.json"

rm -rf "$work/export" "$work/report"
"$work/overton" export --db "$work/surveys.db" --study surveys --out "$work/export" --format csv
go run ./bench/files answers "$work/truth.json" "$work/export"
"$work/overton" report --db "$work/surveys.db" --study surveys --out "$work/report" \
  ${MODEL:+--survey-model "pobs.json=$MODEL"}
