#include "tool/trace/explanation.h"

namespace heddle {

const char* name_of(RemedyKind kind) {
  switch (kind) {
    case RemedyKind::kOrders:
      return "orders";
    case RemedyKind::kTogether:
      return "together";
    case RemedyKind::kAfter:
      return "after";
    case RemedyKind::kLock:
      return "lock";
    case RemedyKind::kAtomic:
      return "atomic";
    case RemedyKind::kLockOrder:
      return "lock_order";
    case RemedyKind::kHoldLock:
      return "hold_lock";
    case RemedyKind::kNotifyAll:
      return "notify_all";
    case RemedyKind::kRecheck:
      return "recheck";
    case RemedyKind::kStartLater:
      return "start_later";
    case RemedyKind::kPublishLast:
      return "publish_last";
    case RemedyKind::kJoinBefore:
      return "join_before";
    case RemedyKind::kKeepAlive:
      return "keep_alive";
    case RemedyKind::kFence:
      return "fence";
  }
  return "";
}

}  // namespace heddle
