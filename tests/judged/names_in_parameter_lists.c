#include "judged.h"
/* Tags and constants of a parameter list end with the function; a parameter hides what has its name outside from those behind
   it, and from nothing before it. */
enum { X = 1, N = 3 };
struct s { int a; };
int count = 2;
static int constant(enum { X = 5 } a) { return X + a; }
static int tag(struct s { char b[7]; } *p) { struct s q; return sizeof q + sizeof *p; }
static int old(a) enum { N = 6 } a; { return N + a; }
static int later(int N, int p[][N]) { return p[1][0]; }
static int before(char p[][count], int count) { return p[1][0] + count; }
static int effect(int a[count++], int count) { return count + (a == 0); }
static int behind(int (*q)[count], int count) { return sizeof *q + count; }
static int several(int n, int m, int p[n][m], int (*q)[n]) { return sizeof *p + 100 * sizeof *q; }
static int inner(int X) { { enum { X = 9 }; if (X != 9) return 0; } return X; }
int main(void)
{
    int wide[3][4] = { {1, 2, 3, 4}, {5, 6, 7, 8} }, flat[9] = {0};
    char small[2][2] = { {1, 2}, {3, 4} };
    CHECK(constant(0) == 5 && constant(X) == 6 && X == 1);
    CHECK(tag(0) == 14 && sizeof(struct s) == sizeof(int));
    CHECK(old(1) == 7 && N == 3);
    CHECK(later(4, wide) == 5 && before(small, 1) == 4);
    CHECK(effect(flat, 4) == 4 && count == 3);
    CHECK(behind(0, 5) == 3 * sizeof(int) + 5);
    CHECK(several(2, 4, 0, 0) == 4 * sizeof(int) + 200 * sizeof(int));
    CHECK(inner(input() + 1) > 0);
    END;
}
