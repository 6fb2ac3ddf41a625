// A straightforward LEAP (Huang, Liu and Zhang, 2010), to compare the recorder with: a lock and a vector of
// thread ids for each shared variable; every access takes the lock and appends to the vector. Linked into a
// program that was built with `heddle c++ --full`, it takes the place of the recorder's calls. Compile it
// without heddle.
#include <pthread.h>

#include <atomic>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <deque>
#include <filesystem>
#include <fstream>
#include <mutex>
#include <set>
#include <string>
#include <vector>

#include "core/record/build_version.h"

using heddle::record::ElementEntry;
using heddle::record::ElementKind;

namespace {

// Compiled code looks at the version before a read; this recorder has none.
std::atomic<std::uint64_t> no_version{0};

struct Variable {
  std::mutex lock;
  std::vector<std::uint32_t> vector;
};

std::deque<Variable>& variables() {
  static auto* all = new std::deque<Variable>;  // outlives every thread
  return *all;
}

std::atomic<std::uint32_t> threads{0};
std::uint32_t own_id() {
  thread_local const std::uint32_t id = threads++;
  return id;
}

// LEAP takes the elements that the recorder takes: those of the profile beside the program, if there is one.
bool is_in_profile(std::uint64_t id) {
  static const std::set<std::uint64_t>* profile = [] {
    auto* ids = new std::set<std::uint64_t>;
    std::ifstream file(std::filesystem::read_symlink("/proc/self/exe").string() + ".spes");
    if (!file) return static_cast<std::set<std::uint64_t>*>(nullptr);
    for (std::string line; std::getline(file, line);) {
      if (line.size() >= 16 && line[0] != '#') ids->insert(std::stoull(line.substr(0, 16), nullptr, 16));
    }
    return ids;
  }();
  return profile == nullptr || profile->count(id) != 0;
}

void print() {
  std::uint64_t accesses = 0;
  for (const Variable& v : variables()) accesses += v.vector.size();
  std::fprintf(stderr, "leap: %llu accesses, %llu bytes\n", static_cast<unsigned long long>(accesses),
               static_cast<unsigned long long>(accesses * sizeof(std::uint32_t)));
}

}  // namespace

extern "C" {

void __heddle_register_module(const heddle::record::ModuleTables* tables) {
  ElementEntry* const begin = tables->elements;
  ElementEntry* const end = tables->elements_end;
  if (begin == nullptr || begin->index != 0 || begin->chosen != 0) return;
  if (variables().empty()) {
    variables().emplace_back();
    std::atexit(print);
  }
  for (ElementEntry* e = begin; e != end; ++e) {
    e->index = static_cast<std::uint32_t>(variables().size());
    variables().emplace_back();
    e->version = &no_version;
    e->chosen = e->kind != ElementKind::kBlock && is_in_profile(e->id);
  }
  heddle::record::mark_groups(tables->groups, tables->groups_end);
}
void __heddle_forget_module(const heddle::record::ModuleTables*) {}

void __heddle_lock_element(ElementEntry* entry) { variables()[entry->index].lock.lock(); }
// The recorder holds an element for several accesses in a row; LEAP takes the lock for each of them.
void __heddle_unlock_element(ElementEntry* entry, std::uint32_t, std::uint32_t accesses) {
  Variable& v = variables()[entry->index];
  for (v.vector.push_back(own_id()), v.lock.unlock(); accesses > 3; accesses >>= 1) {
    const std::scoped_lock guard(v.lock);
    v.vector.push_back(own_id());
  }
}
void __heddle_touch_element(ElementEntry* entry) {
  __heddle_lock_element(entry);
  __heddle_unlock_element(entry, 1, 0b11);
}
void __heddle_took_lock(ElementEntry* entry, const void*) { __heddle_touch_element(entry); }
void __heddle_waited(const void*) {}
// (LEAP holds the lock while it reads; here the read comes just before, which costs no more.)
std::uint32_t __heddle_read_element(ElementEntry* entry, std::uint64_t) {
  __heddle_touch_element(entry);
  return 0;
}
}
