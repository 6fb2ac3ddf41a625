// Sorting and searching. The program's callbacks are instrumented and tell of their own accesses; libc moves
// elements, and reads and writes what it is given by address.
#include <search.h>
#include <stdlib.h>

#include "runtime/abi/interposed_call.h"

namespace heddle::abi {
namespace {

using Compare = int(const void*, const void*);

// Each element is copied out and in again.
void reads_array(const ProgramCall& call, const void* base, std::size_t count, std::size_t size) {
  if (count > 1) call.reads(base, count * size);
}
void writes_array(const ProgramCall& call, const void* base, std::size_t count, std::size_t size) {
  if (count > 1) call.writes(base, count * size);
}

// A tree is its nodes, which are libc's, below a root that is the program's. The root stands for all of it:
// whoever inserts or removes may turn any node (POSIX tsearch: not thread-safe for one tree).
void changes_tree(const ProgramCall& call, void* const* root) { call.writes_object(root); }

// A list element, as insque sees it.
struct Link {
  Link* next;
  Link* previous;
};

}  // namespace
}  // namespace heddle::abi

using heddle::abi::changes_tree;
using heddle::abi::Compare;
using heddle::abi::Link;
using heddle::abi::reads_array;
using heddle::abi::writes_array;

HEDDLE_SEEN_VOID(qsort, (void* base, std::size_t count, std::size_t size, Compare* compare),
                 (base, count, size, compare), reads_array(call, base, count, size),
                 writes_array(call, base, count, size))
HEDDLE_SEEN_VOID(qsort_r,
                 (void* base, std::size_t count, std::size_t size,
                  int (*compare)(const void*, const void*, void*), void* argument),
                 (base, count, size, compare, argument), reads_array(call, base, count, size),
                 writes_array(call, base, count, size))

HEDDLE_SEEN(void*, lfind,
            (const void* key, const void* base, std::size_t* count, std::size_t size, Compare* compare),
            (key, base, count, size, compare), call.reads_object(count), HEDDLE_NOTHING)
HEDDLE_SEEN(
    void*, lsearch, (const void* key, void* base, std::size_t* count, std::size_t size, Compare* compare),
    (key, base, count, size, compare), call.reads_object(count);
    const std::size_t before = *count, if (*count != before) {
      call.reads(key, size);
      call.writes(result, size);
      call.writes_object(count);
    })

HEDDLE_SEEN(void*, tsearch, (const void* key, void** root, Compare* compare), (key, root, compare),
            HEDDLE_NOTHING, changes_tree(call, root))
HEDDLE_SEEN(void*, tfind, (const void* key, void* const* root, Compare* compare), (key, root, compare),
            call.reads_object(root), HEDDLE_NOTHING)
HEDDLE_SEEN(void*, tdelete, (const void* key, void** root, Compare* compare), (key, root, compare),
            HEDDLE_NOTHING, changes_tree(call, root))

// Tables that the program holds; the one of hsearch is libc's own.
HEDDLE_SEEN(int, hcreate_r, (std::size_t count, hsearch_data* table), (count, table), HEDDLE_NOTHING,
            call.writes_object(table))
HEDDLE_SEEN(int, hsearch_r, (ENTRY item, ACTION action, ENTRY** found, hsearch_data* table),
            (item, action, found, table), HEDDLE_NOTHING, call.writes_object(found);
            if (action == ENTER && result != 0) call.writes_object(table); else call.reads_object(table))
HEDDLE_SEEN_VOID(hdestroy_r, (hsearch_data * table), (table), call.writes_object(table), HEDDLE_NOTHING)

HEDDLE_SEEN_VOID(
    insque, (Link * element, Link* after), (element, after), HEDDLE_NOTHING, call.writes_object(element);
    if (after != nullptr) {
      call.writes_object(&after->next);
      if (element->next != nullptr) call.writes_object(&element->next->previous);
    })
HEDDLE_SEEN_VOID(remque, (Link * element), (element), call.reads_object(element),
                 if (element->next != nullptr) call.writes_object(&element->next->previous);
                 if (element->previous != nullptr) call.writes_object(&element->previous->next))
