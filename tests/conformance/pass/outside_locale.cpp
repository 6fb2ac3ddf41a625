// executions: 100
// Locales are counted inside the C++ library; a facet of the program's own is read by threads and
// destroyed once.
#include <cassert>
#include <locale>
#include <sstream>
#include <string>
#include <thread>

struct Comma : std::numpunct<char> {
  char separator = '\'';
  ~Comma() override { separator = '?'; }
  char do_thousands_sep() const override { return separator; }
  std::string do_grouping() const override { return "\3"; }
};

int main() {
  std::locale locale(std::locale::classic(), new Comma);
  const auto print = [](std::locale mine) {
    std::ostringstream out;
    out.imbue(mine);
    out << 1234567;
    assert(out.str() == "1'234'567");
  };
  std::thread one(print, locale);
  std::thread two(print, locale);
  locale = std::locale::classic();
  one.join();
  two.join();
}
