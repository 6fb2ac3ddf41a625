// A routing entry that is replaced at run time; a hazard slot protects the reader.
#include <atomic>
#include <cassert>
#include <cstdio>
#include <thread>

namespace {

struct Route {
    int generation;
    int next_hop;
};

std::atomic<Route*> current{nullptr};
std::atomic<Route*> hazard{nullptr}; // there is one reader, hence one slot

// Announces the route we are about to use and makes sure that it is still current.
Route* acquire_route()
{
    Route* r = current.load(std::memory_order_acquire);
    for (;;) {
        hazard.store(r, std::memory_order_release);
        Route* again = current.load(std::memory_order_seq_cst);
        if (again == r)
            return r;
        r = again;
    }
}

void release_route()
{
    hazard.store(nullptr, std::memory_order_release);
}

void replace_route(Route* fresh)
{
    Route* old = current.exchange(fresh, std::memory_order_seq_cst);
    while (hazard.load(std::memory_order_seq_cst) == old)
        std::this_thread::yield();
    delete old;
}

} // namespace

int main()
{
    current.store(new Route{0, 7});
    int hops = 0;

    std::thread forwarder([&] {
        int last = 0;
        for (int i = 0; i < 2; ++i) {
            Route* r = acquire_route();
            hops += r->next_hop - r->generation;
            last = r->generation >= last ? r->generation : last;
            release_route();
        }
    });
    std::thread control([&] { replace_route(new Route{1, 8}); });

    forwarder.join();
    control.join();
    assert(hops == 14);
    delete current.load();
    std::printf("hops %d\n", hops);
    return 0;
}
