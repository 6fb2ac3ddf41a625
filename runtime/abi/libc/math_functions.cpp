// Mathematical functions that answer by address as well, and random numbers whose state is the program's.
//
// libm may be loaded after the runtime and out of its sight (a plugin's): it is then asked by its name.
#include <math.h>
#include <stdlib.h>

#include "runtime/abi/interposed_call.h"

namespace heddle::abi {
namespace {

void* find_in_libm(const char* name) {
  engine::RuntimeScope scope;
  if (void* const symbol = dlsym(RTLD_NEXT, name)) return symbol;
  void* const library = dlopen("libm.so.6", RTLD_LAZY | RTLD_NOLOAD);
  void* const symbol = library != nullptr ? dlsym(library, name) : nullptr;
  HEDDLE_CHECK(symbol != nullptr);
  return symbol;
}

}  // namespace
}  // namespace heddle::abi

#define HEDDLE_LIBM(name)                                                                                \
  ([]() {                                                                                                \
    auto& found = ::heddle::abi::libc_function<&heddle_interposed_##name>;                               \
    if (__builtin_expect(found == nullptr, 0))                                                           \
      found = reinterpret_cast<decltype(&heddle_interposed_##name)>(::heddle::abi::find_in_libm(#name)); \
    return found;                                                                                        \
  }())
#define HEDDLE_COMPUTES(type, name, parameters, arguments, after) \
  HEDDLE_INTERPOSE(type, name, HEDDLE_LIST parameters) {          \
    const auto libc = HEDDLE_LIBM(name);                          \
    const auto call = HEDDLE_PROGRAM_CALL(name);                  \
    const type result = libc arguments;                           \
    if (call) after;                                              \
    return result;                                                \
  }
HEDDLE_COMPUTES(double, frexp, (double x, int* exponent), (x, exponent), call.writes_object(exponent))
HEDDLE_COMPUTES(float, frexpf, (float x, int* exponent), (x, exponent), call.writes_object(exponent))
HEDDLE_COMPUTES(long double, frexpl, (long double x, int* exponent), (x, exponent),
                call.writes_object(exponent))
HEDDLE_COMPUTES(double, modf, (double x, double* whole), (x, whole), call.writes_object(whole))
HEDDLE_COMPUTES(float, modff, (float x, float* whole), (x, whole), call.writes_object(whole))
HEDDLE_COMPUTES(long double, modfl, (long double x, long double* whole), (x, whole),
                call.writes_object(whole))
HEDDLE_COMPUTES(double, remquo, (double x, double y, int* quotient), (x, y, quotient),
                call.writes_object(quotient))
HEDDLE_COMPUTES(float, remquof, (float x, float y, int* quotient), (x, y, quotient),
                call.writes_object(quotient))
HEDDLE_COMPUTES(long double, remquol, (long double x, long double y, int* quotient), (x, y, quotient),
                call.writes_object(quotient))
HEDDLE_COMPUTES(double, lgamma_r, (double x, int* sign), (x, sign), call.writes_object(sign))
HEDDLE_COMPUTES(float, lgammaf_r, (float x, int* sign), (x, sign), call.writes_object(sign))
HEDDLE_COMPUTES(long double, lgammal_r, (long double x, int* sign), (x, sign), call.writes_object(sign))
#define HEDDLE_COMPUTES_TWO(type, name)                            \
  HEDDLE_INTERPOSE(void, name, type x, type* sine, type* cosine) { \
    const auto libc = HEDDLE_LIBM(name);                           \
    const auto call = HEDDLE_PROGRAM_CALL(name);                   \
    libc(x, sine, cosine);                                         \
    call.writes_object(sine);                                      \
    call.writes_object(cosine);                                    \
  }
HEDDLE_COMPUTES_TWO(double, sincos)
HEDDLE_COMPUTES_TWO(float, sincosf)
HEDDLE_COMPUTES_TWO(long double, sincosl)

// --- random numbers

HEDDLE_SEEN(int, rand_r, (unsigned* seed), (seed), call.reads_object(seed), call.writes_object(seed))
HEDDLE_SEEN(int, random_r, (random_data * state, std::int32_t* to), (state, to), HEDDLE_NOTHING,
            call.writes_object(state);
            call.writes_object(to))
HEDDLE_SEEN(int, srandom_r, (unsigned seed, random_data* state), (seed, state), HEDDLE_NOTHING,
            call.writes_object(state))
HEDDLE_SEEN(int, drand48_r, (drand48_data * state, double* to), (state, to), HEDDLE_NOTHING,
            call.writes_object(state);
            call.writes_object(to))
HEDDLE_SEEN(int, srand48_r, (long seed, drand48_data* state), (seed, state), HEDDLE_NOTHING,
            call.writes_object(state))
#define HEDDLE_DRAWS(name)                                                              \
  HEDDLE_SEEN(int, name, (drand48_data * state, long* to), (state, to), HEDDLE_NOTHING, \
              call.writes_object(state);                                                \
              call.writes_object(to))
HEDDLE_DRAWS(lrand48_r)
HEDDLE_DRAWS(mrand48_r)
