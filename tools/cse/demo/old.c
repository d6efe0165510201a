/* The first version of the library. */
static int calls;

int scale(int value, int percent)
{
    calls++;
    if (percent == 0)
        return 0;
    return value * percent / 100;
}
