#include "tool/artifact/atomic_file.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <filesystem>
#include <system_error>

namespace heddle {
namespace {

class Descriptor {
 public:
  explicit Descriptor(int fd) : fd_(fd) {}
  ~Descriptor() {
    if (fd_ >= 0) ::close(fd_);
  }
  Descriptor(const Descriptor&) = delete;
  Descriptor& operator=(const Descriptor&) = delete;
  int get() const { return fd_; }
  bool close() {
    const int fd = fd_;
    fd_ = -1;
    return ::close(fd) == 0;
  }

 private:
  int fd_;
};

Error failed(std::string_view what, const std::string& path) {
  return Error{fmt::format("Cannot {} {}: {}.", what, path, std::strerror(errno))};
}

bool write_all(int fd, std::string_view content) {
  while (!content.empty()) {
    const ssize_t written = ::write(fd, content.data(), content.size());
    if (written < 0 && errno == EINTR) continue;
    if (written <= 0) return false;
    content.remove_prefix(static_cast<std::size_t>(written));
  }
  return true;
}

// Not mkostemp: its files are for the owner alone, and to widen them one would have to change the process's
// umask.
int create_temporary(const std::string& directory, const std::string& name, std::string& path) {
  for (unsigned attempt = 0; attempt < 1000; ++attempt) {
    path = fmt::format("{}/.{}.{}-{}.tmp", directory, name, ::getpid(), attempt);
    const int fd = ::open(path.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, 0666);
    if (fd >= 0 || errno != EEXIST) return fd;
  }
  return -1;
}

}  // namespace

Status write_file_atomically(const std::string& path, std::string_view content) {
  const std::filesystem::path target(path);
  const std::string directory = target.has_parent_path() ? target.parent_path().string() : ".";
  std::error_code error;
  std::filesystem::create_directories(directory, error);
  if (error) {
    errno = error.value();
    return failed("make the directory", directory);
  }
  std::string temporary;
  Descriptor file(create_temporary(directory, target.filename().string(), temporary));
  if (file.get() < 0) return failed("create a file in", directory);
  if (!write_all(file.get(), content) || ::fsync(file.get()) != 0 || !file.close() ||
      ::rename(temporary.c_str(), path.c_str()) != 0) {
    const Error why = failed("write", path);
    ::unlink(temporary.c_str());
    return why;
  }
  // The name itself is safe once its directory is on the disk; some file systems cannot do that, which is no
  // error.
  const Descriptor parent(::open(directory.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  if (parent.get() >= 0) ::fsync(parent.get());
  return Done{};
}

Result<std::string> read_whole_file(const std::string& path, std::uint64_t limit) {
  const Descriptor file(::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK));
  if (file.get() < 0) return failed("open", path);
  struct stat about = {};
  if (::fstat(file.get(), &about) != 0) return failed("read", path);
  if (!S_ISREG(about.st_mode)) return Error{fmt::format("Cannot read {}: it is not a regular file.", path)};
  if (static_cast<std::uint64_t>(about.st_size) > limit) {
    return Error{
        fmt::format("Cannot read {}: it has {} bytes; at most {} are read.", path, about.st_size, limit)};
  }
  std::string content(static_cast<std::size_t>(about.st_size), '\0');
  std::size_t at = 0;
  while (at < content.size()) {
    const ssize_t got = ::read(file.get(), content.data() + at, content.size() - at);
    if (got < 0 && errno == EINTR) continue;
    if (got < 0) return failed("read", path);
    if (got == 0) break;
    at += static_cast<std::size_t>(got);
  }
  content.resize(at);
  return content;
}

}  // namespace heddle
