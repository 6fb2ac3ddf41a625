#include "tool/search/path_trie.h"

#include <algorithm>
#include <deque>

#include "tool/base/atomic_file.h"
#include "tool/base/bytes.h"
#include "tool/base/crc32c.h"

namespace heddle::search {

PathTrie::Node PathTrie::insert(const Path& path) {
  Node at = kRoot;
  for (const Step step : path) {
    const auto next = static_cast<Node>(nodes_.size());
    const auto [child, is_new] = nodes_[at].children.emplace(step, next);
    const Node to = child->second;
    if (is_new) nodes_.push_back({at, step, false, {}});
    at = to;
  }
  nodes_[at].ends = true;
  return at;
}

const PathTrie::Entry* PathTrie::find(const Path& prefix, Node& node) const {
  node = kRoot;
  for (const Step step : prefix) {
    const auto child = nodes_[node].children.find(step);
    if (child == nodes_[node].children.end()) return nullptr;
    node = child->second;
  }
  return &nodes_[node];
}

bool PathTrie::contains(const Path& path) const {
  Node node;
  const Entry* entry = find(path, node);
  return entry != nullptr && entry->ends;
}

Path PathTrie::path_to(Node node) const {
  Path path;
  for (; node != kRoot; node = nodes_[node].parent) path.push_back(nodes_[node].step);
  std::reverse(path.begin(), path.end());
  return path;
}

std::vector<Path> PathTrie::beginning_with(const Path& prefix, std::size_t most) const {
  std::vector<Path> found;
  Node from;
  if (find(prefix, from) == nullptr) return found;
  // Breadth first is shortest first.
  std::deque<Node> open{from};
  while (!open.empty() && found.size() < most) {
    const Node node = open.front();
    open.pop_front();
    if (nodes_[node].ends) found.push_back(path_to(node));
    for (const auto& [step, child] : nodes_[node].children) open.push_back(child);
  }
  return found;
}

// Nodes in the order of their numbers, each with how far back its parent is.
std::string PathTrie::encode() const {
  ByteWriter out;
  out.varint(nodes_.size());
  out.varint(nodes_[kRoot].ends ? 1 : 0);
  std::uint64_t last = 0;
  for (Node i = 1; i < nodes_.size(); ++i) {
    const Entry& e = nodes_[i];
    out.varint((i - e.parent) << 1 | (e.ends ? 1 : 0));
    out.signed_varint(static_cast<std::int64_t>(e.step.bits - last));
    last = e.step.bits;
  }
  return out.take();
}

Result<PathTrie> PathTrie::decode(std::string_view bytes) {
  const Error damaged{"A prefix tree of paths is damaged."};
  ByteReader in(bytes);
  const std::uint64_t count = in.varint();
  if (count == 0 || count > bytes.size()) return damaged;
  PathTrie trie;
  trie.nodes_[kRoot].ends = in.varint() != 0;
  std::uint64_t last = 0;
  for (Node i = 1; i < count; ++i) {
    const std::uint64_t head = in.varint();
    const std::uint64_t back = head >> 1;
    last += static_cast<std::uint64_t>(in.signed_varint());
    if (in.failed() || back == 0 || back > i) return damaged;
    const auto parent = static_cast<Node>(i - back);
    if (!trie.nodes_[parent].children.emplace(Step{last}, i).second) return damaged;
    trie.nodes_.push_back({parent, Step{last}, (head & 1) != 0, {}});
  }
  if (!in.at_end()) return damaged;
  return trie;
}

bool PathDatabase::add(const RunPaths& run) {
  std::map<std::string, PathTrie::Node> threads;
  for (const auto& [thread, path] : run) threads[thread] = tries_[thread].insert(path);
  const auto [known, is_new] = known_.emplace(threads, runs_.size());
  if (is_new) runs_.push_back({std::move(threads), 0});
  ++runs_[known->second].seen;
  return is_new;
}

std::uint64_t PathDatabase::runs() const {
  std::uint64_t count = 0;
  for (const Run& run : runs_) count += run.seen;
  return count;
}

PathDatabase::RunPaths PathDatabase::run(std::size_t index) const {
  RunPaths paths;
  for (const auto& [thread, node] : runs_[index].threads) paths[thread] = tries_.at(thread).path_to(node);
  return paths;
}

std::vector<Path> PathDatabase::paths(const std::string& thread, const Path& prefix, std::size_t most) const {
  const auto trie = tries_.find(thread);
  return trie == tries_.end() ? std::vector<Path>{} : trie->second.beginning_with(prefix, most);
}

std::size_t PathDatabase::nodes() const {
  std::size_t count = 0;
  for (const auto& [thread, trie] : tries_) count += trie.nodes();
  return count;
}

namespace {
constexpr std::string_view kDatabaseMagic{"\x89HDPATHS\n\x01", 10};
constexpr std::uint64_t kMostBytes = 1ull << 30;
}  // namespace

Status PathDatabase::write(const std::string& file) const {
  ByteWriter out;
  out.varint(tries_.size());
  for (const auto& [thread, trie] : tries_) {
    out.string(thread);
    out.string(trie.encode());
  }
  out.varint(runs_.size());
  for (const Run& run : runs_) {
    out.varint(run.seen);
    out.varint(run.threads.size());
    for (const auto& [thread, node] : run.threads) {
      out.string(thread);
      out.varint(node);
    }
  }
  ByteWriter whole;
  whole.raw(kDatabaseMagic);
  whole.fixed32(crc32c(out.bytes()));
  whole.raw(out.bytes());
  return write_file_atomically(file, whole.bytes());
}

Result<PathDatabase> PathDatabase::read(const std::string& file) {
  auto bytes = read_whole_file(file, kMostBytes);
  if (!bytes) return bytes.error();
  const Error damaged{file + " is no database of paths, or it is damaged. Delete it: it is made anew."};
  ByteReader head(*bytes);
  if (head.raw(kDatabaseMagic.size()) != kDatabaseMagic) return damaged;
  const std::uint32_t sum = head.fixed32();
  const std::string_view body = head.raw(head.remaining());
  if (head.failed() || crc32c(body) != sum) return damaged;
  PathDatabase database;
  ByteReader in(body);
  for (std::uint64_t i = in.count(2); i != 0; --i) {
    const std::string thread(in.string());
    auto trie = PathTrie::decode(in.string());
    if (!trie || in.failed()) return damaged;
    database.tries_[thread] = std::move(*trie);
  }
  for (std::uint64_t i = in.count(2); i != 0; --i) {
    Run run;
    run.seen = in.varint();
    for (std::uint64_t k = in.count(2); k != 0; --k) {
      const std::string thread(in.string());
      const std::uint64_t node = in.varint();
      const auto trie = database.tries_.find(thread);
      if (trie == database.tries_.end() || node >= trie->second.nodes()) return damaged;
      run.threads[thread] = static_cast<PathTrie::Node>(node);
    }
    if (in.failed() || !database.known_.emplace(run.threads, database.runs_.size()).second) return damaged;
    database.runs_.push_back(std::move(run));
  }
  if (in.failed() || !in.at_end()) return damaged;
  return database;
}

}  // namespace heddle::search
