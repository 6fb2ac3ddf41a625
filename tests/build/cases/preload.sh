# A program that was built with plain -fsanitize=thread runs with our library in the place of ThreadSanitizer's.
flags=-fsanitize=thread
[ $family = clang ] && flags="$flags -shared-libsan"
printf '%s\n' '#include <fstream>' '#include <iostream>' '#include <string>' '#include <thread>' 'int v;' \
  'int main() {' '  std::thread([] { ++v; }).join();' '  std::ifstream maps("/proc/self/maps");' \
  '  for (std::string line; std::getline(maps, line);) std::cout << line << "\n";' '}' >maps.cpp
for rpath in '' '-Wl,--disable-new-dtags,-rpath,/usr/lib/x86_64-linux-gnu'; do
  $compiler $flags maps.cpp $rpath -o maps
  soname=$(needed_by maps | grep tsan)
  LD_PRELOAD="$prefix/lib/libheddle.so:$prefix/lib/heddle/preload/$soname" ./maps >out.txt
  expect_text out.txt 'lib/libheddle\.so'
  expect_text out.txt "heddle/preload/$soname"
  expect_no_text out.txt '/usr/.*tsan'
done
