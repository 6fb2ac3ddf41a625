// Ticket sales from a shared contingent.
#include <cassert>
#include <cstdio>
#include <mutex>
#include <thread>
#include <vector>

class Contingent {
public:
    explicit Contingent(int seats) : free_(seats) {}

    int available() const
    {
        std::lock_guard<std::mutex> lk(m_);
        return free_;
    }

    void reserve(int n)
    {
        std::lock_guard<std::mutex> lk(m_);
        free_ -= n;
        sold_ += n;
        assert(free_ >= 0);
    }

    int sold() const
    {
        std::lock_guard<std::mutex> lk(m_);
        return sold_;
    }

private:
    mutable std::mutex m_;
    int free_;
    int sold_ = 0;
};

class Agency {
public:
    explicit Agency(Contingent& c) : contingent_(c) {}

    bool book(int n)
    {
        if (contingent_.available() < n)
            return false;
        contingent_.reserve(n);
        ++bookings_;
        return true;
    }

    int bookings() const { return bookings_; }

private:
    Contingent& contingent_;
    int bookings_ = 0; // each agency is used by one thread only
};

int main()
{
    Contingent seats(5);
    Agency north(seats), south(seats);

    std::thread t1([&] {
        north.book(2);
        north.book(1);
    });
    std::thread t2([&] { south.book(3); });
    t1.join();
    t2.join();

    assert(seats.sold() + seats.available() == 5);
    std::printf("%d bookings, %s\n", north.bookings() + south.bookings(),
                seats.available() == 0 ? "sold out" : "seats left");
    return 0;
}
