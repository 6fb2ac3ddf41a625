void new_epoch();
extern "C" void heddle_bench_new_epoch();
void new_epoch() { heddle_bench_new_epoch(); }
