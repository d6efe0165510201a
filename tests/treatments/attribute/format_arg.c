extern void reach_error(void);
int printf(const char *, ...);
#ifdef MODIFIED
#define THING __attribute__((format_arg(1)))
#else
#define THING
#endif
THING const char *same(const char *text);
const char *same(const char *text) { return text; }
int main(void) {
  const char *t = same("ab");
  if (t[1] != 'b') reach_error();
  printf("%c\n", t[1]);
  return 0;
}
