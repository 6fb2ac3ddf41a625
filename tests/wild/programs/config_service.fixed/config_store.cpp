#include "config_store.h"

#include <cstdlib>
#include <fstream>

void ConfigStore::set(const std::string& key, const std::string& value) {
    std::unique_lock<std::shared_mutex> lock(mutex_);
    values_[key] = value;
}

std::string ConfigStore::get(const std::string& key) const {
    std::shared_lock<std::shared_mutex> lock(mutex_);
    auto it = values_.find(key);
    if (it == values_.end())
        throw MissingKey(key);
    return it->second;
}

int ConfigStore::get_int(const std::string& key) const {
    return std::atoi(get(key).c_str());
}

bool ConfigStore::has(const std::string& key) const {
    std::shared_lock<std::shared_mutex> lock(mutex_);
    return values_.count(key) != 0;
}

size_t ConfigStore::size() const {
    std::shared_lock<std::shared_mutex> lock(mutex_);
    return values_.size();
}

static std::string trim(const std::string& s) {
    size_t b = s.find_first_not_of(" \t\r");
    if (b == std::string::npos)
        return "";
    size_t e = s.find_last_not_of(" \t\r");
    return s.substr(b, e - b + 1);
}

int load_config(const std::string& path, ConfigStore& store) {
    std::ifstream in(path);
    if (!in)
        return -1;
    int n = 0;
    std::string line;
    while (std::getline(in, line)) {
        line = trim(line);
        if (line.empty() || line[0] == '#')
            continue;
        size_t eq = line.find('=');
        if (eq == std::string::npos)
            continue;
        store.set(trim(line.substr(0, eq)), trim(line.substr(eq + 1)));
        ++n;
    }
    return n;
}
