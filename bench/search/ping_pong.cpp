// PingPong: the ball is nobody's for a moment, in which another player looks for it.
#include <atomic>
#include <cassert>
#include <thread>
#include <vector>

namespace {

constexpr int kPlayers = 5;

struct Player {
  std::atomic<int> hits{0};
};
Player players[kPlayers];
std::atomic<Player*> ball{&players[0]};

void play(int me) {
  ball.store(nullptr);
  ball.store(&players[me]);
  players[me].hits.fetch_add(1);
  Player* const has_it = ball.load();
  assert(has_it != nullptr);
  has_it->hits.fetch_add(1);
}

}  // namespace

int main() {
  std::vector<std::thread> threads;
  for (int i = 0; i < kPlayers; ++i) threads.emplace_back(play, i);
  for (std::thread& t : threads) t.join();
  return 0;
}
