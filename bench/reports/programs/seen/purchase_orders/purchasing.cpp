#include "purchasing.h"

#include <utility>

Supplier::Supplier(std::string name, long creditLimit)
    : name_(std::move(name)), creditLimit_(creditLimit) {}

void Supplier::attach(std::shared_ptr<PurchaseOrder> order) {
    std::lock_guard<std::mutex> lock(mutex_);
    orders_.push_back(std::move(order));
}

bool Supplier::reserveCredit(long cents) {
    std::lock_guard<std::mutex> lock(mutex_);
    if (suspended_ || exposure_ + cents > creditLimit_)
        return false;
    exposure_ += cents;
    return true;
}

void Supplier::suspend() {
    std::lock_guard<std::mutex> lock(mutex_);
    suspended_ = true;
    for (auto& order : orders_)
        order->hold();
}

long Supplier::exposure() const {
    std::lock_guard<std::mutex> lock(mutex_);
    return exposure_;
}

bool Supplier::suspended() const {
    std::lock_guard<std::mutex> lock(mutex_);
    return suspended_;
}

PurchaseOrder::PurchaseOrder(int number, Supplier& supplier)
    : number_(number), supplier_(supplier) {}

bool PurchaseOrder::addItem(const std::string& article, long cents) {
    std::lock_guard<std::mutex> lock(mutex_);
    if (state_ != State::Open)
        return false;
    if (!supplier_.reserveCredit(cents))
        return false;
    items_.push_back({article, cents});
    return true;
}

void PurchaseOrder::hold() {
    std::lock_guard<std::mutex> lock(mutex_);
    state_ = State::OnHold;
}

long PurchaseOrder::total() const {
    std::lock_guard<std::mutex> lock(mutex_);
    long sum = 0;
    for (const Item& i : items_)
        sum += i.cents;
    return sum;
}

std::size_t PurchaseOrder::items() const {
    std::lock_guard<std::mutex> lock(mutex_);
    return items_.size();
}

PurchaseOrder::State PurchaseOrder::state() const {
    std::lock_guard<std::mutex> lock(mutex_);
    return state_;
}
