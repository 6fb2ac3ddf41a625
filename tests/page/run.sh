#!/bin/sh
# run.sh HEDDLE WORK: the page of the HTML report, built from its sources and looked at in Chromium.
#   The page in the repository is the one that its sources make; the page shows what it is for (shows_test.mjs), and can be
#   used in the ways that people use it (uses_test.mjs).
set -eu
heddle=$1 work=$2
here=$(cd "$(dirname "$0")" && pwd)
. "$here/../missing.sh"
sources=$here/../../tool/report/page
echo "reproduce: sh $here/run.sh $heddle $work"

for program in node npm chromium; do
  command -v $program >/dev/null || missing "$program is not installed"
done

mkdir -p "$work"
cd "$work"
rm -rf page pages out-* && mkdir page pages
(cd "$sources" && cp -r package.json package-lock.json .npmrc tsconfig.json build.mjs src "$work/page")
. "$here/packages.sh"
ln -s ../packages/node_modules page/node_modules
(cd page && node_modules/.bin/tsc --noEmit && node build.mjs "$work/built.html")
cmp built.html "$sources/dist/page.html" || {
  echo "FAILED: tool/report/page/dist/page.html is not what page/src makes; run: npm ci && npm run build" >&2
  exit 1
}

# page NAME ARGUMENT…: runs a program until it fails, and leaves pages/NAME.html
page() {
  name=$1
  shift
  status=0
  "$heddle" run -q --seed 1 -n 2000 -j 1 --no-minimize -o "out-$name" --html "pages/$name.html" -- "$@" >"$name.txt" 2>&1 || status=$?
  [ $status = 66 ] || { cat "$name.txt"; echo "FAILED: $name: exit code $status" >&2; exit 1; }
}
for name in race events stale findings; do
  cp "$here/$name.cpp" .
  "$heddle" c++ -std=c++20 -g -O1 -pthread "$name.cpp" -o "$name"
done
for name in race events stale; do page $name ./$name; done
for name in order locks freed wake_up test; do page $name ./findings $name; done
# One execution is minimised, and marked with what the bug goes away without; by a command of its own, since `run` gives
# it only a moment, which on a busy machine is not enough.
"$heddle" minimize -q --time 5m out-stale/bug-1.heddle
"$heddle" show --html pages/stale.html out-stale/bug-1.heddle
# The pages that are made afterwards have the explanation, too.
"$heddle" explain -q --no-remedy --html pages/explained.html out-stale/bug-1.heddle >/dev/null
"$heddle" report --html pages/reported.html out-stale >/dev/null
"$heddle" show --html pages/show.html out-race/bug-1.heddle
HEDDLE_PAGES=$work/pages NODE_MODULES=$work/packages/node_modules exec node --test "$here/shows_test.mjs" "$here/uses_test.mjs"
