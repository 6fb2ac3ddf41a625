$cxx -std=c++20 -g -O1 "$here/projects/single/main.cpp" -o main
expect_built main
./main >out.txt
expect_text out.txt '^1 1$'
readelf -SW main >sections.txt
expect_text sections.txt '\.debug_info'
