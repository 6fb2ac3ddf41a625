// The database of paths (Machado, PhD thesis, 5.4): one prefix tree for each thread, in which paths with a
// common beginning share it, and the runs as the paths of their threads. Runs that are the same in all
// threads are one run that was seen several times, so that thousands of them take little.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "core/base/result.h"
#include "tool/search/path.h"

namespace heddle::search {

class PathTrie {
 public:
  using Node = std::uint32_t;
  static constexpr Node kRoot = 0;

  // Where the path ends; the same node for the same path.
  Node insert(const Path& path);
  bool contains(const Path& path) const;
  Path path_to(Node node) const;
  // Paths that were inserted and begin so, the shortest first; of equal length in the order of their steps.
  std::vector<Path> beginning_with(const Path& prefix, std::size_t most) const;

  std::size_t nodes() const { return nodes_.size(); }
  std::string encode() const;
  static Result<PathTrie> decode(std::string_view bytes);

 private:
  struct Entry {
    Node parent = kRoot;
    Step step;
    bool ends = false;  // a path ends here
    std::map<Step, Node> children;
  };
  // The node of a prefix, or none.
  const Entry* find(const Path& prefix, Node& node) const;

  std::vector<Entry> nodes_{Entry{}};
};

class PathDatabase {
 public:
  using RunPaths = std::map<std::string, Path>;  // by thread: "0.1" is the first child of the main thread

  // False: a run like this is known already, and was seen once more.
  bool add(const RunPaths& run);
  std::size_t distinct_runs() const { return runs_.size(); }
  std::uint64_t runs() const;
  RunPaths run(std::size_t index) const;
  std::uint64_t times_seen(std::size_t index) const { return runs_[index].seen; }
  std::vector<Path> paths(const std::string& thread, const Path& prefix, std::size_t most) const;
  std::size_t nodes() const;

  Status write(const std::string& file) const;
  static Result<PathDatabase> read(const std::string& file);

 private:
  struct Run {
    std::map<std::string, PathTrie::Node> threads;
    std::uint64_t seen = 0;
  };
  std::map<std::string, PathTrie> tries_;
  std::vector<Run> runs_;
  std::map<std::map<std::string, PathTrie::Node>, std::size_t> known_;
};

}  // namespace heddle::search
