// Append-only store made of fixed-size segments.  When a record does not fit
// into the active segment the segment is sealed and a new one is opened.
// Recovery reads the segments in order; an empty segment ends the log.
#include <cassert>
#include <cstdint>
#include <cstdio>
#include <mutex>
#include <string>
#include <thread>
#include <utility>
#include <vector>

struct Record {
    int writer;
    int serial;
    std::string payload;

    std::size_t bytes() const { return 8 + payload.size(); }
};

struct Segment {
    std::uint32_t number = 0;
    bool sealed = false;
    std::uint32_t crc = 0;
    std::vector<Record> records;
};

struct Position {
    std::uint32_t segment;
    std::uint32_t slot;
};

static std::uint32_t crc_of(const Segment& s) {
    std::uint32_t h = 2166136261u ^ s.number;
    for (const Record& r : s.records) {
        h = (h ^ static_cast<std::uint32_t>(r.writer)) * 16777619u;
        h = (h ^ static_cast<std::uint32_t>(r.serial)) * 16777619u;
        for (char c : r.payload)
            h = (h ^ static_cast<unsigned char>(c)) * 16777619u;
    }
    return h;
}

class SegmentStore {
public:
    SegmentStore() { segments_.emplace_back(); }

    Position append(Record r) {
        const std::size_t need = r.bytes();
        assert(need <= kSegmentBytes);
        for (;;) {
            {
                std::lock_guard<std::mutex> g(m_);
                if (used_ + need <= kSegmentBytes) {
                    Segment& s = segments_.back();
                    used_ += need;
                    s.records.push_back(std::move(r));
                    return Position{s.number,
                                    static_cast<std::uint32_t>(s.records.size() - 1)};
                }
            }
            roll(need);
        }
    }

    // Reads the log from its beginning as after a restart.
    std::vector<Record> recover() const {
        std::lock_guard<std::mutex> g(m_);
        std::vector<Record> out;
        for (const Segment& s : segments_) {
            if (s.records.empty())
                break;
            if (s.sealed)
                assert(s.crc == crc_of(s));
            out.insert(out.end(), s.records.begin(), s.records.end());
        }
        return out;
    }

    std::size_t segments() const {
        std::lock_guard<std::mutex> g(m_);
        return segments_.size();
    }

private:
    static constexpr std::size_t kSegmentBytes = 200;

    // Seals the active segment and opens the next one.
    void roll([[maybe_unused]] std::size_t need) {
        std::lock_guard<std::mutex> g(m_);
#ifdef CORRECT
        if (used_ + need <= kSegmentBytes)
            return;
#else
#endif
        Segment& s = segments_.back();
        s.sealed = true;
        s.crc = crc_of(s);
        Segment next;
        next.number = s.number + 1;
        segments_.push_back(std::move(next));
        used_ = 0;
    }

    mutable std::mutex m_;
    std::vector<Segment> segments_;
    std::size_t used_ = 0;
};

static std::string payload_of(int writer, int serial) {
    std::string s = "w" + std::to_string(writer) + ":" + std::to_string(serial) + ":";
    s.append(static_cast<std::size_t>((serial * 5 + writer * 3) % 17), 'x');
    return s;
}

static void write_records(SegmentStore& store, int writer, int count,
                          std::vector<Position>& where) {
    for (int i = 0; i < count; ++i)
        where.push_back(store.append(Record{writer, i, payload_of(writer, i)}));
}

int main() {
    constexpr int kWriters = 3;
    constexpr int kRecords = 50;

    SegmentStore store;
    std::vector<std::vector<Position>> where(kWriters);
    std::vector<std::thread> threads;
    for (int w = 0; w < kWriters; ++w)
        threads.emplace_back([&store, &where, w] {
            write_records(store, w, kRecords, where[static_cast<std::size_t>(w)]);
        });
    for (auto& t : threads)
        t.join();

    const std::vector<Record> log = store.recover();
    std::vector<int> next(kWriters, 0);
    for (const Record& r : log) {
        int& expected = next[static_cast<std::size_t>(r.writer)];
        assert(r.serial == expected);
        assert(r.payload == payload_of(r.writer, r.serial));
        ++expected;
    }
    for (int n : next)
        assert(n == kRecords);
    for (const auto& positions : where)
        for (std::size_t i = 1; i < positions.size(); ++i)
            assert(positions[i - 1].segment <= positions[i].segment);
    std::printf("%zu records in %zu segments\n", log.size(), store.segments());
    return 0;
}
