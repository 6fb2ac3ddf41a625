// Buffers in several parts: what readv, sendmsg and their relatives access.
#pragma once

#include <sys/socket.h>
#include <sys/uio.h>

#include <cstddef>
#include <cstdint>

namespace heddle::abi {

// The kernel moves no more in one call (read(2), NOTES). A larger size is a mistake that it will answer.
inline constexpr std::size_t kMostBytes = 0x7ffff000;

// `Call` tells the accesses: ProgramCall (interposed_call.h).

// The first `bytes` of the parts are written or read; the vector itself is read.
template <typename Call>
void accesses_parts(const Call& call, bool writes, const iovec* parts, std::size_t count,
                    std::int64_t bytes) {
  constexpr std::size_t kMostParts = 1024;  // UIO_MAXIOV
  if (!call || parts == nullptr || count > kMostParts) return;
  call.reads(parts, count * sizeof(iovec));
  for (std::size_t i = 0; i < count && bytes > 0; ++i) {
    const auto left = static_cast<std::size_t>(bytes);
    const std::size_t part = parts[i].iov_len < left ? parts[i].iov_len : left;
    writes ? call.writes(parts[i].iov_base, part) : call.reads(parts[i].iov_base, part);
    bytes -= static_cast<std::int64_t>(part);
  }
}

// A message that is sent: read before it goes.
template <typename Call>
void reads_message(const Call& call, const msghdr* message) {
  if (!call || message == nullptr) return;
  call.reads_object(message);
  accesses_parts(call, false, message->msg_iov, message->msg_iovlen, kMostBytes);
  if (message->msg_name != nullptr) call.reads(message->msg_name, message->msg_namelen);
  if (message->msg_control != nullptr) call.reads(message->msg_control, message->msg_controllen);
}

// A message that was received, with what the kernel changes of its description.
template <typename Call>
void writes_message(const Call& call, const msghdr* message, std::int64_t bytes) {
  if (!call || message == nullptr || bytes < 0) return;
  accesses_parts(call, true, message->msg_iov, message->msg_iovlen, bytes);
  call.reads_object(message);
  if (message->msg_name != nullptr) {
    call.writes(message->msg_name, message->msg_namelen);
    call.writes_object(&message->msg_namelen);
  }
  if (message->msg_control != nullptr) {
    call.writes(message->msg_control, message->msg_controllen);
    call.writes_object(&message->msg_controllen);
  }
  call.writes_object(&message->msg_flags);
}

}  // namespace heddle::abi
