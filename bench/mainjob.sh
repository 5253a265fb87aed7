#!/usr/bin/env bash
# The main job, end to end, on a real question set: a study of 30 questions with
# 8 model responses each is launched; virtual participants in three planted
# groups walk it until 600 have finished, 50 at a time, while one in ten leaves
# on the way; in the middle the server is killed with SIGKILL and started again.
# Then the groups are looked for, and the export is compared with what was sent.
#
#   bench/mainjob.sh [FOLDER]     with data/overton in ${OVERTON_SHARED:-../shared}
set -euo pipefail
cd "$(dirname "$0")/.."
data=$(cd "${OVERTON_SHARED:-../shared}/data/overton" && pwd)
work=${1:-$(mktemp -d)}
mkdir -p "$work/study"
people=${PEOPLE:-600}
addr=127.0.0.1:${PORT:-8077}

go build -o "$work/server" ./cmd/server
go build -o "$work/overton" ./cmd/overton
go build -o "$work/files" ./bench/files

# The questions of one source, and the responses to them.
"$work/files" pick --source modelslant "$data" "$work/study"
cat >"$work/study/study.yaml" <<'YAML'
title: Views on public policy
slug: policy
language: en
recruitment:
  prolific:
    codes: {completed: C1AAAA, no_consent: C2BBBB, screened_out: C3CCCC, failed_checks: C4DDDD, over_quota: C5EEEE}
  minutes: 25
  reservation_minutes: 2
flow:
  - consent: {file: consent.md}
  - survey: {instrument: us-demographics}
  - overton:
      questions: questions.csv
      responses: responses.csv
      questions_per_participant: 3
      participants_per_question: 60
      votes_per_question: 15
      moderation: after
  - feedback: {}
YAML
echo "Please agree to take part." >"$work/study/consent.md"
"$work/overton" study check "$work/study"
"$work/overton" study launch "$work/study" --db "$work/policy.db"

serve() { "$work/server" --addr "$addr" --db "$work/policy.db" >>"$work/server.log" 2>&1 & server=$!; }
serve
trap 'kill $server 2>/dev/null || true' EXIT
sleep 2
"$work/overton" simulate --url "http://$addr" --study policy --participants "$people" --groups 3 --seed 1 \
  --concurrency 50 --drop-out 0.1 --truth "$work/truth.json" >"$work/simulate.txt" 2>&1 &
walkers=$!

# Killed in the middle: once half of the people have finished.
while kill -0 $walkers 2>/dev/null; do
  sleep 2
  done=$(grep -c 'route=/s/:slug/end' "$work/server.log" || true)
  if [ "$done" -ge $((people / 2)) ]; then
    kill -9 $server
    wait $server 2>/dev/null || true
    echo "killed the server after about $done people; starting it again"
    serve
    break
  fi
done
wait $walkers && status=0 || status=$?
cat "$work/simulate.txt"
[ $status = 0 ] || echo "simulate ended with status $status"

time "$work/overton" window --db "$work/policy.db" --study policy --json "$work/window.json"
"$work/overton" export --db "$work/policy.db" --study policy --out "$work/export" --format csv
"$work/files" answers "$work/truth.json" "$work/export" --window "$work/window.json"
exit $status
