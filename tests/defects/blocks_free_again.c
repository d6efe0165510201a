// property: valid-free
extern int __VERIFIER_nondet_int(void);
void *malloc(unsigned long);
void free(void *);

int main(void) {
  char *kept[3];
  for (int i = 0; i < 3; i++) kept[i] = malloc(i + 1);
  int early = __VERIFIER_nondet_int();
  if (early >= 0 && early < 3) {
    free(kept[early]);
    kept[early] = 0; // repaired
  }
  for (int i = 2; i >= 0; i--) free(kept[i]);
  return 0;
}
