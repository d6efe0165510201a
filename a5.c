extern void abort(void); void reach_error(void){abort();}
enum E {A,B} __attribute__((mode(QI)));
int main(void){ enum E e=257; if(e==1 && sizeof(e)==1) reach_error(); return 0; }
