/* stdio.h: text and input taken apart by a format. Addresses, wide characters and numbers of type `long double` are unsupported. */

static int __residue_is_blank(char c)
{
    return c == ' ' || (c >= '\t' && c <= '\r');
}

static int __residue_value_of(char c)
{
    if (c >= '0' && c <= '9')
        return c - '0';
    if (c >= 'a' && c <= 'z')
        return c - 'a' + 10;
    if (c >= 'A' && c <= 'Z')
        return c - 'A' + 10;
    return 99;
}

/* Whether a character is in the set between the brackets that begin at `set`. */
static int __residue_in_brackets(char c, const char *set)
{
    __SIZE_TYPE__ i = 0;
    int not_in = 0, found = 0;
    if (set[i] == '^') {
        not_in = 1;
        i = i + 1;
    }
    do {
        if (set[i + 1] == '-' && set[i + 2] != ']' && set[i + 2] != 0) {
            if ((unsigned char)set[i] <= (unsigned char)c && (unsigned char)c <= (unsigned char)set[i + 2])
                found = 1;
            i = i + 3;
        } else {
            if (set[i] == c)
                found = 1;
            i = i + 1;
        }
    } while (set[i] != ']' && set[i] != 0);
    return found != not_in;
}

static int __residue_small(char c)
{
    return c >= 'A' && c <= 'Z' ? c - 'A' + 'a' : c;
}

/* How many characters of a word a text begins with, upper case or lower case. */
static int __residue_same(const char *s, const char *word)
{
    int i = 0;
    while (word[i] != 0 && __residue_small(s[i]) == word[i])
        i = i + 1;
    return i;
}

/* Whether a conversion is one of a floating-point number. "%as", "%aS" and "%a[" are another one for some libraries. */
static int __residue_is_real(char conversion, char next)
{
    if (conversion == 'a')
        return next != 's' && next != 'S' && next != '[';
    return conversion == 'A' || conversion == 'e' || conversion == 'E' || conversion == 'f' || conversion == 'F' || conversion == 'g'
           || conversion == 'G';
}

/* Stands where the nearest number is not found with one rounding. */
void __residue_unsupported_number(void);

/* Powers of ten that are exact. */
static const double __residue_tens[23] = {1e0,  1e1,  1e2,  1e3,  1e4,  1e5,  1e6,  1e7,  1e8,  1e9,  1e10, 1e11,
                                          1e12, 1e13, 1e14, 1e15, 1e16, 1e17, 1e18, 1e19, 1e20, 1e21, 1e22};

/* The number that digits, as many zeros and a power of the base stand for: both operands of the one operation are exact. */
static double __residue_scaled(unsigned long long digits, int base, long long power)
{
    double value = (double)digits;
    if (digits == 0)
        return 0;
    if (digits > 9007199254740992ULL || power > (base == 10 ? 22 : 63) || power < (base == 10 ? -22 : -63))
        __residue_unsupported_number();
    else if (base == 10)
        value = power < 0 ? value / __residue_tens[-power] : value * __residue_tens[power];
    else
        value = power < 0 ? value / (double)(1ULL << -power) : value * (double)(1ULL << power);
    return value;
}

/* A number is rounded a second time: to the nearest, unless the first rounding has ended right between two. */
static float __residue_narrowed(double value, int exact)
{
    float result = (float)value;
    double rest = value - (double)result, next = (double)result + 2 * rest;
    if (!exact && rest != 0 && (double)(float)next == next)
        __residue_unsupported_number();
    return result;
}

/* How many characters of a text are a floating-point number, as glibc takes it: an exponent may lack its digits. 0 if there is
   none; a width of 0 stands for no limit. */
static int __residue_real(const char *s, int width, int is_double, double *read)
{
    int at = 0, most = width == 0 ? 2147483647 : width, base = 10, negative = 0, digits = 0, dot = 0, lost = 0, first;
    unsigned long long value = 0;
    long long power = 0, zeros = 0, exponent = 0;
    if (s[0] == '-' || s[0] == '+') {
        negative = s[0] == '-';
        at = 1;
    }
    first = __residue_small(s[at]);
    if (first == 'n' || first == 'i') {
        int same = __residue_same(s + at, first == 'n' ? "nan" : "infinity");
        /* Behind "inf" the rest has to follow once it begins. */
        if (at + same > most)
            same = most - at;
        if (same != 3 && same != 8)
            return 0;
        *read = first == 'n' ? __builtin_nan("") : __builtin_inf();
        if (negative)
            *read = -*read;
        return at + same;
    }
    if (at + 1 < most && s[at] == '0' && __residue_small(s[at + 1]) == 'x') {
        base = 16;
        at = at + 2;
        first = at;
        /* Libraries differ where a width ends behind the prefix. */
        if (at == most)
            __residue_unsupported_number();
    } else
        first = -1;
    while (at < most && (__residue_value_of(s[at]) < base || (!dot && s[at] == '.'))) {
        if (s[at] == '.')
            dot = 1;
        else {
            int digit = __residue_value_of(s[at]);
            digits = 1;
            if (dot)
                power = power - (base == 10 ? 1 : 4);
            if (digit == 0)
                zeros = zeros + (value != 0);
            else {
                while (zeros >= 0 && !lost) {
                    if (value > 576460752303423487ULL)
                        lost = 1;
                    else
                        value = value * base;
                    zeros = zeros - 1;
                }
                value = value + digit;
                zeros = 0;
            }
        }
        at = at + 1;
    }
    /* The prefix alone is no number; with a dot it is the zero it begins with. */
    if (!digits && (first < 0 || at == first))
        return 0;
    if (digits && at < most && __residue_small(s[at]) == (base == 10 ? 'e' : 'p')) {
        int below = 0;
        at = at + 1;
        if (at < most && (s[at] == '-' || s[at] == '+')) {
            below = s[at] == '-';
            at = at + 1;
        }
        while (at < most && s[at] >= '0' && s[at] <= '9') {
            if (exponent < 100000)
                exponent = exponent * 10 + (s[at] - '0');
            at = at + 1;
        }
        if (below)
            exponent = -exponent;
    }
    if (lost)
        __residue_unsupported_number();
    power = power + exponent + (base == 10 ? zeros : 4 * zeros);
    *read = __residue_scaled(value, base, power);
    if (!is_double)
        *read = __residue_narrowed(*read, base == 16);
    if (negative)
        *read = -*read;
    return at;
}

/* `binary` says whether "%i" knows "0b", as for the functions of C23. */
static int __residue_scan(const char *s, const char *format, int binary, __builtin_va_list list)
{
    __SIZE_TYPE__ at = 0, i = 0;
    int assigned = 0;
    while (format[i] != 0) {
        int skip = 0, width = 0, length = 0;
        char conversion;
        if (__residue_is_blank(format[i])) {
            while (__residue_is_blank(s[at]))
                at = at + 1;
            i = i + 1;
            continue;
        }
        if (format[i] != '%') {
            if (s[at] != format[i])
                return s[at] == 0 && assigned == 0 ? -1 : assigned;
            at = at + 1;
            i = i + 1;
            continue;
        }
        i = i + 1;
        if (format[i] == '*') {
            skip = 1;
            i = i + 1;
        }
        while (format[i] >= '0' && format[i] <= '9') {
            width = width * 10 + (format[i] - '0');
            i = i + 1;
        }
        while (format[i] == 'h' || format[i] == 'l' || format[i] == 'z' || format[i] == 't' || format[i] == 'j' || format[i] == 'q') {
            if (format[i] == 'h')
                length = length - 1;
            else if (format[i] == 'l')
                length = length + 1;
            else if (format[i] == 'z' || format[i] == 't')
                length = 1;
            else
                length = 2;
            i = i + 1;
        }
        conversion = format[i];
        i = i + 1;
        if (conversion == 'n') {
            if (!skip)
                *__builtin_va_arg(list, int *) = (int)at;
            continue;
        }
        if (conversion != 'c' && conversion != '[')
            while (__residue_is_blank(s[at]))
                at = at + 1;
        if (s[at] == 0)
            return assigned == 0 ? -1 : assigned;
        if (conversion == '%') {
            if (s[at] != '%')
                return assigned;
            at = at + 1;
        } else if (conversion == 'd' || conversion == 'i' || conversion == 'u' || conversion == 'x' || conversion == 'X'
                   || conversion == 'o') {
            int base = conversion == 'x' || conversion == 'X' ? 16 : conversion == 'o' ? 8 : conversion == 'i' ? 0 : 10;
            int negative = 0, digits = 0, left = width == 0 ? 2147483647 : width, is_signed = conversion == 'd' || conversion == 'i';
            int too_large = 0;
            unsigned long long value = 0, most;
            if (s[at] == '-' || s[at] == '+') {
                negative = s[at] == '-';
                at = at + 1;
                left = left - 1;
            }
            if ((base == 0 || base == 16) && left > 1 && s[at] == '0' && (s[at + 1] == 'x' || s[at + 1] == 'X')) {
                /* glibc takes a prefix without digits for 0. */
                at = at + 2;
                left = left - 2;
                base = 16;
                digits = 1;
            } else if (base == 0 && binary && left > 1 && s[at] == '0' && (s[at + 1] == 'b' || s[at + 1] == 'B'))
                __residue_unsupported_number();
            else if (base == 0)
                base = s[at] == '0' ? 8 : 10;
            most = length >= 2 ? ~0ULL : ~0UL;
            if (is_signed)
                most = (most >> 1) + (negative ? 1 : 0);
            while (left > 0 && __residue_value_of(s[at]) < base) {
                int digit = __residue_value_of(s[at]);
                if (too_large || value > (most - digit) / base)
                    too_large = 1;
                else
                    value = value * base + digit;
                digits = digits + 1;
                left = left - 1;
                at = at + 1;
            }
            if (digits == 0)
                return assigned;
            if (too_large)
                value = negative && is_signed ? -most : most;
            else if (negative)
                value = -value;
            if (!skip) {
                if (length >= 2)
                    *__builtin_va_arg(list, long long *) = (long long)value;
                else if (length == 1)
                    *__builtin_va_arg(list, long *) = (long)value;
                else if (length == 0)
                    *__builtin_va_arg(list, int *) = (int)value;
                else if (length == -1)
                    *__builtin_va_arg(list, short *) = (short)value;
                else
                    *__builtin_va_arg(list, char *) = (char)value;
                assigned = assigned + 1;
            }
        } else if ((length == 0 || length == 1) && __residue_is_real(conversion, format[i])) {
            double number;
            int count = __residue_real(s + at, width, length, &number);
            if (count == 0)
                return assigned;
            at = at + count;
            if (!skip) {
                if (length == 1)
                    *__builtin_va_arg(list, double *) = number;
                else
                    *__builtin_va_arg(list, float *) = (float)number;
                assigned = assigned + 1;
            }
        } else if (length == 0 && (conversion == 'c' || conversion == 's' || conversion == '[')) {
            char *to = skip ? (char *)0 : __builtin_va_arg(list, char *);
            const char *set = format + i;
            int count = 0, most = width != 0 ? width : conversion == 'c' ? 1 : 2147483647;
            if (conversion == '[') {
                if (format[i] == '^')
                    i = i + 1;
                do
                    i = i + 1;
                while (format[i] != ']' && format[i] != 0);
                i = i + 1;
            }
            while (count < most && s[at] != 0
                   && (conversion == 'c' || (conversion == 's' ? !__residue_is_blank(s[at]) : __residue_in_brackets(s[at], set)))) {
                if (!skip)
                    to[count] = s[at];
                count = count + 1;
                at = at + 1;
            }
            if (count == 0)
                return assigned;
            if (!skip) {
                if (conversion != 'c')
                    to[count] = 0;
                assigned = assigned + 1;
            }
        } else
            __residue_unsupported_conversion();
    }
    return assigned;
}

int sscanf(const char *s, const char *format, ...)
{
    __builtin_va_list list;
    int assigned;
    __builtin_va_start(list, format);
    assigned = __residue_scan(s, format, 0, list);
    __builtin_va_end(list);
    return assigned;
}

int __isoc99_sscanf(const char *s, const char *format, ...)
{
    __builtin_va_list list;
    int assigned;
    __builtin_va_start(list, format);
    assigned = __residue_scan(s, format, 0, list);
    __builtin_va_end(list);
    return assigned;
}

int __isoc23_sscanf(const char *s, const char *format, ...)
{
    __builtin_va_list list;
    int assigned;
    __builtin_va_start(list, format);
    assigned = __residue_scan(s, format, 1, list);
    __builtin_va_end(list);
    return assigned;
}

int vsscanf(const char *s, const char *format, __builtin_va_list list)
{
    return __residue_scan(s, format, 0, list);
}

/* Stands where what the input holds is not known well enough. */
void __residue_unsupported_input(void);

/* What `scanf` finds next on the standard input, as far as earlier conversions tell: 0 anything, 1 no further digit, 2 what did
   not fit, 3 the end, 4 no blank, 5 a blank or the end, 6 nothing of the last set, 7 no digit, which any exponent ends before. */
static int __residue_left;
/* The base of the last number; 0 if the number told it. */
static int __residue_base;
static const char *__residue_set;

static int __residue_cannot_follow(char c)
{
    if (__residue_left == 1)
        return __residue_value_of(c) < __residue_base;
    if (__residue_left == 4)
        return __residue_is_blank(c);
    if (__residue_left == 5)
        return !__residue_is_blank(c);
    if (__residue_left == 7)
        return c >= '0' && c <= '9';
    return __residue_left == 6 && __residue_in_brackets(c, __residue_set);
}

/* Blanks that are skipped tell nothing of what is behind them; without one, what stands there is not known well enough. */
static void __residue_needs_blank(void)
{
    if (__residue_left == 6 && __residue_in_brackets(' ', __residue_set) && __residue_in_brackets('\n', __residue_set))
        __residue_unsupported_input();
}

/* Whether the input ends here (-1), has something else than what is wanted (0), or has it (1). */
static int __residue_finds(int may_differ)
{
    int found = __VERIFIER_nondet_residue_int();
    if (__residue_left == 3 || found < 0) {
        __residue_left = 3;
        return -1;
    }
    if (found == 0 && may_differ) {
        __residue_left = 2;
        return 0;
    }
    return 1;
}

/* The value of a number with so many characters at most; 0 stands for no limit. */
static long long __residue_any_number(int base, int width)
{
    long long value = (long long)(((unsigned long long)(unsigned)__VERIFIER_nondet_residue_int() << 32)
                                  | (unsigned)__VERIFIER_nondet_residue_int());
    long long least = 0, most = 0;
    if (width == 0 || width > 14)
        return value;
    while (width > 0) {
        least = most;
        most = most * base + (base - 1);
        width = width - 1;
    }
    if (value > most || value < -least)
        return 0;
    return value;
}

double __VERIFIER_nondet_residue_double(void);

float __VERIFIER_nondet_residue_float(void);

/* Any number of a text without limit: hexadecimal digits write all of them, and of what is no number two are written. */
static double __residue_any_real(int is_double)
{
    double value = is_double ? __VERIFIER_nondet_residue_double() : (double)__VERIFIER_nondet_residue_float();
    if (value != value)
        value = __builtin_nan("");
    return value != value && __VERIFIER_nondet_residue_int() < 0 ? -value : value;
}

/* A number of so many characters at most: quarters below a million. Others are unsupported. */
static double __residue_short_real(int width)
{
    int quarters = __VERIFIER_nondet_residue_int(), negative = __VERIFIER_nondet_residue_int(), most = 1, count = 0;
    double value;
    width = width - (negative < 0) - (quarters % 4 == 0 ? 0 : quarters % 4 == 2 ? 2 : 3);
    while (count < width && count < 6) {
        most = most * 10;
        count = count + 1;
    }
    if (width < 0 || quarters < 0 || quarters / 4 >= most || (width == 0 && quarters % 4 == 0))
        __residue_unsupported_number();
    value = (double)quarters * 0.25;
    return negative < 0 ? -value : value;
}

static int __residue_scan_input(const char *format, __builtin_va_list list)
{
    __SIZE_TYPE__ i = 0;
    int assigned = 0, found;
    if (__residue_left == 2)
        __residue_unsupported_input();
    while (format[i] != 0) {
        int skip = 0, width = 0, length = 0;
        char conversion;
        if (__residue_is_blank(format[i])) {
            if (__residue_left != 3)
                __residue_left = 4;
            i = i + 1;
            continue;
        }
        if (format[i] == '%' && format[i + 1] == '%') {
            __residue_needs_blank();
            if (__residue_left != 3)
                __residue_left = 4;
            i = i + 1;
        } else if (format[i] == '%') {
            i = i + 1;
            if (format[i] == '*') {
                skip = 1;
                i = i + 1;
            }
            while (format[i] >= '0' && format[i] <= '9') {
                width = width * 10 + (format[i] - '0');
                i = i + 1;
            }
            while (format[i] == 'h' || format[i] == 'l' || format[i] == 'z' || format[i] == 't' || format[i] == 'j' || format[i] == 'q') {
                if (format[i] == 'h')
                    length = length - 1;
                else if (format[i] == 'l')
                    length = length + 1;
                else if (format[i] == 'z' || format[i] == 't')
                    length = 1;
                else
                    length = 2;
                i = i + 1;
            }
            conversion = format[i];
            i = i + 1;
            if (conversion == 'd' || conversion == 'i' || conversion == 'u' || conversion == 'x' || conversion == 'X'
                || conversion == 'o') {
                int base = conversion == 'x' || conversion == 'X' ? 16 : conversion == 'o' ? 8 : 10;
                long long value;
                __residue_needs_blank();
                if (conversion == 'i' && width != 0)
                    __residue_unsupported_input();
                found = __residue_finds(1);
                if (found <= 0)
                    return found < 0 && assigned == 0 ? -1 : assigned;
                value = __residue_any_number(base, width);
                __residue_left = 1;
                __residue_base = conversion == 'i' || width != 0 ? 0 : base;
                if (!skip) {
                    if (length >= 2)
                        *__builtin_va_arg(list, long long *) = value;
                    else if (length == 1)
                        *__builtin_va_arg(list, long *) = (long)value;
                    else if (length == 0)
                        *__builtin_va_arg(list, int *) = (int)value;
                    else if (length == -1)
                        *__builtin_va_arg(list, short *) = (short)value;
                    else
                        *__builtin_va_arg(list, char *) = (char)value;
                    assigned = assigned + 1;
                }
            } else if ((length == 0 || length == 1) && __residue_is_real(conversion, format[i])) {
                double value;
                __residue_needs_blank();
                found = __residue_finds(1);
                if (found <= 0)
                    return found < 0 && assigned == 0 ? -1 : assigned;
                if (width != 0 && width < 24) {
                    value = __residue_short_real(width);
                    __residue_left = 1;
                    __residue_base = 0;
                } else {
                    /* So many characters are enough for each `double`; what fills them is followed by anything, as words are. */
                    value = __residue_any_real(length);
                    __residue_left = width == 0 && value - value == 0 ? 7 : 0;
                }
                if (!skip) {
                    if (length == 1)
                        *__builtin_va_arg(list, double *) = value;
                    else
                        *__builtin_va_arg(list, float *) = (float)value;
                    assigned = assigned + 1;
                }
            } else if (length == 0 && conversion == 's') {
                char *to = skip ? (char *)0 : __builtin_va_arg(list, char *);
                int count = 0, more = 1;
                __residue_needs_blank();
                found = __residue_finds(0);
                if (found < 0)
                    return assigned == 0 ? -1 : assigned;
                while (more && (width == 0 || count < width)) {
                    char c = __VERIFIER_nondet_residue_char();
                    more = !__residue_is_blank(c);
                    if (count == 0 && !more) {
                        c = 'a';
                        more = 1;
                    }
                    if (more) {
                        if (!skip)
                            to[count] = c;
                        count = count + 1;
                    }
                }
                __residue_left = more ? 0 : 5;
                if (!skip) {
                    to[count] = 0;
                    assigned = assigned + 1;
                }
            } else if (length == 0 && conversion == 'c') {
                char c = __VERIFIER_nondet_residue_char();
                if (width > 1 || (!skip && __residue_left == 1 && __residue_base == 0))
                    __residue_unsupported_input();
                found = __residue_finds(0);
                if (found > 0 && __residue_cannot_follow(c)) {
                    __residue_left = 3;
                    found = -1;
                }
                if (found < 0)
                    return assigned == 0 ? -1 : assigned;
                __residue_left = 0;
                if (!skip) {
                    *__builtin_va_arg(list, char *) = c;
                    assigned = assigned + 1;
                }
            } else if (length == 0 && conversion == '[') {
                char *to = skip ? (char *)0 : __builtin_va_arg(list, char *);
                const char *set = format + i;
                int count = 0, more = 1;
                if (format[i] == '^')
                    i = i + 1;
                do
                    i = i + 1;
                while (format[i] != ']' && format[i] != 0);
                i = i + 1;
                if (__residue_left == 1 && __residue_base == 0)
                    __residue_unsupported_input();
                found = __residue_finds(0);
                if (found < 0)
                    return assigned == 0 ? -1 : assigned;
                while (more && (width == 0 || count < width)) {
                    char c = __VERIFIER_nondet_residue_char();
                    more = __residue_in_brackets(c, set);
                    if (count == 0 && __residue_cannot_follow(c)) {
                        __residue_left = 3;
                        return assigned == 0 ? -1 : assigned;
                    }
                    if (count == 0 && !more) {
                        /* As if nothing of the set stood there. */
                        __residue_left = 2;
                        return assigned;
                    }
                    if (more) {
                        if (!skip)
                            to[count] = c;
                        count = count + 1;
                    }
                }
                __residue_left = more ? 0 : 6;
                __residue_set = set;
                if (!skip) {
                    to[count] = 0;
                    assigned = assigned + 1;
                }
            } else
                __residue_unsupported_input();
            continue;
        }
        /* A character that has to stand there. */
        if (__residue_left == 1 && __residue_base == 0)
            __residue_unsupported_input();
        found = __residue_finds(1);
        if (found > 0 && __residue_cannot_follow(format[i])) {
            __residue_left = 2;
            found = 0;
        }
        if (found <= 0)
            return found < 0 && assigned == 0 ? -1 : assigned;
        __residue_left = 0;
        i = i + 1;
    }
    return assigned;
}

int scanf(const char *format, ...)
{
    __builtin_va_list list;
    int assigned;
    __builtin_va_start(list, format);
    assigned = __residue_scan_input(format, list);
    __builtin_va_end(list);
    return assigned;
}

int __isoc99_scanf(const char *format, ...)
{
    __builtin_va_list list;
    int assigned;
    __builtin_va_start(list, format);
    assigned = __residue_scan_input(format, list);
    __builtin_va_end(list);
    return assigned;
}

int __isoc23_scanf(const char *format, ...)
{
    __builtin_va_list list;
    int assigned;
    __builtin_va_start(list, format);
    assigned = __residue_scan_input(format, list);
    __builtin_va_end(list);
    return assigned;
}

int fscanf(struct __STREAM_TYPE__ *stream, const char *format, ...)
{
    __builtin_va_list list;
    int assigned;
    __builtin_va_start(list, format);
    assigned = __residue_scan_input(format, list);
    __builtin_va_end(list);
    return assigned;
}

int __isoc99_fscanf(struct __STREAM_TYPE__ *stream, const char *format, ...)
{
    __builtin_va_list list;
    int assigned;
    __builtin_va_start(list, format);
    assigned = __residue_scan_input(format, list);
    __builtin_va_end(list);
    return assigned;
}

int __isoc23_fscanf(struct __STREAM_TYPE__ *stream, const char *format, ...)
{
    __builtin_va_list list;
    int assigned;
    __builtin_va_start(list, format);
    assigned = __residue_scan_input(format, list);
    __builtin_va_end(list);
    return assigned;
}
