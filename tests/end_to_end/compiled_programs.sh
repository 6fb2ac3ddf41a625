#!/bin/sh
# compiled_programs.sh BIN_DIR COMPILER PROGRAMS WORK_DIR: generated programs, compiled for real, against the enumerator.
set -eu
bin=$1 compiler=$2 programs=$3 work=$4
source=$(cd "$(dirname "$0")/../.." && pwd)
mkdir -p "$work" && cd "$work"
"$bin/emit_programs" --programs "$programs" --seed 3 >programs.cpp
"$bin/heddle" c++ "--compiler=$compiler" -std=c++20 -g -O2 -w -I "$source" -pthread programs.cpp -o programs
# clang's instrumentation calls one function for weak and strong exchanges, which therefore cannot fail for no reason.
case $compiler in clang*) weak=--strong-cas ;; *) weak= ;; esac
exec "$bin/compare_engine" --compiled "$work/programs" --programs "$programs" --seed 3 $weak
