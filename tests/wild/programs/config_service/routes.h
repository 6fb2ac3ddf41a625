// Static dispatch table of the front end.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

class RouteTable {
public:
    // Precomputes the hash buckets for all known path prefixes.
    void build(unsigned variants);
    unsigned lookup(const std::string& path) const;
    size_t size() const { return entries_.size(); }

private:
    struct Entry {
        uint32_t hash;
        unsigned handler;
    };
    std::vector<Entry> entries_;
};
