// Accesses to memory. The runtime is called after the access, when ThreadSanitizer's call and the access
// itself are done: it knows then which event was recorded for it, if any.
#include "compiler/plugin/body_builder.h"
#include "core/trace/symbolic_calls.h"

namespace heddle::plugin {

using llvm::Value;
using symbolic::UpdateKind;

namespace {

UpdateKind kind_of(llvm::AtomicRMWInst::BinOp operation) {
  switch (operation) {
    case llvm::AtomicRMWInst::Xchg:
      return UpdateKind::kExchange;
    case llvm::AtomicRMWInst::Add:
      return UpdateKind::kAdd;
    case llvm::AtomicRMWInst::Sub:
      return UpdateKind::kSubtract;
    case llvm::AtomicRMWInst::And:
      return UpdateKind::kAnd;
    case llvm::AtomicRMWInst::Nand:
      return UpdateKind::kNand;
    case llvm::AtomicRMWInst::Or:
      return UpdateKind::kOr;
    case llvm::AtomicRMWInst::Xor:
      return UpdateKind::kXor;
    default:
      return UpdateKind::kOther;
  }
}

}  // namespace

// Told before the access, which may fault because of it.
void BodyBuilder::note_pointer(Value* pointer, llvm::Instruction& access) {
  when_symbolic({id_of(pointer)}, &access, access.getDebugLoc(), [&](Builder& at) {
    at.CreateCall(abi_.pointer, {id_of(pointer), as_value(at, pointer)});
    return Ids{};
  });
}

void BodyBuilder::visit_load(llvm::LoadInst& load) {
  if (load.hasMetadata(llvm::LLVMContext::MD_nosanitize)) return;  // ours, or a constant of the compiler's
  Value* pointer = load.getPointerOperand();
  note_pointer(pointer, load);
  Builder at(load.getNextNode());
  at.SetCurrentDebugLocation(load.getDebugLoc());
  const Leaves leaves = leaves_of(load.getType(), layout_);
  if (leaves.empty()) {
    at.CreateCall(abi_.wide_load, {pointer, word(layout_.getTypeStoreSize(load.getType()))});
    return;
  }
  Ids ids;
  for (const Leaf& leaf : leaves) {
    const auto bytes = static_cast<unsigned>(layout_.getTypeStoreSize(leaf.type));
    Value* place = leaf.offset == 0 ? pointer : at.CreateConstGEP1_64(at.getInt8Ty(), pointer, leaf.offset);
    Value* id = at.CreateCall(abi_.load, {place, leaf_value(at, &load, leaf), number(bytes)});
    ids.push_back(fit(at, id, bytes * 8, scalar_bits(leaf.type), false));
  }
  ids_[&load] = ids;
}

void BodyBuilder::visit_store(llvm::StoreInst& store) {
  Value* pointer = store.getPointerOperand();
  Value* value = store.getValueOperand();
  note_pointer(pointer, store);
  Builder at(store.getNextNode());
  at.SetCurrentDebugLocation(store.getDebugLoc());
  const Leaves leaves = leaves_of(value->getType(), layout_);
  if (leaves.empty()) {
    at.CreateCall(abi_.wide_store, {pointer, word(layout_.getTypeStoreSize(value->getType()))});
    return;
  }
  const Ids ids = ids_of(value);
  for (std::size_t i = 0; i < leaves.size(); ++i) {
    const Leaf& leaf = leaves[i];
    const auto bytes = static_cast<unsigned>(layout_.getTypeStoreSize(leaf.type));
    Value* place = leaf.offset == 0 ? pointer : at.CreateConstGEP1_64(at.getInt8Ty(), pointer, leaf.offset);
    Value* id = fit(at, ids[i], scalar_bits(leaf.type), bytes * 8, false);
    at.CreateCall(abi_.store, {place, leaf_value(at, value, leaf), number(bytes), id});
  }
}

void BodyBuilder::visit_update(llvm::AtomicRMWInst& update) {
  Value* pointer = update.getPointerOperand();
  Value* operand = update.getValOperand();
  const unsigned bits = scalar_bits(update.getType());
  if (bits == 0) return concretise(update);
  note_pointer(pointer, update);
  const UpdateKind kind = kind_of(update.getOperation());
  if (kind == UpdateKind::kOther) concretise(operand, &update, update.getDebugLoc());
  Builder at(update.getNextNode());
  at.SetCurrentDebugLocation(update.getDebugLoc());
  Value* id = at.CreateCall(abi_.update, {pointer, number(bits / 8), number(static_cast<std::uint64_t>(kind)),
                                          as_value(at, &update), as_value(at, operand), id_of(operand)});
  set_id(&update, id);
}

// {what was there, was it exchanged}. The outcome is a condition of the path and as such told by the runtime.
void BodyBuilder::visit_compare_exchange(llvm::AtomicCmpXchgInst& exchange) {
  Value* pointer = exchange.getPointerOperand();
  Value* expected = exchange.getCompareOperand();
  Value* wanted = exchange.getNewValOperand();
  const unsigned bits = scalar_bits(expected->getType());
  if (bits == 0) return concretise(exchange);
  note_pointer(pointer, exchange);
  Builder at(exchange.getNextNode());
  at.SetCurrentDebugLocation(exchange.getDebugLoc());
  Value* read = as_value(at, at.CreateExtractValue(&exchange, 0));
  Value* succeeded = at.CreateZExt(at.CreateExtractValue(&exchange, 1), abi_.id_type);
  Value* id = at.CreateCall(abi_.compare_exchange,
                            {pointer, number(bits / 8), as_value(at, expected), id_of(expected),
                             as_value(at, wanted), id_of(wanted), read, succeeded});
  ids_[&exchange] = Ids{id, abi_.no_id};
}

void BodyBuilder::visit_memory_intrinsic(llvm::MemIntrinsic& call) {
  const llvm::DebugLoc& place = call.getDebugLoc();
  auto* transfer = llvm::dyn_cast<llvm::MemTransferInst>(&call);
  concretise(call.getRawDest(), &call, place);
  concretise(call.getLength(), &call, place);
  if (transfer != nullptr) concretise(transfer->getRawSource(), &call, place);
  Builder at(call.getNextNode());
  at.SetCurrentDebugLocation(place);
  Value* bytes = at.CreateZExtOrTrunc(call.getLength(), abi_.value_type);
  if (transfer != nullptr) {
    at.CreateCall(abi_.copy, {call.getRawDest(), transfer->getRawSource(), bytes});
  } else if (auto* set = llvm::dyn_cast<llvm::MemSetInst>(&call)) {
    at.CreateCall(abi_.fill,
                  {call.getRawDest(), as_value(at, set->getValue()), id_of(set->getValue()), bytes});
  }
}

}  // namespace heddle::plugin
