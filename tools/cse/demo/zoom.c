/* A client that does. */
int scale(int value, int percent);

int client(int width, int steps)
{
    if (width < 0 || width > 1000 || steps < 0 || steps > 10)
        return -1;
    return scale(width, 100 + 10 * steps);
}
