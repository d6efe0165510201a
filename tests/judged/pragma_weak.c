#include "judged.h"
#pragma weak absent
extern int absent(void);
int main(void)
{
    CHECK(&absent == 0);
    END;
}
