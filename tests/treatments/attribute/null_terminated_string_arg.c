extern void reach_error(void);
int printf(const char *, ...);
#ifdef MODIFIED
#define THING __attribute__((null_terminated_string_arg(1)))
#else
#define THING
#endif
static unsigned long seen;
THING static unsigned long length(const char *text) {
  unsigned long at = 0;
  while (text[at]) at++;
  seen += at;
  return at;
}
int main(void) {
  if (length("some") != 4 || length("") != 0 || seen != 4) reach_error();
  printf("%lu\n", seen);
  return 0;
}
