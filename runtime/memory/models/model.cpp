#include "runtime/memory/models/model.h"

#include "core/base/check.h"
#include "runtime/memory/models/c11tester.h"
#include "runtime/memory/models/cxx20.h"
#include "runtime/memory/models/sc.h"

namespace heddle::memory {

const Model& model_of(ModelKind kind) {
  switch (kind) {
    case ModelKind::kCxx20:
      return Cxx20::kModel;
    case ModelKind::kCxx20Words:
      return Cxx20Words::kModel;
    case ModelKind::kC11Tester:
      return C11Tester::kModel;
    case ModelKind::kSc:
      return Sc::kModel;
  }
  HEDDLE_CHECK(!"a memory model that nobody knows");
  __builtin_unreachable();
}

}  // namespace heddle::memory
