#include "compiler/plugin/element_names.h"

#include <llvm/ADT/StringExtras.h>
#include <llvm/ADT/StringSwitch.h>
#include <llvm/Analysis/CaptureTracking.h>
#include <llvm/Analysis/ValueTracking.h>
#include <llvm/Demangle/Demangle.h>
#include <llvm/IR/InstIterator.h>
#include <llvm/IR/Instructions.h>
#include <llvm/IR/IntrinsicInst.h>

#include <cstdlib>

namespace heddle::plugin {
namespace {

using llvm::MDNode;
using record::ElementKind;

constexpr unsigned kDeepestPath = 6;

// "class.ns::Queue.12" and "struct.Base.base" are layouts of ns::Queue and Base.
std::string class_name(llvm::StringRef layout) {
  for (const char* prefix : {"class.", "struct.", "union."}) layout.consume_front(prefix);
  layout.consume_back(".base");
  const auto [head, tail] = layout.rsplit('.');
  if (!tail.empty() && llvm::all_of(tail, [](char c) { return llvm::isDigit(c); })) layout = head;
  return layout.str();
}

// Anonymous types are no use: their names differ from one translation unit to the next.
bool is_named(const llvm::StructType& type) { return type.hasName() && !type.getName().contains(".anon"); }

// Types of libraries, such as std::mutex and what it is made of: their fields are nobody's own.
bool is_library_class(llvm::StringRef name) {
  return name.starts_with("std::") || name.starts_with("__") || name.starts_with("pthread_") ||
         name.starts_with("boost::") || name == "sem_t" || name == "mtx_t" || name == "cnd_t";
}

// The innermost named class around an offset, as far as layouts tell. Elements of arrays are one. `own`: not
// into classes of libraries; whose object it is says more.
void descend(llvm::Type*& type, std::int64_t& offset, std::string& name, const llvm::DataLayout& layout,
             bool own) {
  llvm::Type* at = type;
  std::int64_t rest = offset;
  std::int64_t from_named = offset;  // within the innermost named class
  while (at != nullptr && rest >= 0) {
    if (auto* structure = llvm::dyn_cast<llvm::StructType>(at)) {
      if (structure->isOpaque() || rest >= static_cast<std::int64_t>(layout.getTypeAllocSize(at))) break;
      if (own && is_named(*structure) && is_library_class(class_name(structure->getName()))) break;
      if (is_named(*structure)) {
        name = class_name(structure->getName());
        from_named = rest;
      }
      const llvm::StructLayout* fields = layout.getStructLayout(structure);
      const unsigned field = fields->getElementContainingOffset(static_cast<std::uint64_t>(rest));
      rest -= static_cast<std::int64_t>(fields->getElementOffset(field));
      at = structure->getElementType(field);
    } else if (auto* array = llvm::dyn_cast<llvm::ArrayType>(at)) {
      const auto size = static_cast<std::int64_t>(layout.getTypeAllocSize(array->getElementType()));
      if (size == 0) break;
      from_named -= rest / size * size;
      rest %= size;
      at = array->getElementType();
    } else {
      break;
    }
  }
  type = at;
  offset = from_named;
}

// --- type metadata of accesses

llvm::StringRef tag_name(const MDNode& type) {
  const auto* name = type.getNumOperands() > 0 ? llvm::dyn_cast<llvm::MDString>(type.getOperand(0)) : nullptr;
  return name != nullptr ? name->getString() : llvm::StringRef();
}

// A class with one member looks like a scalar type, whose second operand is its parent; but no scalar type
// that C or C++ has a name for is a parent of another one, except for characters.
bool is_class(const MDNode& type) {
  if (type.getNumOperands() < 3) return false;
  if (type.getNumOperands() > 3) return true;
  const llvm::StringRef name = tag_name(type);
  const auto* member = llvm::dyn_cast<MDNode>(type.getOperand(1));
  if (name.empty() || member == nullptr || tag_name(*member) == "omnipotent char") return false;
  return !llvm::StringSwitch<bool>(name)
              .Cases("int", "long", "short", "long long", "bool", "any pointer", "omnipotent char", true)
              .Cases("float", "double", "long double", "vtable pointer", "wchar_t", "__int128", true)
              .Cases("Simple C++ TBAA", "Simple C/C++ TBAA", "_Bool", "char16_t", "char32_t", true)
              .Default(name.ends_with(" pointer") || name.starts_with("p1 ") || name.starts_with("p2 "));
}

std::uint64_t number_of(const llvm::MDOperand& operand) {
  const auto* number = llvm::mdconst::dyn_extract<llvm::ConstantInt>(operand);
  return number != nullptr ? number->getZExtValue() : 0;
}

std::string tag_class_name(llvm::StringRef name) {
  if (!name.starts_with("_ZTS")) return name.str();
  std::string text = llvm::demangle(name.str());
  constexpr llvm::StringRef kPrefix = "typeinfo name for ";
  return llvm::StringRef(text).starts_with(kPrefix) ? text.substr(kPrefix.size()) : text;
}

}  // namespace

bool is_allocation(const llvm::CallBase& call) {
  const llvm::Function* callee = call.getCalledFunction();
  if (callee == nullptr) return false;
  return call.returnDoesNotAlias() ||
         llvm::StringSwitch<bool>(callee->getName())
             .Cases("malloc", "calloc", "realloc", "aligned_alloc", "memalign", "strdup", "mmap", true)
             .Cases("_Znwm", "_Znam", "_ZnwmSt11align_val_t", "_ZnamSt11align_val_t", true)
             .Cases("_ZnwmRKSt9nothrow_t", "_ZnamRKSt9nothrow_t", true)
             .Default(false);
}

std::string symbol_name(const llvm::GlobalValue& value) {
  std::string name = llvm::demangle(value.getName().str());
  if (value.hasLocalLinkage()) name += " in " + value.getParent()->getSourceFileName();
  return name;
}

std::optional<ElementName> ElementNamer::of_type_tag(const llvm::Instruction& access) const {
  const MDNode* tag = access.getMetadata(llvm::LLVMContext::MD_tbaa);
  if (tag == nullptr || tag->getNumOperands() < 3) return std::nullopt;
  const auto* type = llvm::dyn_cast<MDNode>(tag->getOperand(0));
  std::uint64_t offset = number_of(tag->getOperand(2));
  const MDNode* innermost = nullptr;
  std::uint64_t inside = 0;
  while (type != nullptr && is_class(*type)) {
    if (!tag_name(*type).empty()) {
      innermost = type;
      inside = offset;
    }
    const MDNode* member = nullptr;
    std::uint64_t member_offset = 0;
    for (unsigned i = 1; i + 1 < type->getNumOperands(); i += 2) {
      const std::uint64_t at = number_of(type->getOperand(i + 1));
      if (at > offset) break;
      member = llvm::dyn_cast<MDNode>(type->getOperand(i));
      member_offset = at;
    }
    offset -= member_offset;
    type = member;
  }
  if (innermost == nullptr) return std::nullopt;
  return ElementName{tag_class_name(tag_name(*innermost)) + "+" + std::to_string(inside),
                     ElementKind::kField};
}

bool ElementNamer::is_private(const llvm::Value* object) {
  if (const auto* global = llvm::dyn_cast<llvm::GlobalVariable>(object)) {
    if (global->isConstant()) return true;
    if (!global->isThreadLocal() || !global->hasLocalLinkage()) return false;
    // Its address comes from an intrinsic; what that is used for.
    return llvm::all_of(global->users(), [](const llvm::User* user) {
      return llvm::isa<llvm::LoadInst>(user) ||
             (llvm::isa<llvm::IntrinsicInst>(user) && !llvm::PointerMayBeCaptured(user, true, true));
    });
  }
  const auto* argument = llvm::dyn_cast<llvm::Argument>(object);
  const auto* call = llvm::dyn_cast<llvm::CallBase>(object);
  const bool is_own = llvm::isa<llvm::AllocaInst>(object) ||
                      (argument != nullptr && argument->hasPassPointeeByValueCopyAttr()) ||
                      (call != nullptr && is_allocation(*call));
  return is_own && !escapes_.may_escape(object, call != nullptr);
}

std::optional<ElementNamer::Path> ElementNamer::path_of_argument(const llvm::Argument& argument) {
  const llvm::Function& function = *argument.getParent();
  const unsigned first = function.hasStructRetAttr() ? 1 : 0;
  llvm::ItaniumPartialDemangler demangler;
  const std::string mangled = function.getName().str();
  if (argument.getArgNo() == first && !demangler.partialDemangle(mangled.c_str()) && demangler.isFunction()) {
    // A class, if there is a layout of that name: namespaces have none.
    char* text = demangler.getFunctionDeclContextName(nullptr, nullptr);
    const std::string context = text != nullptr ? text : "";
    std::free(text);  // NOLINT(cppcoreguidelines-no-malloc): the demangler's
    for (const char* prefix : {"class.", "struct."}) {
      llvm::StructType* type =
          llvm::StructType::getTypeByName(module_.getContext(), std::string(prefix) + context);
      if (!context.empty() && type != nullptr)
        return Path{context, true, type, 0, false, ElementKind::kField};
    }
    if (llvm::StringRef(context).ends_with(">"))
      return Path{context, true, nullptr, 0, false, ElementKind::kField};
  }
  return Path{symbol_name(function) + " argument " + std::to_string(argument.getArgNo() + 1),
              false,
              nullptr,
              0,
              false,
              ElementKind::kAllocation};
}

// A local variable that escapes, or memory that is allocated here. Where its address is stored is what other
// code knows it by.
ElementNamer::Path ElementNamer::path_of_block(llvm::Instruction& block, bool is_local, unsigned depth) {
  for (llvm::User* user : block.users()) {
    auto* store = llvm::dyn_cast<llvm::StoreInst>(user);
    if (store == nullptr || store->getValueOperand() != &block) continue;
    if (const auto holder = of_type_tag(*store))
      return {"*" + holder->canonical, false, nullptr, 0, false, ElementKind::kAllocation};
    if (depth == 0 || is_private(llvm::getUnderlyingObject(store->getPointerOperand()))) continue;
    if (const auto holder = path_of(store->getPointerOperand(), depth - 1)) {
      if (const auto name = name_of(*holder))
        return {"*" + name->canonical, false, nullptr, 0, false, ElementKind::kAllocation};
    }
  }
  unsigned ordinal = 0;
  for (llvm::Instruction& other : llvm::instructions(*block.getFunction())) {
    const auto* call = llvm::dyn_cast<llvm::CallBase>(&other);
    if (is_local ? llvm::isa<llvm::AllocaInst>(other) : call != nullptr && is_allocation(*call)) ++ordinal;
    if (&other == &block) break;
  }
  llvm::Type* type = is_local ? llvm::cast<llvm::AllocaInst>(block).getAllocatedType() : nullptr;
  return {symbol_name(*block.getFunction()) + (is_local ? " local " : "#") + std::to_string(ordinal),
          false,
          type,
          0,
          false,
          ElementKind::kAllocation};
}

std::optional<ElementNamer::Path> ElementNamer::path_of(llvm::Value* pointer, unsigned depth) {
  std::int64_t offset = 0;
  bool indexed = false;
  for (unsigned steps = 0; steps < 32; ++steps) {
    if (auto* gep = llvm::dyn_cast<llvm::GEPOperator>(pointer)) {
      llvm::APInt constant(layout_.getIndexTypeSizeInBits(gep->getType()), 0);
      llvm::MapVector<llvm::Value*, llvm::APInt> variable;
      if (!gep->collectOffset(layout_, constant.getBitWidth(), variable, constant)) return std::nullopt;
      offset += constant.getSExtValue();
      indexed = indexed || !variable.empty();
      pointer = gep->getPointerOperand();
    } else if (auto* phi = llvm::dyn_cast<llvm::PHINode>(pointer);
               phi != nullptr && phi->getNumIncomingValues() > 0) {
      // A pointer that walks: where it started. The first in the order of blocks is the same in every build.
      pointer = phi->getIncomingValue(0);
      indexed = true;
    } else if (auto* select = llvm::dyn_cast<llvm::SelectInst>(pointer)) {
      pointer = select->getTrueValue();
    } else if (auto* intrinsic = llvm::dyn_cast<llvm::IntrinsicInst>(pointer);
               intrinsic != nullptr && intrinsic->arg_size() > 0 &&
               (intrinsic->getIntrinsicID() == llvm::Intrinsic::threadlocal_address ||
                intrinsic->getIntrinsicID() == llvm::Intrinsic::launder_invariant_group ||
                intrinsic->getIntrinsicID() == llvm::Intrinsic::strip_invariant_group)) {
      pointer = intrinsic->getArgOperand(0);
    } else {
      break;
    }
  }
  std::optional<Path> path;
  if (auto* global = llvm::dyn_cast<llvm::GlobalVariable>(pointer)) {
    path = Path{symbol_name(*global), false, global->getValueType(), 0, false, ElementKind::kGlobal};
  } else if (auto* alloca = llvm::dyn_cast<llvm::AllocaInst>(pointer)) {
    path = path_of_block(*alloca, true, depth);
  } else if (auto* argument = llvm::dyn_cast<llvm::Argument>(pointer)) {
    path = path_of_argument(*argument);
  } else if (auto* load = llvm::dyn_cast<llvm::LoadInst>(pointer)) {
    if (depth == 0) return std::nullopt;
    auto holder = of_type_tag(*load);
    if (!holder) {
      const auto from = path_of(load->getPointerOperand(), depth - 1);
      if (from) holder = name_of(*from);
    }
    if (!holder) return std::nullopt;
    path = Path{"*" + holder->canonical, false, nullptr, 0, false, ElementKind::kAllocation};
  } else if (auto* call = llvm::dyn_cast<llvm::CallBase>(pointer)) {
    if (is_allocation(*call)) {
      path = path_of_block(*call, false, depth);
    } else if (const llvm::Function* callee = call->getCalledFunction()) {
      path = Path{"*" + symbol_name(*callee), false, nullptr, 0, false, ElementKind::kAllocation};
    }
  }
  if (!path) return std::nullopt;
  path->offset += offset;
  path->indexed = path->indexed || indexed;
  return path;
}

std::optional<ElementName> ElementNamer::name_of(Path path, bool own) const {
  std::string inner;
  llvm::Type* type = path.type;
  if (type != nullptr) descend(type, path.offset, inner, layout_, own);
  if (!inner.empty()) return ElementName{inner + "+" + std::to_string(path.offset), ElementKind::kField};
  if (path.base.empty()) return std::nullopt;
  // All elements of an array are one; so is all of a block that is walked through.
  if (path.is_type) return ElementName{path.base + "+" + std::to_string(path.offset), ElementKind::kField};
  const bool whole = path.indexed || path.offset == 0 || path.kind != ElementKind::kGlobal ||
                     (path.type != nullptr && path.type->isArrayTy());
  return ElementName{whole ? path.base : path.base + "+" + std::to_string(path.offset), path.kind};
}

std::optional<ElementName> ElementNamer::of_access(llvm::Instruction& access, llvm::Value* pointer) {
  if (access.hasMetadata(llvm::LLVMContext::MD_nosanitize) ||
      access.hasMetadata(llvm::LLVMContext::MD_invariant_load))
    return std::nullopt;
  const llvm::Value* object = llvm::getUnderlyingObject(pointer);
  if (const auto* intrinsic = llvm::dyn_cast<llvm::IntrinsicInst>(object);
      intrinsic != nullptr && intrinsic->getIntrinsicID() == llvm::Intrinsic::threadlocal_address)
    object = intrinsic->getArgOperand(0);
  if (is_private(object)) return std::nullopt;
  // A vtable pointer is written before others can have the object.
  if (const MDNode* tag = access.getMetadata(llvm::LLVMContext::MD_tbaa);
      tag != nullptr && tag->isTBAAVtableAccess())
    return std::nullopt;
  if (auto name = of_type_tag(access)) return name;
  if (const auto path = path_of(pointer, kDeepestPath)) {
    if (auto name = name_of(*path)) return name;
  }
  // Nothing is known of where the pointer comes from: one element for all such accesses of the function.
  return ElementName{symbol_name(*access.getFunction()) + " through pointers", ElementKind::kAllocation};
}

std::optional<ElementName> ElementNamer::of_pointer(llvm::Value* pointer, bool is_sync) {
  if (!pointer->getType()->isPointerTy() || llvm::isa<llvm::Function>(pointer->stripPointerCasts()))
    return std::nullopt;
  const llvm::Value* object = llvm::getUnderlyingObject(pointer);
  if (is_private(object) || llvm::isa<llvm::ConstantPointerNull>(object)) return std::nullopt;
  const auto path = path_of(pointer, kDeepestPath);
  return path ? name_of(*path, is_sync) : std::nullopt;
}

}  // namespace heddle::plugin
