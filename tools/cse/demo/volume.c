/* A client that never asks for more than all. */
int scale(int value, int percent);

int client(int level, int mute)
{
    if (level < 0 || level > 1000)
        return -1;
    return scale(level, mute ? 0 : 80);
}
