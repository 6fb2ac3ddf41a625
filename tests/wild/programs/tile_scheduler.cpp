// tile_scheduler.cpp - renders an image in tiles on a work stealing pool.

#include <algorithm>
#include <atomic>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <deque>
#include <memory>
#include <mutex>
#include <thread>
#include <vector>

#include <unistd.h>

struct Tile {
    int x, y, w, h;
};

class Image {
public:
    Image(int w, int h) : width(w), height(h), pixels_(size_t(w) * h, 0) {}
    uint8_t& at(int x, int y) { return pixels_[size_t(y) * width + x]; }
    size_t unset() const {
        size_t n = 0;
        for (uint8_t p : pixels_)
            n += p == 0;
        return n;
    }
    const int width, height;

private:
    std::vector<uint8_t> pixels_;
};

// Escape time of the Mandelbrot iteration, never 0.
static uint8_t shade(double cx, double cy, int max_iter) {
    double zx = 0, zy = 0;
    int i = 0;
    while (i < max_iter && zx * zx + zy * zy < 4.0) {
        double t = zx * zx - zy * zy + cx;
        zy = 2 * zx * zy + cy;
        zx = t;
        ++i;
    }
    return static_cast<uint8_t>(1 + i % 255);
}

static void render(Image& img, const Tile& t) {
    for (int y = t.y; y < t.y + t.h; ++y)
        for (int x = t.x; x < t.x + t.w; ++x)
            img.at(x, y) = shade(-2.2 + 3.2 * x / img.width, -1.4 + 2.8 * y / img.height, 96);
}

class TileScheduler {
public:
    TileScheduler(Image& img, unsigned workers, std::vector<Tile> tiles) : image_(img), count_(workers) {
        remaining_ = static_cast<int>(tiles.size());
        workers_.reserve(workers);
        for (unsigned i = 0; i < workers; ++i) {
            workers_.push_back(std::make_unique<Worker>());
            Worker& w = *workers_.back();
            for (size_t k = i; k < tiles.size(); k += workers)
                w.queue.push_back(tiles[k]);
            w.thread = std::thread(&TileScheduler::run, this, i);
        }
    }

    void wait() {
        for (auto& w : workers_)
            w->thread.join();
    }

    int rendered() const {
        int n = 0;
        for (const auto& w : workers_)
            n += w->done;
        return n;
    }

    int stolen() const {
        int n = 0;
        for (const auto& w : workers_)
            n += w->stolen;
        return n;
    }

private:
    struct Worker {
        std::mutex mutex;
        std::deque<Tile> queue;
        std::thread thread;
        int done = 0;
        int stolen = 0;
    };

    bool pop_own(Worker& w, Tile& out) {
        std::lock_guard<std::mutex> lock(w.mutex);
        if (w.queue.empty())
            return false;
        out = w.queue.back();
        w.queue.pop_back();
        return true;
    }

    bool steal(unsigned self, Tile& out) {
        for (unsigned k = 1; k < count_; ++k) {
            Worker& victim = *workers_[(self + k) % count_];
            std::lock_guard<std::mutex> lock(victim.mutex);
            if (!victim.queue.empty()) {
                out = victim.queue.front();
                victim.queue.pop_front();
                return true;
            }
        }
        return false;
    }

    void run(unsigned self) {
        Worker& me = *workers_[self];
        Tile t;
        while (remaining_.load() > 0) {
            bool own = pop_own(me, t);
            if (!own) {
                // back off, the others are better off with their own tiles
                usleep(20);
                if (!steal(self, t))
                    continue;
            }
            render(image_, t);
            ++me.done;
            me.stolen += !own;
            --remaining_;
        }
    }

    Image& image_;
    const unsigned count_;
    std::atomic<int> remaining_{0};
    std::vector<std::unique_ptr<Worker>> workers_;
};

static std::vector<Tile> cut(const Image& img, int size) {
    std::vector<Tile> tiles;
    for (int y = 0; y < img.height; y += size)
        for (int x = 0; x < img.width; x += size)
            tiles.push_back({x, y, std::min(size, img.width - x), std::min(size, img.height - y)});
    return tiles;
}

int main() {
    Image img(64, 64);
    auto tiles = cut(img, 16);
    const int total = static_cast<int>(tiles.size());

    TileScheduler sched(img, 3, std::move(tiles));
    sched.wait();

    std::printf("%d tiles rendered, %d stolen\n", sched.rendered(), sched.stolen());
    if (sched.rendered() != total || img.unset() != 0) {
        std::fprintf(stderr, "incomplete image\n");
        std::abort();
    }
    return 0;
}
