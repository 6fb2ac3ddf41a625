#include "routes.h"

#include <algorithm>

static uint32_t fnv1a(const std::string& s) {
    uint32_t h = 2166136261u;
    for (unsigned char c : s)
        h = (h ^ c) * 16777619u;
    return h;
}

void RouteTable::build(unsigned variants) {
    static const char* const prefixes[] = {"/api/v1/users", "/api/v1/orders", "/static"};
    for (unsigned p = 0; p < 3; ++p)
        for (unsigned v = 0; v < variants; ++v)
            entries_.push_back({fnv1a(prefixes[p] + ("/" + std::to_string(v))), p});
    std::sort(entries_.begin(), entries_.end(),
              [](const Entry& a, const Entry& b) { return a.hash < b.hash; });
}

unsigned RouteTable::lookup(const std::string& path) const {
    uint32_t h = fnv1a(path);
    auto it = std::lower_bound(entries_.begin(), entries_.end(), h,
                               [](const Entry& e, uint32_t x) { return e.hash < x; });
    if (it == entries_.end() || it->hash != h)
        return 404;
    return it->handler;
}
