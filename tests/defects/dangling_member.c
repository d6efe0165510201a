// property: valid-deref
extern int __VERIFIER_nondet_int(void);
struct view { const char *text; };
static void show(struct view *v, int n) {
  char buffer[4] = "abc";
  static char stable[4] = "abc"; // repaired
  if (n > 0) v->text = buffer;
  v->text = stable; // repaired
}
int main(void) {
  struct view v = { "none" };
  show(&v, __VERIFIER_nondet_int());
  return v.text[0] == 'a';
}
