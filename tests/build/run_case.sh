#!/bin/sh
# run_case.sh CASE COMPILER PREFIX WORK: builds and checks one case of cases/ in the fresh folder WORK.
#
# A case is a shell script that starts in WORK with these variables and functions:
#   $here              this folder (projects/, cases/)
#   $cc, $cxx          "…/bin/heddle cc" and "…/bin/heddle c++", around the compiler under test
#   expect_built FILE  FILE is instrumented, and needs libheddle before the C and C++ libraries and no other runtime
#   expect_text FILE TEXT, expect_no_text FILE TEXT, expect_fails COMMAND…, fail MESSAGE, missing WHAT
set -eu
case_name=$1 compiler=$2 prefix=$3 work=$4
here=$(cd "$(dirname "$0")" && pwd)

. "$here/../missing.sh"
fail() { echo "FAILED: $*" >&2; exit 1; }
expect_text() { grep -q -e "$2" "$1" || { cat "$1" >&2; fail "'$2' is not in $1"; }; }
expect_no_text() { ! grep -q -e "$2" "$1" || { cat "$1" >&2; fail "'$2' is in $1"; }; }
expect_fails() {
  if "$@" >out.txt 2>&1; then fail "should not succeed: $*"; fi
}

needed_by() { readelf -dW "$1" | sed -n 's/.*(NEEDED).*\[\(.*\)\].*/\1/p'; }

expect_runtime() {
  needed_by "$1" >needed.txt
  expect_text needed.txt '^libheddle\.so\.0$'
  expect_no_text needed.txt 'tsan'
  [ "$(head -n 1 needed.txt)" = libheddle.so.0 ] || { cat needed.txt >&2; fail "libheddle is not first in $1"; }
  readelf -sW "$1" >symbols.txt
  expect_no_text symbols.txt ' [0-9]* __tsan_init$' # a defined one would be a static runtime
}

expect_instrumented() {
  readelf -sW "$1" >symbols.txt
  expect_text symbols.txt 'UND __tsan_'
}

expect_built() { expect_runtime "$1"; expect_instrumented "$1"; }

command -v "$compiler" >/dev/null || missing "$compiler is not installed"
case $compiler in
  clang*) plain_cc=$(echo "$compiler" | sed 's/clang++/clang/') family=clang ;;
  *) plain_cc=gcc family=gcc ;;
esac
export HEDDLE_CC="$plain_cc" HEDDLE_CXX="$compiler"
unset CFLAGS CXXFLAGS LDFLAGS CPPFLAGS CC CXX LIBRARY_PATH LD_LIBRARY_PATH MAKEFLAGS MAKELEVEL || true
cc="$prefix/bin/heddle cc" cxx="$prefix/bin/heddle c++"
heddle="$prefix/bin/heddle"

rm -rf "$work"
mkdir -p "$work"
cd "$work"
echo "reproduce: sh $here/run_case.sh $case_name $compiler $prefix $work"
set -x
. "$here/cases/$case_name.sh"
