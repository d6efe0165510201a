/* A complex number: outside of what the verifier understands, so the verdict is unknown. */

extern int __VERIFIER_nondet_int(void);

void reach_error(void) { }

int main(void)
{
    int length = __VERIFIER_nondet_int();
    if (length < 1 || length > 10)
        return 0;
    double _Complex scratch = length;
    if (__real__ scratch != length)
        reach_error();
    return 0;
}
