#include "judged.h"
/* The alignment of a type is that of a member with _Alignof, and the preferred one with __alignof__; of an expression always
   the latter. What is declared in the step of a loop is in force in its body. */
struct pair { char c; long long m; } s;
struct of_pointer { char c; _Alignas(16) int *m; };
struct of_two { char c; int _Alignas(16) *m, n; };
struct of_function { char c; _Alignas(32) int (*m)(void); };
long long x, *p = &x, list[3];
int main(void)
{
    CHECK((_Alignof(long long)) == (sizeof(long) == 8 ? 8 : 4) && _Alignof(long long) == (_Alignof(long long)));
    CHECK((__alignof__(long long)) == 8 && __alignof(long long) == 8 && ((__alignof(double))) == 8);
    CHECK(_Alignof(x) == 8 && _Alignof(*p) == 8 && _Alignof +x == 8 && _Alignof(list) == 8 && (_Alignof(list[1])) == 8);
    CHECK((_Alignof(s.m)) == _Alignof(struct pair) && __alignof__(s.m) == _Alignof(long long));
    CHECK(__builtin_offsetof(struct of_pointer, m) == 16 && sizeof(struct of_pointer) == 32);
    CHECK(__builtin_offsetof(struct of_two, n) == 32 && _Alignof(struct of_function) == 32);
    int rounds = 0;
    for (int i = 0; i < 2; i += sizeof(enum <% ONE = 1 %>) / 4)
        rounds += ONE;
    CHECK(rounds == 2);
    for (int i = 0; i < 2; i += sizeof(enum { TWO = 2 }) / 4)
        rounds += TWO;
    CHECK(rounds == 6);
    END;
}
