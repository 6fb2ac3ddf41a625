// chat_room.cpp - chat server and clients over socket pairs.
//
// Frames are datagrams of a SOCK_SEQPACKET socket: one type byte and text.
// The first frame a client gets is WELCOME with its member number, after that
// it receives what is said in the room, and BYE at the end.

#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <memory>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

#include <sys/socket.h>
#include <unistd.h>

enum FrameType : char { kWelcome = 'W', kMessage = 'M', kBye = 'B' };

static void send_frame(int fd, FrameType type, const std::string& text) {
    std::string frame(1, type);
    frame += text;
    if (send(fd, frame.data(), frame.size(), MSG_NOSIGNAL) != static_cast<ssize_t>(frame.size())) {
        std::perror("send");
        std::exit(2);
    }
}

static bool receive_frame(int fd, FrameType& type, std::string& text) {
    char buf[256];
    ssize_t n = recv(fd, buf, sizeof buf, 0);
    if (n <= 0)
        return false;
    type = static_cast<FrameType>(buf[0]);
    text.assign(buf + 1, n - 1);
    return true;
}

class Room {
public:
    explicit Room(std::string name) : name_(std::move(name)) {}

    int join(int fd, const std::string& nick) {
        int number;
        {
            std::lock_guard<std::mutex> lock(mutex_);
            number = next_number_++;
            members_.push_back({number, fd, nick});
            send_frame(fd, kWelcome, std::to_string(number) + " welcome to " + name_ + ", " + nick);
        }
        return number;
    }

    void say(int number, const std::string& text) {
        std::lock_guard<std::mutex> lock(mutex_);
        std::string line;
        for (const auto& m : members_)
            if (m.number == number)
                line = "<" + m.nick + "> " + text;
        for (const auto& m : members_)
            if (m.number != number)
                send_frame(m.fd, kMessage, line);
        ++said_;
    }

    void leave(int number) {
        std::lock_guard<std::mutex> lock(mutex_);
        for (auto it = members_.begin(); it != members_.end(); ++it)
            if (it->number == number) {
                send_frame(it->fd, kBye, "");
                members_.erase(it);
                return;
            }
    }

    int said() {
        std::lock_guard<std::mutex> lock(mutex_);
        return said_;
    }

private:
    struct Member {
        int number;
        int fd;
        std::string nick;
    };
    const std::string name_;
    std::mutex mutex_;
    std::vector<Member> members_;
    int next_number_ = 1;
    int said_ = 0;
};

// Server side of one connection: the user joins, talks for a while and leaves,
// several times over.
static void serve(Room& room, int fd, const std::string& nick, int visits, int lines) {
    for (int v = 0; v < visits; ++v) {
        int number = room.join(fd, nick);
        for (int i = 0; i < lines; ++i) {
            std::string text = "visit " + std::to_string(v) + " line " + std::to_string(i);
            room.say(number, text);
        }
        room.leave(number);
    }
}

struct ClientLog {
    int visits = 0;
    int messages = 0;
};

static void client(int fd, int visits, ClientLog& log) {
    FrameType type;
    std::string text;
    while (log.visits < visits) {
        if (!receive_frame(fd, type, text))
            break;
        if (type != kWelcome || std::atoi(text.c_str()) <= 0) {
            std::fprintf(stderr, "protocol error: expected a welcome, got '%c%s'\n", type, text.c_str());
            std::abort();
        }
        while (receive_frame(fd, type, text) && type == kMessage)
            ++log.messages;
        if (type != kBye) {
            std::fprintf(stderr, "protocol error: '%c' inside a visit\n", type);
            std::abort();
        }
        ++log.visits;
    }
}

int main() {
    const int kVisits = 5;
    const int kLines = 4;
    int pair_a[2], pair_b[2];
    if (socketpair(AF_UNIX, SOCK_SEQPACKET, 0, pair_a) || socketpair(AF_UNIX, SOCK_SEQPACKET, 0, pair_b)) {
        std::perror("socketpair");
        return 2;
    }

    Room room("#general");
    ClientLog log_a, log_b;
    std::thread client_a(client, pair_a[1], kVisits, std::ref(log_a));
    std::thread client_b(client, pair_b[1], kVisits, std::ref(log_b));
    std::thread server_a(serve, std::ref(room), pair_a[0], "anna", kVisits, kLines);
    std::thread server_b(serve, std::ref(room), pair_b[0], "bert", kVisits, kLines);
    server_a.join();
    server_b.join();
    client_a.join();
    client_b.join();

    std::printf("%d lines said, anna read %d, bert read %d\n", room.said(), log_a.messages, log_b.messages);
    for (int fd : {pair_a[0], pair_a[1], pair_b[0], pair_b[1]})
        close(fd);
    if (log_a.visits != kVisits || log_b.visits != kVisits)
        std::abort();
    return 0;
}
