// A compressor in the manner of LZ77 and its inverse, with a checksum: byte loops, a hash table of places.
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <thread>
#include <vector>

using Bytes = std::vector<std::uint8_t>;

static Bytes pack(const Bytes& in) {
  Bytes out;
  std::vector<std::uint32_t> last(1 << 14, ~0u);
  for (std::size_t at = 0; at < in.size();) {
    std::size_t length = 0, distance = 0;
    if (at + 4 <= in.size()) {
      const std::uint32_t hash =
          (in[at] * 2654435761u ^ in[at + 1] * 40503u ^ in[at + 2] * 911u) & ((1 << 14) - 1);
      const std::uint32_t before = last[hash];
      last[hash] = static_cast<std::uint32_t>(at);
      if (before != ~0u && at - before < 65535) {
        while (at + length < in.size() && length < 255 && in[before + length] == in[at + length]) ++length;
        distance = at - before;
      }
    }
    if (length >= 4) {
      out.insert(out.end(), {0xff, static_cast<std::uint8_t>(length), static_cast<std::uint8_t>(distance),
                             static_cast<std::uint8_t>(distance >> 8)});
      at += length;
    } else {
      out.push_back(in[at] == 0xff ? 0xfe : in[at]);
      ++at;
    }
  }
  return out;
}

static std::uint32_t checksum(const Bytes& bytes) {
  std::uint32_t crc = ~0u;
  for (const std::uint8_t byte : bytes) {
    crc ^= byte;
    for (int i = 0; i < 8; ++i) crc = (crc & 1) != 0 ? crc >> 1 ^ 0xedb88320u : crc >> 1;
  }
  return ~crc;
}

static std::uint32_t run(unsigned seed, int rounds) {
  Bytes text(1 << 20);
  std::uint32_t sum = 0;
  for (int r = 0; r < rounds; ++r) {
    for (std::size_t i = 0; i < text.size(); ++i) {
      seed = seed * 1664525u + 1013904223u;
      text[i] = (seed >> 28) < 11 && i >= 64 ? text[i - 61] : static_cast<std::uint8_t>(seed >> 16 & 63);
    }
    const Bytes packed = pack(text);
    sum += checksum(packed) + static_cast<std::uint32_t>(packed.size());
  }
  return sum;
}

int main(int argc, char** argv) {
  const int rounds = argc > 1 ? std::atoi(argv[1]) : 40;
  std::uint32_t a = 0, b = 0;
  std::thread first([&] { a = run(1, rounds); });
  std::thread second([&] { b = run(2, rounds); });
  first.join();
  second.join();
  std::printf("%u %u\n", a, b);
}
