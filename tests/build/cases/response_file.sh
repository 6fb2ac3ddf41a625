mkdir 'with space'
cp "$here/projects/library/"* 'with space/'
printf '%s\n' -O1 -g '"with space/counter.cpp"' "'with space/main.cpp'" '-Iwith\ space' -o main >args.rsp
$cxx @args.rsp
expect_built main
./main >out.txt
expect_text out.txt '^5 2$'
printf -- '-c "with space/counter.cpp" -o counter.o\n' >inner.rsp
printf '@inner.rsp -O2\n' >outer.rsp
$cxx @outer.rsp
expect_instrumented counter.o
