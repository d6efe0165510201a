#include "judged.h"
/* What nobody says: whether one literal lies in another one. */
int main(void)
{
    const char *all = "xabc", *end = "abc", *none = "bcd";
    const void *wide = U"ab", *other = L"ab";
    int seen = (all + 1 == end) + (wide == other);
    CHECK(all != end && none != end);
    CHECK(seen < 3);
    END;
}
