// The edits of a document, which the editor's thread makes and takes back while another thread saves the last one from
// time to time. The saver asks how many there are and then for the last of them.
#include <cassert>
#include <cstddef>
#include <mutex>
#include <optional>
#include <string>
#include <thread>
#include <utility>
#include <vector>

struct Edit {
  int position;
  std::string text;
};

class History {
 public:
  void push(Edit edit) {
    std::lock_guard<std::mutex> lock(mutex_);
    edits_.push_back(std::move(edit));
  }

  bool undo() {
    std::lock_guard<std::mutex> lock(mutex_);
    if (edits_.empty()) return false;
    edits_.pop_back();
    return true;
  }

  std::size_t size() const {
    std::lock_guard<std::mutex> lock(mutex_);
    return edits_.size();
  }

  Edit at(std::size_t index) const {
    std::lock_guard<std::mutex> lock(mutex_);
    assert(index < edits_.size());
    return edits_[index];
  }

  std::optional<Edit> last() const {
    std::lock_guard<std::mutex> lock(mutex_);
    if (edits_.empty()) return std::nullopt;
    return edits_.back();
  }

 private:
  mutable std::mutex mutex_;
  std::vector<Edit> edits_;
};

class Saver {
 public:
  explicit Saver(const History& history) : history_(history) {}

  void save() {
#ifndef CORRECT
    const std::size_t size = history_.size();
    if (size == 0) return;
    saved_.push_back(history_.at(size - 1));
#else
    if (std::optional<Edit> edit = history_.last()) saved_.push_back(*std::move(edit));
#endif
  }

  const std::vector<Edit>& saved() const { return saved_; }

 private:
  const History& history_;
  std::vector<Edit> saved_;
};

int main() {
  History history;
  history.push(Edit{0, "Dear Sir"});

  Saver saver(history);
  std::thread saving([&saver] {
    for (int round = 0; round < 2; ++round) saver.save();
  });

  history.push(Edit{8, ","});
  const bool undone = history.undo();
  assert(undone);
  (void)undone;
  history.push(Edit{8, " or Madam"});
  saving.join();

  assert(history.size() == 2);
  assert(history.at(1).text == " or Madam");
  assert(saver.saved().size() == 2);
  for (const Edit& edit : saver.saved()) assert(edit.position == 0 || edit.position == 8);
}
