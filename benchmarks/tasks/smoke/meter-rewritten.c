/* A water meter: readings are added up. The sum may wrap around, which this version does not notice. */

extern unsigned int __VERIFIER_nondet_uint(void);

void reach_error(void) { }

int main(void)
{
    unsigned int sum = 0;
    unsigned int readings = 0;
    for (; readings != 3;) {
        unsigned int reading = __VERIFIER_nondet_uint();
        unsigned int before = sum;
        sum = sum + reading;
        readings = readings + 1;
        if (sum < before)
            reach_error();
    }
    return 0;
}
