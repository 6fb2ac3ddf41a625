#include "runtime/strategy/client_strategy.h"

namespace heddle::strategy {

const Strategy& ClientStrategy::now() const {
  switch (clients_->search) {
    case ClientSearch::kGuided:
      return guided_;
    case ClientSearch::kExhaustive:
      return exhaustive_;
    case ClientSearch::kStrategy:
      break;
  }
  return strategy_;
}

void ClientStrategy::attach(Learning* learning) {
  strategy_.attach(learning);
  exhaustive_.attach(learning);
  clients_ = &learning->clients();
}

void ClientStrategy::begin(std::uint64_t seed, std::uint64_t index, const View& view) {
  guided_.set_log({room_, clients_->choices}, false);
  now().begin(seed, index, view);
}

bool ClientStrategy::prepare_next(std::uint64_t index) {
  if (clients_->search == ClientSearch::kExhaustive && clients_->begins_anew != 0) {
    clients_->begins_anew = 0;
    exhaustive_.start_over();
  }
  if (now().prepare_next(index)) return true;
  clients_->explored_all = now().explored_all() ? 1 : 0;
  clients_->none_left.store(1, std::memory_order_release);
  return false;
}

}  // namespace heddle::strategy
