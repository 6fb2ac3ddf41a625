# What a configure script asks is answered by the compiler itself, byte for byte.
for question in --version -dumpversion -dumpmachine -print-search-dirs -print-file-name=libc.so -v; do
  $cxx $question >ours.txt 2>&1
  $compiler $question >theirs.txt 2>&1
  cmp ours.txt theirs.txt
done
expect_fails $cxx
expect_text out.txt 'no input files'
expect_fails $cxx -c no_such_file.cpp
expect_text out.txt 'no_such_file.cpp'
# The exit status is the compiler's.
printf 'int main( { }\n' >bad.cpp
ours=0 theirs=0
$cxx -c bad.cpp 2>/dev/null || ours=$?
$compiler -c bad.cpp 2>/dev/null || theirs=$?
[ $ours = $theirs ] && [ $ours != 0 ] || fail "exit status $ours, not $theirs"
# --compiler= wins over the environment, and a launcher may stand before the compiler.
HEDDLE_CXX=no-such-compiler $cxx --compiler="env LANG=C $compiler" "$here/projects/single/fence.cpp" -o main
expect_built main
expect_fails env HEDDLE_CXX=no-such-compiler $cxx -c bad.cpp
expect_text out.txt "'no-such-compiler' is not there"
expect_fails $cxx --compiler="$heddle" -c bad.cpp
expect_text out.txt 'heddle itself'
$cxx --help >out.txt
expect_text out.txt 'Usage: heddle c++'
# A name that does not tell: the compiler is asked.
printf '#!/bin/sh\nexec %s "$@"\n' "$compiler" >script
chmod +x script
$cxx --compiler=./script "$here/projects/single/fence.cpp" -o main
expect_built main
