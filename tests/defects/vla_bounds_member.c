// property: valid-deref
extern int __VERIFIER_nondet_int(void);
struct point { int x, y; };
static int sum(int count, struct point *points) {
  int result = 0;
  for (int i = 0; i < count; i++) result += points[i].y;
  return result;
}
int main(void) {
  int count = __VERIFIER_nondet_int();
  if (count < 1 || count > 4) return 0;
  struct point points[count];
  for (int i = 0; i < count; i++) points[i].x = points[i].y = i;
  points[count - 1].y = 3;
  count = count + 1; // defect
  return sum(count, points) < 0;
}
