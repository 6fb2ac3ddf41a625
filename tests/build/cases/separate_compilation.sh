$cxx -O2 -c "$here/projects/library/main.cpp" -o main.o
$cxx -O2 -c "$here/projects/library/counter.cpp"
$cxx main.o -o main counter.o
expect_built main
./main >out.txt
expect_text out.txt '^5 2$'
