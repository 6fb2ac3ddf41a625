// Game level loader: spawner threads start early and wait until the terrain
// of the level is in place.
#include <atomic>
#include <condition_variable>
#include <cstdio>
#include <memory>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

class Gate {
public:
    void open() {
        open_.store(true);
        opened_.notify_all();
    }

    void wait() {
        std::unique_lock<std::mutex> lock(mutex_);
        opened_.wait(lock, [this] { return open_.load(); });
    }

    bool isOpen() const { return open_.load(); }

private:
    std::atomic<bool> open_{false};
    std::mutex mutex_;
    std::condition_variable opened_;
};

struct Terrain {
    int width = 0;
    int height = 0;
    std::vector<int> heights;

    int at(int x, int y) const { return heights[static_cast<std::size_t>(y * width + x)]; }
};

struct Entity {
    std::string kind;
    int x, y, z;
};

class Level {
public:
    void buildTerrain(int width, int height) {
        terrain_.width = width;
        terrain_.height = height;
        terrain_.heights.resize(static_cast<std::size_t>(width * height));
        for (int y = 0; y < height; ++y)
            for (int x = 0; x < width; ++x)
                terrain_.heights[static_cast<std::size_t>(y * width + x)] = (x * 7 + y * 3) % 5;
        terrainReady_.open();
    }

    void spawn(const std::string& kind, int x, int y) {
        terrainReady_.wait();
        Entity e{kind, x, y, terrain_.at(x, y)};
        std::lock_guard<std::mutex> lock(entitiesMutex_);
        entities_.push_back(std::move(e));
    }

    std::size_t entityCount() const {
        std::lock_guard<std::mutex> lock(entitiesMutex_);
        return entities_.size();
    }

private:
    Terrain terrain_;
    Gate terrainReady_;
    mutable std::mutex entitiesMutex_;
    std::vector<Entity> entities_;
};

class Spawner {
public:
    Spawner(Level& level, std::string kind, int count)
        : thread_([&level, kind = std::move(kind), count] {
              for (int i = 0; i < count; ++i)
                  level.spawn(kind, i, i);
          }) {}

    ~Spawner() { thread_.join(); }

private:
    std::thread thread_;
};

int main() {
    Level level;
    {
        std::vector<std::unique_ptr<Spawner>> spawners;
        spawners.push_back(std::make_unique<Spawner>(level, "goblin", 2));
        spawners.push_back(std::make_unique<Spawner>(level, "tree", 3));
        level.buildTerrain(8, 8);
    }
    std::printf("%zu entities\n", level.entityCount());
    return level.entityCount() == 5 ? 0 : 1;
}
