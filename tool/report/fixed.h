// What `heddle fixed` answers, as text and as JSON.
#pragma once

#include <string>

#include "tool/trace/fixed_answer.h"

namespace heddle::report {

// "heddle: gone: data race queue.cpp:31 in pop()"; one line.
std::string fixed_verdict(const FixedAnswer& answer);
// The verdict, the rates before and now, where it was looked for, and the other bugs.
std::string fixed_text(const FixedAnswer& answer);
std::string fixed_json(const FixedAnswer& answer);

// A bound in per cent with two digits that count, rounded up: 0.0075 %.
std::string bound_text(double bound);
// A rate with two such digits, rounded to the nearest.
std::string rate_text(double rate);

}  // namespace heddle::report
