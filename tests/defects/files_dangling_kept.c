// property: valid-deref
// file: main.c
void *malloc(unsigned long);
void free(void *);
void keep(int *p);
int kept(void);
int main(void) {
  int *p = malloc(sizeof(int));
  int result;
  if (!p)
    return 0;
  *p = 4;
  keep(p);
  free(p); // defect
  result = kept();
  free(p); // repaired
  return result == 5;
}
// file: keep.c
static int *held;
void keep(int *p) { held = p; }
int kept(void) { return *held; }
