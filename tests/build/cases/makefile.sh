command -v make >/dev/null || missing "make is not installed"
cp "$here/projects/library/"* "$here/projects/make/Makefile" .
make CC="$cc" CXX="$cxx"
expect_built sample
./sample >out.txt
expect_text out.txt '^5 2$'
expect_text counter.d 'counter.h'
