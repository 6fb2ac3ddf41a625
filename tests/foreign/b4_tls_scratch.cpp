// Event formatting into a per-thread scratch buffer, printing in one place.
#include <condition_variable>
#include <cstdio>
#include <cstring>
#include <deque>
#include <mutex>
#include <thread>

static thread_local char scratch[64];

static const char* format_event(int source, const char* what)
{
    std::snprintf(scratch, sizeof scratch, "[%d] %s", source, what);
    return scratch;
}

class Outbox {
public:
    void push(const char* line)
    {
        {
            std::lock_guard<std::mutex> lk(m_);
            lines_.push_back(line);
        }
        cv_.notify_one();
    }

    const char* pop()
    {
        std::unique_lock<std::mutex> lk(m_);
        while (lines_.empty())
            cv_.wait(lk);
        const char* s = lines_.front();
        lines_.pop_front();
        return s;
    }

private:
    std::mutex m_;
    std::condition_variable cv_;
    std::deque<const char*> lines_;
};

static Outbox outbox;

static void source(int id)
{
    outbox.push(format_event(id, id == 1 ? "started" : "configured"));
}

static std::size_t printer(int expected)
{
    std::size_t bytes = 0;
    for (int i = 0; i < expected; ++i) {
        const char* line = outbox.pop();
        for (const char* p = line; *p != '\0'; ++p)
            ++bytes;
    }
    return bytes;
}

int main()
{
    std::size_t bytes = 0;
    std::thread out([&] { bytes = printer(2); });
    std::thread s1(source, 1);
    std::thread s2(source, 2);
    s1.join();
    s2.join();
    out.join();
    std::printf("%zu bytes of events\n", bytes);
    return 0;
}
