#!/bin/sh
# Runs the loops of race_loops.cpp on the race detector and on ThreadSanitizer, in turns on one core, and prints the
# ratio of their least CPU times.
# Usage: race_vs_tsan.sh [build directory] [filter] [rounds] [program of ours] [program of ThreadSanitizer]
# The build has, besides race_accesses and race_accesses_tsan (g++, shared runtimes), race_accesses_static and
# race_accesses_tsan_clang (static runtimes) if there is a clang++ with its own ThreadSanitizer.
set -eu
bin="${1:-build}/bin"
filter="${2:-.}"
rounds="${3:-3}"
ours="${4:-race_accesses}"
theirs="${5:-race_accesses_tsan}"
work=$(mktemp -d)
trap 'rm -r "$work"' EXIT
round=0
while [ "$round" -lt "$rounds" ]; do
  for program in "$ours" "$theirs"; do
    taskset -c 0 setarch -R "$bin/$program" --benchmark_filter="$filter" --benchmark_min_time=0.05 \
      --benchmark_format=csv >>"$work/$program" 2>/dev/null
  done
  round=$((round + 1))
done
awk -F, -v ours="$ours" -v theirs="$theirs" '
  !/^"BM_/ { next }
  { gsub(/"/, "", $1); sub(/^BM_/, "", $1) }
  FNR == NR { if (!($1 in a)) order[n++] = $1; if (!($1 in a) || $4 + 0 < a[$1]) a[$1] = $4 + 0; next }
  { if (!($1 in b) || $4 + 0 < b[$1]) b[$1] = $4 + 0 }
  END {
    printf "%-30s %22s %26s %7s\n", "loop, bytes", ours, theirs, "ratio"
    for (i = 0; i < n; i++) {
      name = order[i]
      ratio = a[name] / b[name]
      logs += log(ratio)
      if (ratio > worst) { worst = ratio; where = name }
      printf "%-30s %19.1f ns %23.1f ns %7.2f\n", name, a[name], b[name], ratio
    }
    printf "geometric mean %.2f, worst %.2f (%s)\n", exp(logs / n), worst, where
  }
' "$work/$ours" "$work/$theirs"
