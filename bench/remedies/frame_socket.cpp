// Messages over a socket: a header with the length and the text after it. Two threads send over one connection; the
// other end reads everything and takes the frames apart.
#include <cassert>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <map>
#include <mutex>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include <sys/socket.h>
#include <unistd.h>

struct Header {
  std::uint32_t magic;
  std::uint16_t sender;
  std::uint16_t length;
};

constexpr std::uint32_t kMagic = 0x464d5331;

class Connection {
 public:
  explicit Connection(int fd) : fd_(fd) {}
  ~Connection() { ::close(fd_); }
  Connection(const Connection&) = delete;
  Connection& operator=(const Connection&) = delete;

  // By any thread.
  void send_message(std::uint16_t sender, const std::string& text) {
    const Header header{kMagic, sender, static_cast<std::uint16_t>(text.size())};
#ifdef CORRECT
    std::lock_guard<std::mutex> lock(sending_);
#endif
    check(::write(fd_, &header, sizeof header), sizeof header);
    check(::write(fd_, text.data(), text.size()), text.size());
  }

 private:
  static void check(ssize_t written, std::size_t size) {
    if (written == static_cast<ssize_t>(size)) return;
    std::perror("write");
    std::abort();
  }

  const int fd_;
#ifdef CORRECT
  std::mutex sending_;
#endif
};

// Everything until the other end is closed.
std::vector<char> read_all(int fd) {
  std::vector<char> bytes;
  char part[64];
  for (;;) {
    const ssize_t size = ::read(fd, part, sizeof part);
    assert(size >= 0);
    if (size <= 0) return bytes;
    bytes.insert(bytes.end(), part, part + size);
  }
}

std::map<int, std::string> parse(const std::vector<char>& bytes) {
  std::map<int, std::string> texts;
  std::size_t at = 0;
  while (at < bytes.size()) {
    Header header;
    assert(bytes.size() - at >= sizeof header);
    std::memcpy(&header, bytes.data() + at, sizeof header);
    at += sizeof header;
    assert(header.magic == kMagic);
    assert(bytes.size() - at >= header.length);
    texts[header.sender].append(bytes.data() + at, header.length);
    at += header.length;
  }
  return texts;
}

int main() {
  int ends[2];
  if (::socketpair(AF_UNIX, SOCK_STREAM, 0, ends) != 0) return 2;
  {
    Connection connection(ends[0]);
    std::thread first([&connection] {
      connection.send_message(1, "hello");
      connection.send_message(1, " world");
    });
    std::thread second([&connection] { connection.send_message(2, "status?"); });
    first.join();
    second.join();
  }
  const std::map<int, std::string> texts = parse(read_all(ends[1]));
  ::close(ends[1]);
  assert(texts.size() == 2);
  assert(texts.at(1) == "hello world");
  assert(texts.at(2) == "status?");
}
