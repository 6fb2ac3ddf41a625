// Thread-safe key/value view of the configuration file.
#pragma once

#include <map>
#include <mutex>
#include <shared_mutex>
#include <stdexcept>
#include <string>

class MissingKey : public std::runtime_error {
public:
    explicit MissingKey(const std::string& key)
        : std::runtime_error("configuration key not set: " + key) {}
};

class ConfigStore {
public:
    void set(const std::string& key, const std::string& value);

    // Both throw MissingKey.
    std::string get(const std::string& key) const;
    int get_int(const std::string& key) const;

    bool has(const std::string& key) const;
    size_t size() const;

private:
    mutable std::shared_mutex mutex_;
    std::map<std::string, std::string> values_;
};

// Reads `path` into `store`; returns the number of keys, or -1.
int load_config(const std::string& path, ConfigStore& store);
