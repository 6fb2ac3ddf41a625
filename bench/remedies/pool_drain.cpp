// A pool of database connections. Requests wait for an idle connection; whoever shuts the server down waits until all
// requests have been served. Both sleep on one condition variable, and a connection that comes back wakes one of them.
#include <cassert>
#include <condition_variable>
#include <cstddef>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

struct Connection {
  int number;
  int queries = 0;
};

class ConnectionPool {
 public:
  explicit ConnectionPool(std::vector<Connection>& connections) {
    for (Connection& connection : connections) idle_.push_back(&connection);
  }

  Connection* acquire() {
    std::unique_lock<std::mutex> lock(mutex_);
    changed_.wait(lock, [this] { return !idle_.empty(); });
    Connection* const connection = idle_.back();
    idle_.pop_back();
    return connection;
  }

  void release(Connection* connection) {
    std::lock_guard<std::mutex> lock(mutex_);
    idle_.push_back(connection);
    ++served_;
#ifndef CORRECT
    changed_.notify_one();
#else
    changed_.notify_all();
#endif
  }

  // Waits until so many requests have given their connection back.
  void drain(int requests) {
    std::unique_lock<std::mutex> lock(mutex_);
    changed_.wait(lock, [this, requests] { return served_ == requests; });
  }

 private:
  std::mutex mutex_;
  std::condition_variable changed_;
  std::vector<Connection*> idle_;
  int served_ = 0;
};

// A connection for as long as a request needs it.
class Lease {
 public:
  explicit Lease(ConnectionPool& pool) : pool_(pool), connection_(pool.acquire()) {}
  ~Lease() { pool_.release(connection_); }
  Lease(const Lease&) = delete;
  Lease& operator=(const Lease&) = delete;

  std::size_t query(const std::string& text) {
    ++connection_->queries;
    return text.size();
  }

 private:
  ConnectionPool& pool_;
  Connection* const connection_;
};

int main() {
  std::vector<Connection> connections{Connection{1}};
  ConnectionPool pool(connections);

  std::vector<std::size_t> sizes(2);
  std::vector<std::thread> requests;
  for (std::size_t number = 0; number < sizes.size(); ++number) {
    requests.emplace_back([&pool, &sizes, number] {
      Lease lease(pool);
      sizes[number] = lease.query(number == 0 ? "select 1" : "select name from users");
    });
  }
  pool.drain(2);
  for (std::thread& request : requests) request.join();

  assert(connections[0].queries == 2);
  assert(sizes[0] == 8 && sizes[1] == 22);
}
