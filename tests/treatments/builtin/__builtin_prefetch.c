extern int printf(const char *, ...);
extern void reach_error(void);
int table[4] = {1, 2, 3, 4};

int main(void) {
    int sum = 0;
    for (int i = 0; i < 4; i++) {
#ifdef MODIFIED
        __builtin_prefetch(&table[i], 0, 3);
#endif
        sum += table[i];
    }
    if (sum != 10)
        reach_error();
    printf("%d\n", sum);
    return 0;
}
