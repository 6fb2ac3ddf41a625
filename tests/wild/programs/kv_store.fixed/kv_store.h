// Sharded in-memory key/value store.
#pragma once

#include <array>
#include <functional>
#include <mutex>
#include <optional>
#include <string>
#include <unordered_map>

class KvStore {
public:
    static constexpr size_t kShards = 8;

    void put(const std::string& key, const std::string& value);
    std::optional<std::string> get(const std::string& key) const;
    bool erase(const std::string& key);

    // Moves the value of `from` to `to`; fails if `from` does not exist or
    // `to` already does. No reader ever sees both or neither.
    bool rename(const std::string& from, const std::string& to);

    // Number of keys. Only exact when nothing is being changed.
    size_t size() const;

private:
    struct Shard {
        mutable std::mutex mutex;
        std::unordered_map<std::string, std::string> map;
    };

    static size_t shard_index(const std::string& key) {
        return std::hash<std::string>()(key) % kShards;
    }
    Shard& shard(const std::string& key) { return shards_[shard_index(key)]; }
    const Shard& shard(const std::string& key) const { return shards_[shard_index(key)]; }

    static bool move_value(Shard& a, const std::string& from, Shard& b, const std::string& to);

    std::array<Shard, kShards> shards_;
};
