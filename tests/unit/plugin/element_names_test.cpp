// What shared program elements are called, and what is none.
#include <gtest/gtest.h>

#include "tests/unit/needs.h"
#include "tests/unit/plugin/compiled.h"

namespace heddle::plugin::testing {
namespace {

using record::ElementKind;
using Names = std::set<std::string>;

const char* const kSource = R"(
typedef unsigned long size_t;
extern "C" void* malloc(size_t) noexcept;
extern "C" void elsewhere(void*);
struct pthread_mutex_t { long words[5]; };
extern "C" int pthread_mutex_lock(pthread_mutex_t*);
extern "C" int pthread_mutex_unlock(pthread_mutex_t*);

namespace shop {
struct Price { int whole; int part; };
struct Queue { long head; Price price; int* data; pthread_mutex_t lock; long counts[4]; };
}
int global;
static int local_to_file;
const int constant = 5;
static thread_local int own;
thread_local int others;
int table[10];
shop::Queue queue;
shop::Queue* pointed;
pthread_mutex_t lock;
int* shared;

void uses_globals(int i) { global = local_to_file++ + constant; own = i; table[i] = table[3]; }
int uses_thread_local() { return others++; }
void uses_fields(shop::Queue& q) { q.head = 1; q.price.part = 2; q.counts[2] = 3; }
void uses_field_of_global() { queue.price.whole = 1; }
void uses_pointee(shop::Queue& q) { *q.data = 1; }
void uses_pointer() { pointed->head = 5; }
int uses_private_local(int n) { int a[4] = {n, 1, 2, 3}; return a[n & 3]; }
int uses_escaping_local(int n) { int a = n; elsewhere(&a); return a; }
int uses_block(int n) { int* p = (int*)malloc(8); *p = n; elsewhere(p); return *p; }
int uses_private_block(int n, int m) { int* p = (int*)malloc(8 * m); p[m] = n; p[n] = m; return p[m * n]; }
void publishes() { int* p = (int*)malloc(8); *p = 1; shared = p; }
void locks(shop::Queue& q) { pthread_mutex_lock(&q.lock); pthread_mutex_unlock(&q.lock); pthread_mutex_lock(&lock); }
void locks_field() { pthread_mutex_lock(&queue.lock); }
struct Guarded { int n; pthread_mutex_t lock; void add(); };
void Guarded::add() { pthread_mutex_lock(&lock); ++n; }
void through_argument(int* p) { *p = 1; }
)";

const Compiled& compiled() {
  static const Compiled module(kSource, "c++", "shop.cpp");
  return module;
}

class ElementNames : public ::testing::Test {
 protected:
  void SetUp() override { HEDDLE_NEEDS(can_compile(), "clang-19, with the pass of --full"); }
};

TEST_F(ElementNames, OfGlobalVariables) {
  // Neither constants nor what only its own thread can come to. All of an array is one.
  EXPECT_EQ(compiled().names(ElementKind::kGlobal),
            (Names{"global", "local_to_file in shop.cpp", "others", "pointed", "shared", "table"}));
}

TEST_F(ElementNames, OfFieldsAreTheirInnermostClass) {
  EXPECT_EQ(compiled().names(ElementKind::kField),
            (Names{"Guarded+0", "shop::Price+0", "shop::Price+4", "shop::Queue+0", "shop::Queue+16"}));
}

TEST_F(ElementNames, OfWhatPointersLeadTo) {
  // A block that never leaves its function is none, nor is such a local variable.
  EXPECT_EQ(compiled().names(ElementKind::kAllocation),
            (Names{"*shared", "*shop::Queue+16", "through_argument(int*) argument 1", "uses_block(int)#1",
                   "uses_escaping_local(int) local 1", "uses_fields(shop::Queue&) argument 1"}));
}

TEST_F(ElementNames, OfSynchronisationObjectsAreThoseWhoHaveThem) {
  EXPECT_EQ(
      compiled().names(ElementKind::kSynchronisation),
      (Names{"sync Guarded+8", "sync lock", "sync locks(shop::Queue&) argument 1", "sync shop::Queue+24"}));
}

TEST_F(ElementNames, AreTheSameInEveryModule) {
  const Compiled other(
      "namespace shop { struct Price { int whole; int part; }; }\n"
      "extern int global;\n"
      "static int local_to_file;\n"
      "int f(shop::Price& p) { return p.part + global + local_to_file++; }",
      "c++", "other.cpp");
  std::map<std::string, std::uint64_t> known;
  for (const NamedElement& one : compiled().elements()) known[one.name] = one.id;
  std::set<std::string> common;
  for (const NamedElement& one : other.elements()) {
    if (!known.contains(one.name)) continue;
    common.insert(one.name);
    EXPECT_EQ(one.id, known[one.name]) << one.name;
  }
  EXPECT_EQ(common, (Names{"global", "shop::Price+4"})) << "a file's own variables are others";
}

TEST_F(ElementNames, HaveAPlaceAndAnIdentityOfTheirOwn) {
  std::set<std::uint64_t> ids;
  for (const NamedElement& one : compiled().elements()) {
    EXPECT_TRUE(ids.insert(one.id).second) << one.name;
    EXPECT_TRUE(one.place.starts_with("shop.cpp:")) << one.name << " at " << one.place;
  }
}

}  // namespace
}  // namespace heddle::plugin::testing
