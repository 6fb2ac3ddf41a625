#!/bin/sh
# run.sh HEDDLE WORK: what heddle writes for other programs, judged by the schemas: SARIF's official one (it comes with
# @microsoft/jest-sarif) and docs/guide/report-schema.json.
set -eu
heddle=$1 work=$2
here=$(cd "$(dirname "$0")" && pwd)
. "$here/../missing.sh"
echo "reproduce: sh $here/run.sh $heddle $work"
for program in node npm; do
  command -v $program >/dev/null || missing "$program is not installed"
done
mkdir -p "$work"
cd "$work"
if ! cmp -s "$here/package-lock.json" packages/package-lock.json; then
  rm -rf packages && mkdir packages
  cp "$here/package.json" "$here/.npmrc" packages
  (cd packages && cp "$here/package-lock.json" . && npm ci --ignore-scripts --prefer-offline --loglevel=error) || {
    rm -rf packages
    # The network is none of what scripts/setup installs.
    echo "skipped: npm cannot fetch the packages that the lock file names"
    exit 77
  }
fi
# A race, a deadlock, a failed assertion, a warning, and a campaign that finds nothing.
for name in lost_update_c abba_deadlock_c reported_assertion thread_leak passes; do
  source=$here/../programs/fail/$name.c
  [ -f "$source" ] || source=$here/$name.c
  "$heddle" cc -g -O1 -pthread "$source" -o "$name"
  "$heddle" run -q --histogram --seed 1 -n 300 -j 1 -o "out-$name" --json "$name.json" --sarif "$name.sarif" -- "./$name" \
    2>"$name.txt" || [ $? = 66 ] || { cat "$name.txt"; exit 1; }
done
exec node "$here/validate.mjs" "$work/packages/node_modules" "$here/../../docs/guide/report-schema.json" \
  ./*.json ./*.sarif
