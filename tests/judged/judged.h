/* For programs that check themselves. Where END_IS_ERROR is defined, a failing check ends the program and its normal end is
   the error; otherwise a failing check is the error. Inputs are small, so that all of them can be tried. */
extern void reach_error(void);
extern void abort(void);
extern int __VERIFIER_nondet_int(void);
#ifdef END_IS_ERROR
#define CHECK(condition) do { if (!(condition)) abort(); } while (0)
#define END reach_error()
#else
#define CHECK(condition) do { if (!(condition)) reach_error(); } while (0)
#define END
#endif
/* One of 0 ... 3. */
static inline int input(void)
{
    int value = __VERIFIER_nondet_int();
    if (value < 0 || value > 3)
        abort();
    return value;
}
