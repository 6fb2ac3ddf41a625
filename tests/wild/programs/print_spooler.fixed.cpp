// print_spooler.cpp - documents are rasterised page by page in a small pool.
//
// The front end queues pages, the pool rasterises them, the front end collects
// finished pages in order and sends them to the printer.

#include <condition_variable>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <deque>
#include <memory>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

// Toner and page counts per tray; shared by everybody.
class TrayUsage {
public:
    explicit TrayUsage(std::string name) : name_(std::move(name)) {}
    void add(size_t dots, bool blank) {
        std::lock_guard<std::mutex> lock(mutex_);
        dots_ += dots;
        ++pages_;
        blank_pages_ += blank;
    }
    int pages() {
        std::lock_guard<std::mutex> lock(mutex_);
        return pages_;
    }
    size_t dots() {
        std::lock_guard<std::mutex> lock(mutex_);
        return dots_;
    }
    const std::string& name() const { return name_; }

private:
    std::string name_;
    std::mutex mutex_;
    size_t dots_ = 0;
    int pages_ = 0;
    int blank_pages_ = 0;
};

struct Page {
    Page(TrayUsage* t, int n) : tray(t), number(n) {}
    TrayUsage* tray;
    int number;
    size_t dots = 0;
    std::vector<uint8_t> raster;
    bool done = false;
};

class RasterPool {
public:
    explicit RasterPool(int threads) {
        for (int i = 0; i < threads; ++i)
            threads_.emplace_back(&RasterPool::work, this);
    }

    ~RasterPool() {
        {
            std::lock_guard<std::mutex> lock(mutex_);
            closing_ = true;
        }
        wake_.notify_all();
        for (auto& t : threads_)
            t.join();
    }

    void submit(Page* page) {
        {
            std::lock_guard<std::mutex> lock(mutex_);
            queue_.push_back(page);
        }
        wake_.notify_one();
    }

    // Waits until the page can be printed.
    void wait(const Page* page) {
        std::unique_lock<std::mutex> lock(mutex_);
        finished_.wait(lock, [page] { return page->done; });
    }

private:
    static void rasterise(Page& page) {
        page.raster.assign(32 * 32, 0);
        uint32_t x = 99u + static_cast<uint32_t>(page.number);
        for (auto& cell : page.raster) {
            x = x * 1664525u + 1013904223u;
            cell = static_cast<uint8_t>(x >> 24);
            page.dots += __builtin_popcount(cell);
        }
    }

    // Less than one dot in a thousand set.
    static bool is_blank(const Page& page) {
        size_t set = 0;
        for (uint8_t cell : page.raster)
            for (int bit = 0; bit < 8; ++bit)
                set += (cell >> bit) & 1;
        return set * 1000 < page.raster.size() * 8;
    }

    void work() {
        for (;;) {
            Page* page;
            {
                std::unique_lock<std::mutex> lock(mutex_);
                wake_.wait(lock, [this] { return closing_ || !queue_.empty(); });
                if (queue_.empty())
                    return;
                page = queue_.front();
                queue_.pop_front();
            }
            rasterise(*page);
            bool blank = is_blank(*page);
            page->tray->add(page->dots, blank);
            {
                std::lock_guard<std::mutex> lock(mutex_);
                page->done = true;
            }
            finished_.notify_one();
        }
    }

    std::mutex mutex_;
    std::condition_variable wake_;
    std::condition_variable finished_;
    std::deque<Page*> queue_;
    bool closing_ = false;
    std::vector<std::thread> threads_;
};

static uint32_t print(const Page& page) {
    uint32_t h = 0;
    for (uint8_t c : page.raster)
        h = h * 31 + c;
    return h;
}

int main() {
    const int kPages = 60;
    TrayUsage upper("upper tray"), lower("lower tray");
    uint32_t checksum = 0;
    size_t dots = 0;
    {
        RasterPool pool(2);
        std::deque<std::unique_ptr<Page>> document;
        int next = 0;
        while (next < kPages || !document.empty()) {
            // keep a few pages in flight
            while (next < kPages && document.size() < 6) {
                document.push_back(std::make_unique<Page>(next % 4 ? &lower : &upper, next));
                pool.submit(document.back().get());
                ++next;
            }
            std::unique_ptr<Page> page = std::move(document.front());
            document.pop_front();
            pool.wait(page.get());
            checksum ^= print(*page);
            dots += page->dots;
        }
    }
    std::printf("%s: %d pages, %s: %d pages, %08x\n", upper.name().c_str(), upper.pages(),
                lower.name().c_str(), lower.pages(), checksum);
    if (upper.pages() + lower.pages() != kPages || upper.dots() + lower.dots() != dots) {
        std::fprintf(stderr, "usage does not match\n");
        std::abort();
    }
    return 0;
}
