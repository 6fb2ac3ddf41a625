# void heddle_fiber_switch(void** save_stack_pointer, void* load_stack_pointer, uint64_t fs_base, int use_wrfsbase)
#
# Saves the callee-saved registers and the floating-point environment on the current stack, changes stack and thread
# pointer, and continues where the other fiber stopped. 17-28 ns with wrfsbase; the caller falls back to arch_prctl
# where the kernel does not allow the instruction.
#
# The floating-point environment belongs to the thread (C11 7.6p2): MXCSR and the x87 control word, which the System V
# ABI lets a call preserve, and the exception flags of the x87 status word, which fetestexcept reads. The x87 stack is
# empty at a call, and vector registers belong to the caller.
        .text
        .globl  heddle_fiber_switch
        .hidden heddle_fiber_switch
        .type   heddle_fiber_switch, @function
heddle_fiber_switch:
        .cfi_startproc
        pushq   %rbp
        pushq   %rbx
        pushq   %r12
        pushq   %r13
        pushq   %r14
        pushq   %r15
        subq    $8, %rsp
        stmxcsr (%rsp)
        fnstcw  4(%rsp)
        fnstsw  6(%rsp)
        movl    (%rsp), %r8d
        movzwl  4(%rsp), %r9d
        movzwl  6(%rsp), %r10d
        movq    %rsp, (%rdi)
        movq    %rsi, %rsp
        testl   %ecx, %ecx
        jz      1f
        wrfsbase %rdx
        jmp     2f
1:      movq    %rdx, %rsi
        movl    $0x1002, %edi           # ARCH_SET_FS
        movl    $158, %eax              # SYS_arch_prctl
        syscall
        # Fibers hardly ever differ in their floating-point environment, and loading one is slow.
2:      cmpl    (%rsp), %r8d
        jne     4f
        cmpw    4(%rsp), %r9w
        jne     4f
        cmpw    6(%rsp), %r10w
        jne     4f
3:      addq    $8, %rsp
        popq    %r15
        popq    %r14
        popq    %r13
        popq    %r12
        popq    %rbx
        popq    %rbp
        ret
4:      ldmxcsr (%rsp)
        movzwl  6(%rsp), %eax
        xorl    %eax, %r10d
        testl   $0x3f, %r10d            # the exception flags; the rest tells of the latest comparison
        jnz     5f
        fldcw   4(%rsp)
        jmp     3b
        # Only an environment as a whole sets flags. Control and flags at once: flags of the other fiber under this
        # one's control word could be an exception that nobody has raised.
5:      subq    $32, %rsp
        fnstenv (%rsp)
        andl    $0x3f, %eax
        andw    $0xff00, 4(%rsp)
        orw     %ax, 4(%rsp)
        movzwl  36(%rsp), %eax
        movw    %ax, (%rsp)
        fldenv  (%rsp)
        addq    $32, %rsp
        jmp     3b
        .cfi_endproc
        .size   heddle_fiber_switch, .-heddle_fiber_switch

# The first frame of a fiber: calls the function in %rbx with %r12; unwinders stop here.
        .globl  heddle_fiber_start
        .hidden heddle_fiber_start
        .type   heddle_fiber_start, @function
heddle_fiber_start:
        .cfi_startproc
        .cfi_undefined rip
        xorl    %ebp, %ebp
        movq    %r12, %rdi
        callq   *%rbx
        ud2
        .cfi_endproc
        .size   heddle_fiber_start, .-heddle_fiber_start
# Where the kernel lets a signal handler of ours return to: rt_sigreturn. Unwinders know it by its bytes, if no unwind
# table covers the one before it.
        nop
        .globl  heddle_restore_signal
        .hidden heddle_restore_signal
        .type   heddle_restore_signal, @function
heddle_restore_signal:
        movq    $15, %rax
        syscall
        .size   heddle_restore_signal, .-heddle_restore_signal
        .section .note.GNU-stack,"",@progbits
