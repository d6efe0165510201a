#include "judged.h"
int main(void)
{
    const char *s = "\x41\101\n\t\0x";
    CHECK(s[0] == 'A' && s[1] == 'A' && s[2] == 10 && s[3] == 9 && s[4] == 0 && s[5] == 'x');
    CHECK('\377' == -1 && '\x80' == -128 && 'ab' == 24930);
    CHECK(L'\x1234' == 0x1234 && sizeof(L"ab") == 12 && sizeof(u"ab") == 6 && sizeof(u8"ab") == 3);
    END;
}
