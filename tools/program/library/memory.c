/* string.h: areas of memory, byte by byte. */

void *memcpy(void *to, const void *from, __SIZE_TYPE__ n)
{
    __SIZE_TYPE__ i, count = n / sizeof(__ELEMENT_TYPE__);
    for (i = 0; i < count; i = i + 1)
        ((__ELEMENT_TYPE__ *)to)[i] = ((__ELEMENT_TYPE__ *)from)[i];
    for (i = count * sizeof(__ELEMENT_TYPE__); i < n; i = i + 1)
        ((char *)to)[i] = ((char *)from)[i];
    return to;
}

void *mempcpy(void *to, const void *from, __SIZE_TYPE__ n)
{
    __SIZE_TYPE__ i, count = n / sizeof(__ELEMENT_TYPE__);
    for (i = 0; i < count; i = i + 1)
        ((__ELEMENT_TYPE__ *)to)[i] = ((__ELEMENT_TYPE__ *)from)[i];
    for (i = count * sizeof(__ELEMENT_TYPE__); i < n; i = i + 1)
        ((char *)to)[i] = ((char *)from)[i];
    return (char *)to + n;
}

/* The last bytes, which are no element, come first or last with the elements beside them. */
static void __residue_move(void *to, const void *from, __SIZE_TYPE__ n)
{
    __SIZE_TYPE__ i, count = n / sizeof(__ELEMENT_TYPE__);
    if ((const char *)to <= (const char *)from) {
        for (i = 0; i < count; i = i + 1)
            ((__ELEMENT_TYPE__ *)to)[i] = ((__ELEMENT_TYPE__ *)from)[i];
        for (i = count * sizeof(__ELEMENT_TYPE__); i < n; i = i + 1)
            ((char *)to)[i] = ((char *)from)[i];
    } else {
        for (i = n; i > count * sizeof(__ELEMENT_TYPE__); i = i - 1)
            ((char *)to)[i - 1] = ((char *)from)[i - 1];
        for (i = count; i > 0; i = i - 1)
            ((__ELEMENT_TYPE__ *)to)[i - 1] = ((__ELEMENT_TYPE__ *)from)[i - 1];
    }
}

void *memmove(void *to, const void *from, __SIZE_TYPE__ n)
{
    __residue_move(to, from, n);
    return to;
}

void bcopy(const void *from, void *to, __SIZE_TYPE__ n)
{
    __residue_move(to, from, n);
}

void *memccpy(void *to, const void *from, int c, __SIZE_TYPE__ n)
{
    __SIZE_TYPE__ i;
    for (i = 0; i < n; i = i + 1) {
        ((char *)to)[i] = ((const char *)from)[i];
        if (((const char *)from)[i] == (char)c)
            return (char *)to + i + 1;
    }
    return 0;
}

void *memset(void *to, int c, __SIZE_TYPE__ n)
{
    __SIZE_TYPE__ i;
    for (i = 0; i < n; i = i + 1)
        ((char *)to)[i] = (char)c;
    return to;
}

void bzero(void *to, __SIZE_TYPE__ n)
{
    __SIZE_TYPE__ i;
    for (i = 0; i < n; i = i + 1)
        ((char *)to)[i] = 0;
}

int memcmp(const void *a, const void *b, __SIZE_TYPE__ n)
{
    __SIZE_TYPE__ i;
    for (i = 0; i < n; i = i + 1)
        if (((const char *)a)[i] != ((const char *)b)[i]) {
            /* Both areas count to their ends, whatever differs first. */
            (void)((const char *)a)[n - 1];
            (void)((const char *)b)[n - 1];
            return (unsigned char)((const char *)a)[i] - (unsigned char)((const char *)b)[i];
        }
    return 0;
}

int bcmp(const void *a, const void *b, __SIZE_TYPE__ n)
{
    __SIZE_TYPE__ i;
    for (i = 0; i < n; i = i + 1)
        if (((const char *)a)[i] != ((const char *)b)[i]) {
            /* Both areas count to their ends, whatever differs first. */
            (void)((const char *)a)[n - 1];
            (void)((const char *)b)[n - 1];
            return (unsigned char)((const char *)a)[i] - (unsigned char)((const char *)b)[i];
        }
    return 0;
}

void *memchr(const void *s, int c, __SIZE_TYPE__ n)
{
    __SIZE_TYPE__ i;
    for (i = 0; i < n; i = i + 1)
        if (((const char *)s)[i] == (char)c)
            return (char *)s + i;
    return 0;
}

void *memrchr(const void *s, int c, __SIZE_TYPE__ n)
{
    __SIZE_TYPE__ i;
    for (i = n; i > 0; i = i - 1)
        if (((const char *)s)[i - 1] == (char)c)
            return (char *)s + (i - 1);
    return 0;
}

void *rawmemchr(const void *s, int c)
{
    __SIZE_TYPE__ i = 0;
    while (((const char *)s)[i] != (char)c)
        i = i + 1;
    return (char *)s + i;
}
