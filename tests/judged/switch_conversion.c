#include "judged.h"
int main(void)
{
    unsigned char c = 255;
    int hit = 0;
    switch (c) { case 255: hit = 1; break; case -1: hit = 2; }
    switch (1L << 32) { case 0: hit = 5; break; case 1L << 32: hit += 2; }
    CHECK(hit == 3);
    END;
}
