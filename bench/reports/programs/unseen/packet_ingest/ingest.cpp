#include "ingest.h"

#include <utility>

PacketIngest::PacketIngest(std::size_t maxPayload) : maxPayload_(maxPayload) {
    worker_ = std::thread(&PacketIngest::run, this);
}

PacketIngest::~PacketIngest() {
    close();
}

void PacketIngest::submit(Packet p) {
    {
        std::lock_guard<std::mutex> lock(queueMutex_);
        if (closed_)
            return;
        queue_.push_back(std::move(p));
    }
    queueCv_.notify_one();
}

void PacketIngest::close() {
    {
        std::lock_guard<std::mutex> lock(queueMutex_);
        closed_ = true;
    }
    queueCv_.notify_all();
    if (worker_.joinable())
        worker_.join();
}

IngestStats PacketIngest::stats() const {
    std::lock_guard<std::mutex> lock(statsMutex_);
    return stats_;
}

double PacketIngest::dropRatio() const {
    const std::uint64_t total = stats_.accepted + stats_.dropped;
    if (total == 0)
        return 0.0;
    return static_cast<double>(stats_.dropped) / static_cast<double>(total);
}

void PacketIngest::run() {
    for (;;) {
        Packet p;
        {
            std::unique_lock<std::mutex> lock(queueMutex_);
            queueCv_.wait(lock, [this] { return closed_ || !queue_.empty(); });
            if (queue_.empty())
                return;
            p = std::move(queue_.front());
            queue_.pop_front();
        }
        process(p);
    }
}

void PacketIngest::process(const Packet& p) {
    const bool ok = !p.payload.empty() && p.payload.size() <= maxPayload_;
    std::lock_guard<std::mutex> lock(statsMutex_);
    if (ok) {
        ++stats_.accepted;
        stats_.bytes += p.payload.size();
    } else {
        ++stats_.dropped;
    }
}
