/* Runs a program of this folder on all contents; ends with status 1 if one of them reaches the error. */
#include <setjmp.h>
#include <string.h>
#include <unistd.h>
int idiom_main(void);
static jmp_buf again;
static unsigned run, reads;
static _Alignas(16) char memory[1 << 12];
static size_t used;
char __VERIFIER_nondet_char(void) { return (char)(run >> 8 * (2 - reads++)); }
void reach_error(void) { longjmp(again, 1); }
/* What one run allocates, the next one may have. */
void *malloc(size_t size)
{
    char *piece = memory + used;
    used += 16 + (size + 15) / 16 * 16;
    if (used > sizeof memory)
        _exit(2);
    *(size_t *)piece = size;
    return piece + 16;
}
void *calloc(size_t count, size_t size) { return memset(malloc(count * size), 0, count * size); }
void free(void *piece) { (void)piece; }
void *realloc(void *old, size_t size)
{
    void *piece = malloc(size);
    size_t before = old ? *(size_t *)((char *)old - 16) : 0;
    return old ? memcpy(piece, old, before < size ? before : size) : piece;
}
int main(void)
{
    for (run = 0; run < 1u << 24; run++) {
        used = 0;
        reads = 0;
        memset(memory, (int)run, 128);
        if (setjmp(again))
            return 1;
        idiom_main();
    }
    return 0;
}
