/* Behind the bodies of the library, which are called own_NAME here: compares them with the machine's library on random
   arguments. Ends with status 1 and a line for each function that differs. */
#include <ctype.h>
#include <fenv.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

char *strcasestr(const char *, const char *);
char *strchrnul(const char *, int);
void *memrchr(const void *, int, size_t);
void *rawmemchr(const void *, int);
void *mempcpy(void *, const void *, size_t);
extern int __isnan(double), __isnanf(float), __isinf(double), __isinff(float), __finite(double), __finitef(float);
extern int __fpclassify(double), __fpclassifyf(float), __signbit(double), __signbitf(float);
double drem(double, double);
float dremf(float, float);
extern const unsigned short **__ctype_b_loc(void);
extern const int **__ctype_tolower_loc(void), **__ctype_toupper_loc(void);

void __residue_unsupported_conversion(void) { puts("an unsupported conversion"); exit(1); }
void __residue_unsupported_sign(void) {}
void __residue_unsupported_rounding(void) { puts("another way of rounding"); exit(1); }
/* The stream that input comes from. */
static unsigned char stream[16];
static int length, position, at_end;
/* The byte at the end says that there is no more, once; the question whether reading fails is answered with no. */
void __residue_unsupported_input(void) {}
int __VERIFIER_nondet_residue_int(void)
{
    int at = position++;
    return at == at_end ? -1 : at < length ? stream[at] : 0;
}
/* Nobody here calls what reads them. */
double __VERIFIER_nondet_residue_double(void) { return 0; }
float __VERIFIER_nondet_residue_float(void) { return 0; }
char __VERIFIER_nondet_residue_char(void) { return (char)__VERIFIER_nondet_residue_int(); }

static unsigned long long seed = 88172645463325252ull;
static unsigned next(unsigned below)
{
    seed ^= seed << 13;
    seed ^= seed >> 7;
    seed ^= seed << 17;
    return (unsigned)(seed >> 20) % below;
}
static char text[4][32];
static char *random_text(int which, const char *letters)
{
    int size = next(10), i;
    for (i = 0; i < size; i++)
        text[which][i] = letters[next(strlen(letters))];
    text[which][size] = 0;
    return text[which];
}
static int failures;
static void check(int same, const char *name)
{
    static const char *last;
    if (!same && last != name) {
        printf("%s differs: \"%s\" \"%s\" \"%s\" \"%s\"\n", last = name, text[0], text[1], text[2], text[3]);
        failures++;
    }
}
static int sign(int x) { return (x > 0) - (x < 0); }
/* Both buffers hold the same before. */
static char left[64], right[64];
static void reset(void)
{
    int i;
    for (i = 0; i < 64; i++)
        left[i] = right[i] = 'a' + next(3);
    left[next(8)] = 0;
    left[40] = 0;
    memcpy(right, left, 64);
}
#define SAME(name, own, theirs) do { long o, t; reset(); { char *to = left; o = (long)(own) - (long)0; (void)to; } { char *to = right; t = (long)(theirs); (void)to; } check(o == t && !memcmp(left, right, 64), name); } while (0)
#define AT(pointer) ((pointer) ? (char *)(pointer) - to : -1)

static void strings(void)
{
    const char *letters = next(2) ? "abA" : "ab\x80\xff";
    char *a = random_text(0, letters), *b = random_text(1, letters);
    int n = next(10), c = next(8) ? letters[next(2)] : 0;
    check(own_strlen(a) == strlen(a), "strlen");
    check(own_strnlen(a, n) == strnlen(a, n), "strnlen");
    check(sign(own_strcmp(a, b)) == sign(strcmp(a, b)), "strcmp");
    check(sign(own_strcoll(a, b)) == sign(strcoll(a, b)), "strcoll");
    check(sign(own_strncmp(a, b, n)) == sign(strncmp(a, b, n)), "strncmp");
    check(sign(own_strcasecmp(a, b)) == sign(strcasecmp(a, b)), "strcasecmp");
    check(sign(own_strncasecmp(a, b, n)) == sign(strncasecmp(a, b, n)), "strncasecmp");
    check(own_strchr(a, c) == strchr(a, c), "strchr");
    check(own_index(a, c) == index(a, c), "index");
    check(own_strchrnul(a, c) == strchrnul(a, c), "strchrnul");
    check(own_strrchr(a, c) == strrchr(a, c), "strrchr");
    check(own_rindex(a, c) == rindex(a, c), "rindex");
    b[next(3)] = 0;
    check(own_strstr(a, b) == strstr(a, b), "strstr");
    check(own_strcasestr(a, b) == strcasestr(a, b), "strcasestr");
    check(own_strspn(a, b) == strspn(a, b), "strspn");
    check(own_strcspn(a, b) == strcspn(a, b), "strcspn");
    check(own_strpbrk(a, b) == strpbrk(a, b), "strpbrk");
    SAME("strcpy", AT(own_strcpy(to, a)), AT(strcpy(to, a)));
    SAME("stpcpy", AT(own_stpcpy(to, a)), AT(stpcpy(to, a)));
    SAME("strncpy", AT(own_strncpy(to, a, n)), AT(strncpy(to, a, n)));
    SAME("stpncpy", AT(own_stpncpy(to, a, n)), AT(stpncpy(to, a, n)));
    SAME("strcat", AT(own_strcat(to, a)), AT(strcat(to, a)));
    SAME("strncat", AT(own_strncat(to, a, n)), AT(strncat(to, a, n)));
    {
        char *o = own_strdup(a), *p = own_strndup(a, n), *t = strndup(a, n);
        check(!strcmp(o, a) && !strcmp(p, t), "strdup");
        free(o), free(p), free(t);
    }
    {
        size_t size = 1 + next(9), o, room = strlen(a) < size ? strlen(a) : size - 1;
        reset();
        o = own_strlcpy(left, a, size);
        memcpy(right, a, room);
        right[room] = 0;
        check(o == strlen(a) && !memcmp(left, right, 64), "strlcpy");
        reset();
        o = own_strlcat(left, a, size);
        if (strlen(right) < size) {
            check(o == strlen(right) + strlen(a), "strlcat");
            strncat(right, a, size - strlen(right) - 1);
        } else
            check(o == size + strlen(a), "strlcat");
        check(!memcmp(left, right, 64), "strlcat");
    }
    {
        char *rest, *other, *o, *t, *begin;
        strcpy(left, a), strcpy(right, a);
        o = own_strtok_r(left, b, &rest), t = strtok_r(right, b, &other);
        while (o && t && o - left == t - right)
            o = own_strtok_r(0, b, &rest), t = strtok_r(0, b, &other);
        check(!o && !t && !memcmp(left, right, strlen(a) + 1), "strtok_r");
        strcpy(left, a), strcpy(right, a);
        o = own_strtok(left, b), t = strtok(right, b);
        while (o && t && o - left == t - right)
            o = own_strtok(0, b), t = strtok(0, b);
        check(!o && !t && !memcmp(left, right, strlen(a) + 1), "strtok");
        strcpy(left, a), strcpy(right, a);
        rest = left, other = right;
        do
            o = own_strsep(&rest, b), t = strsep(&other, b);
        while (o && t && o - left == t - right);
        check(!o && !t && !memcmp(left, right, strlen(a) + 1), "strsep");
    }
}
static void areas(void)
{
    char *a = random_text(0, "ab\x80\xff"), *b = random_text(1, "ab\x80\xff");
    int n = next(10), c = "ab\x80"[next(3)], from = next(10), at = next(10);
    memset(a + strlen(a), 0, 4), memset(b + strlen(b), 0, 4);
    SAME("memcpy", AT(own_memcpy(to, a, n)), AT(memcpy(to, a, n)));
    SAME("mempcpy", AT(own_mempcpy(to, a, n)), AT(mempcpy(to, a, n)));
    SAME("memmove", AT(own_memmove(to + at, to + from, n)), AT(memmove(to + at, to + from, n)));
    SAME("bcopy", (own_bcopy(to + from, to + at, n), 0), (bcopy(to + from, to + at, n), 0));
    SAME("memccpy", AT(own_memccpy(to, a, c, n)), AT(memccpy(to, a, c, n)));
    SAME("memset", AT(own_memset(to, c, n)), AT(memset(to, c, n)));
    SAME("bzero", (own_bzero(to, n), 0), (bzero(to, n), 0));
    check(sign(own_memcmp(a, b, n)) == sign(memcmp(a, b, n)), "memcmp");
    check(!own_bcmp(a, b, n) == !bcmp(a, b, n), "bcmp");
    check(own_memchr(a, c, n) == memchr(a, c, n), "memchr");
    check(own_memrchr(a, c, n) == memrchr(a, c, n), "memrchr");
    check(own_rawmemchr(a, 0) == rawmemchr(a, 0), "rawmemchr");
}
static int order(const void *a, const void *b) { return *(const char *)a - *(const char *)b; }
/* What `strtol` of C23 says, by the one of before that the machine has: behind "0b" it reads digits of base 2. */
static long with_binary(char *s, char **end, int base)
{
    char *p = s + strspn(s, "\t\n\v\f\r "), *behind;
    int negative = *p == '-';
    p += negative || *p == '+';
    if ((base == 0 || base == 2) && p[0] == '0' && (p[1] == 'b' || p[1] == 'B') && (p[2] == '0' || p[2] == '1')) {
        long value = strtol(p + 2, end, 2);
        return negative ? -value : value;
    }
    return strtol(s, end, base);
}
static void numbers(void)
{
    static const int bases[] = {0, 2, 8, 10, 10, 10, 16, 36, 1, 37, -1, -10, 3, 0x7fffffff};
    const char *alphabets[] = {"0123456789", " +-019xX", "0xXfF-z", "9", "\t-0175", " 1", "0b1 -", "0x"};
    char *a = random_text(0, alphabets[next(8)]), *o = 0, *t = 0;
    int base = bases[next(14)], i;
    char keys[8];
    if (next(3) == 0)
        strcat(a, next(2) ? "99999999999999" : "18446744073709551614");
    check(own_strtol(a, &o, base) == strtol(a, &t, base) && o == t, "strtol");
    check(own_strtoll(a, &o, base) == strtoll(a, &t, base) && o == t, "strtoll");
    check(own_strtoq(a, &o, base) == strtoll(a, &t, base) && o == t, "strtoq");
    check(own_strtoul(a, &o, base) == strtoul(a, &t, base) && o == t, "strtoul");
    check(own_strtoull(a, &o, base) == strtoull(a, &t, base) && o == t, "strtoull");
    check(own_strtouq(a, &o, base) == strtoull(a, &t, base) && o == t, "strtouq");
    check(own_strtol(a, 0, base) == strtol(a, 0, base) && own_strtoul(a, 0, base) == strtoul(a, 0, base), "no end");
    check(own___isoc23_strtol(a, &o, base) == with_binary(a, &t, base) && o == t, "__isoc23_strtol with a base");
    check(own___isoc23_strtol(a, 0, 10) == strtol(a, 0, 10), "__isoc23_strtol");
    check(own___isoc23_strtoll(a, 0, 10) == strtoll(a, 0, 10), "__isoc23_strtoll");
    check(own___isoc23_strtoul(a, 0, 10) == strtoul(a, 0, 10), "__isoc23_strtoul");
    check(own___isoc23_strtoull(a, 0, 10) == strtoull(a, 0, 10), "__isoc23_strtoull");
    check(own_atoi(a) == atoi(a), "atoi");
    check(own_atol(a) == atol(a), "atol");
    check(own_atoll(a) == atoll(a), "atoll");
    for (i = -128; i < 256; i++) {
        check((*own___ctype_b_loc())[i] == (*__ctype_b_loc())[i], "__ctype_b_loc");
        check((*own___ctype_tolower_loc())[i] == (*__ctype_tolower_loc())[i], "__ctype_tolower_loc");
        check((*own___ctype_toupper_loc())[i] == (*__ctype_toupper_loc())[i], "__ctype_toupper_loc");
        check(own_toupper(i) == toupper(i) && own_tolower(i) == tolower(i), "toupper");
    }
    i = (int)next(257) - 1;
#define CLASS(name) check(own_##name(i) == (name)(i), #name)
    CLASS(isalpha); CLASS(isdigit); CLASS(isalnum); CLASS(isspace); CLASS(isupper); CLASS(islower); CLASS(isxdigit);
    CLASS(isprint); CLASS(isgraph); CLASS(ispunct); CLASS(iscntrl); CLASS(isblank); CLASS(isascii); CLASS(toascii);
    for (i = 0; i < 8; i++)
        keys[i] = left[i] = right[i] = next(5);
    own_qsort(left, 8, 1, order), qsort(right, 8, 1, order);
    check(!memcmp(left, right, 8), "qsort");
    o = own_bsearch(keys, left, 8, 1, order);
    check(o && *o == *keys, "bsearch");
    left[0] = 9;
    check(!own_bsearch(left, right, 8, 1, order), "bsearch");
}
static void put(const char *format, ...)
{
    va_list list, other;
    int o, t, size = next(12);
    va_start(list, format);
    va_copy(other, list);
    memset(left, '#', 64), memset(right, '#', 64);
    strcpy(text[3], format);
    o = own_vsnprintf(left, size, format, list), t = vsnprintf(right, size, format, other);
    check(o == t && !memcmp(left, right, 64), "vsnprintf");
    va_end(list), va_end(other);
}
static void formats(void)
{
    char format[24], *at = format;
    long long value = next(4) ? (int)next(2000) - 1000 : (long long)(((unsigned long long)next(-1) << 32) | next(-1));
    int kind = next(6), i;
    *at++ = next(3) ? '<' : '%';
    if (at[-1] == '%')
        *at++ = '%';
    *at++ = '%';
    for (i = next(3); i > 0; i--)
        *at++ = "-+ #0"[next(5)];
    if (next(2))
        *at++ = '1' + next(9);
    if (next(3) == 0)
        *at++ = '.', *at++ = '0' + next(8);
    if (kind == 0)
        strcpy(at, "c>"), put(format, 'a' + next(3));
    else if (kind == 1)
        strcpy(at, "s>"), put(format, random_text(0, "abc"));
    else {
        char conversion = "diuxXo"[next(6)];
        char *length = (char *[]){"", "hh", "h", "l", "ll", "z", "j"}[next(7)];
        sprintf(at, "%s%c>", length, conversion);
        if (*length && *length != 'h')
            put(format, value);
        else
            put(format, (int)value);
    }
    put("%*d|%.*s|%-*u", (int)next(9) - 4, (int)value, (int)next(5) - 1, random_text(0, "ab"), (int)next(6), 7);
    memset(left, '#', 64), memset(right, '#', 64);
    check(own_snprintf(left, 9, "%d%s", 12, "xy") == snprintf(right, 9, "%d%s", 12, "xy") && !memcmp(left, right, 64), "snprintf");
    check(own_sprintf(left, "%5x", 77) == sprintf(right, "%5x", 77) && !memcmp(left, right, 64), "sprintf");
    check(own___sprintf_chk(left, 1, 64, "%o", 8) == sprintf(right, "%o", 8) && !memcmp(left, right, 64), "__sprintf_chk");
    check(own___snprintf_chk(left, 3, 1, 64, "%d", 123) == snprintf(right, 3, "%d", 123) && !memcmp(left, right, 64), "__snprintf_chk");
}
static int take(const char *s, const char *format, ...)
{
    va_list list;
    int got;
    va_start(list, format);
    got = own_vsscanf(s, format, list);
    va_end(list);
    return got;
}
static void scans(void)
{
    static const char *const both[] = {"%d %s%n", "%3i%c%n", " %u,%2s%n", "%x%*c%s%n", "%hd:%4[a-z]%n", "%ld %[^1]%n", "%hhd%%%c%n",
                                       "%lld-%3c%n", "%i %[]0]%n", "%*d%d %s%n"};
    const char *format = both[next(10)], *alphabets[] = {"0123456789 ", " +-019xXa", "0xXfF-z:", "12,:ab%]", "\t-0175c1"};
    char *s = random_text(0, alphabets[next(5)]);
    int o, t, i;
    long long numbers[2];
    int counts[2] = {-7, -7};
    if (next(8) == 0)
        strcat(s, "99999999999999999999");
    strcpy(text[3], format);
    for (i = 0; i < 2; i++)
        numbers[i] = -1;
    memset(left, '#', 64), memset(right, '#', 64);
    if (next(2))
        o = take(s, format, &numbers[0], left, &counts[0]);
    else
        o = own_sscanf(s, format, &numbers[0], left, &counts[0]);
    t = sscanf(s, format, &numbers[1], right, &counts[1]);
    check(o == t && numbers[0] == numbers[1] && counts[0] == counts[1] && !memcmp(left, right, 64), "sscanf");
    check(own___isoc99_sscanf(s, "%d", &i) == sscanf(s, "%d", &i), "__isoc99_sscanf");
    check(own___isoc23_sscanf(s, "%d", &i) == sscanf(s, "%d", &i), "__isoc23_sscanf");
}
/* Stands behind a number that the bodies do not read. */
static jmp_buf unread;
static int read_of_all, all_read;
void __residue_unsupported_number(void)
{
    longjmp(unread, 1);
}
static void reals(void)
{
    static const char *const formats[] = {"%lf%c%n", "%f%c%n", "%4lf%c%n", "%2e%c%n", "%lg,%[^x]%n", "%5a %s%n", "%25lf%c%n", "%3f%c%n", "%6lf%c%n"};
    static const char *const alphabets[] = {"0123456789.", "01.5e+-2", "0x.p-18f", "infIty nan(", "-1,5 nNaiIfF", "9.e1"};
    const char *format = formats[next(9)];
    char *s = random_text(0, alphabets[next(6)]);
    double numbers[2];
    int o, t, counts[2] = {-7, -7};
    static char words[8][40] = {"infinity", "-inf", "NaN", "0x1.8p3", "1e22", "123456789.25", "0x", "1e"};
    if (next(4) == 0)
        strcat(strcpy(s, words[next(8)]), next(2) ? "(x" : ",7");
    if (next(16) == 0)
        sprintf(s, "%.*g", 1 + next(17), (double)(next(1 << 30) - (1 << 29)) / (1 + next(1 << 20)));
    memset(numbers, '#', sizeof numbers);
    memset(left, '#', 64), memset(right, '#', 64);
    t = sscanf(s, format, &numbers[1], right, &counts[1]);
    all_read++;
    if (setjmp(unread))
        return;
    o = own_sscanf(s, format, &numbers[0], left, &counts[0]);
    read_of_all++;
    if (o != t || memcmp(&numbers[0], &numbers[1], sizeof *numbers) || counts[0] != counts[1] || memcmp(left, right, 64))
        printf("%s of \"%s\": %d %d, %a %a\n", format, s, o, t, numbers[0], numbers[1]);
    check(o == t && !memcmp(&numbers[0], &numbers[1], sizeof *numbers) && counts[0] == counts[1] && !memcmp(left, right, 64), "sscanf of reals");
}
/* What `fgets` yields from a stream of these bytes is what it may yield at all. */
static void inputs(void)
{
    FILE *file;
    char *o, *t;
    int size = 1 + next(8), i, end;
    length = 1 + next(8), position = 0;
    for (i = 0; i < length; i++)
        stream[i] = "ab\n"[next(3)];
    file = fmemopen(stream, length, "r");
    memset(left, '#', 64), memset(right, '#', 64);
    t = fgets(right, size, file);
    fclose(file);
    end = (int)strlen(right) == length && length < size - 1 && right[length - 1] != '\n';
    at_end = end ? length : -1;
    o = own_fgets(left, size, (void *)0);
    check(o == left && t == right && !memcmp(left, right, 64), "fgets");
}
/* Any bits, or few digits, or numbers at the edges of the type, or one of either and its neighbour. */
static double any_double(void)
{
    static const double edges[] = {0, 1, 0.5, 1.5, 2.5, 0x1p52, 0x1p53, 0x1p62, 0x1p63, 0x1p-1022, 0x1p-1074, 0x1.fffffffffffffp1023, INFINITY, NAN, 3};
    double x = next(2) ? edges[next(sizeof edges / sizeof *edges)] : (double)next(64) / (1 << next(4));
    if (next(3) == 0) {
        unsigned long long bits = ((unsigned long long)next(-1) << 32) | next(-1);
        memcpy(&x, &bits, 8);
        x = x != x ? NAN : x;
    }
    if (next(16) == 0) {
        unsigned long long signalling = 0x7ff0000000000001ull + next(-1);
        memcpy(&x, &signalling, 8);
        return x;
    }
    if (next(4) == 0)
        x = nextafter(x, next(2) ? INFINITY : -INFINITY);
    return next(2) ? -x : x;
}
static float any_float(void)
{
    static const float edges[] = {0x1p-126f, 0x1p-149f, 0x1.fffffep127f, 0x1p23f, 0x1p24f};
    unsigned bits = next(-1);
    float x = next(2) ? (float)any_double() : edges[next(5)];
    if (next(3) == 0)
        memcpy(&x, &bits, 4);
    if (next(16) == 0) {
        bits = 0x7f800001u + next(0x3ffffe);
        memcpy(&x, &bits, 4);
        return x;
    }
    return x != x ? NAN : x;
}
static int alike(double x, double y) { return x != x ? y != y : !memcmp(&x, &y, 8); }
#define ONE(name) check(alike(own_##name(x), name(x)) && alike(own_##name##f(p), name##f(p)), #name)
#define TWO(name) check(alike(own_##name(x, y), name(x, y)) && alike(own_##name##f(p, q), name##f(p, q)), #name)
#define EITHER(name) check((x == y || alike(own_##name(x, y), name(x, y))) && (p == q || alike(own_##name##f(p, q), name##f(p, q))), #name)
#define SMALL(name) check((own_##name(x, y) == name(x, y) && fabs(y) <= 0x1p-1021 || alike(own_##name(x, y), name(x, y))) && (own_##name##f(p, q) == name##f(p, q) && fabsf(q) <= 0x1p-125f || alike(own_##name##f(p, q), name##f(p, q))), #name)
#define EXPONENT(name) check(alike(own_##name(x, n), name(x, n)) && alike(own_##name##f(p, n), name##f(p, n)), #name)
#define WHOLE(name) check((!(fabs(x) < 0x1p62) || own_##name(x) == name(x)) && (!(fabsf(p) < 0x1p62f) || own_##name##f(p) == name##f(p)), #name)
#define TRUTH(name) check(own_##name(x) == name(x) && own_##name##f(p) == name##f(p), #name)
static void floats(void)
{
    double x = any_double(), y = any_double(), a, b;
    float p = any_float(), q = any_float(), c, d;
    int n = next(2) ? (int)next(40) - 20 : (int)next(5000) - 2500, i, j, k, l;
    ONE(rint); ONE(nearbyint); ONE(sqrt);
    EITHER(fmin); EITHER(fmax); TWO(fdim); TWO(copysign); TWO(nextafter); TWO(fmod); SMALL(remainder); SMALL(drem);
    EXPONENT(scalbn); EXPONENT(ldexp);
    WHOLE(lrint); WHOLE(llrint); WHOLE(lround); WHOLE(llround);
    TRUTH(__isnan); TRUTH(__isinf); TRUTH(__finite); TRUTH(__fpclassify); TRUTH(ilogb);
    check(own___signbit(x) == __signbit(x) && own___signbitf(p) == __signbitf(p), "__signbit");
    check(alike(own_modf(x, &a), modf(x, &b)) && alike(a, b) && alike(own_modff(p, &c), modff(p, &d)) && alike(c, d), "modf");
    check(alike(own_frexp(x, &i), frexp(x, &j)) && i == j && alike(own_frexpf(p, &k), frexpf(p, &l)) && k == l, "frexp");
    check(alike(own_nan(""), nan("")) && alike(own_nanf(""), nanf("")), "nan");
    check(own_fegetround() == fegetround() && own_fesetround(FE_TONEAREST) == fesetround(FE_TONEAREST), "fegetround");
}
int main(void)
{
    int round;
    for (round = 0; round < 20000; round++)
        strings(), areas(), formats(), scans(), reals(), inputs(), floats();
    for (round = 0; round < 2000; round++)
        numbers();
    check(10 * read_of_all > 9 * all_read, "numbers that are read");
    return failures != 0;
}
