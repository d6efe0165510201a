extern void abort(void); void reach_error(void){abort();}
int foo(void) __asm__("barbaz"); int foo(void){return sizeof(__func__);}
int main(void){ if(foo()==4) reach_error(); return 0; }
