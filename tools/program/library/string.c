/* string.h: strings. One function per block; what a block uses of other blocks is taken with it. */

__SIZE_TYPE__ strlen(const char *s)
{
    __SIZE_TYPE__ n = 0;
    while (s[n] != 0)
        n = n + 1;
    return n;
}

__SIZE_TYPE__ strnlen(const char *s, __SIZE_TYPE__ limit)
{
    __SIZE_TYPE__ n = 0;
    while (n < limit && s[n] != 0)
        n = n + 1;
    return n;
}

int strcmp(const char *a, const char *b)
{
    __SIZE_TYPE__ i = 0;
    while (a[i] != 0 && a[i] == b[i])
        i = i + 1;
    return (unsigned char)a[i] - (unsigned char)b[i];
}

int strcoll(const char *a, const char *b)
{
    __SIZE_TYPE__ i = 0;
    while (a[i] != 0 && a[i] == b[i])
        i = i + 1;
    return (unsigned char)a[i] - (unsigned char)b[i];
}

int strncmp(const char *a, const char *b, __SIZE_TYPE__ n)
{
    __SIZE_TYPE__ i;
    for (i = 0; i < n; i = i + 1) {
        if (a[i] != b[i])
            return (unsigned char)a[i] - (unsigned char)b[i];
        if (a[i] == 0)
            return 0;
    }
    return 0;
}

static int __residue_lower(char c)
{
    return c >= 'A' && c <= 'Z' ? c + 32 : (unsigned char)c;
}

int strcasecmp(const char *a, const char *b)
{
    __SIZE_TYPE__ i = 0;
    while (a[i] != 0 && __residue_lower(a[i]) == __residue_lower(b[i]))
        i = i + 1;
    return __residue_lower(a[i]) - __residue_lower(b[i]);
}

int strncasecmp(const char *a, const char *b, __SIZE_TYPE__ n)
{
    __SIZE_TYPE__ i;
    for (i = 0; i < n; i = i + 1) {
        int left = __residue_lower(a[i]), right = __residue_lower(b[i]);
        if (left != right)
            return left - right;
        if (a[i] == 0)
            return 0;
    }
    return 0;
}

char *strcpy(char *to, const char *from)
{
    __SIZE_TYPE__ i = 0;
    while (from[i] != 0) {
        to[i] = from[i];
        i = i + 1;
    }
    to[i] = 0;
    return to;
}

char *stpcpy(char *to, const char *from)
{
    __SIZE_TYPE__ i = 0;
    while (from[i] != 0) {
        to[i] = from[i];
        i = i + 1;
    }
    to[i] = 0;
    return to + i;
}

char *strncpy(char *to, const char *from, __SIZE_TYPE__ n)
{
    __SIZE_TYPE__ i = 0;
    while (i < n && from[i] != 0) {
        to[i] = from[i];
        i = i + 1;
    }
    while (i < n) {
        to[i] = 0;
        i = i + 1;
    }
    return to;
}

char *stpncpy(char *to, const char *from, __SIZE_TYPE__ n)
{
    __SIZE_TYPE__ i = 0, end;
    while (i < n && from[i] != 0) {
        to[i] = from[i];
        i = i + 1;
    }
    end = i;
    while (i < n) {
        to[i] = 0;
        i = i + 1;
    }
    return to + end;
}

char *strcat(char *to, const char *from)
{
    __SIZE_TYPE__ end = 0, i = 0;
    while (to[end] != 0)
        end = end + 1;
    while (from[i] != 0) {
        to[end + i] = from[i];
        i = i + 1;
    }
    to[end + i] = 0;
    return to;
}

char *strncat(char *to, const char *from, __SIZE_TYPE__ n)
{
    __SIZE_TYPE__ end = 0, i = 0;
    while (to[end] != 0)
        end = end + 1;
    while (i < n && from[i] != 0) {
        to[end + i] = from[i];
        i = i + 1;
    }
    to[end + i] = 0;
    return to;
}

__SIZE_TYPE__ strlcpy(char *to, const char *from, __SIZE_TYPE__ size)
{
    __SIZE_TYPE__ i = 0;
    while (from[i] != 0) {
        if (i + 1 < size)
            to[i] = from[i];
        i = i + 1;
    }
    if (size != 0)
        to[i < size ? i : size - 1] = 0;
    return i;
}

__SIZE_TYPE__ strlcat(char *to, const char *from, __SIZE_TYPE__ size)
{
    __SIZE_TYPE__ end = 0, i = 0;
    while (end < size && to[end] != 0)
        end = end + 1;
    while (from[i] != 0) {
        if (end + i + 1 < size)
            to[end + i] = from[i];
        i = i + 1;
    }
    if (end < size)
        to[end + i < size ? end + i : size - 1] = 0;
    return end + i;
}

char *strchr(const char *s, int c)
{
    __SIZE_TYPE__ i = 0;
    while (s[i] != (char)c) {
        if (s[i] == 0)
            return 0;
        i = i + 1;
    }
    return (char *)s + i;
}

char *index(const char *s, int c)
{
    __SIZE_TYPE__ i = 0;
    while (s[i] != (char)c) {
        if (s[i] == 0)
            return 0;
        i = i + 1;
    }
    return (char *)s + i;
}

char *strchrnul(const char *s, int c)
{
    __SIZE_TYPE__ i = 0;
    while (s[i] != (char)c && s[i] != 0)
        i = i + 1;
    return (char *)s + i;
}

char *strrchr(const char *s, int c)
{
    char *found = 0;
    __SIZE_TYPE__ i = 0;
    while (1) {
        if (s[i] == (char)c)
            found = (char *)s + i;
        if (s[i] == 0)
            return found;
        i = i + 1;
    }
}

char *rindex(const char *s, int c)
{
    char *found = 0;
    __SIZE_TYPE__ i = 0;
    while (1) {
        if (s[i] == (char)c)
            found = (char *)s + i;
        if (s[i] == 0)
            return found;
        i = i + 1;
    }
}

char *strstr(const char *s, const char *wanted)
{
    __SIZE_TYPE__ i = 0, j;
    while (1) {
        j = 0;
        while (wanted[j] != 0 && s[i + j] == wanted[j])
            j = j + 1;
        if (wanted[j] == 0)
            return (char *)s + i;
        if (s[i] == 0)
            return 0;
        i = i + 1;
    }
}

char *strcasestr(const char *s, const char *wanted)
{
    __SIZE_TYPE__ i = 0, j;
    while (1) {
        j = 0;
        while (wanted[j] != 0 && __residue_lower(s[i + j]) == __residue_lower(wanted[j]))
            j = j + 1;
        if (wanted[j] == 0)
            return (char *)s + i;
        if (s[i] == 0)
            return 0;
        i = i + 1;
    }
}

static int __residue_among(char c, const char *set)
{
    __SIZE_TYPE__ i = 0;
    while (set[i] != 0) {
        if (set[i] == c)
            return 1;
        i = i + 1;
    }
    return 0;
}

__SIZE_TYPE__ strspn(const char *s, const char *set)
{
    __SIZE_TYPE__ n = 0;
    while (s[n] != 0 && __residue_among(s[n], set))
        n = n + 1;
    return n;
}

__SIZE_TYPE__ strcspn(const char *s, const char *set)
{
    __SIZE_TYPE__ n = 0;
    while (s[n] != 0 && !__residue_among(s[n], set))
        n = n + 1;
    return n;
}

char *strpbrk(const char *s, const char *set)
{
    __SIZE_TYPE__ n = 0;
    while (s[n] != 0) {
        if (__residue_among(s[n], set))
            return (char *)s + n;
        n = n + 1;
    }
    return 0;
}

char *strtok_r(char *s, const char *set, char **rest)
{
    char *at = s != 0 ? s : *rest, *token;
    while (*at != 0 && __residue_among(*at, set))
        at = at + 1;
    if (*at == 0) {
        *rest = at;
        return 0;
    }
    token = at;
    while (*at != 0 && !__residue_among(*at, set))
        at = at + 1;
    if (*at != 0) {
        *at = 0;
        at = at + 1;
    }
    *rest = at;
    return token;
}

static char *__residue_rest_of_strtok;

char *strtok(char *s, const char *set)
{
    char *at = s != 0 ? s : __residue_rest_of_strtok, *token;
    if (at == 0)
        return 0;
    while (*at != 0 && __residue_among(*at, set))
        at = at + 1;
    if (*at == 0) {
        __residue_rest_of_strtok = 0;
        return 0;
    }
    token = at;
    while (*at != 0 && !__residue_among(*at, set))
        at = at + 1;
    if (*at != 0) {
        *at = 0;
        at = at + 1;
    }
    __residue_rest_of_strtok = at;
    return token;
}

char *strsep(char **rest, const char *set)
{
    char *token = *rest, *at = token;
    if (token == 0)
        return 0;
    while (*at != 0 && !__residue_among(*at, set))
        at = at + 1;
    if (*at != 0) {
        *at = 0;
        *rest = at + 1;
    } else
        *rest = 0;
    return token;
}

char *strdup(const char *s)
{
    __SIZE_TYPE__ n = 0, i;
    char *copy;
    while (s[n] != 0)
        n = n + 1;
    copy = (char *)malloc(n + 1);
    if (copy == 0)
        return 0;
    for (i = 0; i < n; i = i + 1)
        copy[i] = s[i];
    copy[n] = 0;
    return copy;
}

char *strndup(const char *s, __SIZE_TYPE__ limit)
{
    __SIZE_TYPE__ n = 0, i;
    char *copy;
    while (n < limit && s[n] != 0)
        n = n + 1;
    copy = (char *)malloc(n + 1);
    if (copy == 0)
        return 0;
    for (i = 0; i < n; i = i + 1)
        copy[i] = s[i];
    copy[n] = 0;
    return copy;
}
