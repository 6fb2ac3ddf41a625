#pragma once

#include <memory>
#include <mutex>
#include <string>
#include <vector>

class PurchaseOrder;

class Supplier {
public:
    Supplier(std::string name, long creditLimit);

    void attach(std::shared_ptr<PurchaseOrder> order);

    // Books an amount against the credit line; false when it is exhausted.
    bool reserveCredit(long cents);

    // Stops doing business: no more credit, every open order goes on hold.
    void suspend();

    long exposure() const;
    bool suspended() const;
    const std::string& name() const { return name_; }

private:
    const std::string name_;
    const long creditLimit_;

    mutable std::mutex mutex_;
    std::vector<std::shared_ptr<PurchaseOrder>> orders_;
    long exposure_ = 0;
    bool suspended_ = false;
};

class PurchaseOrder {
public:
    enum class State { Open, OnHold };

    PurchaseOrder(int number, Supplier& supplier);

    bool addItem(const std::string& article, long cents);
    void hold();

    long total() const;
    std::size_t items() const;
    State state() const;
    int number() const { return number_; }

private:
    struct Item {
        std::string article;
        long cents;
    };

    const int number_;
    Supplier& supplier_;

    mutable std::mutex mutex_;
    std::vector<Item> items_;
    State state_ = State::Open;
};
