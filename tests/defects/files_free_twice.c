// property: valid-free
// file: main.c
extern int __VERIFIER_nondet_int(void);
void *malloc(unsigned long);
void free(void *);
int consume(char *text);
int main(void) {
  char *text = malloc(3);
  int result;
  if (!text)
    return 0;
  text[0] = (char)__VERIFIER_nondet_int();
  result = consume(text);
  free(text); // defect
  return result == 300;
}
// file: consume.c
void free(void *);
int consume(char *text) {
  int first = text[0];
  free(text);
  return first;
}
