extern void reach_error(void);
int printf(const char *, ...);
#ifdef MODIFIED
#define THING __attribute__((nonstring))
#else
#define THING
#endif
static char tag[2] THING = {'a', 'b'};
int main(void) {
  if (tag[0] + 1 != tag[1] || sizeof tag != 2) reach_error();
  printf("%c%c\n", tag[0], tag[1]);
  return 0;
}
