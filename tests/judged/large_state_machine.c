#include "judged.h"
enum state { IDLE, ARMED, OPEN, FAULT };
static enum state state = IDLE;
static int opened;
static void step(int event)
{
    switch (state) {
    case IDLE: if (event == 1) state = ARMED; break;
    case ARMED: if (event == 2) { state = OPEN; opened++; } else if (event == 3) state = FAULT; break;
    case OPEN: if (event == 0) { state = IDLE; opened--; } break;
    case FAULT: if (event == 0) state = IDLE; break;
    }
}
int main(void)
{
    step(1);
    step(input());
    step(input());
    CHECK(opened == (state == OPEN) && opened >= 0);
    END;
}
