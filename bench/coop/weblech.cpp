// In the manner of Weblech: spiders go on while there is something to fetch or somebody fetches. A spider
// that has taken the last address and not yet counted itself lets the others believe that all is done.
#include <mutex>

#include "coop.h"

std::mutex queue_lock;
int queued = 2;
int downloads_in_progress;
int fetched;
int gave_up;

void spider() {
  while (true) {
    bool got = false;
    {
      const std::lock_guard<std::mutex> guard(queue_lock);
      if (queued > 0) {
        --queued;
        got = true;
      }
    }
    if (got) {
      work(100);
      downloads_in_progress = downloads_in_progress + 1;
      linger(600);
      {
        const std::lock_guard<std::mutex> guard(queue_lock);
        if (++fetched == 1) queued += 2;  // links of the first page
      }
      downloads_in_progress = downloads_in_progress - 1;
    } else if (downloads_in_progress == 0) {
      const std::lock_guard<std::mutex> guard(queue_lock);
      if (fetched < 4 && queued == 0) gave_up = 1;
      return;
    } else {
      work(60);
    }
  }
}

int main() {
  run_threads(spider, spider);
  assert(gave_up == 0);
}
