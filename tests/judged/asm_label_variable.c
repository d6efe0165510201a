#include "judged.h"
int hidden __asm__("shown") = 3;
extern int seen __asm__("shown");
int main(void)
{
    seen = 8;
    CHECK(hidden == 8);
    END;
}
