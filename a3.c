extern void abort(void); void reach_error(void){abort();}
typedef int A16 __attribute__((aligned(16)));
struct S {char c; typeof(A16) x;}; struct T {char c; _Atomic(A16) x; }; typedef typeof(A16) B; struct U {char c; B x; };
typedef int U1 __attribute__((aligned(1))); struct V {char c; typeof(U1) x; };
int main(void){ if(sizeof(struct S)!=32 || sizeof(struct T) != 32 || sizeof(struct U) != 32 || sizeof(struct V) != 5) reach_error(); return 0; }
