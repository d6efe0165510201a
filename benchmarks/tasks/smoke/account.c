/* Transfers between two accounts: money is neither made nor lost. */

extern int __VERIFIER_nondet_int(void);

void reach_error(void) { }

static int left = 100;
static int right = 50;

static void transfer(int amount)
{
    if (amount < 0 || amount > left)
        return;
    left = left - amount;
    right = right + amount;
}

int main(void)
{
    for (int day = 0; day < 3; day++) {
        transfer(__VERIFIER_nondet_int());
        if (left + right != 150)
            reach_error();
    }
    return 0;
}
