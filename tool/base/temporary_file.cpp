#include "tool/base/temporary_file.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <poll.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <filesystem>
#include <system_error>

namespace heddle {
namespace {

constexpr mode_t kMode = 0666;  // umask takes from it
constexpr std::string_view kEnding = ".tmp";

// `.NAME.PID-N.tmp`, and nothing that somebody else may have called so by chance.
bool is_temporary(std::string_view file, const std::string& name) {
  if (!file.starts_with("." + name) || !file.ends_with(kEnding)) return false;
  file.remove_suffix(kEnding.size());
  const std::size_t dot = file.rfind('.');
  if (dot == 0 || dot == std::string_view::npos) return false;
  if (!name.empty() && dot != name.size() + 1) return false;
  const std::string_view numbers = file.substr(dot + 1);
  const std::size_t dash = numbers.find('-');
  const auto is_number = [](std::string_view text) {
    return !text.empty() &&
           std::all_of(text.begin(), text.end(), [](char c) { return c >= '0' && c <= '9'; });
  };
  return dash != std::string_view::npos && is_number(numbers.substr(0, dash)) &&
         is_number(numbers.substr(dash + 1));
}

// A file without a name gets one by way of /proc.
std::string by_descriptor(int fd) { return fmt::format("/proc/self/fd/{}", fd); }

}  // namespace

bool write_all(int fd, std::string_view content) {
  while (!content.empty()) {
    const ssize_t written = ::write(fd, content.data(), content.size());
    if (written < 0 && errno == EINTR) continue;
    if (written < 0 && errno == EAGAIN) {  // a full pipe that does not block
      pollfd entry{fd, POLLOUT, 0};
      if (::poll(&entry, 1, -1) >= 0 || errno == EINTR) continue;
    }
    if (written <= 0) return false;
    content.remove_prefix(static_cast<std::size_t>(written));
  }
  return true;
}

TemporaryFile::TemporaryFile(const std::string& directory, const std::string& name)
    : directory_(directory), name_(name) {
  if (::access("/proc/self/fd", X_OK) == 0)
    fd_ = ::open(directory.c_str(), O_TMPFILE | O_WRONLY | O_CLOEXEC, kMode);
  if (fd_ < 0) {
    create_named();
  } else {
    ::flock(fd_, LOCK_EX | LOCK_NB);
  }
}

TemporaryFile::~TemporaryFile() {
  if (!path_.empty()) ::unlink(path_.c_str());
  if (fd_ >= 0) ::close(fd_);
}

// Not mkostemp: its files are for the owner alone, and to widen them one would have to change the process's
// umask.
bool TemporaryFile::create_named() {
  remove_stale_temporaries(directory_, name_);
  for (unsigned attempt = 0; attempt < 1000; ++attempt) {
    const std::string path = fmt::format("{}/.{}.{}-{}{}", directory_, name_, ::getpid(), attempt, kEnding);
    const int fd = ::open(path.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, kMode);
    if (fd < 0 && errno == EEXIST) continue;
    if (fd < 0) return false;
    // Between the two calls another process could have taken it for one that was left behind.
    struct stat about = {};
    if (::flock(fd, LOCK_EX | LOCK_NB) == 0 && ::fstat(fd, &about) == 0 && about.st_nlink == 0) {
      ::close(fd);
      continue;
    }
    fd_ = fd;
    path_ = path;
    return true;
  }
  return false;
}

bool TemporaryFile::write(std::string_view content) const {
  if (!write_all(fd_, content)) return false;
  // Where the system denies the call, or the file system does not know it, the content is there all the same.
  return ::fsync(fd_) == 0 || errno == EPERM || errno == ENOSYS || errno == EINVAL;
}

bool TemporaryFile::take_name(const std::string& path) const {
  return ::linkat(AT_FDCWD, by_descriptor(fd_).c_str(), AT_FDCWD, path.c_str(), AT_SYMLINK_FOLLOW) == 0;
}

bool TemporaryFile::link_as(const std::string& path) {
  if (path_.empty()) return take_name(path);
  if (::link(path_.c_str(), path.c_str()) == 0) {
    ::unlink(path_.c_str());
    path_.clear();
    return true;
  }
  if (errno == EEXIST) return false;
  // A file system without hard links.
  if (::syscall(SYS_renameat2, AT_FDCWD, path_.c_str(), AT_FDCWD, path.c_str(), 1u /* RENAME_NOREPLACE */) ==
      0) {
    path_.clear();
    return true;
  }
  if (errno == EEXIST) return false;
  // Without renameat2() the name is taken first, and the whole file put in its place.
  const int reserved = ::open(path.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, kMode);
  if (reserved < 0) return false;
  ::close(reserved);
  if (::rename(path_.c_str(), path.c_str()) == 0) {
    path_.clear();
    return true;
  }
  const int why = errno;
  ::unlink(path.c_str());
  errno = why;
  return false;
}

bool TemporaryFile::replace(const std::string& path) {
  if (path_.empty()) {
    remove_stale_temporaries(directory_, name_);
    for (unsigned attempt = 0; attempt < 1000 && path_.empty(); ++attempt) {
      const std::string own = fmt::format("{}/.{}.{}-{}{}", directory_, name_, ::getpid(), attempt, kEnding);
      if (take_name(own)) {
        path_ = own;
      } else if (errno != EEXIST) {
        return false;
      }
    }
  }
  if (::rename(path_.c_str(), path.c_str()) != 0) return false;
  path_.clear();
  return true;
}

void remove_stale_temporaries(const std::string& directory, const std::string& name) {
  std::error_code error;
  for (std::filesystem::directory_iterator at(directory, error), end; !error && at != end;
       at.increment(error)) {
    if (!is_temporary(at->path().filename().native(), name)) continue;
    const int fd = ::open(at->path().c_str(), O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
    if (fd < 0) continue;
    if (::flock(fd, LOCK_EX | LOCK_NB) == 0) ::unlink(at->path().c_str());
    ::close(fd);
  }
}

}  // namespace heddle
