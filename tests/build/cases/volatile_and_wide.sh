$cxx -O0 "$here/projects/single/volatile.cpp" -o main
expect_built main
expect_text symbols.txt 'UND __tsan_volatile_write4'
expect_text symbols.txt 'UND __tsan_volatile_read4'
expect_text symbols.txt 'UND __tsan_atomic128_compare_exchange'
expect_no_text symbols.txt '__atomic_\|__sync_'
./main
# clang writes only, for a compound assignment, unless told otherwise.
printf 'int counter; void f(void) { counter += 1; }\n' >read.c
$cc -O1 -c read.c
readelf -sW read.o >symbols.txt
expect_text symbols.txt 'UND __tsan_read4\|UND __tsan_read_write4'
