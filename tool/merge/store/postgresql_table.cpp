// Records in a PostgreSQL database, for logs of a fleet. libpq is loaded when it is asked for: heddle is
// built and runs without it.
#include <dlfcn.h>

#include <cstdlib>
#include <deque>

#include "tool/merge/store/record_table.h"

namespace heddle::merge {
namespace {

// Of libpq-fe.h, which a machine that only runs heddle has not.
struct PGconn;
struct PGresult;
constexpr int kConnectionOk = 0;
constexpr int kCommandOk = 1;
constexpr int kTuplesOk = 2;

struct Libpq {
  PGconn* (*connect)(const char*) = nullptr;
  int (*status)(const PGconn*) = nullptr;
  char* (*message)(const PGconn*) = nullptr;
  void (*finish)(PGconn*) = nullptr;
  PGresult* (*execute)(PGconn*, const char*, int, const unsigned*, const char* const*, const int*, const int*,
                       int) = nullptr;
  int (*result_status)(const PGresult*) = nullptr;
  int (*rows)(const PGresult*) = nullptr;
  char* (*value)(const PGresult*, int, int) = nullptr;
  int (*length)(const PGresult*, int, int) = nullptr;
  void (*clear)(PGresult*) = nullptr;
  bool is_complete = false;

  static const Libpq& get() {
    static const Libpq library = load();
    return library;
  }

 private:
  static Libpq load() {
    Libpq l;
    void* handle = ::dlopen("libpq.so.5", RTLD_NOW | RTLD_LOCAL);
    if (handle == nullptr) return l;
    bool all = true;
    const auto find = [&](const char* name, auto& function) {
      function = reinterpret_cast<std::remove_reference_t<decltype(function)>>(::dlsym(handle, name));
      all = all && function != nullptr;
    };
    find("PQconnectdb", l.connect);
    find("PQstatus", l.status);
    find("PQerrorMessage", l.message);
    find("PQfinish", l.finish);
    find("PQexecParams", l.execute);
    find("PQresultStatus", l.result_status);
    find("PQntuples", l.rows);
    find("PQgetvalue", l.value);
    find("PQgetlength", l.length);
    find("PQclear", l.clear);
    l.is_complete = all;
    return l;
  }
};

struct Clear {
  void operator()(PGresult* result) const { Libpq::get().clear(result); }
};
using Rows = std::unique_ptr<PGresult, Clear>;

constexpr const char* kTables[] = {"heddle_threads", "heddle_vectors", "heddle_logs"};

std::string table_of(RecordKind kind) { return kTables[static_cast<std::size_t>(kind)]; }

class PostgresqlTable : public RecordTable {
 public:
  ~PostgresqlTable() override {
    if (connection_ != nullptr) pq_.finish(connection_);
  }

  Status open(const std::string& address) {
    if (!pq_.is_complete)
      return Error{"libpq.so.5 is not there, which talks to PostgreSQL. Debian has it in the package libpq5.",
                   ExitCode::kBadInput};
    connection_ = pq_.connect(address.c_str());
    if (pq_.status(connection_) != kConnectionOk) return failure("could not connect");
    if (auto quiet = run("set client_min_messages = warning"); !quiet) return quiet.error();
    // Two instances may come first at once.
    auto locked = run("select pg_advisory_lock(7234560913)");
    if (!locked) return locked.error();
    for (const char* name : kTables) {
      const std::string table = name;
      for (const std::string& command :
           {"create table if not exists " + table + " (number bigint primary key, bytes bytea not null)",
            "create unique index if not exists " + table + "_once on " + table + " (md5(bytes))"}) {
        if (auto made = run(command); !made) return made.error();
      }
    }
    if (auto unlocked = run("select pg_advisory_unlock(7234560913)"); !unlocked) return unlocked.error();
    return Done{};
  }

  // Numbers have no gaps: whoever adds has the lock of begin().
  Result<Place> intern(RecordKind kind, std::string_view bytes) override {
    const std::string table = table_of(kind);
    auto known = run("select number from " + table + " where md5(bytes) = md5($1::bytea)", &bytes);
    if (!known) return known.error();
    if (pq_.rows(known->get()) != 0) return Place{number_at(*known, 0), false};
    auto added = run("insert into " + table + " select coalesce(max(number) + 1, 0), $1::bytea from " +
                         table + " returning number",
                     &bytes);
    if (!added) return added.error();
    return Place{number_at(*added, 0), true};
  }

  Status visit(RecordKind kind, std::uint64_t from, const Visit& visit) override {
    constexpr int kAtOnce = 5000;
    while (true) {
      auto rows = run("select bytes from " + table_of(kind) + " where number >= " + std::to_string(from) +
                      " order by number limit " + std::to_string(kAtOnce));
      if (!rows) return rows.error();
      const int count = pq_.rows(rows->get());
      for (int i = 0; i < count; ++i) {
        const auto length = static_cast<std::size_t>(pq_.length(rows->get(), i, 0));
        kept_.emplace_back(pq_.value(rows->get(), i, 0), length);
        visit(from++, kept_.back());
      }
      if (count < kAtOnce) return Done{};
    }
  }

  Status begin() override {
    if (auto begun = run("begin"); !begun) return begun.error();
    if (auto locked = run("lock table heddle_logs in exclusive mode"); !locked) return locked.error();
    return Done{};
  }
  Status end() override {
    if (auto ended = run("commit"); !ended) return ended.error();
    return Done{};
  }

 private:
  Error failure(const std::string& what) const {
    std::string why = pq_.message(connection_);
    while (!why.empty() && (why.back() == '\n' || why.back() == ' ')) why.pop_back();
    return {"PostgreSQL: " + what + ": " + why, ExitCode::kBadInput};
  }
  std::uint64_t number_at(const Rows& rows, int row) const {
    std::uint64_t number = 0;  // results are binary: big endian
    const char* bytes = pq_.value(rows.get(), row, 0);
    for (int i = 0; i < pq_.length(rows.get(), row, 0); ++i)
      number = number << 8 | static_cast<unsigned char>(bytes[i]);
    return number;
  }
  Result<Rows> run(const std::string& command, const std::string_view* parameter = nullptr) {
    const char* values[1] = {parameter != nullptr ? parameter->data() : nullptr};
    if (parameter != nullptr && values[0] == nullptr) values[0] = "";
    const int lengths[1] = {parameter != nullptr ? static_cast<int>(parameter->size()) : 0};
    const int formats[1] = {1};
    Rows rows(pq_.execute(connection_, command.c_str(), parameter != nullptr ? 1 : 0, nullptr, values,
                          lengths, formats, 1));
    const int status = pq_.result_status(rows.get());
    if (status != kCommandOk && status != kTuplesOk) return failure(command.substr(0, 60));
    return rows;
  }

  const Libpq& pq_ = Libpq::get();
  PGconn* connection_ = nullptr;
  std::deque<std::string> kept_;
};

}  // namespace

Result<std::unique_ptr<RecordTable>> table_in_postgresql(const std::string& address) {
  auto table = std::make_unique<PostgresqlTable>();
  if (auto opened = table->open(address); !opened) return opened.error();
  return std::unique_ptr<RecordTable>(std::move(table));
}

}  // namespace heddle::merge
