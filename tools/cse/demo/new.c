/* The second version: percentages are cut off. */
static int calls;

int scale(int value, int percent)
{
    if (percent > 100)
        percent = 100;
    calls = calls + 1;
    return value * percent / 100;
}
