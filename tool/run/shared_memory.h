// Memory files: what the tool and the processes that it starts share.
#pragma once

#include <sys/types.h>

#include <cstdint>
#include <string>

#include "core/base/result.h"

namespace heddle::run {

// Owns a file descriptor.
class Descriptor {
 public:
  Descriptor() = default;
  explicit Descriptor(int fd) : fd_(fd) {}
  ~Descriptor() { reset(); }
  Descriptor(Descriptor&& other) noexcept : fd_(other.release()) {}
  Descriptor& operator=(Descriptor&& other) noexcept {
    if (this != &other) {
      reset();
      fd_ = other.release();
    }
    return *this;
  }
  int get() const { return fd_; }
  int release() {
    const int fd = fd_;
    fd_ = -1;
    return fd;
  }
  void reset();
  explicit operator bool() const { return fd_ >= 0; }

 private:
  int fd_ = -1;
};

// A memfd mapped here; sparse until written.
// A file in memory, or one without a name where the system has none; -1 and errno: neither.
int memory_file(const char* name);

class SharedMemory {
 public:
  static Result<SharedMemory> create(const char* name, std::uint64_t bytes);
  SharedMemory() = default;
  ~SharedMemory();
  SharedMemory(SharedMemory&& other) noexcept;
  SharedMemory& operator=(SharedMemory&& other) noexcept;

  void* data() const { return data_; }
  std::uint64_t bytes() const { return bytes_; }
  int descriptor() const { return descriptor_.get(); }

 private:
  Descriptor descriptor_;
  void* data_ = nullptr;
  std::uint64_t bytes_ = 0;
};

// A memory file of fixed size that takes a program's output: writes past its end fail, so that a program that
// prints without end cannot fill memory. What was written is up to the file offset.
class OutputFile {
 public:
  static Result<OutputFile> create();
  int descriptor() const { return descriptor_.get(); }
  std::string read(bool& cut) const;
  // Writes what comes after the first `from` bytes to another file, and answers how many there are now.
  off_t copy_to(int file, off_t from) const;

 private:
  Descriptor descriptor_;
};

// All bytes of a memory file.
std::string read_memory_file(int descriptor);

// The tool's standard input, kept so that every execution can read it from the start.
class InputFile {
 public:
  // Reads standard input to its end unless it is a terminal; then executions see an empty one.
  static Result<InputFile> keep_standard_input();
  // One that an artifact has kept.
  static Result<InputFile> of(const std::string& bytes);
  int descriptor() const { return descriptor_.get(); }

 private:
  Descriptor descriptor_;
};

}  // namespace heddle::run
