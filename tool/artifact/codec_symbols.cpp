// Sections of what addresses mean: frames, data symbols, source lines. Strings that recur are kept once.
#include <unordered_map>

#include "tool/artifact/codec.h"
#include "tool/base/bytes.h"

namespace heddle::codec {
namespace {

constexpr const char* kMalformed = "is malformed";

// A section with a table of strings in front of entries that refer to it by number; 0 is the empty string.
class StringTableWriter {
 public:
  void string(const std::string& text) {
    const auto [at, is_new] = numbers_.try_emplace(text, numbers_.size());
    if (is_new) table_.string(text);
    body_.varint(at->second);
  }
  void number(std::uint64_t n) { body_.varint(n); }
  std::string take() {
    ByteWriter w;
    w.varint(numbers_.size());
    w.raw(table_.bytes());
    w.raw(body_.bytes());
    return w.take();
  }

 private:
  std::unordered_map<std::string, std::uint64_t> numbers_;
  ByteWriter table_, body_;
};

class StringTableReader {
 public:
  explicit StringTableReader(std::string_view payload) : reader_(payload) {
    const std::uint64_t count = reader_.count(1);
    for (std::uint64_t i = 0; i < count; ++i) strings_.push_back(reader_.string());
  }
  std::string string() {
    const std::uint64_t n = reader_.varint();
    if (n < strings_.size()) {
      // One long string must not become gigabytes by being referred to often.
      spent_ += strings_[n].size();
      if (spent_ <= kMaxExpansion) return std::string(strings_[n]);
    }
    reader_.fail();
    return {};
  }
  std::uint64_t number() { return reader_.varint(); }
  std::uint32_t number32() { return static_cast<std::uint32_t>(reader_.varint()); }
  std::uint64_t count(std::size_t bytes_each) { return reader_.count(bytes_each); }
  bool good() const { return !reader_.failed(); }
  bool complete() const { return good() && reader_.at_end(); }

 private:
  static constexpr std::uint64_t kMaxExpansion = 256ull << 20;
  ByteReader reader_;
  std::vector<std::string_view> strings_;
  std::uint64_t spent_ = 0;
};

}  // namespace

std::string encode_frames(const Trace& trace) {
  StringTableWriter w;
  w.number(trace.symbols.frames.size());
  for (const auto& [pc, frames] : trace.symbols.frames) {
    w.number(pc);
    w.number(frames.size());
    for (const Frame& f : frames) {
      w.string(f.function);
      w.string(f.file);
      w.number(f.line);
      w.number(f.column);
      w.number(f.function_line);
      w.string(f.module);
      w.number(f.offset);
      w.number(f.function_offset);
      w.number(f.inlined);
    }
  }
  return w.take();
}

Flaw decode_frames(std::string_view payload, Trace& trace) {
  StringTableReader r(payload);
  const std::uint64_t places = r.count(2);
  for (std::uint64_t i = 0; i < places && r.good(); ++i) {
    const std::uint64_t pc = r.number();
    std::vector<Frame>& frames = trace.symbols.frames[pc];
    const std::uint64_t count = r.count(9);
    for (std::uint64_t k = 0; k < count && r.good(); ++k) {
      Frame f;
      f.function = r.string();
      f.file = r.string();
      f.line = r.number32();
      f.column = r.number32();
      f.function_line = r.number32();
      f.module = r.string();
      f.offset = r.number();
      f.function_offset = r.number();
      f.inlined = r.number() != 0;
      frames.push_back(std::move(f));
    }
  }
  return r.complete() ? "" : kMalformed;
}

std::string encode_data(const Trace& trace) {
  StringTableWriter w;
  w.number(trace.symbols.data.size());
  for (const auto& [address, d] : trace.symbols.data) {
    w.number(address);
    w.string(d.name);
    w.string(d.variable);
    w.number(d.start);
    w.number(d.size);
    w.string(d.module);
    w.number(d.offset);
    w.string(d.file);
    w.number(d.line);
  }
  return w.take();
}

Flaw decode_data(std::string_view payload, Trace& trace) {
  StringTableReader r(payload);
  const std::uint64_t count = r.count(9);
  for (std::uint64_t i = 0; i < count && r.good(); ++i) {
    DataSymbol& d = trace.symbols.data[r.number()];
    d.name = r.string();
    d.variable = r.string();
    d.start = r.number();
    d.size = r.number();
    d.module = r.string();
    d.offset = r.number();
    d.file = r.string();
    d.line = r.number32();
  }
  return r.complete() ? "" : kMalformed;
}

std::string encode_sources(const Trace& trace) {
  StringTableWriter w;
  w.number(trace.symbols.sources.size());
  for (const auto& [file, lines] : trace.symbols.sources) {
    w.string(file);
    w.number(lines.size());
    for (const auto& [line, text] : lines) {
      w.number(line);
      w.string(text);
    }
  }
  return w.take();
}

Flaw decode_sources(std::string_view payload, Trace& trace) {
  StringTableReader r(payload);
  const std::uint64_t files = r.count(2);
  for (std::uint64_t i = 0; i < files && r.good(); ++i) {
    auto& lines = trace.symbols.sources[r.string()];
    const std::uint64_t count = r.count(2);
    for (std::uint64_t k = 0; k < count && r.good(); ++k) {
      const std::uint32_t line = r.number32();
      lines[line] = r.string();
    }
  }
  return r.complete() ? "" : kMalformed;
}

}  // namespace heddle::codec
