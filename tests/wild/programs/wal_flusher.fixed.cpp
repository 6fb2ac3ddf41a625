// wal_flusher.cpp - write-ahead log with group commit.
//
// Transactions append records to the log buffer and then wait until a flusher
// thread has made them durable. The "disk" is a memory area with a checksum.

#include <cassert>
#include <condition_variable>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

using Lsn = uint64_t;

class Disk {
public:
    void write(const std::string& block) {
        for (unsigned char c : block)
            crc_ = (crc_ >> 1) ^ ((crc_ ^ c) & 1 ? 0xedb88320u : 0u);
        bytes_ += block.size();
        ++writes_;
    }
    size_t bytes() const { return bytes_; }
    int writes() const { return writes_; }
    uint32_t crc() const { return crc_; }

private:
    uint32_t crc_ = 0xffffffffu;
    size_t bytes_ = 0;
    int writes_ = 0;
};

class WriteAheadLog {
public:
    WriteAheadLog() : flusher_(&WriteAheadLog::flush_loop, this) {}

    ~WriteAheadLog() { close(); }

    // Adds a record, returns the position up to which the log must be flushed
    // for the record to be durable.
    // A full buffer is flushed early.
    Lsn append(const std::string& record) {
        Lsn end;
        bool full;
        {
            std::lock_guard<std::mutex> lock(buffer_mutex_);
            buffer_ += record;
            buffer_ += '\n';
            next_lsn_ += record.size() + 1;
            end = next_lsn_;
            full = buffer_.size() >= kFlushBytes;
        }
        if (full)
            request_flush();
        return end;
    }

    // Blocks until everything below `lsn` is on disk.
    void commit(Lsn lsn) {
        request_flush();
        std::unique_lock<std::mutex> lock(flush_mutex_);
        flush_done_.wait(lock, [&] { return durable_lsn_ >= lsn; });
    }

    void close() {
        if (!flusher_.joinable())
            return;
        {
            std::lock_guard<std::mutex> lock(flush_mutex_);
            closing_ = true;
        }
        flush_wanted_.notify_one();
        flusher_.join();
    }

    const Disk& disk() const { return disk_; }
    size_t payload() const { return payload_; }
    Lsn durable() {
        std::lock_guard<std::mutex> lock(flush_mutex_);
        return durable_lsn_;
    }

private:
    static constexpr size_t kFlushBytes = 256;

    void request_flush() {
        {
            std::lock_guard<std::mutex> lock(flush_mutex_);
            flush_requested_ = true;
        }
        flush_wanted_.notify_one();
    }

    void flush_loop() {
        for (;;) {
            {
                std::unique_lock<std::mutex> lock(flush_mutex_);
                while (!flush_requested_ && !closing_) {
                    if (next_header_.empty())
                        next_header_ = make_header(++block_number_);
                    flush_wanted_.wait(lock);
                }
                if (!flush_requested_)
                    break;
                flush_requested_ = false;
            }
            Lsn reached = write_buffer();
            {
                std::lock_guard<std::mutex> lock(flush_mutex_);
                durable_lsn_ = reached;
            }
            flush_done_.notify_all();
        }
    }

    Lsn write_buffer() {
        std::string block;
        Lsn end;
        {
            std::lock_guard<std::mutex> lock(buffer_mutex_);
            block.swap(buffer_);
            end = next_lsn_;
        }
        if (!block.empty()) {
            disk_.write(next_header_ + block);
            payload_ += block.size();
            next_header_.clear();
        }
        return end;
    }

    // Header of the next block, prepared while there is nothing to write.
    static std::string make_header(unsigned number) {
        char head[64];
        std::snprintf(head, sizeof head, "WAL1 block=%08u ", number);
        std::string h(head);
        uint32_t sum = 1;
        for (int round = 0; round < 16; ++round)
            for (unsigned char c : h)
                sum = sum * 69069u + c;
        return h + std::to_string(sum) + "\n";
    }

    std::mutex buffer_mutex_;
    std::string buffer_;
    Lsn next_lsn_ = 0;

    std::mutex flush_mutex_;
    std::condition_variable flush_wanted_;
    std::condition_variable flush_done_;
    bool flush_requested_ = false;
    bool closing_ = false;
    Lsn durable_lsn_ = 0;

    // Only used by the flusher.
    std::string next_header_;
    unsigned block_number_ = 0;

    Disk disk_;
    size_t payload_ = 0;
    std::thread flusher_;
};

// Executes transactions of one to four updates.
static void run_transactions(WriteAheadLog& wal, int client, int count, size_t& logged) {
    uint32_t seed = 7u + 97u * client;
    for (int tx = 0; tx < count; ++tx) {
        Lsn last = 0;
        seed = seed * 1664525u + 1013904223u;
        int updates = 1 + (seed >> 20) % 4;
        for (int u = 0; u < updates; ++u) {
            char rec[96];
            int n = std::snprintf(rec, sizeof rec, "tx=%d.%d page=%u off=%u val=%08x", client, tx,
                                  (seed >> 8) % 512, (seed >> 4) % 4096, seed * (u + 1));
            last = wal.append(std::string(rec, n));
            logged += n + 1;
        }
        wal.commit(last);
    }
}

int main() {
    const int kRounds = 4;
    const int kTransactions = 12;
    size_t logged[2] = {};
    WriteAheadLog wal;
    for (int round = 0; round < kRounds; ++round) {
        std::thread a(run_transactions, std::ref(wal), 2 * round, kTransactions, std::ref(logged[0]));
        std::thread b(run_transactions, std::ref(wal), 2 * round + 1, kTransactions, std::ref(logged[1]));
        a.join();
        b.join();
        // checkpoint: everything must be durable when all clients are gone
        if (wal.durable() != logged[0] + logged[1])
            std::abort();
    }
    wal.close();

    std::printf("%zu bytes in %d writes, crc %08x\n", wal.disk().bytes(), wal.disk().writes(),
                wal.disk().crc());
    if (wal.payload() != logged[0] + logged[1])
        std::abort();
    return 0;
}
