#include "judged.h"
#include <ctype.h>
int main(void)
{
    int c = '0' + input();
    CHECK(isdigit(c) && !isalpha(c) && toupper('a') == 'A' && isspace(' ') && tolower('Z') == 'z');
    END;
}
