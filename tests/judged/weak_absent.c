#include "judged.h"
extern int function(int) __attribute__((weak));
extern int object __attribute__((weak));
extern int array[4] __attribute__((weak));
int main(void)
{
    int calls = 0;
    if (function)
        calls += function(3);
    if (&object && array)
        calls += object;
    CHECK(calls == 0 && !function && array == 0);
    END;
}
