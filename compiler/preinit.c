// libtsan_preinit.o as gcc's driver links it into every program built with -fsanitize=thread.
// ThreadSanitizer's own starts its runtime from .preinit_array; ours is a shared library that starts itself,
// so nothing is needed.
typedef int heddle_preinit_is_empty;
