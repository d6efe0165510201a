extern void abort(void); void reach_error(void){abort();}
struct {char c; _Atomic struct {int a,b;} p;} x;
int main(void){ if(sizeof(x)==16) reach_error(); return 0; }
