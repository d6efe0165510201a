// property: valid-free
// file: main.c
extern int __VERIFIER_nondet_int(void);
void *malloc(unsigned long);
void free(void *);
int fill(char *buffer, int count);
int main(void) {
  char *buffer = malloc(4);
  if (!buffer)
    return 0;
  fill(buffer, __VERIFIER_nondet_int());
  free(buffer);
  return 0;
}
// file: fill.c
void free(void *);
int fill(char *buffer, int count) {
  if (count > 4) {
    free(buffer); // defect
    return -1;
  }
  for (int i = 0; i < count; i++)
    buffer[i] = 0;
  return count;
}
