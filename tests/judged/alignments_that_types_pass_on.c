#include "judged.h"
/* A type keeps the alignment that a typedef gave it through typeof and _Atomic; the name of a function is that of its source. */
typedef int strict __attribute__((aligned(16)));
typedef int loose __attribute__((aligned(1)));
typedef __typeof__(strict) again;
typedef int __attribute__((aligned(32))) *named;
typedef int(__attribute__((aligned(32))) *of_aligned);
struct a { char x; __typeof__(strict) y; };
struct b { char x; _Atomic(strict) y; };
struct c { char x; again y; };
struct d { char x; __typeof__(loose) y; };
struct f { char x; __typeof__((strict)1 + 1) y; };
struct e { char x; __typeof__(strict) *y; };
int called(void) __asm__("elsewhere");
int called(void) { return sizeof __func__ + __func__[0]; }
int main(void)
{
    CHECK(sizeof(struct a) == 32 && sizeof(struct b) == 32 && sizeof(struct c) == 32);
    CHECK(sizeof(struct d) == 5 && _Alignof(struct d) == 1 && sizeof(struct e) == 2 * sizeof(void *));
    CHECK(_Alignof(__typeof__(strict)) == 16 && _Alignof(struct a) == 16 && _Alignof(struct b) == 16);
    CHECK(_Alignof(named) == 32 && _Alignof(of_aligned) == sizeof(void *) && sizeof(struct f) == 8);
    int given = input();
    CHECK(called() == 7 + 'c' && given < 4);
    END;
}
