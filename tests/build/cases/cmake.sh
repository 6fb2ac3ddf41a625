generator='Unix Makefiles'
command -v ninja >/dev/null && generator=Ninja
for type in Debug Release; do
  CC="$cc" CXX="$cxx" cmake -S "$here/projects/cmake" -B $type -G "$generator" -DCMAKE_BUILD_TYPE=$type >configure.txt
  cmake --build $type
  expect_built $type/sample
  expect_built $type/csample
  expect_built $type/libdynamic.so
  expect_built $type/libplugin.so
  ./$type/sample >out.txt
  expect_text out.txt '^5 2$'
  ./$type/csample >out.txt
  expect_text out.txt '^3 1$'
done
# An installed program still finds the runtime after CMake has taken its own run path out.
cmake --install Debug --prefix "$PWD/installed" >/dev/null
./installed/bin/sample >out.txt
expect_text out.txt '^5 2$'
