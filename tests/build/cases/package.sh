# find_package(heddle), in a project whose compiler is not wrapped.
[ -f "$prefix/lib/cmake/heddle/heddleConfig.cmake" ] || fail "no package in $prefix"
[ -f /usr/include/gtest/gtest.h ] || missing "GoogleTest is not installed"
CC=$plain_cc CXX=$compiler cmake -S "$here/projects/package" -B build -DCMAKE_PREFIX_PATH="$prefix" \
  -DCMAKE_BUILD_TYPE=Debug -DCMAKE_CXX_FLAGS=-fsanitize=thread >configure.txt
cmake --build build >build.txt 2>&1 || { cat build.txt >&2; fail build; }
expect_built build/sample
expect_built build/csample
expect_built build/libcounter.so
./build/sample >out.txt
expect_text out.txt '^5 2$'
# 0 is a pass, 66 is not; one test for each case of the GoogleTest program.
ctest --test-dir build >ctest.txt 2>&1 && fail "ctest should have failed"
for passing in sample passes unit.Suite.Passes unit.All/Values.Small/0 unit.All/Values.Small/1; do
  expect_text ctest.txt " $passing \.* *Passed"
done
for failing in fails unit.Suite.Fails unit.All/Values.Small/2; do
  expect_text ctest.txt " $failing \.*\*\*\*Failed"
done
expect_no_text ctest.txt DISABLED
ctest --test-dir build -N -L discovered >out.txt
expect_text out.txt 'Total Tests: 5'
