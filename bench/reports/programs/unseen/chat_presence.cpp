#include <gtest/gtest.h>

#include <functional>
#include <map>
#include <mutex>
#include <set>
#include <string>
#include <thread>
#include <utility>
#include <vector>

enum class Status { Offline, Online };

class ChatRoom {
public:
    using Listener = std::function<void(const std::string& user, Status)>;

    int subscribe(Listener listener) {
        std::lock_guard<std::mutex> lock(mutex_);
        const int id = nextId_++;
        listeners_.emplace(id, std::move(listener));
        return id;
    }

    void unsubscribe(int id) {
        std::lock_guard<std::mutex> lock(mutex_);
        listeners_.erase(id);
    }

    void setStatus(const std::string& user, Status status) {
        std::lock_guard<std::mutex> lock(mutex_);
        statuses_[user] = status;
        for (auto& [id, listener] : listeners_)
            listener(user, status);
    }

    std::size_t listenerCount() const {
        std::lock_guard<std::mutex> lock(mutex_);
        return listeners_.size();
    }

    Status status(const std::string& user) const {
        std::lock_guard<std::mutex> lock(mutex_);
        auto it = statuses_.find(user);
        return it == statuses_.end() ? Status::Offline : it->second;
    }

private:
    mutable std::mutex mutex_;
    std::map<int, Listener> listeners_;
    std::map<std::string, Status> statuses_;
    int nextId_ = 1;
};

class ChatWindow {
public:
    explicit ChatWindow(ChatRoom& room) : room_(room) {
        subscription_ = room_.subscribe(
            [this](const std::string& user, Status s) { onPresence(user, s); });
    }

    void mute() {
        std::lock_guard<std::mutex> lock(mutex_);
        if (subscription_ == 0)
            return;
        room_.unsubscribe(subscription_);
        subscription_ = 0;
        visible_.clear();
    }

    std::size_t visibleUsers() const {
        std::lock_guard<std::mutex> lock(mutex_);
        return visible_.size();
    }

private:
    void onPresence(const std::string& user, Status s) {
        std::lock_guard<std::mutex> lock(mutex_);
        if (subscription_ == 0)
            return;
        if (s == Status::Online)
            visible_.insert(user);
        else
            visible_.erase(user);
    }

    ChatRoom& room_;
    mutable std::mutex mutex_;
    std::set<std::string> visible_;
    int subscription_ = 0;
};

TEST(ChatRoomTest, RemembersStatus) {
    ChatRoom room;
    EXPECT_EQ(room.status("ann"), Status::Offline);
    room.setStatus("ann", Status::Online);
    EXPECT_EQ(room.status("ann"), Status::Online);
}

TEST(ChatWindowTest, ShowsOnlineUsers) {
    ChatRoom room;
    ChatWindow window(room);
    room.setStatus("ann", Status::Online);
    room.setStatus("ben", Status::Online);
    room.setStatus("ann", Status::Offline);
    EXPECT_EQ(window.visibleUsers(), 1u);
}

TEST(ChatWindowTest, MuteStopsUpdates) {
    ChatRoom room;
    ChatWindow window(room);
    window.mute();
    room.setStatus("ann", Status::Online);
    EXPECT_EQ(window.visibleUsers(), 0u);
    EXPECT_EQ(room.listenerCount(), 0u);
}

TEST(ChatWindowTest, MuteDuringUpdates) {
    ChatRoom room;
    ChatWindow first(room);
    ChatWindow second(room);

    std::thread network([&] {
        room.setStatus("ann", Status::Online);
        room.setStatus("ben", Status::Online);
    });
    std::thread ui([&] { first.mute(); });
    network.join();
    ui.join();

    EXPECT_EQ(first.visibleUsers(), 0u);
    EXPECT_EQ(second.visibleUsers(), 2u);
    EXPECT_EQ(room.listenerCount(), 1u);
}
