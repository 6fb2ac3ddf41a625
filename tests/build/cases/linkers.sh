for linker in bfd gold lld; do
  if [ $linker = lld ] && [ $family = clang ]; then linker_program=ld.lld-${compiler#clang++-}; else linker_program=ld.$linker; fi
  command -v $linker_program >/dev/null || continue
  $cxx -fuse-ld=$linker "$here/projects/library/main.cpp" "$here/projects/library/counter.cpp" -Wl,--as-needed -o main
  expect_built main
  ./main >out.txt
  expect_text out.txt '^5 2$'
done
