// Configuration object published once by a loader thread.
#include <atomic>
#include <cstdio>
#include <string>
#include <thread>
#include <vector>

struct Config {
    int port = 0;
    int backlog = 0;
    std::vector<std::string> hosts;
};

class ConfigHolder {
public:
    ~ConfigHolder() { delete current_.load(); }

    void publish(Config* c)
    {
        current_.store(c, std::memory_order_relaxed);
        version_.fetch_add(1, std::memory_order_relaxed);
    }

    const Config* get() const { return current_.load(std::memory_order_acquire); }
    int version() const { return version_.load(std::memory_order_relaxed); }

private:
    std::atomic<Config*> current_{nullptr};
    std::atomic<int> version_{0};
};

static void loader(ConfigHolder& h)
{
    auto* c = new Config;
    c->port = 8080;
    c->backlog = 16;
    c->hosts = {"alpha", "beta"};
    h.publish(c);
}

static int user(const ConfigHolder& h)
{
    const Config* c;
    while ((c = h.get()) == nullptr)
        std::this_thread::yield();
    int sum = c->port + c->backlog;
    for (const auto& s : c->hosts)
        sum += static_cast<int>(s.size());
    return sum;
}

int main()
{
    ConfigHolder holder;
    int r1 = 0, r2 = 0;

    std::thread u1([&] { r1 = user(holder); });
    std::thread u2([&] { r2 = user(holder); });
    std::thread ld(loader, std::ref(holder));
    ld.join();
    u1.join();
    u2.join();

    std::printf("%d %d v%d\n", r1, r2, holder.version());
    return 0;
}
