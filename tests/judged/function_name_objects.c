#include "judged.h"
/* The name of a function is an object of its own, for each of the words for it. */
static const char *name_of(void) { return __func__; }
static const char *outside = __func__, *outside_pretty = __PRETTY_FUNCTION__;
static void tests(void)
{
    const char *name = __func__, *literal = "tests", *other = __FUNCTION__;
    CHECK(name != literal && name != other && name == __func__ && name_of() != name);
    CHECK(name_of() == name_of() && name_of()[0] == 'n' && sizeof __func__ == 6);
    CHECK(outside[0] == 0 && outside_pretty[0] == 't' && outside_pretty[8] == 'l' && outside_pretty[9] == 0);
    CHECK(!__builtin_constant_p(__func__));
}
int main(void)
{
    tests();
    END;
}
