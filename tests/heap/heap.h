/* For programs that build things on the heap. A failing check is the error; with BROKEN defined a program has a defect that
   some input shows. */
extern void reach_error(void);
extern void abort(void);
extern int __VERIFIER_nondet_int(void);
typedef __SIZE_TYPE__ size_t;
extern void *malloc(size_t size);
extern void *calloc(size_t count, size_t size);
extern void *realloc(void *old, size_t size);
extern void free(void *block);
#define CHECK(condition) do { if (!(condition)) reach_error(); } while (0)
#ifdef BROKEN
#define ELSE_BROKEN(right, broken) broken
#else
#define ELSE_BROKEN(right, broken) right
#endif
/* One of 0 ... limit - 1. */
static inline int input(int limit)
{
    int value = __VERIFIER_nondet_int();
    if (value < 0 || value >= limit)
        abort();
    return value;
}
