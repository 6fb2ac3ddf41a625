// Exercises the store: clients look up and update users, and now and then
// give a user a new name.
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <string>
#include <thread>
#include <vector>

#include "kv_store.h"

namespace {

class Random {
public:
    explicit Random(uint32_t seed) : s_(seed) {}
    uint32_t below(uint32_t n) {
        s_ = s_ * 1664525u + 1013904223u;
        return (s_ >> 10) % n;
    }

private:
    uint32_t s_;
};

struct ClientStats {
    int reads = 0;
    int hits = 0;
    int writes = 0;
    int renames = 0;
};

std::string user_key(int client, uint32_t n) {
    return "user:" + std::to_string(client) + ":" + std::to_string(n);
}

std::string profile(uint32_t n) {
    std::string s = "{\"visits\":" + std::to_string(n) + ",\"tags\":[";
    for (uint32_t i = 0; i < 6; ++i)
        s += std::to_string(n * i) + ",";
    s.back() = ']';
    return s + "}";
}

void client(KvStore& store, int id, int operations, ClientStats& st) {
    Random rnd(4711u * (id + 1));
    std::vector<std::string> names;
    for (uint32_t i = 0; i < 20; ++i) {
        names.push_back(user_key(id, i));
        store.put(names.back(), profile(i));
    }
    for (int i = 0; i < operations; ++i) {
        std::string& name = names[rnd.below(20)];
        uint32_t what = rnd.below(100);
        if (what < 60) {
            ++st.reads;
            st.hits += store.get(name).has_value();
        } else if (what < 90) {
            store.put(name, profile(i));
            ++st.writes;
        } else {
            std::string fresh = user_key(id, 100 + i);
            if (!store.rename(name, fresh))
                std::abort();
            name = fresh;
            ++st.renames;
        }
    }
}

}  // namespace

int main() {
    const int kClients = 3;
    const int kOperations = 400;
    KvStore store;
    ClientStats stats[kClients];
    std::vector<std::thread> threads;
    for (int i = 0; i < kClients; ++i)
        threads.emplace_back(client, std::ref(store), i, kOperations, std::ref(stats[i]));
    for (auto& t : threads)
        t.join();

    int renames = 0;
    for (auto& s : stats) {
        renames += s.renames;
        if (s.hits != s.reads) {
            std::fprintf(stderr, "user not found\n");
            std::abort();
        }
    }
    std::printf("%zu keys, %d renames\n", store.size(), renames);
    if (store.size() != kClients * 20u)
        std::abort();
    return 0;
}
