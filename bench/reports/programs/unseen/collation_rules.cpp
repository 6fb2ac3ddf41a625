// Case- and accent-folding comparison used by the contact list.
#include <algorithm>
#include <array>
#include <cstdio>
#include <memory>
#include <string>
#include <string_view>
#include <thread>
#include <utility>
#include <vector>

namespace collate {

class WeightTable {
public:
    WeightTable() {
        for (std::size_t c = 0; c < weights_.size(); ++c)
            weights_[c] = static_cast<unsigned short>(c * 4);
        for (char c = 'A'; c <= 'Z'; ++c)
            weights_[static_cast<unsigned char>(c)] =
                static_cast<unsigned short>((c - 'A' + 'a') * 4 + 1);
        alias('_', ' ');
        alias('-', ' ');
    }

    unsigned short primary(char c) const {
        return weights_[static_cast<unsigned char>(c)] & ~3u;
    }

private:
    void alias(char from, char to) {
        weights_[static_cast<unsigned char>(from)] = weights_[static_cast<unsigned char>(to)];
    }

    std::array<unsigned short, 256> weights_{};
};

class Collator {
public:
    explicit Collator(std::string locale) : locale_(std::move(locale)) {}

    bool less(std::string_view a, std::string_view b) const {
        const WeightTable& w = weights();
        return std::lexicographical_compare(
            a.begin(), a.end(), b.begin(), b.end(),
            [&w](char x, char y) { return w.primary(x) < w.primary(y); });
    }

    const std::string& locale() const { return locale_; }

private:
    // Most collators are created and never used, so the table is built on demand.
    const WeightTable& weights() const {
        if (!weights_)
            weights_ = std::make_unique<WeightTable>();
        return *weights_;
    }

    std::string locale_;
    mutable std::unique_ptr<WeightTable> weights_;
};

}  // namespace collate

class ContactList {
public:
    explicit ContactList(std::vector<std::string> names) : names_(std::move(names)) {}

    void sort(const collate::Collator& collator) {
        std::sort(names_.begin(), names_.end(),
                  [&](const std::string& a, const std::string& b) { return collator.less(a, b); });
    }

    std::string joined() const {
        std::string out;
        for (const auto& n : names_) {
            if (!out.empty())
                out += ", ";
            out += n;
        }
        return out;
    }

private:
    std::vector<std::string> names_;
};

int main() {
    const collate::Collator collator("en");
    ContactList friends({"zoe", "Adam", "mary-ann", "Bert"});
    ContactList work({"Yusuf", "carla", "Dmitri", "anna"});

    std::thread a([&] { friends.sort(collator); });
    std::thread b([&] { work.sort(collator); });
    a.join();
    b.join();

    std::printf("[%s] %s\n", collator.locale().c_str(), friends.joined().c_str());
    std::printf("[%s] %s\n", collator.locale().c_str(), work.joined().c_str());
    return 0;
}
