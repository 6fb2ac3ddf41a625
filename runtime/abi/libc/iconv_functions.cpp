// Character sets: iconv moves both of its pointers, and with them says what it has read and written.
#include <iconv.h>

#include "runtime/abi/interposed_call.h"

namespace heddle::abi {
namespace {

// A buffer as iconv takes it: the bytes that it moved over were accessed.
struct MovingBuffer {
  MovingBuffer(char** at, std::size_t* left) : at_(at), left_(left), begin_(at != nullptr ? *at : nullptr) {}
  std::size_t moved() const { return begin_ != nullptr ? static_cast<std::size_t>(*at_ - begin_) : 0; }
  void tell_pointers(const ProgramCall& call) const {
    if (begin_ == nullptr) return;
    call.writes_object(at_);
    call.writes_object(left_);
  }
  const char* begin() const { return begin_; }

 private:
  char** at_;
  std::size_t* left_;
  char* begin_;
};

void converted(const ProgramCall& call, iconv_t converter, const MovingBuffer& in, const MovingBuffer& out) {
  constexpr auto kNoConverter = ~std::uint64_t{0};
  if (reinterpret_cast<std::uint64_t>(converter) == kNoConverter) return;
  call.writes(converter, sizeof(void*));  // it has a shift state
  if (in.begin() != nullptr) call.reads(in.begin(), in.moved());
  if (out.begin() != nullptr) call.writes(out.begin(), out.moved());
  in.tell_pointers(call);
  out.tell_pointers(call);
}

}  // namespace
}  // namespace heddle::abi

using heddle::abi::converted;
using heddle::abi::MovingBuffer;

HEDDLE_SEEN(std::size_t, iconv,
            (iconv_t converter, char** from, std::size_t* from_left, char** to, std::size_t* to_left),
            (converter, from, from_left, to, to_left), const MovingBuffer in(from, from_left);
            const MovingBuffer out(to, to_left), converted(call, converter, in, out))
HEDDLE_SEEN(iconv_t, iconv_open, (const char* to, const char* from), (to, from), call.reads_text(to);
            call.reads_text(from), HEDDLE_NOTHING)
