#include "tool/run/limits.h"

#include <fmt/core.h>
#include <sys/resource.h>

#include <cerrno>
#include <cstring>

namespace heddle::run {
namespace {

// The shadow of the program's memory takes 64 TB of addresses, its heap one, stacks and tables a few more.
// Nearly all of it is never touched.
constexpr rlim_t kAddressSpace = rlim_t{72} << 40;
constexpr rlim_t kStack = rlim_t{1} << 20;
constexpr rlim_t kDescriptors = 3;
constexpr rlim_t kUsualDescriptor = 240;
constexpr rlim_t kFewestDescriptors = 16;

rlim_t limit_of(decltype(RLIMIT_AS) kind) {
  rlimit limit{};
  return getrlimit(kind, &limit) == 0 ? limit.rlim_cur : RLIM_INFINITY;
}

}  // namespace

std::string why_refused(const char* call, int error) {
  std::string text = fmt::format("{}: {}.", call, std::strerror(error));
  if (error == EPERM || error == ENOSYS || error == EACCES) {
    return text + fmt::format(
                      " The system denies this call to heddle, as a container's seccomp profile may do. "
                      "Allow {} in the profile (docker: --security-opt seccomp=PROFILE.json).",
                      call);
  }
  if (error == EMFILE)
    return text + fmt::format(" There are too few file descriptors: `ulimit -n` is {}, try 1024.",
                              limit_of(RLIMIT_NOFILE));
  if (error == EAGAIN && limit_of(RLIMIT_NPROC) != RLIM_INFINITY)
    return text + fmt::format(" There may be too few processes: `ulimit -u` is {}.", limit_of(RLIMIT_NPROC));
  if (error == ENOMEM && limit_of(RLIMIT_AS) != RLIM_INFINITY)
    return text +
           fmt::format(" There is too little address space: `ulimit -v` is {}; try `ulimit -v unlimited`.",
                       limit_of(RLIMIT_AS) / 1024);
  return text;
}

Status check_address_space() {
  const rlim_t limit = limit_of(RLIMIT_AS);
  if (limit == RLIM_INFINITY || limit >= kAddressSpace) return Done{};
  return Error{
      fmt::format(
          "There is too little address space: `ulimit -v` is {} kB. heddle reserves {} TB of addresses in "
          "the program, of which nearly all are never touched. Lift the limit: `ulimit -v unlimited`; "
          "--memory-limit bounds what heddle keeps.",
          limit / 1024, kAddressSpace >> 40),
      ExitCode::kBadInput};
}

Status check_stack() {
  const rlim_t limit = limit_of(RLIMIT_STACK);
  if (limit == RLIM_INFINITY || limit >= kStack) return Done{};
  return Error{fmt::format("The stack is too small: `ulimit -s` is {} kB, and heddle needs {} at least.",
                           limit / 1024, kStack / 1024),
               ExitCode::kBadInput};
}

Result<int> first_runtime_descriptor() {
  const rlim_t limit = limit_of(RLIMIT_NOFILE);
  if (limit == RLIM_INFINITY || limit >= kUsualDescriptor + kDescriptors)
    return static_cast<int>(kUsualDescriptor);
  if (limit >= kFewestDescriptors) return static_cast<int>(limit - kDescriptors);
  return Error{
      fmt::format("There are too few file descriptors: `ulimit -n` is {}, and heddle needs {} at least.",
                  limit, kFewestDescriptors),
      ExitCode::kBadInput};
}

}  // namespace heddle::run
