#include "judged.h"
static int count;
static void done(int *p) { count += *p; }
int main(void)
{
    {
        int x __attribute__((cleanup(done))) = 3;
        x++;
    }
    CHECK(count == 4);
    END;
}
