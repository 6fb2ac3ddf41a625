// Where a client finds its server: a host and a port that belong together, which an operator's thread changes at once
// while others connect. Who connects asks for the one and then for the other.
#include <cassert>
#include <map>
#include <mutex>
#include <string>
#include <thread>
#include <utility>
#include <vector>

struct Endpoint {
  std::string host;
  int port;
};

class Config {
 public:
  explicit Config(Endpoint endpoint) : endpoint_(std::move(endpoint)) {}

  void set_endpoint(Endpoint endpoint) {
    std::lock_guard<std::mutex> lock(mutex_);
    endpoint_ = std::move(endpoint);
    ++changes_;
  }

  std::string host() const {
    std::lock_guard<std::mutex> lock(mutex_);
    return endpoint_.host;
  }

  int port() const {
    std::lock_guard<std::mutex> lock(mutex_);
    return endpoint_.port;
  }

  Endpoint endpoint() const {
    std::lock_guard<std::mutex> lock(mutex_);
    return endpoint_;
  }

  int changes() const {
    std::lock_guard<std::mutex> lock(mutex_);
    return changes_;
  }

 private:
  mutable std::mutex mutex_;
  Endpoint endpoint_;
  int changes_ = 0;
};

// Stands for the network: who listens where.
class Network {
 public:
  explicit Network(std::map<std::string, int> listeners) : listeners_(std::move(listeners)) {}

  bool connect(const std::string& host, int port) const {
    const auto found = listeners_.find(host);
    return found != listeners_.end() && found->second == port;
  }

 private:
  const std::map<std::string, int> listeners_;
};

class Client {
 public:
  Client(const Config& config, const Network& network) : config_(config), network_(network) {}

  bool connect() const {
#ifndef CORRECT
    const std::string host = config_.host();
    const int port = config_.port();
    return network_.connect(host, port);
#else
    const Endpoint endpoint = config_.endpoint();
    return network_.connect(endpoint.host, endpoint.port);
#endif
  }

 private:
  const Config& config_;
  const Network& network_;
};

int main() {
  const Network network({{"alpha", 4000}, {"beta", 5000}});
  Config config(Endpoint{"alpha", 4000});

  std::vector<std::thread> clients;
  for (int number = 0; number < 2; ++number) {
    clients.emplace_back([&config, &network] {
      const Client client(config, network);
      const bool connected = client.connect();
      assert(connected);
      (void)connected;
    });
  }
  config.set_endpoint(Endpoint{"beta", 5000});
  for (std::thread& client : clients) client.join();

  assert(config.changes() == 1);
  assert(config.endpoint().port == 5000);
}
