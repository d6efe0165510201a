/* math.h, as far as results follow from exact steps: rounding, remainders, square roots, parts of numbers. */

/* The sign of what is no number is left open; other bits of it follow from sums, as a signalling NaN becomes a quiet one. */
void __residue_unsupported_sign(void);

static int __residue_is_negative(double x)
{
    union { double number; unsigned long long bits; } parts;
    if (x != x)
        __residue_unsupported_sign();
    parts.number = x;
    return parts.bits >> 63 != 0;
}

static double __residue_power_of_two(int n)
{
    union { unsigned long long bits; double number; } power;
    power.bits = (unsigned long long)(n + 1023) << 52;
    return power.number;
}

int __isnan(double x)
{
    return x != x;
}

int __isnanf(float x)
{
    return x != x;
}

int __isinf(double x)
{
    return x == __builtin_inf() ? 1 : x == -__builtin_inf() ? -1 : 0;
}

int __isinff(float x)
{
    return x == __builtin_inff() ? 1 : x == -__builtin_inff() ? -1 : 0;
}

int __finite(double x)
{
    return x - x == 0;
}

int __finitef(float x)
{
    return x - x == 0;
}

int __fpclassify(double x)
{
    return __builtin_fpclassify(0, 1, 4, 3, 2, x);
}

int __fpclassifyf(float x)
{
    return __builtin_fpclassify(0, 1, 4, 3, 2, x);
}

int __signbit(double x)
{
    return __residue_is_negative(x) ? 128 : 0;
}

int __signbitf(float x)
{
    return __residue_is_negative(x) ? 8 : 0;
}

/* Of a NaN the bits change, and which it has is left open. */
double copysign(double x, double y)
{
    union { double number; unsigned long long bits; } parts;
    int is_negative = __residue_is_negative(y);
    if (x != x)
        __residue_unsupported_sign();
    parts.number = x;
    parts.bits = is_negative ? parts.bits | 0x8000000000000000ULL : parts.bits & 0x7fffffffffffffffULL;
    return parts.number;
}

float copysignf(float x, float y)
{
    return (float)copysign(x, y);
}

/* Of two zeros compilers and machines take either. */
static void __residue_choose_zero(double x, double y)
{
    if (x == 0 && y == 0 && __residue_is_negative(x) != __residue_is_negative(y))
        __residue_unsupported_sign();
}

/* A signalling NaN makes results of it NaN where a quiet one would be passed over. */
static int __residue_signals(double x)
{
    union { double number; unsigned long long bits; } parts;
    parts.number = x;
    return x != x && (parts.bits >> 51 & 1) == 0;
}

static int __residue_signalsf(float x)
{
    union { float number; unsigned bits; } parts;
    parts.number = x;
    return x != x && (parts.bits >> 22 & 1) == 0;
}

double fmin(double x, double y)
{
    __residue_choose_zero(x, y);
    if (__residue_signals(x) || __residue_signals(y))
        return x + y;
    return x <= y || y != y ? x : y;
}

float fminf(float x, float y)
{
    __residue_choose_zero(x, y);
    if (__residue_signalsf(x) || __residue_signalsf(y))
        return x + y;
    return x <= y || y != y ? x : y;
}

double fmax(double x, double y)
{
    __residue_choose_zero(x, y);
    if (__residue_signals(x) || __residue_signals(y))
        return x + y;
    return x >= y || y != y ? x : y;
}

float fmaxf(float x, float y)
{
    __residue_choose_zero(x, y);
    if (__residue_signalsf(x) || __residue_signalsf(y))
        return x + y;
    return x >= y || y != y ? x : y;
}

double fdim(double x, double y)
{
    return x <= y ? 0 : x - y;
}

float fdimf(float x, float y)
{
    return x <= y ? 0 : x - y;
}

/* To the nearest whole number, and of two the even one. */
double rint(double x)
{
    double cut = __builtin_trunc(x), rest = __builtin_fabs(x - cut), half = cut / 2;
    if (x != x)
        return x + x;
    if (rest < 0.5 || rest != rest || (rest == 0.5 && half == __builtin_trunc(half)))
        return cut;
    return x < 0 ? cut - 1 : cut + 1;
}

float rintf(float x)
{
    return (float)rint(x);
}

double nearbyint(double x)
{
    return rint(x);
}

float nearbyintf(float x)
{
    return (float)rint(x);
}

long lrint(double x)
{
    return (long)rint(x);
}

long lrintf(float x)
{
    return (long)rint(x);
}

long long llrint(double x)
{
    return (long long)rint(x);
}

long long llrintf(float x)
{
    return (long long)rint(x);
}

long lround(double x)
{
    return (long)__builtin_round(x);
}

long lroundf(float x)
{
    return (long)__builtin_round((double)x);
}

long long llround(double x)
{
    return (long long)__builtin_round(x);
}

long long llroundf(float x)
{
    return (long long)__builtin_round((double)x);
}

double modf(double x, double *whole)
{
    double cut = __builtin_trunc(x);
    if (x != x)
        return *whole = x + x;
    *whole = cut;
    return copysign(x == cut ? 0 : x - cut, x);
}

float modff(float x, float *whole)
{
    float cut = __builtin_truncf(x);
    if (x != x)
        return *whole = x + x;
    *whole = cut;
    return copysignf(x == cut ? 0 : x - cut, x);
}

/* Of a number that is not zero. */
static int __residue_exponent(double x)
{
    union { double number; unsigned long long bits; } parts;
    int exponent;
    parts.number = x;
    exponent = parts.bits >> 52 & 2047;
    if (exponent != 0)
        return exponent - 1022;
    parts.number = x * 18014398509481984.0;
    return (int)(parts.bits >> 52 & 2047) - 1022 - 54;
}

static double __residue_fraction(double x)
{
    union { double number; unsigned long long bits; } parts;
    parts.number = x;
    if ((parts.bits >> 52 & 2047) == 0)
        parts.number = x * 18014398509481984.0;
    parts.bits = (parts.bits & 0x800fffffffffffffULL) | 0x3fe0000000000000ULL;
    return parts.number;
}

double frexp(double x, int *exponent)
{
    *exponent = 0;
    if (x == 0 || x - x != 0)
        return x + x;
    *exponent = __residue_exponent(x);
    return __residue_fraction(x);
}

float frexpf(float x, int *exponent)
{
    return (float)frexp(x, exponent);
}

/* Only the last step may round: what is small before it is nothing in the end. */
double scalbn(double x, int n)
{
    if (n > 2200)
        n = 2200;
    if (n < -2200)
        n = -2200;
    for (; n > 1023; n -= 1023)
        x *= __residue_power_of_two(1023);
    for (; n < -1022; n += 900)
        x *= __residue_power_of_two(-900);
    return x * __residue_power_of_two(n);
}

float scalbnf(float x, int n)
{
    if (n > 400)
        n = 400;
    if (n < -400)
        n = -400;
    return (float)(x * __residue_power_of_two(n));
}

double ldexp(double x, int n)
{
    return scalbn(x, n);
}

float ldexpf(float x, int n)
{
    return scalbnf(x, n);
}

int ilogb(double x)
{
    if (x == 0 || x != x)
        return -2147483647 - 1;
    if (x - x != 0)
        return 2147483647;
    return __residue_exponent(x) - 1;
}

int ilogbf(float x)
{
    return ilogb(x);
}

double nextafter(double x, double y)
{
    union { double number; unsigned long long bits; } next;
    if (x != x || y != y)
        return x + y;
    if (x == y)
        return y;
    next.number = x;
    if (x == 0)
        next.bits = y > 0 ? 1 : 0x8000000000000001ULL;
    else if ((x < y) == (x > 0))
        next.bits++;
    else
        next.bits--;
    return next.number;
}

float nextafterf(float x, float y)
{
    union { float number; unsigned bits; } next;
    if (x != x || y != y)
        return x + y;
    if (x == y)
        return y;
    next.number = x;
    if (x == 0)
        next.bits = y > 0 ? 1 : 0x80000001U;
    else if ((x < y) == (x > 0))
        next.bits++;
    else
        next.bits--;
    return next.number;
}

/* Multiples that are taken away are at most what is left, and at least half of it: no step rounds. */
double fmod(double x, double y)
{
    double rest = __builtin_fabs(x), size = __builtin_fabs(y), step = size;
    if (y == 0 || x != x || y != y || rest - rest != 0)
        return (x * y) / (x * y);
    if (size - size == 0) {
        while (step + step <= rest)
            step += step;
        for (; step >= size; step /= 2)
            if (rest >= step)
                rest -= step;
    }
    return copysign(rest, x);
}

float fmodf(float x, float y)
{
    return (float)fmod(x, y);
}

double remainder(double x, double y)
{
    double rest = __builtin_fabs(x), size = __builtin_fabs(y);
    if (y == 0 || x != x || y != y || rest - rest != 0)
        return (x * y) / (x * y);
    if (size - size != 0)
        return x;
    if (size + size <= rest)
        rest = fmod(rest, size + size);
    if (rest + rest > size) {
        rest -= size;
        if (rest + rest >= size)
            rest -= size;
    }
    /* That of nothing is the sign of x, but glibc has it wrong of the smallest numbers. */
    if (rest == 0 && size <= 0x1p-1021)
        __residue_unsupported_sign();
    return rest == 0 ? copysign(0, x) : x < 0 ? -rest : rest;
}

float remainderf(float x, float y)
{
    return (float)remainder(x, y);
}

double drem(double x, double y)
{
    return remainder(x, y);
}

float dremf(float x, float y)
{
    return (float)remainder(x, y);
}

/* Bit by bit, from a number of at most 54 bits and an odd exponent; the last of 54 bits of the root rounds the others. */
double sqrt(double x)
{
    unsigned long long number, root = 0, rest = 0;
    int exponent, i;
    if (x == 0 || x != x || x == __builtin_inf())
        return x + x;
    if (x < 0)
        return (x - x) / (x - x);
    number = (unsigned long long)(__residue_fraction(x) * 9007199254740992.0);
    exponent = __residue_exponent(x);
    if (exponent % 2 == 0) {
        number *= 2;
        exponent--;
    }
    for (i = 0; i < 54; i++) {
        rest = rest * 4 + (i < 27 ? number >> (52 - 2 * i) & 3 : 0);
        root *= 2;
        if (rest > root * 2) {
            rest -= root * 2 + 1;
            root++;
        }
    }
    return (double)(root / 2 + root % 2) * __residue_power_of_two((exponent - 105) / 2);
}

float sqrtf(float x)
{
    return (float)sqrt(x);
}

double nan(const char *text)
{
    return __builtin_nan("");
}

float nanf(const char *text)
{
    return __builtin_nanf("");
}

/* To the nearest, as every program begins. */
int fegetround(void)
{
    return 0;
}

void __residue_unsupported_rounding(void);

int fesetround(int mode)
{
    if (mode != 0)
        __residue_unsupported_rounding();
    return 0;
}
