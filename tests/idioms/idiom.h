/* For programs that call the C library on three bytes that nobody knows. `CLAIM(right, wrong)` asserts what holds on all
   contents, or where WRONG is defined what fails on some. All contents are tried with gcc. */
#include <stddef.h>
extern void reach_error(void);
extern char __VERIFIER_nondet_char(void);
#ifdef WRONG
#define CLAIM(right, wrong) do { if (!(wrong)) reach_error(); } while (0)
#else
#define CLAIM(right, wrong) do { if (!(right)) reach_error(); } while (0)
#endif
/* Three bytes and the end of a string. */
static inline void fill(char *bytes)
{
    bytes[0] = __VERIFIER_nondet_char();
    bytes[1] = __VERIFIER_nondet_char();
    bytes[2] = __VERIFIER_nondet_char();
    bytes[3] = 0;
}
