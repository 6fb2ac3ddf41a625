// Three ways of creating something on first use.
#include <atomic>
#include <cassert>
#include <cstdio>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

namespace {

struct Parser {
    std::vector<std::string> keywords{"let", "in", "end"};
    int id;
    explicit Parser(int i) : id(i) {}
};

std::atomic<Parser*> parser{nullptr};
std::mutex parser_mutex;
int parsers_made = 0; // guarded by parser_mutex

Parser& get_parser()
{
    Parser* p = parser.load(std::memory_order_acquire);
    if (!p) {
        std::lock_guard<std::mutex> lk(parser_mutex);
        p = parser.load(std::memory_order_relaxed);
        if (!p) {
            p = new Parser(++parsers_made);
            parser.store(p, std::memory_order_release);
        }
    }
    return *p;
}

std::once_flag table_once;
int table[8];

const int* get_table()
{
    std::call_once(table_once, [] {
        for (int i = 0; i < 8; ++i)
            table[i] = i * i;
    });
    return table;
}

const std::string& get_banner()
{
    static const std::string banner = "a banner that is longer than the small buffer";
    return banner;
}

} // namespace

int main()
{
    int results[3] = {0, 0, 0};
    auto body = [&](int id) {
        int sum = 0;
        for (const auto& k : get_parser().keywords)
            sum += static_cast<int>(k.size());
        sum += get_table()[3];
        sum += get_banner().front() == 'a' ? 1 : 0;
        results[id] = sum;
    };
    std::thread a(body, 0), b(body, 1), c(body, 2);
    a.join();
    b.join();
    c.join();

    for (int r : results)
        assert(r == 8 + 9 + 1);
    assert(parsers_made == 1);
    delete parser.load(std::memory_order_relaxed);
    std::printf("%d\n", results[0]);
    return 0;
}
