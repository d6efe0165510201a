/* A ring buffer of numbers. */
extern unsigned char __VERIFIER_nondet_uchar(void);
#define CAP 8
static int data[CAP];
static int head = 0;
static int len = 0;

static void push(int value) {
  int at = (head + len) % CAP;
  data[at] = value;
  if (len == CAP) head = (head + 1) % CAP;
  else len = len + 1;
}

static int pop(void) {
  if (len == 0) return 0;
  int value = data[head];
  head = (head + 1) % CAP;
  len = len - 1;
  return value;
}

int main(void) {
  int rounds = __VERIFIER_nondet_uchar();
  while (rounds > 0) {
    int value = __VERIFIER_nondet_uchar();
    if (value & 1) push(value); else pop();
    rounds = rounds - 1;
step:;
  }
  return len;
}
