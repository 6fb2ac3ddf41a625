// A file that has no name yet, or one that nobody takes for a result, until it is whole.
//
// Where the file system and /proc allow it, the file has no name at all (O_TMPFILE): a process that is killed
// leaves nothing behind. Elsewhere, and for the moment in which a file is put in the place of another one, it
// is called `.NAME.PID-N.tmp`. Its writer holds a lock on it (flock). So a later process can tell a file that is
// still being written from one whose writer has died, and removes the latter.
#pragma once

#include <string>
#include <string_view>

namespace heddle {

class TemporaryFile {
 public:
  // In `directory`, on its way to be called `name` there. Not usable: errno says why.
  TemporaryFile(const std::string& directory, const std::string& name);
  ~TemporaryFile();
  TemporaryFile(const TemporaryFile&) = delete;
  TemporaryFile& operator=(const TemporaryFile&) = delete;

  bool usable() const { return fd_ >= 0; }
  int descriptor() const { return fd_; }
  // All of it, on the disk. False: errno says why.
  bool write(std::string_view content) const;
  // Gives it a name that must be free; false with EEXIST where it is taken.
  bool link_as(const std::string& path);
  // Gives it a name, in the place of whatever file has it.
  bool replace(const std::string& path);

 private:
  bool create_named();
  bool take_name(const std::string& path) const;

  std::string directory_, name_;
  std::string path_;  // empty: it has no name
  int fd_ = -1;
};

// Those of writers that have died; of `name` alone, or of all where it is empty.
void remove_stale_temporaries(const std::string& directory, const std::string& name);

// To the end, however often the system takes only a part of it.
bool write_all(int fd, std::string_view content);

}  // namespace heddle
