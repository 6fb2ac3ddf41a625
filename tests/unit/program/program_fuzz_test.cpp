// Files that lie: whatever the bytes are, inspecting ends with an answer or an error.
#include <fstream>
#include <iterator>

#include "core/base/random.h"
#include "tests/unit/program/sample.h"

namespace heddle {
namespace {

constexpr std::uint64_t kNastyValues[] = {0,          1,          0x7f,  0xff,       0xffff,
                                          0x7fffffff, 0xffffffff, ~0ull, 1ull << 63, 4096};

class HostileFileTest : public SampleTest {
 protected:
  void SetUp() override {
    SampleTest::SetUp();
    write("asm.c",
          "int v; void f(void) { __asm__ volatile(\"lock; incl %0\" : \"+m\"(v)); v++; }\n"
          "int main(void) { f(); return 0; }\n");
    run("gcc -g -fsanitize=thread asm.c -o program");
    std::ifstream in(at("program"), std::ios::binary);
    bytes_.assign(std::istreambuf_iterator<char>(in), {});
    ASSERT_GT(bytes_.size(), 1000u);
    run("cp program mutated");  // executable
  }

  void inspect_bytes(const std::string& bytes) {
    std::ofstream(at("mutated"), std::ios::binary | std::ios::trunc) << bytes;
    const auto image = inspect_program(at("mutated"));
    if (!image) {
      EXPECT_FALSE(image.error().message.empty());
      return;
    }
    refuse_reason(*image);
    warnings(*image);
  }

  // Values that break arithmetic, next to random ones.
  static std::uint64_t nasty(Random& random) {
    return random.below(4) == 0 ? random.next() : kNastyValues[random.below(std::size(kNastyValues))];
  }

  void overwrite(std::string& bytes, std::size_t offset, Random& random) {
    const std::uint64_t value = nasty(random);
    const std::size_t size = std::size_t{1} << random.below(4);
    for (std::size_t i = 0; i < size && offset + i < bytes.size(); ++i) {
      bytes[offset + i] = static_cast<char>(value >> (8 * i));
    }
  }

  std::size_t word_at(std::size_t offset) const {
    std::uint64_t value = 0;
    for (std::size_t i = 0; i < 8; ++i) {
      value |= std::uint64_t{static_cast<unsigned char>(bytes_[offset + i])} << (8 * i);
    }
    return static_cast<std::size_t>(value);
  }

  std::string bytes_;
};

TEST_F(HostileFileTest, MutatedHeaders) {
  Random random(1);
  for (int i = 0; i < 400; ++i) {
    std::string bytes = bytes_;
    for (std::uint32_t n = 1 + random.below(3); n > 0; --n) overwrite(bytes, 4 + random.below(1000), random);
    inspect_bytes(bytes);
  }
}

TEST_F(HostileFileTest, MutatedSectionHeaders) {
  Random random(2);
  const std::size_t table = word_at(0x28);  // e_shoff
  ASSERT_LT(table, bytes_.size());
  for (int i = 0; i < 400; ++i) {
    std::string bytes = bytes_;
    for (std::uint32_t n = 1 + random.below(3); n > 0; --n) {
      overwrite(bytes, table + random.below(static_cast<std::uint32_t>(bytes_.size() - table)), random);
    }
    inspect_bytes(bytes);
  }
}

TEST_F(HostileFileTest, MutatedAnywhere) {
  Random random(3);
  for (int i = 0; i < 400; ++i) {
    std::string bytes = bytes_;
    for (std::uint32_t n = 1 + random.below(200); n > 0; --n) {
      overwrite(bytes, random.below(static_cast<std::uint32_t>(bytes_.size())), random);
    }
    bytes.replace(0, 20, bytes_, 0, 20);  // keep it an ELF file for this machine
    inspect_bytes(bytes);
  }
}

TEST_F(HostileFileTest, Truncated) {
  Random random(4);
  for (int i = 0; i < 200; ++i) {
    inspect_bytes(bytes_.substr(0, random.below(static_cast<std::uint32_t>(bytes_.size()))));
  }
}

}  // namespace
}  // namespace heddle
