// property: valid-memtrack
// file: main.c
#include "pair.h"
extern int __VERIFIER_nondet_int(void);
int main(void) {
  struct pair pair;
  int sum;
  if (!pair_make(&pair, __VERIFIER_nondet_int()))
    return 0;
  sum = *pair.left + *pair.right;
  pair_drop(&pair);
  return sum == 1;
}
// file: pair.c
#include "pair.h"
void *malloc(unsigned long);
void free(void *);
int pair_make(struct pair *pair, int value) {
  pair->left = malloc(sizeof(int));
  pair->right = malloc(sizeof(int));
  if (!pair->left || !pair->right)
    return 0;
  *pair->left = value & 3;
  *pair->right = 1;
  return 1;
}
void pair_drop(struct pair *pair) {
  free(pair->left);
  free(pair->right); // repaired
}
// file: pair.h
struct pair { int *left, *right; };
int pair_make(struct pair *pair, int value);
void pair_drop(struct pair *pair);
