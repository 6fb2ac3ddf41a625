$cxx -c "$here/projects/library/counter.cpp" -o counter.o
ar rcs libcounter.a counter.o
$cxx "$here/projects/library/main.cpp" -L. -lcounter -o main
expect_built main
./main >out.txt
expect_text out.txt '^5 2$'
# -r puts objects together and links no library into them.
$cxx -r -nostdlib counter.o -o both.o
expect_instrumented both.o
$cxx "$here/projects/library/main.cpp" both.o -o again
expect_built again
