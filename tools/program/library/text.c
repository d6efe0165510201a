/* What functions that print read of their texts. Nobody calls these: a check of accesses reads, before a call, what it reads. */

/* As `puts` does. */
void __residue_read_text(const char *s)
{
    while (*s)
        s++;
}

/* As `printf` does, which has a text of its own for null. */
void __residue_print_text(const char *s)
{
    if (s)
        while (*s)
            s++;
}

/* With a precision: none below 0. */
void __residue_print_some(const char *s, int most)
{
    if (!s)
        return;
    while (most && *s) {
        s++;
        if (most > 0)
            most--;
    }
}
