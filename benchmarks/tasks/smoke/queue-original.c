/* A ring buffer of three bytes between a sender and a receiver: it never holds more than it has room for. */

extern int __VERIFIER_nondet_int(void);
extern unsigned char __VERIFIER_nondet_uchar(void);

void reach_error(void) { }

#define ROOM 3

static unsigned char buffer[ROOM];
static unsigned int first;
static unsigned int held;

static int put(unsigned char byte)
{
    if (held == ROOM)
        return 0;
    buffer[(first + held) % ROOM] = byte;
    held = held + 1;
    return 1;
}

static int take(unsigned char *byte)
{
    if (held == 0)
        return 0;
    *byte = buffer[first];
    first = (first + 1) % ROOM;
    held = held - 1;
    return 1;
}

int main(void)
{
    unsigned int lost = 0;
    unsigned char byte = 0;
    for (int step = 0; step < 5; step++) {
        if (__VERIFIER_nondet_int()) {
            if (!put(__VERIFIER_nondet_uchar()))
                lost++;
        } else {
            take(&byte);
        }
        if (held > ROOM)
            reach_error();
    }
    return 0;
}
