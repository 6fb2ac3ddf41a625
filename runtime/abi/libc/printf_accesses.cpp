// The conversions of printf.
#include <limits.h>
#include <wchar.h>

#include <initializer_list>

#include "core/base/text_scan.h"
#include "runtime/abi/libc/format_accesses.h"
#include "runtime/abi/libc/format_reader.h"

namespace heddle::abi {
namespace {

// One conversion of printf.
struct Directive {
  static constexpr std::int64_t kAbsent = -1;
  static constexpr std::int64_t kArgument = -2;
  std::int64_t precision = kAbsent;
  std::int64_t width_position = 0;  // 0: none; kArgument: the next one
  std::int64_t precision_position = 0;
  std::int64_t position = 0;
  Length length = Length::kNone;
  char conversion = 0;
};

// What follows a '%'. False: not understood.
template <typename Char>
bool read_directive(Reader<Char>& in, Directive& d) {
  d.position = in.position();
  for (bool is_flag = true; is_flag;) {
    is_flag = false;
    for (const char flag : {'-', '+', ' ', '#', '0', '\'', 'I'}) is_flag = is_flag || in.skip(Char(flag));
  }
  if (in.skip(Char{'*'})) {
    const std::int64_t position = in.position();
    d.width_position = position != 0 ? position : Directive::kArgument;
  } else {
    in.number();
  }
  if (in.skip(Char{'.'})) {
    if (in.skip(Char{'*'})) {
      const std::int64_t position = in.position();
      d.precision_position = position != 0 ? position : Directive::kArgument;
    } else {
      d.precision = in.skip(Char{'-'}) ? (in.number(), Directive::kAbsent) : in.number();
    }
  }
  d.length = in.length();
  const Char c = in.next();
  if (c <= 0 || c > 127) return false;
  d.conversion = static_cast<char>(c);
  if (d.conversion == 'S' || d.conversion == 'C') {
    d.conversion = static_cast<char>(d.conversion - 'A' + 'a');
    d.length = Length::kLong;
  }
  return true;
}

// The argument that a conversion takes; `takes` false: none.
bool type_of(const Directive& d, Type& type, bool& takes) {
  takes = true;
  switch (d.conversion) {
    case '%':
    case 'm':
      takes = false;
      return true;
    case 'd':
    case 'i':
    case 'o':
    case 'u':
    case 'x':
    case 'X':
    case 'b':
    case 'B':
      type = size_of_integer(d.length) == sizeof(long) ? Type::kLong : Type::kInt;
      return true;
    case 'c':
      type = Type::kInt;
      return true;
    case 'e':
    case 'E':
    case 'f':
    case 'F':
    case 'g':
    case 'G':
    case 'a':
    case 'A':
      type = d.length == Length::kLongDouble || d.length == Length::kLongLong ? Type::kLongDouble
                                                                              : Type::kDouble;
      return true;
    case 's':
    case 'p':
    case 'n':
      type = Type::kPointer;
      return true;
    default:
      return false;
  }
}

// How much of a wide string a conversion to at most `most` bytes looks at.
std::size_t bytes_of_converted(const wchar_t* text, std::size_t most) {
  mbstate_t state{};
  std::size_t made = 0;
  std::size_t count = 0;
  char room[16];
  while (made < most) {
    const std::size_t more = wcrtomb(room, text[count++], &state);
    if (text[count - 1] == 0 || more == static_cast<std::size_t>(-1)) break;
    made += more;
  }
  return count * sizeof(wchar_t);
}

// How much of a multibyte string a conversion to at most `most` wide characters looks at.
std::size_t bytes_of_converted(const char* text, std::size_t most) {
  mbstate_t state{};
  std::size_t count = 0;
  for (std::size_t made = 0; made < most; ++made) {
    const std::size_t more = mbrlen(text + count, MB_LEN_MAX, &state);
    if (more == 0) return count + 1;
    if (more > MB_LEN_MAX) return count;
    count += more;
  }
  return count;
}

template <typename Char>
void add_access(const Directive& d, std::int64_t precision, const void* pointer, FormatAccesses& found) {
  if (pointer == nullptr) return;  // "(null)"
  if (d.conversion == 'n') return found.add(pointer, size_of_integer(d.length), true);
  if (d.conversion != 's') return;
  const std::size_t most = precision < 0 ? ~std::size_t{0} : static_cast<std::size_t>(precision);
  constexpr bool kWideOutput = sizeof(Char) == sizeof(wchar_t);
  std::size_t bytes = 0;
  if (is_wide(d.length)) {
    const auto* text = static_cast<const wchar_t*>(pointer);
    bytes = kWideOutput || precision < 0 ? bytes_of_text(text, most) : bytes_of_converted(text, most);
  } else {
    const auto* text = static_cast<const char*>(pointer);
    bytes = !kWideOutput || precision < 0 ? bytes_of_text(text, most) : bytes_of_converted(text, most);
  }
  found.add(pointer, bytes, false);
}

// Calls visit(directive) for each conversion until one is not understood.
template <typename Char, typename Visit>
void for_each_directive(const Char* format, Visit visit) {
  Reader<Char> in(format);
  while (!in.at_end()) {
    if (in.next() != Char{'%'}) continue;
    Directive d;
    Type type = Type::kUnused;
    bool takes = false;
    if (!read_directive(in, d) || !type_of(d, type, takes) || !visit(d, type, takes)) return;
  }
}

// With positions the types of all arguments have to be known before the first can be had.
template <typename Char>
void find_positional(const Char* format, va_list list, FormatAccesses& found) {
  Type types[kMostPositions] = {};
  std::int64_t last = 0;
  bool is_known = true;
  const auto note = [&](std::int64_t position, Type type) {
    if (position <= 0) return;
    if (position > kMostPositions) {
      is_known = false;
      return;
    }
    types[position - 1] = type;
    last = position > last ? position : last;
  };
  for_each_directive(format, [&](const Directive& d, Type type, bool takes) {
    note(d.width_position, Type::kInt);
    note(d.precision_position, Type::kInt);
    if (takes) note(d.position, type);
    return is_known;
  });
  if (!is_known) return;
  Value values[kMostPositions] = {};
  Arguments arguments(list);
  for (std::int64_t i = 0; i < last; ++i) values[i] = arguments.take(types[i]);
  for_each_directive(format, [&](const Directive& d, Type type, bool takes) {
    if (!takes || type != Type::kPointer) return true;
    if (d.position <= 0) return false;  // both ways in one format: undefined
    const std::int64_t precision =
        d.precision_position > 0 ? values[d.precision_position - 1].integer : d.precision;
    add_access<Char>(d, precision, values[d.position - 1].pointer, found);
    return true;
  });
}

template <typename Char>
void find_in_order(const Char* format, va_list list, FormatAccesses& found) {
  Arguments arguments(list);
  for_each_directive(format, [&](const Directive& d, Type type, bool takes) {
    if (d.width_position > 0 || d.precision_position > 0) return false;
    if (d.width_position != 0) arguments.take(Type::kInt);
    const std::int64_t precision =
        d.precision_position != 0 ? arguments.take(Type::kInt).integer : d.precision;
    if (!takes) return true;
    const Value value = arguments.take(type);
    if (type == Type::kPointer) add_access<Char>(d, precision, value.pointer, found);
    return true;
  });
}

template <typename Char>
void find_printf(const Char* format, va_list list, FormatAccesses& found) {
  bool is_positional = false;
  for_each_directive(format, [&](const Directive& d, Type, bool takes) {
    is_positional = d.position != 0;
    return !takes;  // the first that takes an argument tells
  });
  is_positional ? find_positional(format, list, found) : find_in_order(format, list, found);
}

}  // namespace

void find_printf_accesses(const char* format, va_list arguments, FormatAccesses& found) {
  find_printf(format, arguments, found);
}
void find_printf_accesses(const wchar_t* format, va_list arguments, FormatAccesses& found) {
  find_printf(format, arguments, found);
}

namespace {
template <typename Char>
std::size_t bytes_of(const Char* text, std::size_t most) {
  const std::size_t length = length_within(text, most);
  return (length < most ? length + 1 : most) * sizeof(Char);
}
}  // namespace

std::size_t bytes_of_text(const char* text, std::size_t most) { return bytes_of(text, most); }
std::size_t bytes_of_text(const wchar_t* text, std::size_t most) { return bytes_of(text, most); }

}  // namespace heddle::abi
