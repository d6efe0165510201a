#include "judged.h"
static const int limit = 3;
static volatile int port;
int main(void)
{
    port = limit;
    port += 2;
    CHECK(port == 5);
    END;
}
