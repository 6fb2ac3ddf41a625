// Writes the inputs that the fuzzer starts from: write_seeds DIRECTORY.
#include <cstdio>
#include <fstream>

#include "tests/unit/artifact/sample_trace.h"
#include "tool/artifact/artifact.h"
#include "tool/artifact/bytes.h"
#include "tool/artifact/codec.h"

namespace {

void write(const std::string& path, const std::string& bytes) {
  std::ofstream(path, std::ios::binary) << bytes;
}

std::string as_sections(const heddle::Trace& trace) {
  heddle::ByteWriter writer;
  for (const heddle::ArtifactSection& section : heddle::encode_trace(trace)) {
    writer.varint(section.type);
    writer.string(section.payload);
  }
  return "A" + writer.take();
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 2) return 2;
  const std::string directory = argv[1];
  heddle::Trace small = heddle::sample_trace();
  write(directory + "/sections", as_sections(small));
  write(directory + "/file", "F" + heddle::serialise(small));
  small.events.resize(3);
  small.choices.resize(2);
  write(directory + "/few-sections", as_sections(small));
  write(directory + "/nothing", as_sections(heddle::Trace{}));
  write(directory + "/suppressions", "S# known\nrace:foo*\nthread:^bar$\ncalled_from_lib:libx.so\n");
  return 0;
}
