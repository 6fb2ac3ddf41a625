#include "runtime/record/bits_keeper.h"

#include <algorithm>
#include <atomic>

#include "core/record/chunk_packing.h"

namespace heddle::record {
namespace {

constexpr std::uint32_t kPartsChunk = 128 << 10;
// Threads that log less than that have none.
constexpr std::uint32_t kKeptAlone = 8;
// Bits are kept packed where they are so many times smaller: such are packed fast, and less is written.
constexpr std::uint32_t kWorthIt = 4;
constexpr std::uint32_t kMostPatience = 64;

// Where bits are packed. Several threads may be at it at once, and signal handlers that have interrupted
// them; who finds none free does without.
struct Workplace {
  std::atomic<bool> is_taken{false};
  BytePacker packer;
  unsigned char alone[kWordsChunk + kPackedWordsMore] = {};
  unsigned char smaller[kWordsChunk / kWorthIt] = {};
};
constexpr std::size_t kWorkplaces = 4;
constinit Workplace workplaces[kWorkplaces];

Workplace* take_workplace() {
  for (Workplace& one : workplaces) {
    if (!one.is_taken.exchange(true, std::memory_order_acquire)) return &one;
  }
  return nullptr;
}
void give_back(Workplace* place) {
  if (place != nullptr) place->is_taken.store(false, std::memory_order_release);
}

std::uint64_t& used_of(ChunkHeader* parts) { return *reinterpret_cast<std::uint64_t*>(parts + 1); }
unsigned char* content_of(ChunkHeader* chunk) { return reinterpret_cast<unsigned char*>(chunk + 1); }

}  // namespace

// Is there a chunk of parts that has room? It is written to the file first where it is full.
bool BitsKeeper::has_room_for(LogFile& file, const ChunkHeader& full, std::uint32_t bytes) {
  if (kept_++ < kKeptAlone) return false;
  if (parts_ == nullptr) {
    parts_ = file.new_chunk(full.thread, ChunkKind::kParts, chunks_++, kPartsChunk);
    if (parts_ == nullptr) return false;
    parts_->stream = full.stream;
    used_of(parts_) = sizeof(std::uint64_t);
  }
  if (used_of(parts_) + bytes <= kPartsChunk - sizeof *parts_) return true;
  if (!file.keep(*parts_, ChunkKind::kParts, content_of(parts_), static_cast<std::uint32_t>(used_of(parts_))))
    return false;
  // (Who reads both finds the same parts twice.)
  used_of(parts_) = sizeof(std::uint64_t);
  parts_->sequence = chunks_++;
  return true;
}

BitsKeeper::Packed BitsKeeper::pack(const std::uint64_t* from, const std::uint64_t* to, unsigned char* out,
                                    std::uint64_t& bits) {
  const PackedWords packed = pack_words(from, to, out);
  bits += packed.bits;
  if (untried_ > 0) {
    --untried_;
    return {ChunkKind::kBits, packed.bytes};
  }
  Workplace* place = take_workplace();
  if (place == nullptr) return {ChunkKind::kBits, packed.bytes};
  const std::uint32_t smaller =
      place->packer.pack(out, packed.bytes, place->smaller, packed.bytes / kWorthIt);
  if (smaller != 0) memcpy(out, place->smaller, smaller);
  give_back(place);
  patience_ = smaller != 0 ? 0 : std::min(2 * patience_ + 1, kMostPatience);
  untried_ = patience_;
  return smaller != 0 ? Packed{ChunkKind::kPackedBits, smaller} : Packed{ChunkKind::kBits, packed.bytes};
}

bool BitsKeeper::keep(LogFile& file, const ChunkHeader& full, const std::uint64_t* end, std::uint64_t& bits) {
  const auto* words = reinterpret_cast<const std::uint64_t*>(&full + 1);
  const auto bytes = static_cast<std::uint32_t>((end - words) * sizeof *words);
  if (!has_room_for(file, full, sizeof(PartHeader) + bytes + kPackedWordsMore)) {
    Workplace* place = take_workplace();
    if (place == nullptr) {
      for (const std::uint64_t* word = words; word != end; ++word) bits += pending_count(*word);
      return file.keep(full, ChunkKind::kWords, words, bytes);
    }
    const Packed packed = pack(words, end, place->alone, bits);
    const bool is_kept = file.keep(full, packed.kind, place->alone, packed.bytes);
    give_back(place);
    return is_kept;
  }
  unsigned char* at = content_of(parts_) + used_of(parts_);
  const Packed packed = pack(words, end, at + sizeof(PartHeader), bits);
  const PartHeader part{full.sequence, packed.kind, 0, packed.bytes};
  memcpy(at, &part, sizeof part);
  std::atomic_signal_fence(std::memory_order_seq_cst);
  used_of(parts_) += sizeof part + (packed.bytes + 7) / 8 * 8;
  std::atomic_signal_fence(std::memory_order_seq_cst);
  return true;
}

void BitsKeeper::seal() {
  if (parts_ == nullptr || parts_->used != ChunkHeader::kOpen) return;
  parts_->checksum = checksum_of(ChunkKind::kParts, content_of(parts_), used_of(parts_));
  parts_->used = static_cast<std::uint32_t>(used_of(parts_));
}

}  // namespace heddle::record
