extern void reach_error(void);
int printf(const char *, ...);
#ifdef MODIFIED
#pragma STDC FP_CONTRACT ON
#endif
int main(void) {
  double a = 1.5, b = 2.25, c = -3.375;
  double d = a * b + c;
  float f = (float)(d + 0.1);
  if (d != 0.0 || f < 0.09f) reach_error();
  printf("%g %g\n", d, f);
  return 0;
}
