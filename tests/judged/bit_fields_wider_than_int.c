/* Bit-fields of more bits than `int` are computed in types of their own width: what is converted to them loses its sign, and what
   comes of them is cut off. */
extern void reach_error(void);
extern unsigned long long __VERIFIER_nondet_ulonglong(void);
extern int __VERIFIER_nondet_int(void);

struct fields {
    unsigned long long n : 40;
    unsigned long long u : 36;
    long long i : 40;
    unsigned long long most : 63;
} s;

static int five(void) { return 5; }

static void compared(int k)
{
    s.n = -1;
    if (s.n != -1 || s.n != ~0 || s.n == -1LL)
        reach_error();
    if (!(s.n - -1 == 0) || s.n < (signed char)-1)
        reach_error();
    s.i = -1;
    s.u = 5;
    if (!(s.i < s.u) || (s.i | s.u) >= 0)
        reach_error();
    if (k < 0 && s.u > k)
        reach_error();
}

static void computed(unsigned long long any, int k)
{
    s.n = any;
    unsigned long long before = s.n;
    if (s.n + 1 != (before + 1) % (1ULL << 40))
        reach_error();
    if ((s.n | 1) - 2 != ((before | 1) - 2) % (1ULL << 40))
        reach_error();
    if (s.n - five() != (before - 5) % (1ULL << 40) || (unsigned long long)s.n - 5 != before - 5)
        reach_error();
    if (-(s.n & 7) != -(before & 7) % (1ULL << 40) || (~s.n & ~0xffffffffffULL))
        reach_error();
    if ((k ? s.n : -1) > 0xffffffffffULL || ((s.n << 4) & ~0xffffffffffULL))
        reach_error();
    if (s.n++ - 50 != (before - 50) % (1ULL << 40) || s.n != (before + 1) % (1ULL << 40))
        reach_error();
    if ((s.n = 3) - 4 != 0xffffffffffULL || ({ s.n | 1; }) - 5 != 0xfffffffffeULL)
        reach_error();
    if (s.n + 0.5 != 3.5 || s.n * 2LL - 10LL >= 0)
        reach_error();
}

static void assigned(void)
{
    int x = -3;
    s.u = 5;
    x /= s.u;
    if (x != (int)(0xffffffffdULL / 5))
        reach_error();
    s.most = 7;
    s.most /= -1;
    if (s.most != 0)
        reach_error();
    s.n = 0;
    s.n -= 1;
    if (s.n != 0xffffffffffULL)
        reach_error();
}

int main(void)
{
    int k = __VERIFIER_nondet_int();
    compared(k);
    computed(__VERIFIER_nondet_ulonglong(), k);
    assigned();
    return 0;
}
