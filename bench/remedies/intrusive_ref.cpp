// Images with a count of their users inside. Each user's decrement releases what it did; the one that reaches
// zero does not acquire that, and frees the image while another user's last change is, to the memory model,
// still on its way.
#include <atomic>
#include <cassert>
#include <thread>
#include <utility>
#include <vector>

#ifdef FIXED
constexpr std::memory_order kDrop = std::memory_order_acq_rel;
#else
constexpr std::memory_order kDrop = std::memory_order_release;
#endif

class Counted {
 public:
  void hold() { users_.fetch_add(1, std::memory_order_relaxed); }
  // True for the last one.
  bool drop() { return users_.fetch_sub(1, kDrop) == 1; }

 private:
  std::atomic<int> users_{1};
};

template <typename T>
class Ref {
 public:
  explicit Ref(T* object) : object_(object) {}
  Ref(const Ref& other) : object_(other.object_) { object_->hold(); }
  Ref(Ref&& other) noexcept : object_(std::exchange(other.object_, nullptr)) {}
  Ref& operator=(const Ref&) = delete;
  ~Ref() {
    if (object_ != nullptr && object_->drop()) delete object_;
  }
  T* operator->() const { return object_; }

 private:
  T* object_;
};

class Image : public Counted {
 public:
  explicit Image(int rows) : rows_(static_cast<std::size_t>(rows), 0) {}
  ~Image() {
    for (const int row : rows_) assert(row == 0 || row == 7);
  }

  void paint(std::size_t row) { rows_[row] = 7; }

 private:
  std::vector<int> rows_;
};

void paint_row(const Ref<Image>& image, std::size_t row) { image->paint(row); }

int main() {
  std::vector<std::thread> painters;
  {
    Ref<Image> image(new Image(2));
    for (std::size_t row = 0; row < 2; ++row) {
      painters.emplace_back([mine = Ref<Image>(image), row]() mutable {
        const Ref<Image> held(std::move(mine));
        paint_row(held, row);
      });
    }
  }
  for (auto& painter : painters) painter.join();
}
