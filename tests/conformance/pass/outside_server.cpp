// executions: 4
// A server that never ends by itself: it waits for clients that do not come. Cut, and no bug.
#include <netinet/in.h>
#include <signal.h>
#include <sys/socket.h>

#include <thread>

int main() {
  const int listener = socket(AF_INET, SOCK_STREAM, 0);
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  if (bind(listener, reinterpret_cast<const sockaddr*>(&address), sizeof address) != 0 ||
      listen(listener, 8) != 0)
    return 1;
  std::thread acceptor([&] {
    for (;;) accept(listener, nullptr, nullptr);
  });
  sigset_t set;
  sigemptyset(&set);
  sigaddset(&set, SIGTERM);
  pthread_sigmask(SIG_BLOCK, &set, nullptr);
  int signal = 0;
  sigwait(&set, &signal);
  acceptor.join();
}
