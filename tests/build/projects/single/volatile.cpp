// What needs more than -fsanitize=thread: volatile told apart, 16-byte atomics, the read of a compound
// assignment.
struct alignas(16) Pair {
  long a, b;
};
volatile int flag;
int counter;
unsigned __int128 wide;
int main() {
  flag = 1;
  counter += 1;
  __sync_val_compare_and_swap(&wide, wide, wide + 1);
  return flag + counter + static_cast<int>(wide) == 3 ? 0 : 1;
}
