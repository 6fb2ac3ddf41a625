#!/bin/sh
# Runs the loops of race_loops.cpp on the race detector and on ThreadSanitizer, one after the other on one core, and
# prints the ratio of their CPU times. Usage: race_vs_tsan.sh [build directory] [filter] [minimum seconds each]
set -eu
bin="${1:-build}/bin"
filter="${2:-.}"
seconds="${3:-0.2}"
work=$(mktemp -d)
trap 'rm -r "$work"' EXIT
for program in race_accesses race_accesses_tsan; do
  taskset -c 0 setarch -R "$bin/$program" --benchmark_filter="$filter" --benchmark_min_time="$seconds" \
    --benchmark_format=csv >"$work/$program" 2>/dev/null
done
awk -F, '
  FNR == 1 || !/^"BM_/ { next }
  { gsub(/"/, "", $1); sub(/^BM_/, "", $1) }
  FNR == NR { ours[$1] = $4; next }
  ($1 in ours) {
    ratio = ours[$1] / $4; n++; logs += log(ratio); if (ratio > worst) { worst = ratio; where = $1 }
    printf "%-32s %14.1f ns %14.1f ns %7.2f\n", $1, ours[$1], $4, ratio
  }
  BEGIN { printf "%-32s %17s %17s %7s\n", "loop, bytes", "heddle", "ThreadSanitizer", "ratio" }
  END { if (n) printf "geometric mean %.2f, worst %.2f (%s)\n", exp(logs / n), worst, where }
' "$work/race_accesses" "$work/race_accesses_tsan"
