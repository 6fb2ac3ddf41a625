// What compiled code calls from the middle of functions, by LLVM's convention preserve_all: they change no register but r11.
// Offsets are those of core/record/path_state.h.
  .text

  .macro save register
  pushq %\register
  .cfi_adjust_cfa_offset 8
  .endm
  .macro restore register
  popq %\register
  .cfi_adjust_cfa_offset -8
  .endm

// Writes the pending bits of the PathState at r11 to its log, as a word, and leaves none. Changes rax and rsi.
  .type heddle_path_write, @function
heddle_path_write:
  .cfi_startproc
  movq 16(%r11), %rsi
  movq (%r11), %rax
  movq %rax, (%rsi)
  movq $-2, (%r11)            // kNonePending
  addq $8, %rsi
  movq %rsi, 16(%r11)
  cmpq 24(%r11), %rsi
  jae heddle_path_next
  ret
  .cfi_endproc
  .size heddle_path_write, . - heddle_path_write

// The chunk of the PathState at r11 is full. Changes nothing.
  .type heddle_path_next, @function
heddle_path_next:
  .cfi_startproc
  save rax
  save rcx
  save rdx
  save rsi
  save rdi
  save r8
  save r9
  save r10
  save r11
  save rbp
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
  restore rbp
  restore r11
  restore r10
  restore r9
  restore r8
  restore rdi
  restore rsi
  restore rdx
  restore rcx
  restore rax
  ret
  .cfi_endproc
  .size heddle_path_next, . - heddle_path_next

// void __heddle_path_full(): the running thread's chunk of bits is full, and nothing is pending.
  .globl __heddle_path_full
  .type __heddle_path_full, @function
__heddle_path_full:
  .cfi_startproc
  movq __heddle_path@GOTTPOFF(%rip), %r11
  movq %fs:(%r11), %r11
  jmp heddle_path_next
  .cfi_endproc
  .size __heddle_path_full, . - __heddle_path_full

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
  call heddle_path_write      // none stays
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
