// Small front end: reads its configuration in the background while the
// dispatch table is being built, then runs the request workers.
#include <atomic>
#include <cstdio>
#include <cstdlib>
#include <string>
#include <thread>
#include <vector>

#include "config_store.h"
#include "routes.h"

namespace {

ConfigStore g_config;

class RequestWorker {
public:
    RequestWorker(int id, const RouteTable& routes) : id_(id), routes_(routes) {}

    void run() {
        const int batch = g_config.get_int("service.batch");
        const int max_body = g_config.get_int("limits.max_body");
        for (int i = 0; i < batch; ++i) {
            std::string path = (i % 2 ? "/static/" : "/api/v1/users/") + std::to_string(i + id_);
            if (routes_.lookup(path) == 404)
                ++misses_;
            bytes_ += (i * 1237) % max_body;
            ++served_;
        }
    }

    int served() const { return served_; }
    int misses() const { return misses_; }

private:
    int id_;
    const RouteTable& routes_;
    int served_ = 0;
    int misses_ = 0;
    long bytes_ = 0;
};

}  // namespace

int main(int argc, char** argv) {
    const std::string path = argc > 1 ? argv[1] : "app.conf";

    std::thread loader([path] {
        if (load_config(path, g_config) < 0) {
            std::fprintf(stderr, "cannot read %s\n", path.c_str());
            std::exit(2);
        }
    });

    // The handlers themselves are compiled in.
    RouteTable routes;
    routes.build(400);
    loader.join();

    std::vector<RequestWorker> workers;
    workers.emplace_back(0, routes);
    workers.emplace_back(1, routes);
    std::vector<std::thread> threads;
    for (auto& w : workers)
        threads.emplace_back(&RequestWorker::run, &w);

    for (auto& t : threads)
        t.join();

    int served = 0;
    for (auto& w : workers)
        served += w.served();
    std::printf("%s: %d requests, %zu keys, %zu routes\n", g_config.get("service.name").c_str(),
                served, g_config.size(), routes.size());
    return 0;
}
