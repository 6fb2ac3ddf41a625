void new_epoch();
extern "C" void __tsan_release(void* address);
void new_epoch() {
  static char object;
  __tsan_release(&object);
}
