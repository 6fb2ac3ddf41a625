// Symbol table: sorted lazily with qsort, looked up with bsearch.
#include <cassert>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <mutex>
#include <shared_mutex>
#include <thread>
#include <vector>

struct Symbol {
    int address;
    int size;
};

static int compare_symbols(const void* a, const void* b)
{
    const auto* x = static_cast<const Symbol*>(a);
    const auto* y = static_cast<const Symbol*>(b);
    return (x->address > y->address) - (x->address < y->address);
}

class SymbolTable {
public:
    void add(int address, int size)
    {
        std::unique_lock<std::shared_mutex> lk(m_);
        symbols_.push_back({address, size});
        sorted_ = false;
    }

    // Size of the symbol at the address, or -1.
    int find(int address)
    {
        std::shared_lock<std::shared_mutex> lk(m_);
        ensure_sorted();
        Symbol key{address, 0};
        auto* s = static_cast<Symbol*>(std::bsearch(&key, symbols_.data(), symbols_.size(),
                                                    sizeof(Symbol), compare_symbols));
        return s ? s->size : -1;
    }

private:
    // The table lock must be held.
    void ensure_sorted()
    {
        if (sorted_)
            return;
        std::qsort(symbols_.data(), symbols_.size(), sizeof(Symbol), compare_symbols);
        sorted_ = true;
    }

    std::shared_mutex m_;
    std::vector<Symbol> symbols_;
    bool sorted_ = true;
};

int main()
{
    SymbolTable table;
    table.add(0x400, 12);
    table.add(0x100, 7);
    table.add(0x300, 9);
    table.add(0x200, 5);

    int r1 = 0, r2 = 0;
    std::thread a([&] { r1 = table.find(0x100); });
    std::thread b([&] { r2 = table.find(0x300); });
    a.join();
    b.join();

    assert(r1 == 7);
    assert(r2 == 9);
    std::printf("%d %d\n", r1, r2);
    return 0;
}
