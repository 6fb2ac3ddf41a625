#ifndef STOCK_DESK_STOCK_H
#define STOCK_DESK_STOCK_H

#include <map>
#include <mutex>
#include <stdexcept>
#include <string>
#include <vector>

namespace stock {

struct Line {
    std::string sku;
    int quantity = 0;
};

class Warehouse {
public:
    void receive(const std::string& sku, int quantity) {
        std::lock_guard<std::mutex> lock(mutex_);
        onHand_[sku] += quantity;
    }

    int onHand(const std::string& sku) const {
        std::lock_guard<std::mutex> lock(mutex_);
        auto it = onHand_.find(sku);
        return it == onHand_.end() ? 0 : it->second;
    }

    void take(const std::string& sku, int quantity) {
        std::lock_guard<std::mutex> lock(mutex_);
        onHand_[sku] -= quantity;
    }

    bool takeIfAvailable(const std::string& sku, int quantity) {
        std::lock_guard<std::mutex> lock(mutex_);
        auto it = onHand_.find(sku);
        if (it == onHand_.end() || it->second < quantity)
            return false;
        it->second -= quantity;
        return true;
    }

private:
    mutable std::mutex mutex_;
    std::map<std::string, int> onHand_;
};

// A clerk picks whole orders; an order that cannot be filled is backordered.
class Clerk {
public:
    explicit Clerk(Warehouse& warehouse) : warehouse_(warehouse) {}

    void process(const std::vector<Line>& order);

    int picked() const { return picked_; }
    const std::vector<Line>& backorders() const { return backorders_; }

private:
    bool pick(const Line& line);

    Warehouse& warehouse_;
    int picked_ = 0;
    std::vector<Line> backorders_;
};

}  // namespace stock

#endif
