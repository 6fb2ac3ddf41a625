#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "writer.h"

int main(void)
{
    static const char *const lines[] = { "boot", "net up", "login root", "logout" };
    struct writer w;
    size_t expected = 0, written;

    if (writer_open(&w, 256) != 0) {
        fprintf(stderr, "cannot open writer\n");
        return EXIT_FAILURE;
    }
    for (size_t i = 0; i < sizeof(lines) / sizeof(lines[0]); i++) {
        if (writer_append(&w, lines[i]) == 0)
            expected += strlen(lines[i]);
    }
    written = writer_close(&w);
    printf("%zu bytes written\n", written);
    return written == expected ? EXIT_SUCCESS : EXIT_FAILURE;
}
