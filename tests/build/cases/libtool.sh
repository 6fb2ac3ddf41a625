for tool in autoreconf automake libtoolize make; do
  command -v $tool >/dev/null || missing "$tool is not installed"
done
cp "$here/projects/library/"* "$here/projects/libtool/"* .
autoreconf -i >autoreconf.txt 2>&1 || { cat autoreconf.txt >&2; fail autoreconf; }
./configure CC="$cc" CXX="$cxx" >configure.txt || { cat config.log >&2; fail configure; }
make >make.txt 2>&1 || { cat make.txt >&2; fail make; }
expect_built .libs/libcounter.so
expect_built .libs/sample
./sample >out.txt
expect_text out.txt '^5 2$'
