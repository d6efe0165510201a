extern void reach_error(void);
int printf(const char *, ...);
#ifdef MODIFIED
#define THING __attribute__((btf_type_tag("user")))
#else
#define THING
#endif
static int first(int THING *cells) { return cells[0]; }
int main(void) {
  int cells[2] = {7, 8};
  if (first(cells) != 7 || first(cells + 1) != 8) reach_error();
  printf("%d\n", first(cells));
  return 0;
}
