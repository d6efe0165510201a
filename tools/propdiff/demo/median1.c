extern int __VERIFIER_nondet_int(void);
void assert(int);

static int median(int x, int y, int z) {
    int m = z;
    if (y < z) {
        if (x < y)
            m = y;
        else if (x < z)
            m = x;
    } else {
        if (x > y)
            m = y;
        else if (x > z)
            m = x;
    }
    return m;
}

int main(void) {
    int x = __VERIFIER_nondet_int(), y = __VERIFIER_nondet_int(), z = __VERIFIER_nondet_int();
    int m = median(x, y, z);
    assert(!(x == y || x == z) || m == x);
    assert(y != z || m == y);
    assert(!(x <= z && z <= y) || m == z);
    assert(!(y <= z && z <= x) || m == z);
    return 0;
}
