// Matches replies from a connection with the callers that wait for them.
#include <atomic>
#include <cstdio>
#include <future>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <thread>
#include <utility>
#include <vector>

struct Reply {
    bool ok = false;
    std::string body;
};

// One outstanding request.  It is settled once, by a reply or by shutdown.
class PendingCall {
public:
    explicit PendingCall(int id) : id_(id) {}

    std::future<Reply> future() { return promise_.get_future(); }

    bool settle(Reply reply) {
        if (settled_.load())
            return false;
        settled_.store(true);
        promise_.set_value(std::move(reply));
        return true;
    }

    int id() const { return id_; }

private:
    const int id_;
    std::atomic<bool> settled_{false};
    std::promise<Reply> promise_;
};

class RequestBroker {
public:
    std::future<Reply> send(const std::string& method) {
        std::lock_guard<std::mutex> lock(mutex_);
        const int id = nextId_++;
        auto call = std::make_shared<PendingCall>(id);
        calls_[id] = call;
        wire_.emplace_back(id, method);
        return call->future();
    }

    // Connection thread: answers everything that was sent so far.
    int pump() {
        int answered = 0;
        for (auto& [id, method] : takeWire()) {
            std::shared_ptr<PendingCall> call = find(id);
            if (call && call->settle({true, "result of " + method}))
                ++answered;
        }
        return answered;
    }

    // Fails all calls that did not get a reply.
    int shutdown() {
        int failed = 0;
        for (auto& call : snapshot()) {
            if (call->settle({false, "connection closed"}))
                ++failed;
        }
        return failed;
    }

private:
    std::vector<std::pair<int, std::string>> takeWire() {
        std::lock_guard<std::mutex> lock(mutex_);
        return std::exchange(wire_, {});
    }

    std::shared_ptr<PendingCall> find(int id) {
        std::lock_guard<std::mutex> lock(mutex_);
        auto it = calls_.find(id);
        return it == calls_.end() ? nullptr : it->second;
    }

    std::vector<std::shared_ptr<PendingCall>> snapshot() {
        std::lock_guard<std::mutex> lock(mutex_);
        std::vector<std::shared_ptr<PendingCall>> all;
        for (auto& [id, call] : calls_)
            all.push_back(call);
        return all;
    }

    std::mutex mutex_;
    int nextId_ = 1;
    std::map<int, std::shared_ptr<PendingCall>> calls_;
    std::vector<std::pair<int, std::string>> wire_;
};

int main() {
    RequestBroker broker;
    std::vector<std::future<Reply>> replies;
    replies.push_back(broker.send("list"));
    replies.push_back(broker.send("stat"));

    int answered = 0;
    int failed = 0;
    std::thread connection([&] { answered = broker.pump(); });
    std::thread closer([&] { failed = broker.shutdown(); });
    connection.join();
    closer.join();

    for (auto& r : replies)
        std::printf("%s\n", r.get().body.c_str());
    return answered + failed == 2 ? 0 : 1;
}
