extern int __VERIFIER_nondet_int(void);
extern void abort(void);
void assert(int);

/* 1 scalene, 2 isosceles, 3 equilateral, 4 no triangle */
static int triangle(int a, int b, int c) {
    if (a <= 0 || b <= 0 || c <= 0)
        return 4;
    if (a + b <= c || a + c <= b || b + c <= a)
        return 4;
    if (a == b && b == c)
        return 3;
    return a == b || a == c || b == c ? 2 : 1;
}

static int side(void) {
    int length = __VERIFIER_nondet_int();
    if (length < -1000 || length > 1000)
        abort();
    return length;
}

int main(void) {
    int a = side(), b = side(), c = side();
    int t = triangle(a, b, c);
    assert(t != 0);
    assert(!(a <= 0 || b <= 0 || c <= 0) || t == 4);
    assert(!(a + b <= c) || t == 4);
    assert(!(a == b && b == c && a > 0) || t == 3);
    assert(!(a + b > c && a == b && c > 0) || t == 2);
    return 0;
}
