extern void reach_error(void);
int printf(const char *, ...);
#ifdef MODIFIED
#define THING __attribute__((counted_by(length)))
#else
#define THING
#endif
void *malloc(unsigned long);
void free(void *);
struct line { int length; char text[] THING; };
int main(void) {
  struct line *line = malloc(sizeof *line + 3);
  if (!line) return 0;
  line->length = 3;
  for (int i = 0; i < line->length; i++) line->text[i] = 'a' + i;
  if (line->text[2] != 'c' || sizeof *line != 4) reach_error();
  printf("%c\n", line->text[1]);
  free(line);
  return 0;
}
