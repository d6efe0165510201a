extern void reach_error(void);
int printf(const char *, ...);
#ifdef MODIFIED
#define THING __attribute__((format(printf, 1, 2)))
#else
#define THING
#endif
THING int first(const char *text, ...);
int first(const char *text, ...) { return text[0]; }
int main(void) {
  int c = first("%d", 1, (char *)0);
  if (c != '%') reach_error();
  printf("%d\n", c);
  return 0;
}
