#include "compiler/plugin/elements.h"

#include <llvm/ADT/StringExtras.h>
#include <llvm/ADT/StringSwitch.h>
#include <llvm/IR/Constants.h>
#include <llvm/IR/DebugInfoMetadata.h>
#include <llvm/IR/IRBuilder.h>
#include <llvm/IR/InstIterator.h>
#include <llvm/IR/IntrinsicInst.h>
#include <llvm/Transforms/Utils/ModuleUtils.h>

#include <cstdlib>

#include "compiler/plugin/registration.h"
#include "core/base/random.h"

namespace heddle::plugin {
namespace {

using llvm::CallBase;
using llvm::Constant;
using llvm::ConstantInt;
using llvm::GlobalVariable;
using record::ElementKind;

// --spes=static (compiler/compile_command.cpp). clang reads its options before it loads this pass.
bool all_static() { return std::getenv("HEDDLE_STATIC_ELEMENTS") != nullptr; }

std::uint64_t id_of(const ElementName& name) {
  std::uint64_t hash = mix(0x656c656d656e7473ull, static_cast<std::uint64_t>(name.kind));
  for (const char c : name.canonical) hash = mix(hash, static_cast<unsigned char>(c));
  return hash != 0 ? hash : 1;
}

std::string place_of(const llvm::Instruction& instruction) {
  const llvm::DILocation* location = instruction.getDebugLoc().get();
  if (location == nullptr) return {};
  return location->getFilename().str() + ":" + std::to_string(location->getLine());
}

enum class SyncCall : std::uint8_t { kNone, kAcquire, kSignal, kWait, kIgnored };

// Operations on synchronisation objects, whose address is the first argument. An order of acquisitions
// implies that of the releases between them. To make, join or end a thread orders by itself.
SyncCall sync_call(llvm::StringRef name) {
  return llvm::StringSwitch<SyncCall>(name)
      .Cases("pthread_mutex_lock", "pthread_mutex_trylock", "pthread_mutex_timedlock",
             "pthread_mutex_clocklock", SyncCall::kAcquire)
      .Cases("pthread_rwlock_rdlock", "pthread_rwlock_wrlock", "pthread_rwlock_tryrdlock",
             "pthread_rwlock_trywrlock", SyncCall::kAcquire)
      .Cases("pthread_rwlock_timedrdlock", "pthread_rwlock_timedwrlock", "pthread_rwlock_clockrdlock",
             "pthread_rwlock_clockwrlock", SyncCall::kAcquire)
      .Cases("pthread_spin_lock", "pthread_spin_trylock", "mtx_lock", "mtx_trylock", "mtx_timedlock",
             SyncCall::kAcquire)
      .Cases("sem_wait", "sem_trywait", "sem_timedwait", "sem_clockwait", SyncCall::kAcquire)
      .Cases("pthread_cond_wait", "pthread_cond_timedwait", "pthread_cond_clockwait", "cnd_wait",
             "cnd_timedwait", SyncCall::kWait)
      .Case("_ZNSt18condition_variable4waitERSt11unique_lockISt5mutexE", SyncCall::kWait)
      .Cases("pthread_cond_signal", "pthread_cond_broadcast", "cnd_signal", "cnd_broadcast",
             SyncCall::kSignal)
      .Cases("sem_post", "pthread_barrier_wait", SyncCall::kSignal)
      .Cases("_ZNSt18condition_variable10notify_oneEv", "_ZNSt18condition_variable10notify_allEv",
             SyncCall::kSignal)
      .Cases("pthread_mutex_unlock", "pthread_rwlock_unlock", "pthread_spin_unlock", "mtx_unlock",
             SyncCall::kIgnored)
      .Cases("pthread_mutex_init", "pthread_mutex_destroy", "pthread_cond_init", "pthread_cond_destroy",
             "pthread_rwlock_init", "pthread_rwlock_destroy", "sem_init", "sem_destroy", SyncCall::kIgnored)
      .Cases("pthread_create", "pthread_join", "pthread_detach", "pthread_once", "pthread_key_create",
             SyncCall::kIgnored)
      .Cases("_ZNSt18condition_variableC1Ev", "_ZNSt18condition_variableD1Ev", "_ZNSt6thread4joinEv",
             "_ZNSt6thread6detachEv", SyncCall::kIgnored)
      .Case("_ZNSt6thread15_M_start_threadESt10unique_ptrINS_6_StateESt14default_deleteIS1_EEPFvvE",
            SyncCall::kIgnored)
      .Cases("free", "_ZdlPv", "_ZdlPvm", "_ZdaPv", "_ZdaPvm", "_ZdlPvmSt11align_val_t", SyncCall::kIgnored)
      .Cases("__cxa_guard_acquire", "__cxa_guard_release", "__cxa_atexit", "__cxa_begin_catch",
             "__assert_fail", SyncCall::kIgnored)
      .Default(name.starts_with("__heddle_") || name.starts_with("__tsan_") ||
                       name.starts_with("heddle_runtime_")
                   ? SyncCall::kIgnored
                   : SyncCall::kNone);
}

}  // namespace

WaitMutex mutex_of_wait(const llvm::Instruction& instruction) {
  const auto* call = llvm::dyn_cast<CallBase>(&instruction);
  const llvm::Function* callee = call != nullptr ? call->getCalledFunction() : nullptr;
  if (callee == nullptr || call->arg_size() < 2 || sync_call(callee->getName()) != SyncCall::kWait) return {};
  return {call->getArgOperand(1), callee->getName().starts_with("_ZNSt18condition_variable")};
}

Elements::Elements(llvm::Module& module)
    : module_(module),
      namer_(module),
      access_metadata_(module.getContext().getMDKindID("heddle.elements")),
      block_metadata_(module.getContext().getMDKindID("heddle.block")) {
  llvm::LLVMContext& context = module.getContext();
  llvm::Type* byte = llvm::Type::getInt8Ty(context);
  llvm::Type* word = llvm::Type::getInt64Ty(context);
  // (A pointer, as far as the runtime is concerned; zero here.)
  entry_type_ = llvm::StructType::get(context, {word, word, byte, byte, llvm::ArrayType::get(byte, 14)});
}

std::uint64_t Elements::intern(const ElementName& name, const llvm::Instruction& at) {
  const std::uint64_t id = id_of(name);
  Element& element = elements_[id];
  if (element.entry == nullptr) {
    element.entry = make_entry(id, name.kind);
    element.name = name;
  }
  if (element.place.empty()) element.place = place_of(at);
  return id;
}

// One for the program, whichever modules have it.
GlobalVariable* Elements::make_entry(std::uint64_t id, ElementKind kind) {
  const std::string symbol = "__heddle_element_" + llvm::utohexstr(id);
  if (GlobalVariable* there = module_.getNamedGlobal(symbol)) return there;
  Constant* zero = llvm::Constant::getNullValue(entry_type_->getElementType(4));
  llvm::Type* word = entry_type_->getElementType(0);
  llvm::Type* byte = entry_type_->getElementType(2);
  Constant* initial = llvm::ConstantStruct::get(
      entry_type_, {ConstantInt::get(word, id), ConstantInt::get(word, 0), ConstantInt::get(byte, 0),
                    ConstantInt::get(byte, static_cast<std::uint8_t>(kind)), zero});
  auto* entry =
      new GlobalVariable(module_, entry_type_, false, llvm::GlobalValue::LinkOnceODRLinkage, initial, symbol);
  entry->setVisibility(llvm::GlobalValue::HiddenVisibility);
  entry->setDSOLocal(true);
  entry->setComdat(module_.getOrInsertComdat(symbol));
  entry->setSection(record::kElementSection);
  entry->setAlignment(llvm::Align(alignof(record::ElementEntry)));
  return entry;
}

void Elements::find(llvm::Function& function) {
  unsigned number = 0;
  for (llvm::BasicBlock& block : function) {
    bool shared = false;
    for (llvm::Instruction& instruction : block) {
      llvm::SmallVector<Found, 2> found;
      visit(instruction, found);
      if (found.empty()) continue;
      keep(instruction, found);
      if (shared) continue;
      shared = true;
      const std::uint64_t id = intern(
          {symbol_name(function) + " block " + std::to_string(number), ElementKind::kBlock}, instruction);
      llvm::LLVMContext& context = module_.getContext();
      instruction.setMetadata(block_metadata_,
                              llvm::MDNode::get(context, llvm::ConstantAsMetadata::get(ConstantInt::get(
                                                             llvm::Type::getInt64Ty(context), id))));
    }
    ++number;
  }
}

void Elements::visit(llvm::Instruction& instruction, llvm::SmallVectorImpl<Found>& found) {
  const auto add = [&](unsigned operand, Touch touch) {
    if (const auto name = namer_.of_access(instruction, instruction.getOperand(operand)))
      found.push_back({intern(*name, instruction), operand, touch});
  };
  if (llvm::isa<llvm::LoadInst>(instruction)) {
    add(llvm::LoadInst::getPointerOperandIndex(), Touch::kRead);
  } else if (llvm::isa<llvm::StoreInst>(instruction)) {
    add(llvm::StoreInst::getPointerOperandIndex(), Touch::kWrite);
  } else if (llvm::isa<llvm::AtomicRMWInst>(instruction)) {
    add(llvm::AtomicRMWInst::getPointerOperandIndex(), Touch::kWrite);
  } else if (llvm::isa<llvm::AtomicCmpXchgInst>(instruction)) {
    add(llvm::AtomicCmpXchgInst::getPointerOperandIndex(), Touch::kWrite);
  } else if (auto* call = llvm::dyn_cast<CallBase>(&instruction)) {
    visit_call(*call, found);
  }
}

void Elements::visit_call(CallBase& call, llvm::SmallVectorImpl<Found>& found) {
  const auto add = [&](unsigned argument, Touch touch, bool is_sync) {
    auto name = namer_.of_pointer(call.getArgOperand(argument), is_sync);
    if (!name) return;
    if (is_sync) name = ElementName{"sync " + name->canonical, ElementKind::kSynchronisation};
    const std::uint64_t id = intern(*name, call);
    for (const Found& other : found) {
      if (other.id == id) return;
    }
    found.push_back({id, argument, touch});
  };
  if (call.isInlineAsm()) return;
  if (auto* memory = llvm::dyn_cast<llvm::MemIntrinsic>(&call)) {
    if (llvm::isa<llvm::MemTransferInst>(memory)) add(1, Touch::kBefore, false);
    add(0, Touch::kWrite, false);
    return;
  }
  const llvm::Function* callee = call.getCalledFunction();
  // A function that is compiled here makes its accesses itself; one that is called through a pointer is taken
  // for one.
  if (callee == nullptr || callee->isIntrinsic() || !callee->isDeclaration()) return;
  const SyncCall sync = sync_call(callee->getName());
  if (sync == SyncCall::kIgnored || is_allocation(call)) return;
  if (sync != SyncCall::kNone) {
    if (call.arg_size() == 0) return;
    add(0, sync == SyncCall::kAcquire ? Touch::kAfter : Touch::kBefore, true);
    // A wait also ends in an order: who has the mutex again first.
    if (sync == SyncCall::kWait && !found.empty()) found.push_back({found.back().id, 0, Touch::kAfter});
    return;
  }
  if (call.doesNotAccessMemory() || call.onlyAccessesInaccessibleMemory()) return;
  for (unsigned i = 0; i < call.arg_size(); ++i) {
    llvm::Value* argument = call.getArgOperand(i);
    // What is only handed on from the caller is the caller's to count.
    if (!argument->getType()->isPointerTy() || llvm::isa<llvm::Argument>(argument) ||
        call.paramHasAttr(i, llvm::Attribute::StructRet))
      continue;
    add(i, Touch::kBefore, false);
  }
}

void Elements::keep(llvm::Instruction& instruction, llvm::ArrayRef<Found> found) {
  llvm::LLVMContext& context = module_.getContext();
  llvm::Type* word = llvm::Type::getInt64Ty(context);
  llvm::SmallVector<llvm::Metadata*, 6> operands;
  for (const Found& one : found) {
    for (const std::uint64_t number :
         {one.id, static_cast<std::uint64_t>(one.operand), static_cast<std::uint64_t>(one.touch)})
      operands.push_back(llvm::ConstantAsMetadata::get(ConstantInt::get(word, number)));
  }
  instruction.setMetadata(access_metadata_, llvm::MDNode::get(context, operands));
}

ElementAccesses Elements::of(llvm::Instruction& instruction) const {
  ElementAccesses accesses;
  const llvm::MDNode* kept = instruction.getMetadata(access_metadata_);
  if (kept == nullptr) return accesses;
  const auto number = [&](unsigned i) {
    return llvm::mdconst::extract<ConstantInt>(kept->getOperand(i))->getZExtValue();
  };
  for (unsigned i = 0; i + 2 < kept->getNumOperands(); i += 3)
    accesses.push_back({elements_.find(number(i))->second.entry,
                        instruction.getOperand(static_cast<unsigned>(number(i + 1))),
                        static_cast<Touch>(number(i + 2))});
  return accesses;
}

GlobalVariable* Elements::block_at(const llvm::Instruction& instruction) const {
  const llvm::MDNode* kept = instruction.getMetadata(block_metadata_);
  if (kept == nullptr) return nullptr;
  return elements_.find(llvm::mdconst::extract<ConstantInt>(kept->getOperand(0))->getZExtValue())
      ->second.entry;
}

GlobalVariable* Elements::make_group(llvm::ArrayRef<GlobalVariable*> entries, const llvm::Function& of) {
  llvm::LLVMContext& context = module_.getContext();
  llvm::Type* number = llvm::Type::getInt32Ty(context);
  llvm::Type* word = llvm::Type::getInt64Ty(context);
  llvm::Type* way = llvm::ArrayType::get(number, entries.size());
  auto* type = llvm::StructType::get(context, {number, number, way});
  auto* group = new GlobalVariable(module_, type, false, llvm::GlobalValue::PrivateLinkage, nullptr,
                                   "heddle.element_group");
  llvm::SmallVector<Constant*, 16> ways;  // from each number to its entry
  for (GlobalVariable* entry : entries) {
    Constant* here = llvm::ConstantExpr::getInBoundsGetElementPtr(
        type, group,
        llvm::ArrayRef<Constant*>{ConstantInt::get(number, 0), ConstantInt::get(number, 2),
                                  ConstantInt::get(number, ways.size())});
    Constant* far = llvm::ConstantExpr::getSub(llvm::ConstantExpr::getPtrToInt(entry, word),
                                               llvm::ConstantExpr::getPtrToInt(here, word));
    ways.push_back(llvm::ConstantExpr::getTrunc(far, number));
  }
  group->setInitializer(
      llvm::ConstantStruct::get(type, {ConstantInt::get(number, 0), ConstantInt::get(number, entries.size()),
                                       llvm::ConstantArray::get(llvm::cast<llvm::ArrayType>(way), ways)}));
  group->setSection(record::kElementGroupSection);
  group->setAlignment(llvm::Align(alignof(record::ElementGroup)));
  group->setComdat(const_cast<llvm::Function&>(of).getComdat());
  return group;
}

void Elements::keep_name(std::uint64_t id, const Element& element) {
  llvm::LLVMContext& context = module_.getContext();
  Constant* record = llvm::ConstantStruct::getAnon(
      context,
      {ConstantInt::get(llvm::Type::getInt64Ty(context), id),
       ConstantInt::get(llvm::Type::getInt8Ty(context), static_cast<std::uint8_t>(element.name.kind)),
       llvm::ConstantDataArray::getString(context, element.name.canonical),
       llvm::ConstantDataArray::getString(context, element.place)},
      true);
  auto* kept = new GlobalVariable(module_, record->getType(), true, llvm::GlobalValue::PrivateLinkage, record,
                                  "heddle.element_name");
  kept->setSection(record::kElementNameSection);
  kept->setAlignment(llvm::Align(1));
  kept->setComdat(element.entry->getComdat());
  llvm::appendToUsed(module_, {kept});
}

void Elements::keep_table() {
  for (const auto& [id, element] : elements_) keep_name(id, element);
  register_with_runtime(module_, !elements_.empty(), all_static());
}

}  // namespace heddle::plugin
