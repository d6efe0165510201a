extern void reach_error(void);
int printf(const char *, ...);
#ifdef MODIFIED
#define THING __attribute__((may_alias))
#else
#define THING
#endif
typedef unsigned char THING byte;
int main(void) {
  int x = 0x01020304;
  byte *p = (byte *)&x;
  p[0] = 5;
  if (x != 0x01020305) reach_error();
  printf("%d\n", x);
  return 0;
}
