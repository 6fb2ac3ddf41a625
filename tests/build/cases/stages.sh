# Each stage by itself: preprocess, compile, assemble, link; standard input; dependencies; a precompiled header.
source=$here/projects/single/fence.cpp
$cxx -E "$source" -o fence.ii
$cxx -S fence.ii -o fence.s
expect_text fence.s '__tsan_atomic_thread_fence'
$cxx -c fence.s -o fence.o
$cxx -o main fence.o
expect_built main
./main
$cxx -x c++ - -o stdin <"$source"
expect_built stdin
printf '#if defined(__SANITIZE_THREAD__)\nyes\n#elif __has_feature(thread_sanitizer)\nyes\n#endif\n' | $cxx -E -x c++ - >out.txt
expect_text out.txt '^yes$'
$cxx -MM "$here/projects/library/main.cpp" >out.txt
expect_text out.txt 'counter.h'
$cxx -MD -MF dep.d -c "$here/projects/library/main.cpp" -o main.o
expect_text dep.d 'counter.h'
cp "$here/projects/library/counter.h" .
$cxx counter.h
ls counter.h.?ch
printf '#include "counter.h"\nint main() { return 0; }\n' >use.cpp
$cxx -Winvalid-pch -Werror -I. use.cpp -o use
expect_runtime use
$cxx -fsyntax-only use.cpp
