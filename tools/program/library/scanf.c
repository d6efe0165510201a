/* stdio.h: text and input taken apart by a format. Floating point numbers, addresses and wide characters are unsupported. */

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

static int __residue_scan(const char *s, const char *format, __builtin_va_list list)
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
            } else if (base == 0)
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
    assigned = __residue_scan(s, format, list);
    __builtin_va_end(list);
    return assigned;
}

int __isoc99_sscanf(const char *s, const char *format, ...)
{
    __builtin_va_list list;
    int assigned;
    __builtin_va_start(list, format);
    assigned = __residue_scan(s, format, list);
    __builtin_va_end(list);
    return assigned;
}

int __isoc23_sscanf(const char *s, const char *format, ...)
{
    __builtin_va_list list;
    int assigned;
    __builtin_va_start(list, format);
    assigned = __residue_scan(s, format, list);
    __builtin_va_end(list);
    return assigned;
}

int vsscanf(const char *s, const char *format, __builtin_va_list list)
{
    return __residue_scan(s, format, list);
}

/* Stands where what the input holds is not known well enough. */
void __residue_unsupported_input(void);

/* What `scanf` finds next on the standard input, as far as earlier conversions tell: 0 anything, 1 no further digit, 2 what did
   not fit, 3 the end, 4 no blank, 5 a blank or the end, 6 nothing of the last set. */
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
