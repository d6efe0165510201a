#include "judged.h"
/* Bit-fields of more bits than `int` are computed in types of their own width: what is converted to them loses its sign, and what
   comes of them is cut off. */
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
    CHECK(!(s.n != -1 || s.n != ~0 || s.n == -1LL));
    CHECK(!(!(s.n - -1 == 0) || s.n < (signed char)-1));
    s.i = -1;
    s.u = 5;
    CHECK(!(!(s.i < s.u) || (s.i | s.u) >= 0));
    CHECK(!(k < 0 && s.u > k));
}

static void computed(unsigned long long any, int k)
{
    s.n = any;
    unsigned long long before = s.n;
    CHECK(!(s.n + 1 != (before + 1) % (1ULL << 40)));
    CHECK(!((s.n | 1) - 2 != ((before | 1) - 2) % (1ULL << 40)));
    CHECK(!(s.n - five() != (before - 5) % (1ULL << 40) || (unsigned long long)s.n - 5 != before - 5));
    CHECK(!(-(s.n & 7) != -(before & 7) % (1ULL << 40) || (~s.n & ~0xffffffffffULL)));
    CHECK(!((k ? s.n : -1) > 0xffffffffffULL || ((s.n << 4) & ~0xffffffffffULL)));
    CHECK(!(s.n++ - 50 != (before - 50) % (1ULL << 40) || s.n != (before + 1) % (1ULL << 40)));
    CHECK(!((s.n = 3) - 4 != 0xffffffffffULL || ({ s.n | 1; }) - 5 != 0xfffffffffeULL));
    CHECK(!(s.n + 0.5 != 3.5 || s.n * 2LL - 10LL >= 0));
}

static void assigned(void)
{
    int x = -3;
    s.u = 5;
    x /= s.u;
    CHECK(!(x != (int)(0xffffffffdULL / 5)));
    s.most = 7;
    s.most /= -1;
    CHECK(!(s.most != 0));
    s.n = 0;
    s.n -= 1;
    CHECK(!(s.n != 0xffffffffffULL));
}

int main(void)
{
    int k = input() - 2;
    compared(k);
    computed(0xfffffffffeULL + (unsigned long long)input(), k);
    assigned();
    END;
}
