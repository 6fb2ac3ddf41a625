# Also with no undefined symbol allowed, which needs the runtime on the library's own link line.
$cxx -fPIC -shared -Wl,-z,defs "$here/projects/library/counter.cpp" -o libcounter.so
expect_built libcounter.so
$cxx -fPIC -c "$here/projects/library/counter.cpp" -o counter.o
$cxx -shared -nostdlib counter.o -o libbare.so -lstdc++ -lc
expect_built libbare.so
$cxx "$here/projects/library/main.cpp" -L. -lcounter -Wl,-rpath,"$PWD" -o main
expect_built main
./main >out.txt
expect_text out.txt '^5 2$'
# What the user adds to the search must not bring ThreadSanitizer's runtime back.
$cxx "$here/projects/library/main.cpp" -L"$(dirname "$(gcc -print-file-name=libtsan.so)")" counter.o -o other
expect_built other
