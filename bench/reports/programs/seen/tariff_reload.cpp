// Phone tariffs that are replaced at run time without stopping the raters.
#include <atomic>
#include <cstdio>
#include <memory>
#include <string>
#include <thread>
#include <utility>
#include <vector>

struct Zone {
    std::string prefix;
    int centsPerMinute;
};

class TariffTable {
public:
    TariffTable(int version, std::vector<Zone> zones, int fallback)
        : version_(version), zones_(std::move(zones)), fallback_(fallback) {}

    int rate(const std::string& number) const {
        std::size_t best = 0;
        int cents = fallback_;
        for (const Zone& z : zones_) {
            if (z.prefix.size() > best && number.compare(0, z.prefix.size(), z.prefix) == 0) {
                best = z.prefix.size();
                cents = z.centsPerMinute;
            }
        }
        return cents;
    }

    int version() const { return version_; }

private:
    int version_;
    std::vector<Zone> zones_;
    int fallback_;
};

class TariffStore {
public:
    explicit TariffStore(std::unique_ptr<TariffTable> initial) { install(std::move(initial)); }

    // Called by the administration thread only.  Old tables stay alive until
    // the store is destroyed because raters may still be using them.
    void install(std::unique_ptr<TariffTable> table) {
        const TariffTable* next = table.get();
        history_.push_back(std::move(table));
        current_.store(next, std::memory_order_relaxed);
    }

    const TariffTable& current() const { return *current_.load(std::memory_order_acquire); }

private:
    std::atomic<const TariffTable*> current_{nullptr};
    std::vector<std::unique_ptr<TariffTable>> history_;
};

struct Call {
    std::string number;
    int minutes;
};

class Rater {
public:
    explicit Rater(const TariffStore& store) : store_(store) {}

    void rate(const std::vector<Call>& calls) {
        for (const Call& c : calls) {
            const TariffTable& tariff = store_.current();
            total_ += tariff.rate(c.number) * c.minutes;
            lastVersion_ = tariff.version();
        }
    }

    int total() const { return total_; }
    int lastVersion() const { return lastVersion_; }

private:
    const TariffStore& store_;
    int total_ = 0;
    int lastVersion_ = 0;
};

int main() {
    TariffStore store(std::make_unique<TariffTable>(
        1, std::vector<Zone>{{"0049", 5}, {"0033", 6}}, 20));
    const std::vector<Call> calls = {{"004930123", 3}, {"003311", 2}, {"00881", 1}, {"0049891", 4}};

    Rater rater(store);
    std::thread rating([&] { rater.rate(calls); });
    std::thread admin([&] {
        store.install(std::make_unique<TariffTable>(
            2, std::vector<Zone>{{"0049", 4}, {"004989", 3}, {"0033", 6}}, 25));
    });
    rating.join();
    admin.join();

    std::printf("total %d cents, tariff version %d\n", rater.total(), rater.lastVersion());
    return rater.lastVersion() >= 1 ? 0 : 1;
}
