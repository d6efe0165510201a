#include "judged.h"
enum { CLOSED, OPENING, OPENED };
int main(void)
{
    int s = CLOSED, motor = 0, rounds = 0, more = input();
    while (rounds < 100000) {
        int e = more ? rounds & 3 : 1;
        rounds++;
        if (s == CLOSED && e == 1) { s = OPENING; motor = 1; }
        else if (s == OPENING && e == 2) { s = OPENED; motor = 0; }
        else if (s == OPENED && e == 0) s = CLOSED;
        if (s != OPENING && motor) break;
    }
    CHECK(rounds == 100000);
    END;
}
