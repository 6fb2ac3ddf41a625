// PairSnapShot (Qadeer, Sezgin, Tasiran 2009; CGVT, Fig. 1): scan reads the first component twice and
// believes that nothing has changed when it saw the same value. CORRECT: every write has a number of its own,
// so that the same word means that nothing was written.
#include <atomic>
#include <heddle/lin.hpp>
#include <utility>

class PairSnapshot {
 public:
  void update(int i, long v) {
#ifdef CORRECT
    long old = d_[i].load();
    while (!d_[i].compare_exchange_weak(old, ((old >> 8) + 1) << 8 | v)) {
    }
#else
    d_[i].store(v);
#endif
  }

  std::pair<long, long> scan() {
    while (true) {
      const long x = d_[0].load();
      const long y = d_[1].load();
      if (x == d_[0].load()) return {x & 0xff, y & 0xff};
    }
  }

 private:
  std::atomic<long> d_[2] = {};
};

HEDDLE_LIN_TEST(PairSnapshot, heddle::lin::SnapshotSpec) {
  // The fault needs four writes during one scan.
  test.clients(2, 5);
  test.around(2, 0);
  test.operation(
          "update", [](PairSnapshot& s, int i, long v) { s.update(i, v); }, heddle::lin::values(0, 1),
          heddle::lin::values(0, 1))
      .weight(4);
  test.operation("scan", [](PairSnapshot& s) { return s.scan(); });
}
