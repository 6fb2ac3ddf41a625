source=$here/projects/single/main.cpp
# Already there, in the user's flags, in every form: still our runtime and only ours.
for flags in -fsanitize=thread '-fsanitize=thread -static-libtsan' '-fsanitize=thread -shared-libsan' '-fsanitize=thread -ltsan'; do
  case "$family $flags" in
    'gcc '*-shared-libsan | 'clang '*libtsan* | 'clang '*-ltsan*) continue ;;
  esac
  $cxx $flags "$source" -o main
  expect_built main
  ./main >out.txt
  expect_text out.txt '^1 1$'
done
# UndefinedBehaviorSanitizer gets along with it, in one step and in two.
printf '#include <stdio.h>\nint main(int argc, char**) { int x = 0x7fffffff; x += argc; printf("%%d\\n", x); }\n' >ub.cpp
$cxx -fsanitize=undefined ub.cpp -o ub
expect_built ub
./ub >out.txt 2>&1
expect_text out.txt 'signed integer overflow'
$cxx -fsanitize=undefined -c ub.cpp
$cxx -fsanitize=undefined ub.o -o ub2
expect_built ub2
./ub2 >out.txt 2>&1
expect_text out.txt 'signed integer overflow'
expect_fails $cxx -fsanitize=address "$source" -o main
expect_text out.txt 'fsanitize=address cannot be combined with heddle'
expect_fails $cxx -static "$source" -o main
expect_text out.txt 'fully static program'
$cxx -static-libgcc -static-libstdc++ "$source" -o partly
expect_built partly
./partly >out.txt
expect_text out.txt '^1 1$'
