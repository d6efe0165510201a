#include "judged.h"
__attribute__((noreturn)) static void leave(void);
static void leave(void) { END; for (;;) abort(); }
int main(void)
{
    int x = input();
    CHECK(x < 4);
    leave();
}
