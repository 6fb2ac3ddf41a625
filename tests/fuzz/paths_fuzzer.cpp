// What the reader of the database of paths does with bytes from anywhere. Its checksum is made right.
#include "tests/fuzz/fuzz.h"
#include "tool/base/bytes.h"
#include "tool/base/crc32c.h"
#include "tool/search/path_trie.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace heddle;
  static fuzz::MemoryFile file;
  constexpr std::string_view kMagic{"\x89HDPATHS\n\x01", 10};  // tool/search/path_trie.cpp
  const std::string_view body = fuzz::bytes_of(data, size);
  ByteWriter whole;
  whole.raw(kMagic);
  whole.fixed32(crc32c(body));
  whole.raw(body);
  const auto database = search::PathDatabase::read(file.hold(whole.bytes()));
  if (!database) return fuzz::judged_result(database);
  std::size_t steps = 0;
  for (std::size_t i = 0; i < database->distinct_runs(); ++i) {
    for (const auto& [thread, path] : database->run(i)) {
      steps += path.size();
      static_cast<void>(database->paths(thread, path, 4));
      static_cast<void>(database->paths(thread, {}, 4));
    }
  }
  static_cast<void>(database->runs());
  return fuzz::judged(steps != 0, "it has no paths");
}
