#include "judged.h"
#include <errno.h>
#include <stdlib.h>
int main(void)
{
    errno = 0;
    long l = strtol("99999999999999999999", 0, 10);
    CHECK(l == 9223372036854775807L && errno == ERANGE);
    END;
}
