// The conversions of scanf.
#include <initializer_list>

#include "runtime/abi/libc/format_accesses.h"
#include "runtime/abi/libc/format_reader.h"

namespace heddle::abi {
namespace {

// One conversion of scanf.
struct Scan {
  std::int64_t position = 0;
  std::int64_t width = 0;  // 0: none
  Length length = Length::kNone;
  bool is_suppressed = false;
  bool allocates = false;
  char conversion = 0;
};

// What follows a '%'. False: not understood.
template <typename Char>
bool read_scan(Reader<Char>& in, ScanDialect dialect, Scan& s) {
  s.position = in.position();
  for (bool is_flag = true; is_flag;) {
    is_flag = false;
    if (in.skip(Char{'*'})) is_flag = s.is_suppressed = true;
    for (const char flag : {'\'', 'I'}) is_flag = is_flag || in.skip(Char(flag));
  }
  s.width = in.number();
  if (in.skip(Char{'m'})) {
    s.allocates = true;
  } else if (dialect == ScanDialect::kGnu && in.peek() == Char{'a'} &&
             (in.peek_next() == Char{'s'} || in.peek_next() == Char{'S'} || in.peek_next() == Char{'['})) {
    in.next();
    s.allocates = true;
  }
  s.length = in.length();
  const Char c = in.next();
  if (c <= 0 || c > 127) return false;
  s.conversion = static_cast<char>(c);
  if (s.conversion == 'S' || s.conversion == 'C') {
    s.conversion = static_cast<char>(s.conversion - 'A' + 'a');
    s.length = Length::kLong;
  }
  if (s.conversion != '[') return true;
  // The set: a ']' that comes first, also after '^', is one of its characters.
  in.skip(Char{'^'});
  in.skip(Char{']'});
  while (!in.at_end() && in.peek() != Char{']'}) in.next();
  return in.skip(Char{']'});
}

bool is_integer(char c) { return c == 'd' || c == 'i' || c == 'o' || c == 'u' || c == 'x' || c == 'X'; }
bool is_floating(char c) {
  return c == 'e' || c == 'E' || c == 'f' || c == 'F' || c == 'g' || c == 'G' || c == 'a' || c == 'A';
}
bool is_text(char c) { return c == 's' || c == '[' || c == 'c'; }

void add_text(const Scan& s, const void* text, FormatAccesses& found) {
  if (text == nullptr) return;
  const auto width = static_cast<std::size_t>(s.width != 0 ? s.width : 1);
  const bool wide = is_wide(s.length);
  if (s.conversion == 'c') return found.add(text, width * (wide ? sizeof(wchar_t) : 1), true);
  found.add(
      text,
      wide ? bytes_of_text(static_cast<const wchar_t*>(text)) : bytes_of_text(static_cast<const char*>(text)),
      true);
}

void add_scanned(const Scan& s, void* target, FormatAccesses& found) {
  if (target == nullptr) return;
  if (is_integer(s.conversion) || s.conversion == 'n') {
    found.add(target, size_of_integer(s.length), true);
  } else if (s.conversion == 'p') {
    found.add(target, sizeof(void*), true);
  } else if (is_floating(s.conversion)) {
    const std::size_t size = s.length == Length::kLongDouble || s.length == Length::kLongLong
                                 ? sizeof(long double)
                             : s.length == Length::kLong ? sizeof(double)
                                                         : sizeof(float);
    found.add(target, size, true);
  } else if (s.allocates) {
    found.add(target, sizeof(void*), true);
    add_text(s, *static_cast<void**>(target), found);
  } else {
    add_text(s, target, found);
  }
}

bool is_space(std::int64_t c) { return c == ' ' || (c >= '\t' && c <= '\r'); }

template <typename Char>
void find_scanf(const Char* format, va_list list, int assigned, ScanDialect dialect, FormatAccesses& found) {
  void* by_position[kMostPositions] = {};
  std::int64_t known = 0;
  Arguments arguments(list);
  Reader<Char> in(format);
  int left = assigned < 0 ? 0 : assigned;
  bool is_certain = assigned >= 0;  // the input has matched up to here
  while (!in.at_end()) {
    const Char c = in.next();
    if (c != Char{'%'}) {
      if (!is_space(c)) is_certain = left > 0;
      continue;
    }
    Scan s;
    if (!read_scan(in, dialect, s)) return;
    if (s.conversion == '%') {
      is_certain = left > 0;
      continue;
    }
    if (!is_integer(s.conversion) && !is_floating(s.conversion) && !is_text(s.conversion) &&
        s.conversion != 'p' && s.conversion != 'n')
      return;
    if (s.is_suppressed) {
      if (s.conversion != 'n') is_certain = left > 0;
      continue;
    }
    void* target = nullptr;
    if (s.position == 0) {
      target = const_cast<void*>(arguments.take(Type::kPointer).pointer);
    } else {
      if (s.position > kMostPositions) return;
      for (; known < s.position; ++known)
        by_position[known] = const_cast<void*>(arguments.take(Type::kPointer).pointer);
      target = by_position[s.position - 1];
    }
    // %n does not count among what was assigned. Where something may have failed to match before it, it may
    // not have been reached.
    if (s.conversion == 'n') {
      if (is_certain) add_scanned(s, target, found);
      continue;
    }
    if (left == 0) return;
    --left;
    is_certain = true;
    add_scanned(s, target, found);
  }
}

}  // namespace

void find_scanf_accesses(const char* format, va_list arguments, int assigned, ScanDialect dialect,
                         FormatAccesses& found) {
  find_scanf(format, arguments, assigned, dialect, found);
}
void find_scanf_accesses(const wchar_t* format, va_list arguments, int assigned, ScanDialect dialect,
                         FormatAccesses& found) {
  find_scanf(format, arguments, assigned, dialect, found);
}

}  // namespace heddle::abi
