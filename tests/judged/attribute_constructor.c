#include "judged.h"
static int started;
__attribute__((constructor)) static void start(void) { started = 7; }
int main(void)
{
    CHECK(started == 7);
    END;
}
