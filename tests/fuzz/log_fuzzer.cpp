// What readers of logs of shared elements do with bytes from anywhere, and what is done with what they
// accept: it is shown, written and read back, and put into a store of logs.
//
// The first byte: F a file as it is; R a recorder's log without its checksums; Z the same as `heddle record`
// collects it; C the content of a collected access log.
#include <zstd.h>

#include "tests/fuzz/fuzz.h"
#include "tests/fuzz/log_layout.h"
#include "tool/artifact/container.h"
#include "tool/merge/store/log_store.h"
#include "tool/record/access_log.h"
#include "tool/record/element_orders.h"
#include "tool/record/show_access_log.h"

namespace heddle {
namespace {

constexpr std::uint32_t kAccessLogSection = 0x41434c47;  // tool/record/access_log.cpp

std::string collected(const std::string& image) {
  std::string file;
  const auto* bytes = reinterpret_cast<const unsigned char*>(image.data());
  for (const std::uint64_t word :
       {record::kCollectedMagic, std::uint64_t{image.size()}, record::checksum_of(bytes, image.size())})
    file.append(reinterpret_cast<const char*>(&word), sizeof word);
  std::string frame(ZSTD_compressBound(image.size()), '\0');
  frame.resize(ZSTD_compress(frame.data(), frame.size(), image.data(), image.size(), 1));
  return file + frame;
}

std::string file_of(char kind, std::string_view bytes) {
  ByteReader input(bytes);
  switch (kind) {
    case 'F':
      return std::string(bytes);
    case 'C':
      return write_container({{kAccessLogSection, true, std::string(bytes)}});
    case 'Z':
      return collected(fuzz::laid_out(input));
    default:
      return fuzz::laid_out(input);
  }
}

void use(const AccessLog& log) {
  fuzz::require(!access_log_text(log, {}).empty() && !access_log_json(log, {}).empty());
  static_cast<void>(make_orders(log.vectors, log.threads));
  merge::LogStore store(merge::table_in_memory());
  const auto added = store.add(log);
  fuzz::require(static_cast<bool>(added));
  fuzz::require(static_cast<bool>(store.bugs()));
  fuzz::require(store.take_complaints().empty());
}

void write_and_read(const AccessLog& log) {
  const std::string path = fuzz::scratch_folder() + "/log";
  fuzz::require(static_cast<bool>(write_access_log(path, log)));
  const auto again = read_access_log(path);
  fuzz::require(again && again->vectors == log.vectors && again->threads == log.threads &&
                again->failure_place == log.failure_place && again->build == log.build);
}

}  // namespace
}  // namespace heddle

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace heddle;
  static fuzz::MemoryFile file;
  if (size == 0) return 0;
  const auto log =
      read_access_log(file.hold(file_of(static_cast<char>(data[0]), fuzz::bytes_of(data + 1, size - 1))));
  if (log) {
    use(*log);
    // (It costs as much as all else.)
    if (fuzz::is_one_in(64, data, size)) write_and_read(*log);
  }
  return fuzz::judged_result(log);
}
