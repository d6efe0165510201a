#include "judged.h"
static int calls;
int target(int x) { calls++; return x + 1; }
int alias(int x);
#pragma weak alias = target
int level = 4;
#pragma weak level
int main(void)
{
    CHECK(alias(2) == 3 && calls == 1 && &alias == &target && level == 4);
    END;
}
