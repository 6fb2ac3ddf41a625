// What compiled code calls from the middle of functions, by LLVM's convention preserve_all: they change no register but r11.
// Offsets are those of core/record/path_state.h.
  .text

// Writes what whole bytes the pending bits of the PathState at r11 have to its log. Changes rax, rcx, rdx and rsi.
  .type heddle_path_write, @function
heddle_path_write:
  .cfi_startproc
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
  ja 1f
  ret
  // The chunk is full.
1:
  pushq %rdi
  .cfi_adjust_cfa_offset 8
  pushq %r8
  .cfi_adjust_cfa_offset 8
  pushq %r9
  .cfi_adjust_cfa_offset 8
  pushq %r10
  .cfi_adjust_cfa_offset 8
  pushq %r11
  .cfi_adjust_cfa_offset 8
  pushq %rbp
  .cfi_adjust_cfa_offset 8
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
  .cfi_adjust_cfa_offset -8
  popq %r11
  .cfi_adjust_cfa_offset -8
  popq %r10
  .cfi_adjust_cfa_offset -8
  popq %r9
  .cfi_adjust_cfa_offset -8
  popq %r8
  .cfi_adjust_cfa_offset -8
  popq %rdi
  .cfi_adjust_cfa_offset -8
  ret
  .cfi_endproc
  .size heddle_path_write, . - heddle_path_write

  .macro save register
  pushq %\register
  .cfi_adjust_cfa_offset 8
  .endm
  .macro restore register
  popq %\register
  .cfi_adjust_cfa_offset -8
  .endm

// void __heddle_path_flush(): writes what whole bytes the running thread's pending bits have.
  .globl __heddle_path_flush
  .type __heddle_path_flush, @function
__heddle_path_flush:
  .cfi_startproc
  save rax
  save rcx
  save rdx
  save rsi
  movq __heddle_path@GOTTPOFF(%rip), %r11
  movq %fs:(%r11), %r11
  call heddle_path_write
  restore rsi
  restore rdx
  restore rcx
  restore rax
  ret
  .cfi_endproc
  .size __heddle_path_flush, . - __heddle_path_flush

// void __heddle_path_rounds(rounds): adds the code of more than kMostUnaryRounds rounds (core/record/path_table.h).
  .globl __heddle_path_rounds
  .type __heddle_path_rounds, @function
__heddle_path_rounds:
  .cfi_startproc
  save rax
  save rcx
  save rdx
  save rsi
  save rdi
  movq __heddle_path@GOTTPOFF(%rip), %r11
  movq %fs:(%r11), %r11
  movq (%r11), %rax
  subq $7, %rdi               // kMostUnaryRounds
  cmpq $0xffff, %rdi
  ja 1f
  cmpq $-1 << 31, %rax
  jg 2f                       // 30 are pending at most, and 29 to come
1:
  call heddle_path_write      // 7 stay at most
  movq (%r11), %rax
2:
  bsrq %rdi, %rdx             // bits below the highest one
  btrq %rdx, %rdi
  shlq $14, %rax
  orq $0xff << 6, %rax
  orq %rdx, %rax
  movl %edx, %ecx
  subl $32, %ecx
  jbe 3f
  shlq %cl, %rax              // those above 32
  movq %rdi, %rsi
  shrq $32, %rsi
  orq %rsi, %rax
  movq %rax, (%r11)
  call heddle_path_write
  movq (%r11), %rax
  movl %edi, %edi
  movl $32, %edx
3:
  movl %edx, %ecx
  shlq %cl, %rax
  orq %rdi, %rax
  movq %rax, (%r11)
  movabsq $-1 << 51, %rcx     // kManyPending
  cmpq %rcx, %rax
  jg 4f
  call heddle_path_write
4:
  restore rdi
  restore rsi
  restore rdx
  restore rcx
  restore rax
  ret
  .cfi_endproc
  .size __heddle_path_rounds, . - __heddle_path_rounds
  .section .note.GNU-stack, "", @progbits
