/* Rounding to whole numbers, each step exact. */
__RESIDUE_WEAK double __residue_trunc(double x) __asm__("trunc");
__RESIDUE_WEAK double __residue_trunc(double x) {
  double y = x > -4503599627370496.0 && x < 4503599627370496.0 ? (double)(long long)x : x;
  return y == 0 && (x < 0 || 1 / x < 0) ? -0.0 : y;
}
__RESIDUE_WEAK float __residue_truncf(float x) __asm__("truncf");
__RESIDUE_WEAK float __residue_truncf(float x) { return (float)__residue_trunc(x); }
__RESIDUE_WEAK double __residue_floor(double x) __asm__("floor");
__RESIDUE_WEAK double __residue_floor(double x) {
  double y = __residue_trunc(x);
  return y > x ? y - 1 : y;
}
__RESIDUE_WEAK float __residue_floorf(float x) __asm__("floorf");
__RESIDUE_WEAK float __residue_floorf(float x) { return (float)__residue_floor(x); }
__RESIDUE_WEAK double __residue_ceil(double x) __asm__("ceil");
__RESIDUE_WEAK double __residue_ceil(double x) {
  double y = __residue_trunc(x);
  return y < x ? y + 1 : y;
}
__RESIDUE_WEAK float __residue_ceilf(float x) __asm__("ceilf");
__RESIDUE_WEAK float __residue_ceilf(float x) { return (float)__residue_ceil(x); }
__RESIDUE_WEAK double __residue_round(double x) __asm__("round");
__RESIDUE_WEAK double __residue_round(double x) {
  double y = __residue_trunc(x), rest = x - y;
  return rest >= 0.5 ? y + 1 : rest <= -0.5 ? y - 1 : y;
}
__RESIDUE_WEAK float __residue_roundf(float x) __asm__("roundf");
__RESIDUE_WEAK float __residue_roundf(float x) { return (float)__residue_round(x); }
