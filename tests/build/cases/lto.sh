flags='-O2 -flto'
if [ $family = clang ]; then
  version=${compiler#clang++-}
  command -v "ld.lld-$version" >/dev/null || missing "lld-$version is not installed"
  flags="$flags -fuse-ld=lld"
fi
$cxx $flags -c "$here/projects/library/main.cpp" -o main.o
$cxx $flags -c "$here/projects/library/counter.cpp" -o counter.o
$cxx $flags main.o counter.o -o main
expect_built main
expect_text symbols.txt 'UND __tsan_atomic64_fetch_add'
./main >out.txt
expect_text out.txt '^5 2$'
