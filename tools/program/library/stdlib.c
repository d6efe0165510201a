/* stdlib.h: numbers from text, sorting, searching. `errno` is not set: a program that looks at it keeps what is known of the
   functions by name. */

static int __residue_is_space(char c)
{
    return c == ' ' || (c >= '\t' && c <= '\r');
}

static int __residue_digit(char c)
{
    if (c >= '0' && c <= '9')
        return c - '0';
    if (c >= 'a' && c <= 'z')
        return c - 'a' + 10;
    if (c >= 'A' && c <= 'Z')
        return c - 'A' + 10;
    return 99;
}

/* Whether digits have a base. Without one, the functions write nothing. */
static int __residue_is_base(int base)
{
    return base == 0 || (base >= 2 && base <= 36);
}

/* The number that a text begins with, at most `limit`; `*after` is where it ends, or the beginning where there is none.
   `binary` says whether "0b" stands before digits of base 2, as for the functions of C23. */
static unsigned long long __residue_number(const char *s, char **after, int base, int binary, int *negative,
                                           unsigned long long limit, unsigned long long negative_limit, int *too_large)
{
    __SIZE_TYPE__ i = 0, first;
    unsigned long long value = 0;
    *negative = 0;
    *too_large = 0;
    while (__residue_is_space(s[i]))
        i = i + 1;
    if (s[i] == '-' || s[i] == '+') {
        *negative = s[i] == '-';
        i = i + 1;
    }
    if ((base == 0 || base == 16) && s[i] == '0' && (s[i + 1] == 'x' || s[i + 1] == 'X') && __residue_digit(s[i + 2]) < 16) {
        i = i + 2;
        base = 16;
    } else if (binary && (base == 0 || base == 2) && s[i] == '0' && (s[i + 1] == 'b' || s[i + 1] == 'B')
               && __residue_digit(s[i + 2]) < 2) {
        i = i + 2;
        base = 2;
    } else if (base == 0)
        base = s[i] == '0' ? 8 : 10;
    if (*negative)
        limit = negative_limit;
    first = i;
    while (__residue_digit(s[i]) < base) {
        int digit = __residue_digit(s[i]);
        if (*too_large || value > (limit - digit) / base)
            *too_large = 1;
        else
            value = value * base + digit;
        i = i + 1;
    }
    *after = (char *)s + (i == first ? 0 : i);
    return *too_large ? limit : value;
}

static long __residue_long(const char *s, char **end, int base, int binary)
{
    char *after;
    int negative, too_large;
    unsigned long long value, most = ~0UL >> 1;
    if (!__residue_is_base(base))
        return 0;
    value = __residue_number(s, &after, base, binary, &negative, most, most + 1, &too_large);
    if (end != 0)
        *end = after;
    return (long)(negative ? -value : value);
}

static long long __residue_long_long(const char *s, char **end, int base, int binary)
{
    char *after;
    int negative, too_large;
    unsigned long long value, most = ~0ULL >> 1;
    if (!__residue_is_base(base))
        return 0;
    value = __residue_number(s, &after, base, binary, &negative, most, most + 1, &too_large);
    if (end != 0)
        *end = after;
    return (long long)(negative ? -value : value);
}

static unsigned long __residue_unsigned_long(const char *s, char **end, int base, int binary)
{
    char *after;
    int negative, too_large;
    unsigned long long value, most = ~0UL;
    if (!__residue_is_base(base))
        return 0;
    value = __residue_number(s, &after, base, binary, &negative, most, most, &too_large);
    if (end != 0)
        *end = after;
    return (unsigned long)(negative && !too_large ? -value : value);
}

static unsigned long long __residue_unsigned_long_long(const char *s, char **end, int base, int binary)
{
    char *after;
    int negative, too_large;
    unsigned long long value, most = ~0ULL;
    if (!__residue_is_base(base))
        return 0;
    value = __residue_number(s, &after, base, binary, &negative, most, most, &too_large);
    if (end != 0)
        *end = after;
    return negative && !too_large ? -value : value;
}

/* The number that a text begins with in base 10. */
static long __residue_decimal(const char *s)
{
    __SIZE_TYPE__ i = 0;
    int negative = 0;
    unsigned long value = 0, most = ~0UL >> 1;
    while (__residue_is_space(s[i]))
        i = i + 1;
    if (s[i] == '-' || s[i] == '+') {
        negative = s[i] == '-';
        i = i + 1;
    }
    if (negative)
        most = most + 1;
    while (s[i] >= '0' && s[i] <= '9') {
        unsigned long digit = s[i] - '0';
        if (value > (most - digit) / 10)
            return (long)(negative ? -most : most);
        value = value * 10 + digit;
        i = i + 1;
    }
    return (long)(negative ? -value : value);
}

int atoi(const char *s)
{
    return (int)__residue_decimal(s);
}

long atol(const char *s)
{
    return __residue_decimal(s);
}

long long atoll(const char *s)
{
    return __residue_long_long(s, 0, 10, 0);
}

long strtol(const char *s, char **end, int base)
{
    return __residue_long(s, end, base, 0);
}

long __isoc23_strtol(const char *s, char **end, int base)
{
    return __residue_long(s, end, base, 1);
}

long long strtoll(const char *s, char **end, int base)
{
    return __residue_long_long(s, end, base, 0);
}

long long __isoc23_strtoll(const char *s, char **end, int base)
{
    return __residue_long_long(s, end, base, 1);
}

long long strtoq(const char *s, char **end, int base)
{
    return __residue_long_long(s, end, base, 0);
}

unsigned long strtoul(const char *s, char **end, int base)
{
    return __residue_unsigned_long(s, end, base, 0);
}

unsigned long __isoc23_strtoul(const char *s, char **end, int base)
{
    return __residue_unsigned_long(s, end, base, 1);
}

unsigned long long strtoull(const char *s, char **end, int base)
{
    return __residue_unsigned_long_long(s, end, base, 0);
}

unsigned long long __isoc23_strtoull(const char *s, char **end, int base)
{
    return __residue_unsigned_long_long(s, end, base, 1);
}

unsigned long long strtouq(const char *s, char **end, int base)
{
    return __residue_unsigned_long_long(s, end, base, 0);
}

static void __residue_swap(void *a, void *b, __SIZE_TYPE__ size)
{
    __SIZE_TYPE__ k, count = size / sizeof(__ELEMENT_TYPE__);
    for (k = 0; k < count; k = k + 1) {
        __ELEMENT_TYPE__ held = ((__ELEMENT_TYPE__ *)a)[k];
        ((__ELEMENT_TYPE__ *)a)[k] = ((__ELEMENT_TYPE__ *)b)[k];
        ((__ELEMENT_TYPE__ *)b)[k] = held;
    }
    for (k = count * sizeof(__ELEMENT_TYPE__); k < size; k = k + 1) {
        char byte = ((char *)a)[k];
        ((char *)a)[k] = ((char *)b)[k];
        ((char *)b)[k] = byte;
    }
}

/* By insertion. Which order equal elements get, and in which order they are compared, is nobody's business. */
void qsort(void *base, __SIZE_TYPE__ count, __SIZE_TYPE__ size, int (*order)(const void *, const void *))
{
    __SIZE_TYPE__ i, j;
    for (i = 1; i < count; i = i + 1) {
        j = i;
        while (j > 0 && order((char *)base + (j - 1) * size, (char *)base + j * size) > 0) {
            __residue_swap((char *)base + (j - 1) * size, (char *)base + j * size, size);
            j = j - 1;
        }
    }
}

void *bsearch(const void *key, const void *base, __SIZE_TYPE__ count, __SIZE_TYPE__ size,
              int (*order)(const void *, const void *))
{
    __SIZE_TYPE__ low = 0, high = count;
    while (low < high) {
        __SIZE_TYPE__ middle = (low + high) / 2;
        int side = order(key, (const char *)base + middle * size);
        if (side == 0)
            return (char *)base + middle * size;
        if (side < 0)
            high = middle;
        else
            low = middle + 1;
    }
    return 0;
}
