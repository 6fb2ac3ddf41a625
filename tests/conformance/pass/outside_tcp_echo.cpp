// executions: 100
// A small echo server on the loopback interface, a thread for each connection, and two clients.
#include <arpa/inet.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <unistd.h>

#include <cassert>
#include <cstring>
#include <string>
#include <thread>
#include <vector>

constexpr int kClients = 2;

void serve(int listener) {
  std::vector<std::thread> connections;
  for (int i = 0; i < kClients; ++i) {
    const int connection = accept(listener, nullptr, nullptr);
    assert(connection >= 0);
    connections.emplace_back([connection] {
      char buffer[64];
      for (ssize_t got = 0; (got = recv(connection, buffer, sizeof buffer, 0)) > 0;)
        assert(send(connection, buffer, static_cast<std::size_t>(got), 0) == got);
      close(connection);
    });
  }
  for (std::thread& thread : connections) thread.join();
}

void talk(const sockaddr_in& address, int number) {
  const int connection = socket(AF_INET, SOCK_STREAM, 0);
  assert(connect(connection, reinterpret_cast<const sockaddr*>(&address), sizeof address) == 0);
  const std::string text = "hello from client " + std::to_string(number);
  assert(write(connection, text.data(), text.size()) == static_cast<ssize_t>(text.size()));
  std::string answer(text.size(), '\0');
  assert(recv(connection, answer.data(), answer.size(), MSG_WAITALL) == static_cast<ssize_t>(text.size()));
  assert(answer == text);
  close(connection);
}

int main() {
  const int listener = socket(AF_INET, SOCK_STREAM, 0);
  assert(listener >= 0);
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  assert(bind(listener, reinterpret_cast<const sockaddr*>(&address), sizeof address) == 0);
  assert(listen(listener, 8) == 0);
  socklen_t length = sizeof address;
  assert(getsockname(listener, reinterpret_cast<sockaddr*>(&address), &length) == 0);
  std::thread server(serve, listener);
  std::vector<std::thread> clients;
  for (int i = 0; i < kClients; ++i) clients.emplace_back(talk, address, i);
  for (std::thread& thread : clients) thread.join();
  server.join();
  close(listener);
}
