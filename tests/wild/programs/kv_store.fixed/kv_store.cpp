#include "kv_store.h"

void KvStore::put(const std::string& key, const std::string& value) {
    Shard& s = shard(key);
    std::lock_guard<std::mutex> lock(s.mutex);
    s.map[key] = value;
}

std::optional<std::string> KvStore::get(const std::string& key) const {
    const Shard& s = shard(key);
    std::lock_guard<std::mutex> lock(s.mutex);
    auto it = s.map.find(key);
    if (it == s.map.end())
        return std::nullopt;
    return it->second;
}

bool KvStore::erase(const std::string& key) {
    Shard& s = shard(key);
    std::lock_guard<std::mutex> lock(s.mutex);
    return s.map.erase(key) != 0;
}

bool KvStore::move_value(Shard& a, const std::string& from, Shard& b, const std::string& to) {
    auto it = a.map.find(from);
    if (it == a.map.end() || b.map.count(to))
        return false;
    std::string value = std::move(it->second);
    a.map.erase(it);
    b.map.emplace(to, std::move(value));
    return true;
}

bool KvStore::rename(const std::string& from, const std::string& to) {
    Shard& src = shard(from);
    Shard& dst = shard(to);
    if (&src == &dst) {
        std::lock_guard<std::mutex> lock(src.mutex);
        return move_value(src, from, dst, to);
    }
    std::scoped_lock lock(src.mutex, dst.mutex);
    return move_value(src, from, dst, to);
}

size_t KvStore::size() const {
    size_t n = 0;
    for (const auto& s : shards_) {
        std::lock_guard<std::mutex> lock(s.mutex);
        n += s.map.size();
    }
    return n;
}
