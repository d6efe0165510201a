// property: valid-deref
// file: main.c
extern int __VERIFIER_nondet_int(void);
extern int table[];
extern const int table_size;
int main(void) {
  int i = __VERIFIER_nondet_int(), found = 0;
  if (i >= 0 && i < table_size)
    found = table[i];
  return found < 0;
}
// file: table.c
int table[3] = { 1, 2, 3 };
const int table_size = 4; // defect
const int table_size = 3; // repaired
