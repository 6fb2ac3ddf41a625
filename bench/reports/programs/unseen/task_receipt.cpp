#include <gtest/gtest.h>

#include <condition_variable>
#include <deque>
#include <functional>
#include <memory>
#include <mutex>
#include <string>
#include <thread>
#include <utility>

// Returned for every submitted task; lets the caller wait for its result.
template <typename R>
class Receipt {
public:
    void fulfil(R result) {
        {
            std::lock_guard<std::mutex> lock(mutex_);
            result_ = std::move(result);
            fulfilled_ = true;
        }
        done_.notify_all();
    }

    bool ready() const {
        std::lock_guard<std::mutex> lock(mutex_);
        return fulfilled_;
    }

    R collect() {
        if (!ready()) {
            std::unique_lock<std::mutex> lock(mutex_);
            done_.wait(lock);
        }
        std::lock_guard<std::mutex> lock(mutex_);
        return result_;
    }

private:
    mutable std::mutex mutex_;
    std::condition_variable done_;
    R result_{};
    bool fulfilled_ = false;
};

class Desk {
public:
    Desk() : clerk_([this] { serve(); }) {}

    ~Desk() {
        {
            std::lock_guard<std::mutex> lock(mutex_);
            closing_ = true;
        }
        work_.notify_all();
        clerk_.join();
    }

    template <typename Fn>
    auto submit(Fn fn) {
        using R = decltype(fn());
        auto receipt = std::make_shared<Receipt<R>>();
        {
            std::lock_guard<std::mutex> lock(mutex_);
            tasks_.push_back([receipt, fn = std::move(fn)] { receipt->fulfil(fn()); });
        }
        work_.notify_one();
        return receipt;
    }

private:
    void serve() {
        for (;;) {
            std::function<void()> task;
            {
                std::unique_lock<std::mutex> lock(mutex_);
                work_.wait(lock, [this] { return closing_ || !tasks_.empty(); });
                if (tasks_.empty())
                    return;
                task = std::move(tasks_.front());
                tasks_.pop_front();
            }
            task();
        }
    }

    std::mutex mutex_;
    std::condition_variable work_;
    std::deque<std::function<void()>> tasks_;
    bool closing_ = false;
    std::thread clerk_;
};

TEST(ReceiptTest, CollectAfterFulfil) {
    Receipt<int> r;
    EXPECT_FALSE(r.ready());
    r.fulfil(5);
    EXPECT_TRUE(r.ready());
    EXPECT_EQ(r.collect(), 5);
}

TEST(DeskTest, RunsPendingTasksBeforeClosing) {
    std::shared_ptr<Receipt<int>> a, b;
    {
        Desk desk;
        a = desk.submit([] { return 1; });
        b = desk.submit([] { return 2; });
    }
    EXPECT_TRUE(a->ready());
    EXPECT_TRUE(b->ready());
}

TEST(DeskTest, CollectsResults) {
    Desk desk;
    auto sum = desk.submit([] { return 19 + 23; });
    auto text = desk.submit([] { return std::string("stamped"); });
    EXPECT_EQ(sum->collect(), 42);
    EXPECT_EQ(text->collect(), "stamped");
}
