/* For programs that fill and read arrays whose size only a run knows. A failing check is the error; with BROKEN defined a
   program has a defect that some input shows. */
extern void reach_error(void);
extern void abort(void);
extern int __VERIFIER_nondet_int(void);
#define CHECK(condition) do { if (!(condition)) { reach_error(); abort(); } } while (0)
#ifdef BROKEN
#define ELSE_BROKEN(right, broken) broken
#else
#define ELSE_BROKEN(right, broken) right
#endif
/* One of 1 ... 100000. */
static inline int size(void)
{
    int value = __VERIFIER_nondet_int();
    if (value < 1 || value > 100000)
        abort();
    return value;
}
