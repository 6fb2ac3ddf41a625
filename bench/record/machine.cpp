// An interpreter of a small machine: a switch for each instruction, and a virtual call for each device.
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <memory>
#include <thread>
#include <vector>

struct Device {
  virtual ~Device() = default;
  virtual std::uint32_t exchange(std::uint32_t value) = 0;
};
struct Adder : Device {
  std::uint32_t sum = 0;
  std::uint32_t exchange(std::uint32_t value) override { return sum += value; }
};
struct Mixer : Device {
  std::uint32_t state = 1;
  std::uint32_t exchange(std::uint32_t value) override {
    state ^= value;
    if ((state & 1) != 0) state += 0x9e3779b9u;
    return state = state << 5 | state >> 27;
  }
};

enum Code : std::uint8_t { kLoad, kAdd, kSub, kXor, kDevice, kJumpUnlessZero, kSkipIfOdd, kHalt };
struct Instruction {
  Code code;
  std::uint8_t a, b;
  std::int16_t n;
};

static std::uint32_t run(std::uint32_t rounds) {
  const std::vector<Instruction> program = {
      {kLoad, 1, 0, 7},   {kAdd, 2, 1, 0},    {kXor, 3, 2, 0}, {kSkipIfOdd, 2, 0, 0},
      {kDevice, 3, 0, 0}, {kDevice, 2, 0, 1}, {kSub, 0, 4, 0}, {kJumpUnlessZero, 0, 0, -6},
      {kHalt, 0, 0, 0}};
  std::uint32_t r[8] = {rounds, 0, 0, 0, 1, 0, 0, 0};
  std::vector<std::unique_ptr<Device>> devices;
  devices.push_back(std::make_unique<Adder>());
  devices.push_back(std::make_unique<Mixer>());
  for (std::size_t pc = 0;;) {
    const Instruction& i = program[pc++];
    switch (i.code) {
      case kLoad:
        r[i.a] = static_cast<std::uint32_t>(i.n);
        break;
      case kAdd:
        r[i.a] += r[i.b];
        break;
      case kSub:
        r[i.a] -= r[i.b];
        break;
      case kXor:
        r[i.a] ^= r[i.b];
        break;
      case kDevice:
        r[i.a] = devices[static_cast<std::size_t>(i.n)]->exchange(r[i.a]);
        break;
      case kJumpUnlessZero:
        if (r[i.a] != 0) pc = static_cast<std::size_t>(static_cast<long>(pc) + i.n);
        break;
      case kSkipIfOdd:
        if ((r[i.a] & 1) != 0) ++pc;
        break;
      case kHalt:
        return r[3];
    }
  }
}

int main(int argc, char** argv) {
  const auto rounds = static_cast<std::uint32_t>(argc > 1 ? std::atoi(argv[1]) : 60'000'000);
  std::uint32_t a = 0, b = 0;
  std::thread first([&] { a = run(rounds); });
  std::thread second([&] { b = run(rounds / 2); });
  first.join();
  second.join();
  std::printf("%u %u\n", a, b);
}
