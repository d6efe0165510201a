/* stdio.h: text taken apart by a format. Floating point numbers, addresses and wide characters are unsupported. */

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
