#include "tool/run/shared_memory.h"

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>
#include <utility>

#include "tool/run/limits.h"

namespace heddle::run {
namespace {

constexpr off_t kOutputBytes = 64 << 20;
constexpr std::size_t kMostInput = 256u << 20;

Error system_error(const std::string& what, const char* call) {
  if (errno == EFBIG) {
    return {
        "heddle keeps executions in memory files, and the limit on the size of files does not allow them. "
        "Raise the limit (ulimit -f unlimited).",
        ExitCode::kBadInput};
  }
  const bool has_other_way = std::string(call) == "memfd_create" && errno != EMFILE && errno != ENFILE;
  return {what + ": " + why_refused(call, errno) +
              (has_other_way ? " A folder /dev/shm or /tmp that can be written does as well." : ""),
          ExitCode::kBadInput};
}

}  // namespace

void Descriptor::reset() {
  if (fd_ >= 0) ::close(fd_);
  fd_ = -1;
}

int memory_file(const char* name) {
  const int file = memfd_create(name, MFD_CLOEXEC | MFD_ALLOW_SEALING);
  const int error = errno;
  if (file >= 0 || (error != EPERM && error != ENOSYS && error != EACCES)) return file;
  for (const char* folder : {"/dev/shm", "/tmp"}) {
    const int without_name = open(folder, O_TMPFILE | O_RDWR | O_CLOEXEC, 0600);
    if (without_name >= 0) return without_name;
  }
  errno = error;
  return -1;
}

Result<SharedMemory> SharedMemory::create(const char* name, std::uint64_t bytes) {
  SharedMemory memory;
  memory.descriptor_ = Descriptor(memory_file(name));
  if (!memory.descriptor_) return system_error("heddle needs memory that processes share", "memfd_create");
  if (ftruncate(memory.descriptor_.get(), static_cast<off_t>(bytes)) != 0)
    return system_error("memory that processes share", "ftruncate");
  void* data =
      mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_NORESERVE, memory.descriptor_.get(), 0);
  if (data == MAP_FAILED) return system_error("memory that processes share", "mmap");
  memory.data_ = data;
  memory.bytes_ = bytes;
  return memory;
}

SharedMemory::~SharedMemory() {
  if (data_ != nullptr) munmap(data_, bytes_);
}

SharedMemory::SharedMemory(SharedMemory&& other) noexcept
    : descriptor_(std::move(other.descriptor_)),
      data_(std::exchange(other.data_, nullptr)),
      bytes_(std::exchange(other.bytes_, 0)) {}

SharedMemory& SharedMemory::operator=(SharedMemory&& other) noexcept {
  if (this != &other) {
    if (data_ != nullptr) munmap(data_, bytes_);
    descriptor_ = std::move(other.descriptor_);
    data_ = std::exchange(other.data_, nullptr);
    bytes_ = std::exchange(other.bytes_, 0);
  }
  return *this;
}

Result<OutputFile> OutputFile::create() {
  OutputFile file;
  file.descriptor_ = Descriptor(memory_file("heddle-output"));
  if (!file.descriptor_) return system_error("memory file for the program's output", "memfd_create");
  if (ftruncate(file.descriptor_.get(), kOutputBytes) != 0)
    return system_error("memory file for the program's output", "ftruncate");
  // Only memory files know seals (EINVAL, and EPERM in /dev/shm); a file in their place can grow.
  if (fcntl(file.descriptor_.get(), F_ADD_SEALS, F_SEAL_GROW | F_SEAL_SHRINK) != 0 && errno != EINVAL &&
      errno != EPERM)
    return system_error("memory file for the program's output", "fcntl");
  return file;
}

std::string OutputFile::read(bool& cut) const {
  const off_t end = std::max<off_t>(lseek(descriptor_.get(), 0, SEEK_CUR), 0);
  cut = end >= kOutputBytes;
  // The beginning and the end of a long output tell the most; what is kept goes into artifacts and reports.
  constexpr off_t kKept = 256 << 10;
  std::string text;
  const auto append = [&](off_t from, off_t to) {
    std::string part(static_cast<std::size_t>(to - from), '\0');
    const ssize_t got = pread(descriptor_.get(), part.data(), part.size(), from);
    part.resize(got > 0 ? static_cast<std::size_t>(got) : 0);
    text += part;
  };
  if (end <= kKept) {
    append(0, end);
  } else {
    cut = true;
    append(0, kKept / 2);
    text += "\n[… " + std::to_string(end - kKept) + " bytes left out …]\n";
    append(end - kKept / 2, end);
  }
  return text;
}

off_t OutputFile::copy_to(int file, off_t from) const {
  const off_t end = lseek(descriptor_.get(), 0, SEEK_CUR);
  std::array<char, 65536> buffer{};
  while (from < end) {
    const auto most = std::min(buffer.size(), static_cast<std::size_t>(end - from));
    const ssize_t got = pread(descriptor_.get(), buffer.data(), most, from);
    if (got <= 0) break;
    from += got;
    for (ssize_t at = 0; at < got;) {
      const ssize_t written = write(file, buffer.data() + at, static_cast<std::size_t>(got - at));
      if (written < 0 && errno == EINTR) continue;
      if (written <= 0) return end;  // nobody reads it
      at += written;
    }
  }
  return end;
}

Result<InputFile> InputFile::keep_standard_input() {
  InputFile file;
  file.descriptor_ = Descriptor(memory_file("heddle-input"));
  if (!file.descriptor_) return system_error("memory file for standard input", "memfd_create");
  if (isatty(STDIN_FILENO) != 0) return file;
  std::array<char, 65536> buffer{};
  std::size_t total = 0;
  for (;;) {
    const ssize_t got = ::read(STDIN_FILENO, buffer.data(), buffer.size());
    if (got < 0 && errno == EINTR) continue;
    if (got <= 0) break;  // closed or unreadable: as empty
    total += static_cast<std::size_t>(got);
    if (total > kMostInput) {
      return Error{"Standard input is larger than 256 MB. Give it to the program as a file instead.",
                   ExitCode::kBadInput};
    }
    if (write(file.descriptor_.get(), buffer.data(), static_cast<std::size_t>(got)) != got) {
      return system_error("keeping standard input", "write");
    }
  }
  return file;
}

Result<InputFile> InputFile::of(const std::string& bytes) {
  InputFile file;
  file.descriptor_ = Descriptor(memory_file("heddle-input"));
  if (!file.descriptor_ ||
      write(file.descriptor_.get(), bytes.data(), bytes.size()) != static_cast<ssize_t>(bytes.size()))
    return system_error("memory file for standard input", "memfd_create");
  return file;
}

std::string read_memory_file(int descriptor) {
  struct stat status{};
  if (descriptor < 0 || fstat(descriptor, &status) != 0) return {};
  std::string bytes(static_cast<std::size_t>(status.st_size), '\0');
  const ssize_t got = pread(descriptor, bytes.data(), bytes.size(), 0);
  bytes.resize(got > 0 ? static_cast<std::size_t>(got) : 0);
  return bytes;
}

}  // namespace heddle::run
