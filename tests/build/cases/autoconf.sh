command -v autoconf >/dev/null || missing "autoconf is not installed"
command -v make >/dev/null || missing "make is not installed"
cp "$here/projects/library/"* "$here/projects/autoconf/"* .
autoconf
./configure CC="$cc" CXX="$cxx" >configure.txt || { cat config.log >&2; fail configure; }
expect_text configure.txt 'checking for thread... yes'
expect_text configure.txt 'checking for no_such_header... no'
make
expect_built sample
./sample >out.txt
expect_text out.txt '^5 2$'
