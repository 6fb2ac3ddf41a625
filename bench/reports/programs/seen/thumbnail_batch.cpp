// Renders thumbnails for an album in the background; the user may cancel.
#include <cstdint>
#include <cstdio>
#include <functional>
#include <mutex>
#include <string>
#include <thread>
#include <utility>
#include <vector>

struct Image {
    std::string name;
    int width = 0;
    int height = 0;
    std::vector<std::uint8_t> pixels;
};

struct Thumbnail {
    std::string name;
    std::uint32_t average = 0;
};

class ThumbnailBatch {
public:
    using Progress = std::function<void(std::size_t done, std::size_t total)>;

    ThumbnailBatch(std::vector<Image> images, Progress progress)
        : images_(std::move(images)), progress_(std::move(progress)) {}

    ~ThumbnailBatch() { wait(); }

    void start() {
        worker_ = std::thread([this] { run(); });
    }

    void cancel() { cancelled_ = true; }

    void wait() {
        if (worker_.joinable())
            worker_.join();
    }

    std::vector<Thumbnail> takeResults() {
        std::lock_guard<std::mutex> lock(resultsMutex_);
        return std::exchange(results_, {});
    }

private:
    void run() {
        std::size_t done = 0;
        for (const Image& image : images_) {
            if (cancelled_)
                break;
            Thumbnail t = render(image);
            {
                std::lock_guard<std::mutex> lock(resultsMutex_);
                results_.push_back(std::move(t));
            }
            ++done;
            if (progress_)
                progress_(done, images_.size());
        }
    }

    static Thumbnail render(const Image& image) {
        std::uint64_t sum = 0;
        for (std::uint8_t p : image.pixels)
            sum += p;
        const std::size_t n = image.pixels.empty() ? 1 : image.pixels.size();
        return {image.name, static_cast<std::uint32_t>(sum / n)};
    }

    std::vector<Image> images_;
    Progress progress_;
    bool cancelled_ = false;
    std::mutex resultsMutex_;
    std::vector<Thumbnail> results_;
    std::thread worker_;
};

static std::vector<Image> loadAlbum(int count) {
    std::vector<Image> album;
    for (int i = 0; i < count; ++i) {
        Image img;
        img.name = "img_" + std::to_string(i);
        img.width = 16;
        img.height = 8;
        img.pixels.assign(static_cast<std::size_t>(img.width * img.height),
                          static_cast<std::uint8_t>(10 * i));
        album.push_back(std::move(img));
    }
    return album;
}

int main() {
    std::mutex m;
    std::size_t reported = 0;

    ThumbnailBatch batch(loadAlbum(8), [&](std::size_t done, std::size_t) {
        std::lock_guard<std::mutex> lock(m);
        reported = done;
    });
    batch.start();

    bool enough = false;
    for (int poll = 0; poll < 5 && !enough; ++poll) {
        std::lock_guard<std::mutex> lock(m);
        enough = reported >= 3;
    }
    batch.cancel();
    batch.wait();

    const auto results = batch.takeResults();
    std::printf("rendered %zu thumbnails\n", results.size());
    return results.size() <= 8 ? 0 : 1;
}
