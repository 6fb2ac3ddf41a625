/* The page of the HTML report as bytes of the program. PAGE_FILE comes from CMakeLists.txt. */
    .section .rodata
    .global heddle_report_page
    .global heddle_report_page_end
heddle_report_page:
    .incbin PAGE_FILE
heddle_report_page_end:
    .byte 0
    .section .note.GNU-stack, "", %progbits
