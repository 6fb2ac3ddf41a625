// What calls with buffers in several parts access.
#include "runtime/abi/libc/buffer_parts.h"

#include <gtest/gtest.h>

#include <vector>

namespace heddle::abi {
namespace {

struct Accessed {
  const void* memory;
  std::size_t bytes;
  bool is_write;
  friend bool operator==(const Accessed&, const Accessed&) = default;
};
void PrintTo(const Accessed& one, std::ostream* out) {
  *out << (one.is_write ? "write " : "read ") << one.bytes << " at " << one.memory;
}
using All = std::vector<Accessed>;

// In place of a call of the program: keeps what it is told.
class KeptCall {
 public:
  explicit operator bool() const { return is_programs; }
  void reads(const void* from, std::size_t bytes) const { all.push_back({from, bytes, false}); }
  void writes(const void* to, std::size_t bytes) const { all.push_back({to, bytes, true}); }
  template <typename Object>
  void reads_object(const Object* object) const {
    if (object != nullptr) reads(object, sizeof *object);
  }
  template <typename Object>
  void writes_object(const Object* object) const {
    if (object != nullptr) writes(object, sizeof *object);
  }

  bool is_programs = true;
  mutable All all;
};

char a[8], b[8], c[8], name[16], control[32];
iovec parts[] = {{a, 8}, {b, 0}, {c, 4}};

All accessed(bool writes, std::size_t count, std::int64_t bytes) {
  const KeptCall call;
  accesses_parts(call, writes, parts, count, bytes);
  return call.all;
}

TEST(BufferParts, AreAccessedAsFarAsBytesWereMoved) {
  const Accessed vector{parts, sizeof parts, false};
  EXPECT_EQ(accessed(true, 3, 12), (All{vector, {a, 8, true}, {b, 0, true}, {c, 4, true}}));
  EXPECT_EQ(accessed(true, 3, 9), (All{vector, {a, 8, true}, {b, 0, true}, {c, 1, true}}));
  EXPECT_EQ(accessed(true, 3, 8), (All{vector, {a, 8, true}}));
  EXPECT_EQ(accessed(false, 3, 3), (All{vector, {a, 3, false}}));
}

TEST(BufferParts, OfMoreBytesThanThereAreEndWithTheLast) {
  EXPECT_EQ(accessed(false, 1, kMostBytes), (All{{parts, sizeof(iovec), false}, {a, 8, false}}));
}

TEST(BufferParts, OfAFailedCallAreTheVectorAlone) {
  EXPECT_EQ(accessed(true, 3, -1), (All{{parts, sizeof parts, false}}));
  EXPECT_EQ(accessed(true, 3, 0), (All{{parts, sizeof parts, false}}));
}

TEST(BufferParts, ThatTheKernelRefusesAreNotLookedAt) {
  EXPECT_EQ(accessed(true, 1025, 8), All{});
  const KeptCall call;
  accesses_parts(call, true, nullptr, 3, 8);
  EXPECT_EQ(call.all, All{});
}

TEST(BufferParts, OfOthersCallsAreNobodys) {
  KeptCall call;
  call.is_programs = false;
  accesses_parts(call, true, parts, 3, 8);
  EXPECT_EQ(call.all, All{});
}

TEST(Message, IsReadBeforeItGoes) {
  msghdr message{};
  message.msg_iov = parts;
  message.msg_iovlen = 1;
  KeptCall call;
  reads_message(call, &message);
  EXPECT_EQ(call.all, (All{{&message, sizeof message, false}, {parts, sizeof(iovec), false}, {a, 8, false}}));
  message.msg_name = name;
  message.msg_namelen = sizeof name;
  message.msg_control = control;
  message.msg_controllen = 20;
  call.all.clear();
  reads_message(call, &message);
  EXPECT_EQ(call.all, (All{{&message, sizeof message, false},
                           {parts, sizeof(iovec), false},
                           {a, 8, false},
                           {name, sizeof name, false},
                           {control, 20, false}}));
}

TEST(Message, IsWrittenWithWhatTheKernelSaysOfIt) {
  msghdr message{};
  message.msg_iov = parts;
  message.msg_iovlen = 3;
  message.msg_name = name;
  message.msg_namelen = 4;
  message.msg_control = control;
  message.msg_controllen = 20;
  KeptCall call;
  writes_message(call, &message, 5);
  EXPECT_EQ(call.all, (All{{parts, sizeof parts, false},
                           {a, 5, true},
                           {&message, sizeof message, false},
                           {name, 4, true},
                           {&message.msg_namelen, sizeof message.msg_namelen, true},
                           {control, 20, true},
                           {&message.msg_controllen, sizeof message.msg_controllen, true},
                           {&message.msg_flags, sizeof message.msg_flags, true}}));
  call.all.clear();
  writes_message(call, &message, -1);
  EXPECT_EQ(call.all, All{}) << "nothing was received";
}

}  // namespace
}  // namespace heddle::abi
