#include "tool/record/path_walk.h"

#include <algorithm>
#include <array>
#include <optional>

#include "core/record/path_state.h"

namespace heddle {
namespace {

using record::EndKind;
using record::FunctionKey;
using record::ItemKind;
using record::Mark;
using record::PlaceId;
using record::StepKind;

// Code without decisions goes on for so many blocks and calls at most; the program cannot, between two of
// them that it logged.
constexpr std::uint64_t kMostSilentBlocks = 1 << 24;
constexpr std::size_t kDeepest = 1 << 20;
constexpr std::uint64_t kNever = ~std::uint64_t{0};

class Walker {
 public:
  Walker(const PathTables::Tables& tables, PathBits& bits, const std::vector<Mark>& marks, PathSteps& steps)
      : tables_(tables),
        bits_(bits),
        marks_(marks),
        steps_(steps),
        next_mark_at_(marks.empty() ? kNever : marks.front().bits),
        has_room_(steps.has_room()) {}

  bool run() {
    while (fits_ && has_room_ && (bits_.has(1) || next_mark_ != marks_.size())) {
      if (frames_.empty()) {
        fits_ = take_mark();
      } else if (top().item < block().items.size()) {
        item(block().items[top().item]);
      } else {
        end_of_block();
      }
    }
    return fits_;
  }

 private:
  struct Frame {
    const PathFunction* function;
    std::uint32_t block = 0;
    std::uint32_t item = 0;
    std::vector<std::uint32_t> rounds = {};  // so far, of the function's fixed loops
  };

  Frame& top() { return frames_.back(); }
  const PathBlock& block() { return top().function->blocks[top().block]; }
  PlaceId place(std::uint32_t number) { return record::place_of(top().function->key, number); }

  void emit(StepKind kind, PlaceId place, std::uint64_t outcome) {
    silent_ = 0;
    steps_.add({kind, place, outcome});
    has_room_ = steps_.has_room();
  }

  const Mark* mark_here() const { return bits_.position() >= next_mark_at_ ? &marks_[next_mark_] : nullptr; }
  void go_to_next_mark() {
    ++next_mark_;
    next_mark_at_ = next_mark_ < marks_.size() ? marks_[next_mark_].bits : kNever;
  }
  bool is_here(StepKind kind) const {
    const Mark* mark = mark_here();
    return mark != nullptr && mark->kind == static_cast<std::uint32_t>(kind);
  }

  bool enter(FunctionKey key) { return enter(tables_.find(key)); }
  bool enter(const PathFunction* function) {
    if (function == nullptr || frames_.size() >= kDeepest || ++silent_ > kMostSilentBlocks) return false;
    frames_.push_back({function, 0, 0, std::vector<std::uint32_t>(function->fixed_loops.size())});
    return true;
  }

  // Where a mark is due, control does not go on from the code before. False: there is none, or it makes no
  // sense.
  bool take_mark() {
    const Mark* mark = mark_here();
    if (mark == nullptr) return false;
    go_to_next_mark();
    const PlaceId where{mark->place};
    switch (static_cast<StepKind>(mark->kind)) {
      case StepKind::kEntered:
        emit(StepKind::kEntered, where, static_cast<std::uint64_t>(record::function_of(where)));
        return enter(record::function_of(where));
      case StepKind::kLanding:
        emit(StepKind::kLanding, where, 0);
        return jump_to(where, ItemKind::kLanding);
      case StepKind::kSecondReturn:
        emit(StepKind::kSecondReturn, where, 0);
        return jump_to(where, ItemKind::kSecondReturn);
      case StepKind::kSignal:
        emit(StepKind::kSignal, PlaceId{}, mark->extra);
        frames_.clear();  // the handler before has returned, or was left
        return true;
      default:
        return false;
    }
  }

  // Does an exception that leaves the call that the frame is in arrive there?
  static bool lands_at(const Frame& frame, bool is_top, PlaceId where) {
    if (frame.function->key != record::function_of(where) || (!is_top && frame.item == 0)) return false;
    const auto& items = frame.function->blocks[frame.block].items;
    const std::uint32_t index = is_top ? frame.item : frame.item - 1;
    if (index >= items.size() || items[index].landing == kNoBlock) return false;
    for (const PathItem& item : frame.function->blocks[items[index].landing].items) {
      if (item.kind == ItemKind::kLanding && item.place == record::number_of(where)) return true;
    }
    return false;
  }
  bool can_land(PlaceId where) const {
    for (std::size_t i = frames_.size(); i-- > 0;) {
      if (lands_at(frames_[i], i + 1 == frames_.size(), where)) return true;
    }
    return false;
  }

  // To after the item of that place: of the innermost frame that waits for it, or that is of its function.
  // Where none is there any more, code was left that the walk had gone on from too soon: the place is known
  // anyway.
  bool jump_to(PlaceId where, ItemKind kind) {
    std::size_t depth = frames_.size();
    if (kind == ItemKind::kLanding) {
      while (depth > 0 && !lands_at(frames_[depth - 1], depth == frames_.size(), where)) --depth;
      if (depth == 0) depth = frames_.size();
    }
    while (depth > 0 && frames_[depth - 1].function->key != record::function_of(where)) --depth;
    if (depth != 0) {
      frames_.resize(depth, Frame{nullptr});
    } else if (!enter(record::function_of(where))) {
      return false;
    }
    for (std::uint32_t b = 0; b < top().function->blocks.size(); ++b) {
      const auto& items = top().function->blocks[b].items;
      for (std::uint32_t i = 0; i < items.size(); ++i) {
        if (items[i].kind != kind || items[i].place != record::number_of(where)) continue;
        top().block = b;
        top().item = i + 1;
        return true;
      }
    }
    return false;
  }

  // Control may have gone elsewhere before this call came back.
  bool is_left_here() const {
    const Mark* mark = mark_here();
    if (mark == nullptr) return false;
    if (is_here(StepKind::kLanding)) return can_land(PlaceId{mark->place});
    return is_here(StepKind::kEntered) || is_here(StepKind::kSecondReturn);
  }

  void item(const PathItem& item) {
    switch (item.kind) {
      case ItemKind::kLanding:
      case ItemKind::kSecondReturn:
        ++top().item;
        return;
      case ItemKind::kCall:
        if (item.function != nullptr) {
          ++top().item;
          fits_ = enter(item.function);
        } else if (is_left_here()) {
          fits_ = take_mark();  // a callback comes back to the same call
        } else {
          ++top().item;
        }
        return;
      case ItemKind::kIndirectCall:
        if (mark_here() != nullptr) {
          fits_ = take_mark();
        } else {
          indirect_call(item);
        }
        return;
    }
  }

  // 1: to the callee that is foretold; 01, and its key; 00: to code without bodies for recording.
  void indirect_call(const PathItem& item) {
    const PlaceId call = place(item.place);
    ++top().item;
    if (!bits_.has(1)) return;
    std::uint64_t& foretold =
        foretold_[(record::call_offset(record::kCalledIndirectly | static_cast<std::uint64_t>(call)) ^
                   record::call_offset(latest_callee_)) /
                  sizeof(record::CallEntry)];
    if (bits_.take(1) == 0) {
      if (!bits_.has(1)) return;
      if (bits_.take(1) == 0) return emit(StepKind::kIndirectCall, call, 0);
      if (!bits_.has(record::kKeyBits)) return;
      foretold = bits_.take(record::kKeyBits);
    }
    latest_callee_ = foretold;
    emit(StepKind::kIndirectCall, call, latest_callee_);
    fits_ = enter(FunctionKey{latest_callee_});
  }

  void go_to(std::uint32_t block) {
    Frame& frame = top();
    if (frame.function->blocks[block].heads_fixed) {
      const auto& fixed = frame.function->fixed_loops;
      for (std::size_t i = 0; i < fixed.size(); ++i) {
        if (fixed[i].head == block && fixed[i].latch != frame.block) frame.rounds[i] = 0;
      }
    }
    frame.block = block;
    frame.item = 0;
    if (++silent_ > kMostSilentBlocks) fits_ = false;
  }

  // None: the bits are at their end, or the one more that such an outcome has is not there.
  std::optional<std::uint64_t> take_branch(const PathBlock& from) {
    if (!bits_.has(1)) return std::nullopt;
    const std::uint64_t outcome = bits_.take_one();
    if (outcome != from.longer) return outcome;
    if (!bits_.has(1)) return std::nullopt;
    // (Otherwise the loop was left, and that is asked before the walk comes here.)
    if (bits_.take(1) == 0) fits_ = false;
    return outcome;
  }
  // Are the bits of the way that tells so there, and a zero?
  std::optional<std::uint64_t> take_quiet(const QuietLoop& loop) {
    const std::uint64_t left = std::uint64_t{loop.code} << 1;
    const auto there =
        static_cast<unsigned>(std::min<std::uint64_t>(bits_.size() - bits_.position(), loop.bits + 1));
    if (bits_.peek(there) != left >> (loop.bits + 1 - there)) return loop.staying;
    if (there <= loop.bits) return std::nullopt;
    bits_.take(there);
    return 1 - loop.staying;
  }
  std::optional<std::uint64_t> take_switch(std::uint32_t count) {
    const unsigned least = record::least_switch_bits(count);
    if (!bits_.has(least)) return std::nullopt;
    std::uint64_t code = bits_.take(least);
    const std::uint32_t short_ones = record::short_switch_codes(count);
    if (code >= short_ones) {
      if (!bits_.has(1)) return std::nullopt;
      code = (code << 1 | bits_.take(1)) - short_ones;
    }
    return code < count ? record::switch_successor(count, static_cast<std::uint32_t>(code)) : count;
  }

  // None: the bits are at their end.
  std::optional<std::uint64_t> take_rounds() {
    std::uint64_t rounds = 0;
    for (; rounds <= record::kMostUnaryRounds; ++rounds) {
      if (!bits_.has(1)) return std::nullopt;
      if (bits_.take(1) == 0) return rounds;
    }
    if (!bits_.has(record::kRoundsLengthBits)) return std::nullopt;
    const auto length = static_cast<unsigned>(bits_.take(record::kRoundsLengthBits));
    if (!bits_.has(length)) return std::nullopt;
    return record::kMostUnaryRounds + (std::uint64_t{1} << length | bits_.take(length));
  }

  void branches_of(const PathLoop& loop, std::size_t count) {
    for (std::size_t i = 0; i < count && has_room_; ++i) {
      const PathBlock& at = top().function->blocks[loop.exits[i].block];
      emit(StepKind::kBranch, place(at.place), loop.exits[i].staying);
    }
  }

  void whole_loop(const PathLoop& loop) {
    const auto rounds = take_rounds();
    const auto exit = rounds ? take_switch(static_cast<std::uint32_t>(loop.exits.size())) : std::nullopt;
    if (!exit) return end_of_bits();
    if (*exit >= loop.exits.size()) {
      fits_ = false;
      return;
    }
    for (std::uint64_t i = 0; i < *rounds && has_room_; ++i) branches_of(loop, loop.exits.size());
    branches_of(loop, *exit);
    if (!has_room_) return;
    const auto& [last, staying] = loop.exits[*exit];
    const PathBlock& from = top().function->blocks[last];
    emit(StepKind::kBranch, place(from.place), 1 - staying);
    go_to(from.next[staying]);  // (the block for an outcome of 1 is the first)
  }

  void fixed_branch(const FixedLoop& loop, std::uint32_t& rounds) {
    const std::uint64_t outcome = ++rounds < loop.rounds ? loop.staying : 1 - loop.staying;
    emit(StepKind::kBranch, place(block().place), outcome);
    go_to(block().next[1 - outcome]);
  }

  void end_of_bits() {
    fits_ = next_mark_ == marks_.size();
    has_room_ = false;
  }

  void end_of_block() {
    const PathBlock& from = block();
    if (from.loop != kNoLoop) {
      if (mark_here() == nullptr) return whole_loop(top().function->loops[from.loop]);
      fits_ = take_mark();
      return;
    }
    switch (from.end) {
      case EndKind::kReturn:
        frames_.pop_back();
        return;
      case EndKind::kStop:
        fits_ = take_mark();
        return;
      case EndKind::kJump:
        return go_to(from.next[0]);
      case EndKind::kBranch:
      case EndKind::kSwitch:
        break;
    }
    // (A mark is of something later: nothing in such a loop calls.)
    if (from.fixed != kNoLoop)
      return fixed_branch(top().function->fixed_loops[from.fixed], top().rounds[from.fixed]);
    if (mark_here() != nullptr) {
      fits_ = take_mark();
      return;
    }
    const bool is_branch = from.end == EndKind::kBranch;
    const auto taken = from.quiet != kNoLoop ? take_quiet(top().function->quiet_loops[from.quiet])
                       : is_branch           ? take_branch(from)
                                             : take_switch(static_cast<std::uint32_t>(from.next.size()));
    if (!taken) return end_of_bits();
    if (!fits_) return;
    if (*taken >= from.next.size()) {
      fits_ = false;
      return;
    }
    emit(is_branch ? StepKind::kBranch : StepKind::kSwitch, place(from.place), *taken);
    go_to(from.next[is_branch ? 1 - *taken : *taken]);
  }

  const PathTables::Tables& tables_;
  PathBits& bits_;
  const std::vector<Mark>& marks_;
  PathSteps& steps_;
  std::vector<Frame> frames_;
  std::array<std::uint64_t, record::kCallEntries> foretold_{};
  std::uint64_t latest_callee_ = 0;
  std::size_t next_mark_ = 0;
  std::uint64_t next_mark_at_;  // bits before it
  std::uint64_t silent_ = 0;
  bool fits_ = true;
  bool has_room_;
};

}  // namespace

bool walk_path(const PathTables::Tables& tables, PathBits bits, const std::vector<Mark>& marks,
               PathSteps& steps) {
  steps.expect(bits.size());
  return Walker(tables, bits, marks, steps).run();
}

}  // namespace heddle
