// Month names and number formats, loaded the first time a locale is used.
#include <array>
#include <atomic>
#include <cassert>
#include <cstdio>
#include <memory>
#include <mutex>
#include <string>
#include <thread>
#include <utility>
#include <vector>

class LocaleData {
public:
    explicit LocaleData(const std::string& code) : code_(code) {
        const bool german = code == "de";
        decimal_ = german ? ',' : '.';
        months_ = german ? std::vector<std::string>{"Januar", "Februar", "Maerz"}
                         : std::vector<std::string>{"January", "February", "March"};
    }

    const std::string& month(std::size_t index) const {
        assert(index < months_.size());
        return months_[index];
    }

    char decimal() const { return decimal_; }
    const std::string& code() const { return code_; }

private:
    std::string code_;
    char decimal_ = 0;
    std::vector<std::string> months_;
};

class Locale {
public:
    explicit Locale(std::string code) : code_(std::move(code)) {}

    ~Locale() { delete data_.load(std::memory_order_relaxed); }

    Locale(const Locale&) = delete;
    Locale& operator=(const Locale&) = delete;

    const LocaleData& data() {
        LocaleData* d = data_.load(std::memory_order_relaxed);
        if (d == nullptr) {
            std::lock_guard<std::mutex> lock(loadMutex_);
            d = data_.load(std::memory_order_relaxed);
            if (d == nullptr) {
                d = new LocaleData(code_);
                data_.store(d, std::memory_order_relaxed);
            }
        }
        return *d;
    }

private:
    const std::string code_;
    std::mutex loadMutex_;
    std::atomic<LocaleData*> data_{nullptr};
};

struct Date {
    int year;
    std::size_t month;
    int day;
};

class Formatter {
public:
    explicit Formatter(Locale& locale) : locale_(locale) {}

    std::string date(const Date& d) const {
        return std::to_string(d.day) + " " + locale_.data().month(d.month) + " " +
               std::to_string(d.year);
    }

    std::string money(int cents) const {
        std::string fraction = std::to_string(cents % 100);
        if (fraction.size() < 2)
            fraction.insert(0, 1, '0');
        return std::to_string(cents / 100) + locale_.data().decimal() + fraction;
    }

private:
    Locale& locale_;
};

int main() {
    Locale german("de");
    std::array<std::string, 2> letters;

    std::thread invoice([&] {
        Formatter f(german);
        letters[0] = "Rechnung vom " + f.date({2021, 1, 14}) + ": " + f.money(19905);
    });
    std::thread reminder([&] {
        Formatter f(german);
        letters[1] = "Mahnung vom " + f.date({2021, 2, 1}) + ": " + f.money(20400);
    });
    invoice.join();
    reminder.join();

    for (const auto& l : letters)
        std::printf("%s\n", l.c_str());
    assert(letters[0].find("199,05") != std::string::npos);
    assert(letters[1].find("Maerz") != std::string::npos);
    return 0;
}
