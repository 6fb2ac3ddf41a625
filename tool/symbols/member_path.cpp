#include <dwarf.h>
#include <fmt/format.h>

#include <cctype>
#include <cstring>
#include <string_view>

#include "tool/symbols/module_debug.h"

namespace heddle {
namespace {

// Names that the language reserves are the library's own business: what is inside std::mutex, std::atomic or
// pthread_mutex_t helps nobody.
bool is_reserved(const char* name) {
  return name[0] == '_' && (name[1] == '_' || std::isupper(static_cast<unsigned char>(name[1])));
}

std::uint64_t size_of(Dwarf_Die& type) {
  Dwarf_Word size = 0;
  return dwarf_aggregate_size(&type, &size) == 0 ? size : 0;
}

std::string remainder(std::uint64_t offset) { return offset == 0 ? "" : fmt::format("+{}", offset); }

// A member, base class or anonymous part that covers the offset.
struct Part {
  Dwarf_Die die;
  Dwarf_Die type;
  std::uint64_t begin = 0;
};

// Members whose class is only declared in this debug information (std::condition_variable, with clang) have
// no size: such a one reaches as far as the next member.
bool find_part(Dwarf_Die& aggregate, std::uint64_t offset, std::uint32_t access_size, Part& found) {
  bool any = false;
  Part latest{{}, {}, 0};
  bool any_before = false;
  Dwarf_Die die;
  if (dwarf_child(&aggregate, &die) != 0) return false;
  do {
    const int tag = dwarf_tag(&die);
    if (tag != DW_TAG_member && tag != DW_TAG_inheritance) continue;
    Dwarf_Attribute attribute;
    Dwarf_Word begin = 0;
    if (dwarf_attr(&die, DW_AT_data_member_location, &attribute) != nullptr) {
      if (dwarf_formudata(&attribute, &begin) != 0) continue;  // a virtual base
    } else if (dwarf_hasattr(&die, DW_AT_external) || dwarf_hasattr(&die, DW_AT_declaration)) {
      continue;  // static
    }
    Part part{die, {}, begin};
    if (offset < begin) continue;
    const bool has_size = plain_type_of(die, part.type);
    if (part.type.addr == nullptr) continue;
    if (!any_before || begin >= latest.begin) {
      latest = part;
      any_before = true;
    }
    if (!has_size || offset - begin >= size_of(part.type)) continue;
    // Of a union's members the one with the access's size; else the first.
    if (!any ||
        (access_size != 0 && size_of(part.type) == access_size && size_of(found.type) != access_size)) {
      found = part;
      any = true;
    }
  } while (dwarf_siblingof(&die, &die) == 0);
  if (any || !any_before || !dwarf_hasattr(&latest.type, DW_AT_declaration)) return any;
  found = latest;
  return true;
}

std::string path_in(Dwarf_Die type, std::uint64_t offset, std::uint32_t access_size, int depth,
                    Dwarf_Die* member);

std::string path_in_array(Dwarf_Die& array, std::uint64_t offset, std::uint32_t access_size, int depth,
                          Dwarf_Die* member) {
  Dwarf_Die element, dimension;
  if (!plain_type_of(array, element) || dwarf_child(&array, &dimension) != 0) return remainder(offset);
  const std::uint64_t element_size = size_of(element);
  if (element_size == 0) return remainder(offset);
  std::vector<std::uint64_t> counts;
  do {
    if (dwarf_tag(&dimension) != DW_TAG_subrange_type) continue;
    Dwarf_Attribute attribute;
    Dwarf_Word n = 0;
    if (dwarf_attr(&dimension, DW_AT_count, &attribute) != nullptr && dwarf_formudata(&attribute, &n) == 0) {
      counts.push_back(n);
    } else if (dwarf_attr(&dimension, DW_AT_upper_bound, &attribute) != nullptr &&
               dwarf_formudata(&attribute, &n) == 0) {
      counts.push_back(n + 1);
    } else {
      counts.push_back(0);
    }
  } while (dwarf_siblingof(&dimension, &dimension) == 0);
  std::uint64_t index = offset / element_size;
  std::string path;
  for (std::size_t d = counts.size(); d-- > 1;) {
    if (counts[d] == 0) return remainder(offset);
    path.insert(0, fmt::format("[{}]", index % counts[d]));
    index /= counts[d];
  }
  path.insert(0, fmt::format("[{}]", index));
  return path + path_in(element, offset % element_size, access_size, depth + 1, member);
}

std::string path_in(Dwarf_Die type, std::uint64_t offset, std::uint32_t access_size, int depth,
                    Dwarf_Die* member) {
  if (depth > 16) return remainder(offset);
  const int tag = dwarf_tag(&type);
  if (tag == DW_TAG_array_type) return path_in_array(type, offset, access_size, depth, member);
  if (tag != DW_TAG_structure_type && tag != DW_TAG_class_type && tag != DW_TAG_union_type)
    return remainder(offset);
  // An access to all of an object, such as a mutex, is to the object and not to its first member.
  if (offset == 0 && access_size != 0 && access_size == size_of(type)) {
    Part only;
    if (!find_part(type, 0, access_size, only) || size_of(only.type) != access_size) return {};
  }
  Part part;
  if (!find_part(type, offset, access_size, part)) return remainder(offset);
  const char* name = dwarf_tag(&part.die) == DW_TAG_member ? dwarf_diename(&part.die) : nullptr;
  if (name == nullptr || name[0] == '\0')
    return path_in(part.type, offset - part.begin, access_size, depth + 1, member);
  if (is_reserved(name)) {
    // std::array's elements are worth their index.
    if (dwarf_tag(&part.type) == DW_TAG_array_type && std::strcmp(name, "_M_elems") == 0) {
      return path_in(part.type, offset - part.begin, access_size, depth + 1, member);
    }
    return remainder(offset);
  }
  if (member != nullptr) *member = part.die;
  return fmt::format(".{}", name) + path_in(part.type, offset - part.begin, access_size, depth + 1, member);
}

}  // namespace

bool plain_type_of(Dwarf_Die& die, Dwarf_Die& type) {
  Dwarf_Attribute attribute;
  if (dwarf_attr_integrate(&die, DW_AT_type, &attribute) == nullptr ||
      dwarf_formref_die(&attribute, &type) == nullptr) {
    return false;
  }
  Dwarf_Die peeled;
  if (dwarf_peel_type(&type, &peeled) != 0) return false;
  type = peeled;
  // A declaration here may be complete elsewhere; nothing is known about its inside.
  return !dwarf_hasattr(&type, DW_AT_declaration);
}

std::string member_path(Dwarf_Die type, std::uint64_t offset, std::uint32_t access_size, Dwarf_Die* member) {
  return path_in(type, offset, access_size, 0, member);
}

}  // namespace heddle
