$cc -std=c11 -Wall -Werror -c "$here/projects/c/shared.c" -o shared.o
$cc -std=c11 -Wall -Werror "$here/projects/c/main.c" shared.o -o main
expect_built main
expect_no_text needed.txt 'stdc++'
./main >out.txt
expect_text out.txt '^3 1$'
