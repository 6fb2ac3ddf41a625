// A test of a concurrent object: random clients, or a given one, whose histories the specification judges.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <deque>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "heddle/heddle.h"
#include "heddle/lin/judge.hpp"
#include "heddle/lin/operation.hpp"
#include "heddle/lin/pieces.hpp"
#include "heddle/lin/record.hpp"

namespace heddle::lin {

template <typename Object, typename Spec>
class Test {
 public:
  Test(std::string name, std::string source) : name_(std::move(name)), source_(std::move(source)) {}

  // --- what a test says
  // `body` is called with the object and with a value of each generator.
  template <typename Body, typename... Generators>
  Operation<Object>& operation(std::string name, Body body, Generators... generators) {
    if (!has_method<Spec>(name, sizeof...(Generators))) {
      std::fprintf(stderr, "%s: the specification has no operation %s with %zu arguments\n", name_.c_str(),
                   name.c_str(), sizeof...(Generators));
      std::exit(kBadInput);
    }
    return operations_.emplace_back(std::move(name), std::move(body), std::move(generators)...);
  }
  // Clients of so many threads, each with so many operations. [2, 3]
  void clients(unsigned threads, unsigned operations) {
    shape_.threads = threads;
    shape_.operations = operations;
  }
  // Clients that do so many operations before the threads start, and after they have ended. [0, 0]
  void around(unsigned before, unsigned after) {
    shape_.before = before;
    shape_.after = after;
  }
  // Where the object does not start as the specification's type does by itself.
  void specification(Spec initial) { initial_ = std::move(initial); }
  // Where the object has no constructor without arguments.
  void make(std::function<std::unique_ptr<Object>()> make) { make_ = std::move(make); }

  // --- what runs it
  int main(int argc, char** argv) {
    if (const std::optional<int> code = read_arguments(argc, argv)) return *code;
    return run(client_);
  }

  // A given client, or random ones.
  int run(const std::optional<Client>& client) {
    if (client && !check_client(*client)) return kBadInput;
    if (under_heddle()) {
      const std::string text = client ? client->text() : "";
      heddle::check([&] { once(given_client(text), 0); });
      return 0;
    }
    for (std::uint64_t i = 0; i < runs_; ++i) {
      if (!once(client, seed_ + i)) return kViolated;
    }
    std::printf("%s: %llu clients, all linearizable\n", name_.c_str(),
                static_cast<unsigned long long>(runs_));
    return 0;
  }

 private:
  static constexpr int kBadInput = 2;
  static constexpr int kViolated = 66;

  struct Shape {
    unsigned threads = 2, operations = 3, before = 0, after = 0;
    unsigned piece = 0;  // threads meet after so many operations at most; 0: never
    bool one = false;    // CGVT's heuristic: one thread does a single operation
  };

  static constexpr const char* kUsage =
      "  --client TEXT       this client: `before / thread | thread / after`, operations parted by ;\n"
      "  --threads N --operations M --before N --after N   of random clients\n"
      "  --one               one thread does a single operation\n"
      "  --pieces N          threads meet after every 1 to N operations (--one: of the others)\n"
      "  --runs N --seed S   without heddle: so many random clients on threads of the system\n"
      "  --history FILE      without heddle: write the last history, for heddle lin check\n";

  std::optional<int> read_arguments(int argc, char** argv) {
    for (int i = 1; i < argc; ++i) {
      const std::string word = argv[i];
      if (word == "--one") {
        shape_.one = true;
        continue;
      }
      if (word == "--help" || i + 1 == argc) return usage(word == "--help" ? 0 : kBadInput);
      const std::string value = argv[++i];
      if (word == "--client") {
        client_ = Client::parse(value);
        if (!client_) return bad_client(value);
      } else if (word == "--history") {
        history_file_ = value;
      } else if (!read_number(word, value)) {
        return usage(kBadInput);
      }
    }
    return std::nullopt;
  }

  bool read_number(const std::string& word, const std::string& value) {
    const bool is_number =
        !value.empty() && value.size() < 10 && value.find_first_not_of("0123456789") == std::string::npos;
    const auto number = static_cast<unsigned>(std::strtoul(value.c_str(), nullptr, 10));
    if (word == "--threads") {
      shape_.threads = number;
    } else if (word == "--operations") {
      shape_.operations = number;
    } else if (word == "--before") {
      shape_.before = number;
    } else if (word == "--after") {
      shape_.after = number;
    } else if (word == "--pieces") {
      shape_.piece = number;
    } else if (word == "--runs") {
      runs_ = number;
    } else if (word == "--seed") {
      seed_ = number;
    } else {
      return false;
    }
    return is_number;
  }

  int usage(int code) const {
    std::fprintf(code == 0 ? stdout : stderr, "a linearizability test of %s; run it by heddle lin run\n%s",
                 name_.c_str(), kUsage);
    return code;
  }

  int bad_client(const std::string& text) const {
    std::fprintf(stderr, "%s: not a client: %s\n", name_.c_str(), text.c_str());
    return kBadInput;
  }

  const Operation<Object>* find(const Step& step) const {
    for (const Operation<Object>& operation : operations_) {
      if (operation.name() == step.method && operation.arity() == step.arguments.size()) return &operation;
    }
    return nullptr;
  }

  bool check_client(const Client& client) const {
    std::vector<Steps> all = client.threads;
    all.push_back(client.first);
    all.push_back(client.last);
    for (const Steps& steps : all) {
      for (const Step& step : steps) {
        if (find(step) == nullptr) return bad_client(text_of(step)) == 0;
      }
    }
    return true;
  }

  Client draw(Draw& draw, Pieces& pieces) const {
    Client client;
    client.first = draw_steps(draw, shape_.before);
    if (shape_.piece != 0) pieces = Pieces(draw, shape_.threads, shape_.operations, shape_.piece, shape_.one);
    for (unsigned i = 0; i < shape_.threads; ++i) {
      const unsigned count = shape_.one && i == 0 ? 1 : shape_.operations;
      client.threads.push_back(draw_steps(draw, shape_.piece != 0 ? pieces.operations(i) : count));
    }
    client.last = draw_steps(draw, shape_.after);
    return client;
  }

  Steps draw_steps(Draw& draw, unsigned count) const {
    Steps steps;
    for (unsigned i = 0; i < count; ++i) {
      const Operation<Object>* operation = draw_operation(draw, steps);
      if (operation != nullptr) steps.push_back({operation->name(), operation->draw_arguments(draw)});
    }
    return steps;
  }

  const Operation<Object>* draw_operation(Draw& draw, const Steps& before) const {
    unsigned total = 0;
    for (const Operation<Object>& operation : operations_) total += allowed(operation, before);
    if (total == 0) return nullptr;
    unsigned left = draw.below(total);
    for (const Operation<Object>& operation : operations_) {
      const unsigned weight = allowed(operation, before);
      if (left < weight) return &operation;
      left -= weight;
    }
    return nullptr;
  }

  // The operation's weight, or 0 where it could wait for ever.
  unsigned allowed(const Operation<Object>& operation, const Steps& before) const {
    if (operation.needs().empty()) return operation.weight();
    std::ptrdiff_t spare = 0;
    for (const Step& step : before) {
      if (step.method == operation.needs()) ++spare;
      for (const Operation<Object>& other : operations_) {
        if (other.name() == step.method && other.needs() == operation.needs()) --spare;
      }
    }
    return spare > 0 ? operation.weight() : 0;
  }

  // The client of an execution: what heddle tries, or `otherwise`. Both are read in the same way, so that
  // what was found by the one is repeated by the other.
  static std::optional<Client> given_client(const std::string& otherwise) {
    const std::size_t wanted = heddle_runtime_client(nullptr, 0);
    std::string text(wanted != 0 ? wanted : otherwise.size(), ' ');
    if (wanted != 0)
      heddle_runtime_client(text.data(), wanted);
    else
      otherwise.copy(text.data(), otherwise.size());
    if (text.empty()) return std::nullopt;
    return Client::parse(text);
  }

  // One execution; whether its history is right.
  bool once(const std::optional<Client>& given, std::uint64_t seed) const {
    Draw source(seed);
    Pieces pieces;
    const Client client = given ? *given : draw(source, pieces);
    std::vector<Record> records = perform(client, pieces);
    const Judging judging;
    const Judged<Spec> judged(initial_, std::move(records));
    if (!history_file_.empty()) write_history(judged);
    if (!judged.violated()) return true;
    report(judged.message(name_, client), judged.json(name_, source_, client, needs()));
    return false;
  }

  // Who may wait for whom: clients that would wait for ever are not worth trying.
  std::string needs() const {
    std::string text;
    for (const Operation<Object>& operation : operations_) {
      if (operation.needs().empty()) continue;
      text += (text.empty() ? "" : ",") + quoted(operation.name()) + ":" + quoted(operation.needs());
    }
    return "{" + text + "}";
  }

  // While one lives, the trace is not told what is done.
  class Judging {
   public:
    Judging() { tell(1); }
    ~Judging() { tell(0); }
    Judging(const Judging&) = delete;
    Judging& operator=(const Judging&) = delete;
    static void tell(int begin) {
      if (heddle_runtime_judging != nullptr) heddle_runtime_judging(begin);
    }
  };

  static void report(const std::string& message, const std::string& json) {
    Judging::tell(0);
    if (under_heddle()) {
      heddle_runtime_history(json.c_str(), message.c_str());
    } else {
      std::fprintf(stderr, "%s", message.c_str());
    }
  }

  std::vector<Record> perform(const Client& client, const Pieces& pieces) const {
    const std::unique_ptr<Object> object = make_();
    Clock clock(under_heddle());
    std::vector<std::vector<Record>> lanes(client.threads.size() + 2);
    prepare(lanes[0], client.first, 0);
    for (std::size_t i = 0; i < client.threads.size(); ++i)
      prepare(lanes[i + 1], client.threads[i], static_cast<std::uint32_t>(i + 1));
    prepare(lanes.back(), client.last, 0);
    perform_some(*object, lanes[0], 0, lanes[0].size(), clock);
    if (under_heddle()) announce(lanes, pieces, 0);
    std::optional<Meeting> meeting;
    if (pieces.count() > 1) meeting.emplace(client.threads.size());
    std::vector<std::thread> threads;
    threads.reserve(client.threads.size());
    for (std::size_t i = 0; i < client.threads.size(); ++i) {
      threads.emplace_back([&, i] {
        for (std::size_t piece = 0; piece < pieces.count(); ++piece) {
          // Nobody goes on before the first thread is here.
          if (piece != 0 && i == 0 && under_heddle()) announce(lanes, pieces, piece);
          if (piece != 0) meeting->wait();
          std::vector<Record>& lane = lanes[i + 1];
          perform_some(*object, lane, pieces.begin(i, piece), pieces.end(i, piece, lane.size()), clock);
        }
      });
    }
    for (std::thread& thread : threads) thread.join();
    perform_some(*object, lanes.back(), 0, lanes.back().size(), clock);
    return merge(lanes);
  }

  // Memory is made ready before the threads start, so that theirs is the object's business only.
  void prepare(std::vector<Record>& lane, const Steps& steps, std::uint32_t thread) const {
    for (const Step& step : steps) {
      Record record;
      record.step = &step;
      record.thread = thread;
      record.operation = index_of(*find(step));
      lane.push_back(record);
    }
  }
  // How long the threads will be: `dpct` has to know.
  void announce(const std::vector<std::vector<Record>>& lanes, const Pieces& pieces,
                std::size_t piece) const {
    std::vector<unsigned> calls(operations_.size(), 0);
    for (std::size_t i = 1; i + 1 < lanes.size(); ++i) {
      const std::size_t end = pieces.end(i - 1, piece, lanes[i].size());
      for (std::size_t k = pieces.begin(i - 1, piece); k < end; ++k) ++calls[lanes[i][k].operation];
    }
    if (piece != 0) heddle_runtime_piece_begins();
    for (std::size_t i = 0; i < calls.size(); ++i)
      heddle_runtime_operations_planned(static_cast<unsigned>(i), calls[i]);
  }
  std::size_t index_of(const Operation<Object>& wanted) const {
    std::size_t index = 0;
    while (&operations_[index] != &wanted) ++index;
    return index;
  }

  void perform_some(Object& object, std::vector<Record>& lane, std::size_t begin, std::size_t end,
                    Clock& clock) const {
    for (std::size_t i = begin; i < end; ++i) {
      Record& record = lane[i];
      const Operation<Object>& operation = operations_[record.operation];
      clock.call(record.called, record.operation);
      record.reply = operation.perform(object, record.step->arguments);
      clock.give_back(record.returned);
      record.failed = operation.failed(record.reply);
    }
  }

  void write_history(const Judged<Spec>& judged) const {
    std::FILE* file = std::fopen(history_file_.c_str(), "w");
    if (file == nullptr) return;
    std::fputs(judged.json_lines().c_str(), file);
    std::fclose(file);
  }

  std::string name_, source_;
  Spec initial_ = Spec();
  std::function<std::unique_ptr<Object>()> make_ = [] { return std::make_unique<Object>(); };
  std::deque<Operation<Object>> operations_;
  Shape shape_;
  std::optional<Client> client_;
  std::uint64_t runs_ = 1, seed_ = 1;
  std::string history_file_;
};

}  // namespace heddle::lin
