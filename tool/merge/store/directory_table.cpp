// Records in a directory: for each kind a file with the strings one after the other, only ever appended to,
// and an index of fixed size for each string, written after it. Opening reads the indexes and not the
// strings. What a process that died has left after the last whole index entry is overwritten by the next; a
// damaged entry in the middle keeps its number, and costs nothing but its own string.
#include <fcntl.h>
#include <sys/file.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <array>
#include <cstring>
#include <filesystem>
#include <unordered_map>
#include <vector>

#include "core/base/random.h"
#include "tool/base/crc32c.h"
#include "tool/merge/store/access_vector.h"
#include "tool/merge/store/record_table.h"

namespace heddle::merge {
namespace {

constexpr std::uint64_t kMagic = 0x31676f6c656c6468;  // "hdlelog1"
constexpr const char* kNames[] = {"threads", "vectors", "logs"};
// Mapped at once, so that strings stay where they are while the file grows.
constexpr std::size_t kMapped = std::size_t{1} << 40;
constexpr std::size_t kFlushAt = 1 << 20;

struct IndexEntry {
  std::uint64_t hash = 0;
  std::uint64_t offset = 0;
  std::uint32_t length = 0;
  std::uint32_t check = 0;  // of the string and of the fields above
};
static_assert(sizeof(IndexEntry) == 24);

std::uint32_t check_of(const IndexEntry& entry, std::string_view bytes) {
  return crc32c(bytes, crc32c({reinterpret_cast<const char*>(&entry), offsetof(IndexEntry, check)}));
}

Error system_error(const std::string& path) {
  return {path + ": " + std::strerror(errno) + ".", ExitCode::kBadInput};
}

class StringFile {
 public:
  ~StringFile();
  Status open(const std::string& path);
  Result<RecordTable::Place> intern(std::string_view bytes);
  Status visit(std::uint64_t from, const RecordTable::Visit& visit) const;
  // Index entries that others have appended.
  Status read_index();
  Status flush();
  // After it, what was flushed outlives the machine.
  Status sync() const;
  std::size_t pending() const { return pending_strings_.size(); }

 private:
  std::string_view bytes_of(const IndexEntry& entry) const;
  Result<std::vector<IndexEntry>> read_entries() const;
  void take(const IndexEntry& entry);
  Status append(int file, std::string& pending, std::uint64_t& written);

  std::string path_;
  int strings_ = -1;
  int index_ = -1;
  const char* mapped_ = nullptr;
  std::vector<IndexEntry> entries_;
  std::unordered_multimap<std::uint64_t, std::uint64_t> by_hash_;
  std::uint64_t strings_end_ = 0;  // of the file, whole strings only
  std::uint64_t index_end_ = 0;
  std::string pending_strings_, pending_index_;
};

StringFile::~StringFile() {
  if (mapped_ != nullptr) ::munmap(const_cast<char*>(mapped_), kMapped);
  if (strings_ >= 0) ::close(strings_);
  if (index_ >= 0) ::close(index_);
}

Status StringFile::open(const std::string& path) {
  path_ = path;
  strings_ = ::open(path.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0644);
  if (strings_ < 0) return system_error(path);
  index_ = ::open((path + ".index").c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0644);
  if (index_ < 0) return system_error(path + ".index");
  void* mapped = ::mmap(nullptr, kMapped, PROT_READ, MAP_SHARED | MAP_NORESERVE, strings_, 0);
  if (mapped == MAP_FAILED) return system_error(path);
  mapped_ = static_cast<const char*>(mapped);
  return Done{};
}

Status StringFile::read_index() {
  struct stat strings = {};
  if (::fstat(strings_, &strings) != 0) return system_error(path_);
  const auto size = static_cast<std::uint64_t>(strings.st_size);
  if (index_end_ == 0) {
    std::uint64_t magic = 0;
    const ssize_t got = ::pread(index_, &magic, sizeof magic, 0);
    if (got == sizeof magic && magic != kMagic)
      return Error{path_ + ".index is no index of a log store of this version.", ExitCode::kBadInput};
    if (got != sizeof magic && ::pwrite(index_, &kMagic, sizeof kMagic, 0) != sizeof kMagic)
      return system_error(path_ + ".index");
    index_end_ = sizeof kMagic;
  }
  auto read = read_entries();
  if (!read) return read.error();
  const std::vector<IndexEntry>& entries = *read;
  const auto is_within = [&](const IndexEntry& e) {
    return e.offset >= strings_end_ && e.offset <= size && e.length <= size - e.offset;
  };
  const auto is_whole = [&](const IndexEntry& e) {
    return is_within(e) && check_of(e, {mapped_ + e.offset, e.length}) == e.check;
  };
  for (std::size_t i = 0; i < entries.size();) {
    if (is_within(entries[i]) && entries[i].offset == strings_end_) {
      take(entries[i++]);
      continue;
    }
    // Is it the unfinished end, or does something whole come later?
    std::size_t next = i + 1;
    while (next < entries.size() && !is_whole(entries[next])) ++next;
    if (next >= entries.size()) return Done{};
    for (; i < next; ++i) {
      // The first of the damaged ones has the bytes of all of them; none has a check that fits.
      IndexEntry damaged{0, strings_end_, static_cast<std::uint32_t>(entries[next].offset - strings_end_), 0};
      damaged.check = ~check_of(damaged, {mapped_ + damaged.offset, damaged.length});
      take(damaged);
    }
  }
  return Done{};
}

Result<std::vector<IndexEntry>> StringFile::read_entries() const {
  struct stat index = {};
  if (::fstat(index_, &index) != 0) return system_error(path_ + ".index");
  const std::uint64_t end = static_cast<std::uint64_t>(index.st_size);
  std::vector<IndexEntry> entries(end > index_end_ ? (end - index_end_) / sizeof(IndexEntry) : 0);
  auto* const bytes = reinterpret_cast<char*>(entries.data());
  for (std::size_t done = 0; done < entries.size() * sizeof(IndexEntry);) {
    const ssize_t got = ::pread(index_, bytes + done, entries.size() * sizeof(IndexEntry) - done,
                                static_cast<off_t>(index_end_ + done));
    if (got < 0 && errno == EINTR) continue;
    if (got <= 0) return system_error(path_ + ".index");
    done += static_cast<std::size_t>(got);
  }
  return entries;
}

void StringFile::take(const IndexEntry& entry) {
  by_hash_.emplace(entry.hash, entries_.size());
  entries_.push_back(entry);
  strings_end_ += entry.length;
  index_end_ += sizeof(IndexEntry);
}

std::string_view StringFile::bytes_of(const IndexEntry& entry) const {
  if (entry.offset < strings_end_) return {mapped_ + entry.offset, entry.length};
  return std::string_view(pending_strings_).substr(entry.offset - strings_end_, entry.length);
}

Result<RecordTable::Place> StringFile::intern(std::string_view bytes) {
  const std::uint64_t hash = hash_of(bytes);
  const auto [first, last] = by_hash_.equal_range(hash);
  for (auto at = first; at != last; ++at) {
    if (bytes_of(entries_[at->second]) == bytes) return RecordTable::Place{at->second, false};
  }
  if (bytes.size() > ~std::uint32_t{0})
    return Error{path_ + ": a record of more than 4 GB.", ExitCode::kBadInput};
  IndexEntry entry{hash, strings_end_ + pending_strings_.size(), static_cast<std::uint32_t>(bytes.size()), 0};
  entry.check = check_of(entry, bytes);
  const std::uint64_t number = entries_.size();
  by_hash_.emplace(hash, number);
  entries_.push_back(entry);
  pending_strings_ += bytes;
  pending_index_.append(reinterpret_cast<const char*>(&entry), sizeof entry);
  return RecordTable::Place{number, true};
}

Status StringFile::append(int file, std::string& pending, std::uint64_t& written) {
  std::size_t done = 0;
  while (done < pending.size()) {
    const ssize_t n =
        ::pwrite(file, pending.data() + done, pending.size() - done, static_cast<off_t>(written + done));
    if (n < 0 && errno == EINTR) continue;
    if (n <= 0) return system_error(path_);
    done += static_cast<std::size_t>(n);
  }
  written += done;
  pending.clear();
  return Done{};
}

// Strings before their index entries: an entry that is there tells the truth.
Status StringFile::flush() {
  if (auto appended = append(strings_, pending_strings_, strings_end_); !appended) return appended;
  return append(index_, pending_index_, index_end_);
}

Status StringFile::sync() const {
  if (::fdatasync(strings_) != 0) return system_error(path_);
  if (::fdatasync(index_) != 0) return system_error(path_ + ".index");
  return Done{};
}

Status StringFile::visit(std::uint64_t from, const RecordTable::Visit& visit) const {
  for (std::uint64_t i = from; i < entries_.size(); ++i) {
    const IndexEntry& entry = entries_[i];
    const std::string_view bytes = bytes_of(entry);
    if (check_of(entry, bytes) == entry.check)
      visit(i, bytes);
    else
      visit(i, std::nullopt);
  }
  return Done{};
}

class DirectoryTable : public RecordTable {
 public:
  ~DirectoryTable() override {
    if (lock_ >= 0) ::close(lock_);
  }
  Status open(const std::string& directory) {
    std::error_code failed;
    std::filesystem::create_directories(directory, failed);
    const std::string lock = directory + "/lock";
    lock_ = ::open(lock.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0644);
    if (lock_ < 0) return system_error(lock);
    for (const RecordKind kind : kRecordKinds) {
      const auto i = static_cast<std::size_t>(kind);
      if (auto opened = files_[i].open(directory + "/" + kNames[i]); !opened) return opened;
    }
    if (auto begun = begin(); !begun) return begun;
    return end();
  }
  Result<Place> intern(RecordKind kind, std::string_view bytes) override {
    auto place = file(kind).intern(bytes);
    if (place && file(kind).pending() >= kFlushAt) {
      if (auto flushed = flush(); !flushed) return flushed.error();
    }
    return place;
  }
  Status visit(RecordKind kind, std::uint64_t from, const Visit& visit) override {
    return file(kind).visit(from, visit);
  }
  Status begin() override {
    if (::flock(lock_, LOCK_EX) != 0) return system_error("the store's lock");
    for (StringFile& file : files_) {
      if (auto read = file.read_index(); !read) return read;
    }
    return Done{};
  }
  Status end() override {
    Status status = flush();
    for (const StringFile& file : files_) {
      if (status) status = file.sync();
    }
    ::flock(lock_, LOCK_UN);
    return status;
  }

 private:
  // Logs name vectors, which name threads: what is named is there before who names it.
  Status flush() {
    for (StringFile& file : files_) {
      if (auto flushed = file.flush(); !flushed) return flushed;
    }
    return Done{};
  }
  StringFile& file(RecordKind kind) { return files_[static_cast<std::size_t>(kind)]; }
  std::array<StringFile, std::size(kRecordKinds)> files_;
  int lock_ = -1;
};

}  // namespace

Result<std::unique_ptr<RecordTable>> table_in_directory(const std::string& directory) {
  auto table = std::make_unique<DirectoryTable>();
  if (auto opened = table->open(directory); !opened) return opened.error();
  return std::unique_ptr<RecordTable>(std::move(table));
}

}  // namespace heddle::merge
