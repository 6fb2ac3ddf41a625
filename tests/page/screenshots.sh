#!/bin/sh
# screenshots.sh HEDDLE WORK: makes the pictures of the page that the guide shows, docs/guide/*-page.png, from
# examples/ring.cpp. They are not compared by a test: fonts differ between machines.
set -eu
heddle=$1 work=$2
here=$(cd "$(dirname "$0")" && pwd)
sources=$here/../../tool/report/page
guide=$here/../../docs/guide

mkdir -p "$work"
cd "$work"
. "$here/packages.sh"
rm -rf heddle-out && cp "$here/../../examples/ring.cpp" .
"$heddle" c++ -std=c++20 -g -O1 -pthread ring.cpp -o ring
status=0
"$heddle" run -q --seed 1 -j 1 --html report.html -- ./ring >run.txt 2>&1 || status=$?
[ $status = 66 ] || { cat run.txt; exit 1; }
"$heddle" explain -q --html explain.html heddle-out/bug-1.heddle >/dev/null
NODE_MODULES=$work/packages/node_modules node "$here/screenshots.mjs" report.html "$guide/report-page.png" light 1000
NODE_MODULES=$work/packages/node_modules node "$here/screenshots.mjs" explain.html "$guide/explain-page.png" dark .why
