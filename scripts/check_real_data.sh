#!/usr/bin/env bash
# Checks the command on real transcripts. usage: check_real_data.sh BINARY DATA_FOLDER
set -u
binary=$1
data=$2
failed=0

# expect CODES COMMAND...: the exit code must be one of the space-separated list.
expect() {
  local codes=$1 code
  shift
  "$@" >/dev/null 2>build/real-data.err
  code=$?
  case " $codes " in
  *" $code "*) ;;
  *)
    printf '%s: exit %s, wanted one of %s\n' "$*" "$code" "$codes"
    tail -n 3 build/real-data.err
    failed=1
    ;;
  esac
}

airline=$data/tau-bench/airline-a.json
if [ -f "$airline" ]; then
  wanted=$(python3 -c '
import json, sys
runs = json.load(open(sys.argv[1]))
print(len(runs), sum(m["role"] == "tool" for r in runs for m in r["traj"]))' "$airline")
  got=$("$binary" audit --json "$airline" 2>/dev/null | python3 -c '
import json, sys
s = json.load(sys.stdin)["summary"]
print(s["conversations"], s["results"])')
  if [ "$wanted" != "$got" ]; then
    printf 'tau-bench: wanted "%s" conversations and tool results, got "%s"\n' "$wanted" "$got"
    failed=1
  fi
fi
for file in "$data"/claude-code/* "$data"/swe-agent/*; do
  [ -f "$file" ] || continue
  case $file in
  */edge_cases.jsonl) expect "2" "$binary" audit --json "$file" ;; # damaged on purpose: read, and said so
  *) expect "0 1" "$binary" audit --json "$file" ;;
  esac
done
# Whatever it is, it is read or refused, never a crash.
for file in "$data"/*/* "$data"/*/*/*; do
  [ -f "$file" ] && expect "0 1 2" timeout 60 "$binary" audit "$file"
done
exit $failed
