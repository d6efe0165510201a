/* Input: any bytes that the functions may yield. A negative number is the end of what can be read. */

int __VERIFIER_nondet_residue_int(void);

char __VERIFIER_nondet_residue_char(void);

char *fgets(char *to, int size, struct __STREAM_TYPE__ *stream)
{
    int i = 0;
    while (i < size - 1) {
        int c = __VERIFIER_nondet_residue_int();
        if (c < 0)
            break;
        to[i] = (char)c;
        i = i + 1;
        if ((char)c == '\n')
            break;
    }
    if (i == 0 && size != 1)
        return 0;
    if (__VERIFIER_nondet_residue_int() < 0)
        return 0;
    to[i] = 0;
    return to;
}

long read(int file, void *to, __SIZE_TYPE__ size)
{
    __SIZE_TYPE__ i = 0, count = (unsigned)__VERIFIER_nondet_residue_int();
    if (count > size)
        return -1;
    while (i < count) {
        ((char *)to)[i] = __VERIFIER_nondet_residue_char();
        i = i + 1;
    }
    return (long)count;
}

__SIZE_TYPE__ fread(void *to, __SIZE_TYPE__ size, __SIZE_TYPE__ count, struct __STREAM_TYPE__ *stream)
{
    __SIZE_TYPE__ i = 0, bytes = size * count, got = (unsigned)__VERIFIER_nondet_residue_int();
    if (got > bytes)
        got = bytes;
    while (i < got) {
        ((char *)to)[i] = __VERIFIER_nondet_residue_char();
        i = i + 1;
    }
    return size == 0 ? 0 : got / size;
}
