$cxx -O1 -Wall -Wextra -Werror "$here/projects/single/fence.cpp" -o main
expect_built main
expect_text symbols.txt 'UND __tsan_atomic_thread_fence'
./main
# No warning either for calls in which nothing is compiled.
$cxx -Werror -c "$here/projects/single/fence.cpp" -o fence.o
$cxx -Wall -Werror fence.o -o again 2>err.txt
[ ! -s err.txt ] || fail "the link says: $(cat err.txt)"
printf '.text\n.globl f\nf: ret\n.section .note.GNU-stack,"",@progbits\n' >f.s
$cc -Wall -Werror -c f.s 2>err.txt
[ ! -s err.txt ] || fail "the assembler says: $(cat err.txt)"
