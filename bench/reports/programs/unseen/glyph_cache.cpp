#include <gtest/gtest.h>

#include <atomic>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <thread>
#include <tuple>
#include <utility>
#include <vector>

struct GlyphKey {
    std::string face;
    int size;
    char32_t codepoint;

    bool operator<(const GlyphKey& o) const {
        return std::tie(face, size, codepoint) < std::tie(o.face, o.size, o.codepoint);
    }
};

struct Glyph {
    int atlasSlot;
    int advance;
};

// Hands out consecutive slots of the texture atlas.
class Atlas {
public:
    int allocate() { return next_.fetch_add(1); }
    int used() const { return next_.load(); }

private:
    std::atomic<int> next_{0};
};

class GlyphCache {
public:
    explicit GlyphCache(Atlas& atlas) : atlas_(atlas) {}

    std::shared_ptr<const Glyph> get(const GlyphKey& key) {
        {
            std::lock_guard<std::mutex> lock(mutex_);
            auto it = glyphs_.find(key);
            if (it != glyphs_.end())
                return it->second;
        }
        auto glyph = rasterize(key);
        std::lock_guard<std::mutex> lock(mutex_);
        glyphs_[key] = glyph;
        return glyph;
    }

    std::size_t size() const {
        std::lock_guard<std::mutex> lock(mutex_);
        return glyphs_.size();
    }

    void clear() {
        std::lock_guard<std::mutex> lock(mutex_);
        glyphs_.clear();
    }

private:
    std::shared_ptr<const Glyph> rasterize(const GlyphKey& key) {
        auto glyph = std::make_shared<Glyph>();
        glyph->advance = key.size * 6 / 10 + static_cast<int>(key.codepoint % 3);
        glyph->atlasSlot = atlas_.allocate();
        return glyph;
    }

    Atlas& atlas_;
    mutable std::mutex mutex_;
    std::map<GlyphKey, std::shared_ptr<const Glyph>> glyphs_;
};

class TextRun {
public:
    TextRun(GlyphCache& cache, std::string face, int size)
        : cache_(cache), face_(std::move(face)), size_(size) {}

    int layout(const std::u32string& text) {
        int x = 0;
        for (char32_t c : text) {
            auto g = cache_.get({face_, size_, c});
            slots_.push_back(g->atlasSlot);
            x += g->advance;
        }
        return x;
    }

    const std::vector<int>& slots() const { return slots_; }

private:
    GlyphCache& cache_;
    std::string face_;
    int size_;
    std::vector<int> slots_;
};

TEST(GlyphCacheTest, SecondLookupHits) {
    Atlas atlas;
    GlyphCache cache(atlas);
    auto a = cache.get({"sans", 10, U'a'});
    auto b = cache.get({"sans", 10, U'a'});
    EXPECT_EQ(a, b);
    EXPECT_EQ(atlas.used(), 1);
}

TEST(GlyphCacheTest, SizesAreDistinct) {
    Atlas atlas;
    GlyphCache cache(atlas);
    cache.get({"sans", 10, U'a'});
    cache.get({"sans", 12, U'a'});
    EXPECT_EQ(cache.size(), 2u);
    cache.clear();
    EXPECT_EQ(cache.size(), 0u);
}

TEST(TextRunTest, ParallelLayoutSharesGlyphs) {
    Atlas atlas;
    GlyphCache cache(atlas);
    TextRun title(cache, "serif", 20);
    TextRun footer(cache, "serif", 20);

    std::thread t1([&] { title.layout(U"ab"); });
    std::thread t2([&] { footer.layout(U"ba"); });
    t1.join();
    t2.join();

    EXPECT_EQ(cache.size(), 2u);
    EXPECT_EQ(atlas.used(), 2) << "a glyph occupies more than one atlas slot";
}

TEST(TextRunTest, AdvancesAddUp) {
    Atlas atlas;
    GlyphCache cache(atlas);
    TextRun run(cache, "mono", 10);
    EXPECT_GT(run.layout(U"abc"), 17);
    EXPECT_EQ(run.slots().size(), 3u);
}
