#pragma once

#include <condition_variable>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

struct Packet {
    std::uint16_t stream = 0;
    std::string payload;
};

struct IngestStats {
    std::uint64_t accepted = 0;
    std::uint64_t dropped = 0;
    std::uint64_t bytes = 0;
};

// Queues packets and validates them on a background thread.
class PacketIngest {
public:
    explicit PacketIngest(std::size_t maxPayload);
    ~PacketIngest();

    PacketIngest(const PacketIngest&) = delete;
    PacketIngest& operator=(const PacketIngest&) = delete;

    void submit(Packet p);
    void close();

    IngestStats stats() const;
    double dropRatio() const;

private:
    void run();
    void process(const Packet& p);

    const std::size_t maxPayload_;

    std::mutex queueMutex_;
    std::condition_variable queueCv_;
    std::deque<Packet> queue_;
    bool closed_ = false;

    mutable std::mutex statsMutex_;
    IngestStats stats_;

    std::thread worker_;
};
