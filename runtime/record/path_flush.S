// void __heddle_path_flush(): writes what whole bytes the running thread's pending bits have to its log. Compiled code calls it
// from the middle of loops, by LLVM's convention preserve_all: it changes no register but r11.
// Offsets are those of core/record/path_state.h.
  .text
  .globl __heddle_path_flush
  .type __heddle_path_flush, @function
__heddle_path_flush:
  .cfi_startproc
  pushq %rax
  .cfi_adjust_cfa_offset 8
  pushq %rcx
  .cfi_adjust_cfa_offset 8
  pushq %rdx
  .cfi_adjust_cfa_offset 8
  pushq %rsi
  .cfi_adjust_cfa_offset 8
  movq __heddle_path@GOTTPOFF(%rip), %r11
  movq %fs:(%r11), %r11
  movq (%r11), %rax
  movq %rax, %rcx
  notq %rcx
  bsrq %rcx, %rsi             // pending bits
  movl $64, %ecx
  subl %esi, %ecx
  movq %rax, %rdx
  shlq %cl, %rdx
  bswapq %rdx                 // the oldest first
  movl %esi, %ecx
  movq 16(%r11), %rsi
  movq %rdx, (%rsi)
  movl %ecx, %edx
  shrl $3, %edx               // whole bytes
  addq %rdx, %rsi
  movq %rsi, 16(%r11)
  andl $7, %ecx               // bits that stay
  movq $-1, %rdx
  shlq %cl, %rdx
  orq %rdx, %rax
  btrq %rcx, %rax
  movq %rax, (%r11)
  cmpq 24(%r11), %rsi
  ja 2f
1:
  popq %rsi
  .cfi_adjust_cfa_offset -8
  popq %rdx
  .cfi_adjust_cfa_offset -8
  popq %rcx
  .cfi_adjust_cfa_offset -8
  popq %rax
  .cfi_adjust_cfa_offset -8
  ret
  // The chunk is full.
  .cfi_adjust_cfa_offset 32
2:
  pushq %rdi
  pushq %r8
  pushq %r9
  pushq %r10
  pushq %rbp
  .cfi_adjust_cfa_offset 40
  movq %rsp, %rbp
  .cfi_def_cfa_register %rbp
  subq $512, %rsp
  andq $-64, %rsp
  fxsave64 (%rsp)
  movq %r11, %rdi
  call heddle_path_next_chunk
  fxrstor64 (%rsp)
  movq %rbp, %rsp
  .cfi_def_cfa_register %rsp
  popq %rbp
  popq %r10
  popq %r9
  popq %r8
  popq %rdi
  .cfi_adjust_cfa_offset -40
  jmp 1b
  .cfi_endproc
  .size __heddle_path_flush, . - __heddle_path_flush
  .section .note.GNU-stack, "", @progbits
