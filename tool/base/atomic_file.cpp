#include "tool/base/atomic_file.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <poll.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <charconv>
#include <climits>
#include <cstring>
#include <filesystem>
#include <system_error>

#include "tool/base/temporary_file.h"

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

// Directories on the way to a file.
Status make_parent(const std::string& directory) {
  std::error_code error;
  std::filesystem::create_directories(directory, error);
  if (!error) return Done{};
  errno = error.value();
  return system_failure("make the directory", directory);
}

std::string directory_of(const std::string& path) {
  const std::filesystem::path file(path);
  return file.has_parent_path() ? file.parent_path().string() : ".";
}

std::string name_of(const std::string& path) { return std::filesystem::path(path).filename().string(); }

// The name itself is safe once its directory is on the disk; some file systems cannot do that, which is no
// error.
void sync_directory(const std::string& directory) {
  const Descriptor parent(::open(directory.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  if (parent.get() >= 0) ::fsync(parent.get());
}

// Where a path leads when its last component is followed as long as it is a symbolic link.
struct Destination {
  enum class Kind { kNew, kRegular, kOther, kOwnDescriptor };
  Kind kind = Kind::kNew;
  std::string path;
  int descriptor = -1;  // kOwnDescriptor
  struct stat about = {};
};

// The number of one of this process's descriptors, if `path` is its name in /proc; else -1.
int own_descriptor(const std::string& path) {
  std::error_code error;
  const std::filesystem::path folder = std::filesystem::canonical(directory_of(path), error);
  if (error || folder != fmt::format("/proc/{}/fd", ::getpid())) return -1;
  const std::string name = name_of(path);
  int number = -1;
  const auto [end, wrong] = std::from_chars(name.data(), name.data() + name.size(), number);
  return wrong == std::errc() && end == name.data() + name.size() ? number : -1;
}

constexpr int kMostLinks = 40;  // as the kernel does it

Result<Destination> destination_of(std::string path) {
  const std::string asked = path;
  for (int links = 0; links < kMostLinks; ++links) {
    Destination to;
    to.path = path;
    if (::lstat(path.c_str(), &to.about) != 0) {
      if (errno == ENOENT) return to;
      return system_failure("write", asked);
    }
    if (!S_ISLNK(to.about.st_mode)) {
      if (S_ISDIR(to.about.st_mode)) {
        errno = EISDIR;
        return system_failure("write", asked);
      }
      to.kind = S_ISREG(to.about.st_mode) ? Destination::Kind::kRegular : Destination::Kind::kOther;
      return to;
    }
    to.descriptor = own_descriptor(path);
    if (to.descriptor >= 0) {
      to.kind = Destination::Kind::kOwnDescriptor;
      return to;
    }
    // A link of /proc may lead to something that has no name of its own, a pipe for example.
    struct stat end = {};
    if (::stat(path.c_str(), &end) == 0 && !S_ISREG(end.st_mode) && !S_ISDIR(end.st_mode)) {
      to.kind = Destination::Kind::kOther;
      return to;
    }
    std::error_code error;
    const std::filesystem::path next = std::filesystem::read_symlink(path, error);
    if (error) {
      errno = error.value();
      return system_failure("follow the link", path);
    }
    path = next.is_absolute() ? next.string() : (std::filesystem::path(directory_of(path)) / next).string();
  }
  errno = ELOOP;
  return system_failure("write", asked);
}

// One for the process, as its signal handlers are.
bool (*gives_up_writing)() = nullptr;

bool gives_up() { return gives_up_writing != nullptr && gives_up_writing(); }

constexpr int kLookEvery = 50;    // milliseconds
constexpr int kLastChance = 500;  // for a reader that is only slow

// The end of a FIFO that is written to; -1 with EPIPE: the user does not want to wait for a reader any
// longer.
int open_fifo(const std::string& path) {
  for (;;) {
    const int fd = ::open(path.c_str(), O_WRONLY | O_NONBLOCK | O_CLOEXEC);
    if (fd >= 0 || (errno != ENXIO && errno != EINTR)) return fd;
    if (gives_up()) {
      errno = EPIPE;
      return -1;
    }
    ::usleep(kLookEvery * 1000);
  }
}

int open_other(const std::string& path) {
  struct stat about = {};
  if (::stat(path.c_str(), &about) == 0 && S_ISFIFO(about.st_mode)) return open_fifo(path);
  return ::open(path.c_str(), O_WRONLY | O_NOCTTY | O_CLOEXEC);
}

// False with EPIPE: nobody reads, and the user does not want to wait.
bool write_patiently(int fd, std::string_view content) {
  // PIPE_BUF bytes can be written without waiting where poll() says that something can: pipe(7).
  constexpr std::size_t kAtOnce = PIPE_BUF;
  while (!content.empty()) {
    const bool last_chance = gives_up();
    pollfd entry{fd, POLLOUT, 0};
    const int ready = ::poll(&entry, 1, last_chance ? kLastChance : kLookEvery);
    // Where poll() is denied, the write itself waits.
    const bool is_denied = ready < 0 && errno != EINTR;
    if (ready == 0 && last_chance) {
      errno = EPIPE;
      return false;
    }
    if (ready <= 0 && !is_denied) continue;
    const ssize_t written = ::write(fd, content.data(), std::min(content.size(), kAtOnce));
    if (written < 0 && (errno == EINTR || errno == EAGAIN)) continue;
    if (written <= 0) return false;
    content.remove_prefix(static_cast<std::size_t>(written));
  }
  return true;
}

Status write_through(int fd, const std::string& path, std::string_view content) {
  Descriptor file(fd);
  if (file.get() < 0 && errno == EPIPE) return Done{};
  if (file.get() < 0) return system_failure("open", path);
  if (write_patiently(file.get(), content) && file.close()) return Done{};
  if (errno == EPIPE) return Done{};  // whoever read it has read enough
  return system_failure("write", path);
}

// What an existing file had stays, as if it had been written in place.
void take_over(const struct stat& about, int fd) {
  [[maybe_unused]] const int owner = ::fchown(fd, about.st_uid, about.st_gid);  // ours it is in any case
  ::fchmod(fd, about.st_mode & 07777);
}

}  // namespace

void set_gives_up_writing(bool (*gives_up)()) { gives_up_writing = gives_up; }

Error system_failure(std::string_view what, const std::string& path) {
  const int why = errno;
  std::string text = fmt::format("Cannot {} {}: {}.", what, path, std::strerror(why));
  if (why == ENOSPC || why == EDQUOT) text += " Free some space there, or name another place.";
  if (why == EFBIG) text += " Raise the limit on the size of files (ulimit -f).";
  if (why == EACCES || why == EROFS || why == ENOTDIR || why == EISDIR)
    text += " Name a place that can be written.";
  return Error{text};
}

Status write_file_atomically(const std::string& path, std::string_view content) {
  auto to = destination_of(path);
  if (!to) return to.error();
  if (to->kind == Destination::Kind::kOwnDescriptor)
    return write_through(::fcntl(to->descriptor, F_DUPFD_CLOEXEC, 3), path, content);
  if (to->kind == Destination::Kind::kOther) return write_through(open_other(to->path), path, content);
  const std::string directory = directory_of(to->path);
  if (auto made = make_parent(directory); !made) return made;
  const bool is_there = to->kind == Destination::Kind::kRegular;
  const auto in_place = [&] {
    return write_through(::open(to->path.c_str(), O_WRONLY | O_TRUNC | O_CLOEXEC), path, content);
  };
  TemporaryFile file(directory, name_of(to->path));
  if (!file.usable()) {
    // A file that may be written in a directory that may not.
    if (is_there && (errno == EACCES || errno == EPERM || errno == EROFS)) return in_place();
    return system_failure("create a file in", directory);
  }
  if (is_there) take_over(to->about, file.descriptor());
  if (!file.write(content)) return system_failure("write", path);
  if (!file.replace(to->path)) {
    if (is_there && errno == EBUSY) return in_place();  // a mount point of its own
    return system_failure("write", path);
  }
  sync_directory(directory);
  return Done{};
}

Result<bool> write_new_file(const std::string& path, std::string_view content) {
  const std::string directory = directory_of(path);
  if (auto made = make_parent(directory); !made) return made.error();
  TemporaryFile file(directory, name_of(path));
  if (!file.usable()) return system_failure("create a file in", directory);
  if (!file.write(content)) return system_failure("write", path);
  if (!file.link_as(path)) {
    if (errno == EEXIST) return false;
    return system_failure("write", path);
  }
  sync_directory(directory);
  return true;
}

Result<std::string> read_whole_file(const std::string& path, std::uint64_t limit) {
  const Descriptor file(::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK));
  if (file.get() < 0) return system_failure("open", path);
  struct stat about = {};
  if (::fstat(file.get(), &about) != 0) return system_failure("read", path);
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
    if (got < 0) return system_failure("read", path);
    if (got == 0) break;
    at += static_cast<std::size_t>(got);
  }
  content.resize(at);
  return content;
}

}  // namespace heddle
