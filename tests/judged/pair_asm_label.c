#include "judged.h"
int one_(void) __asm__("label_one");
int one_(void) { return 1; }
int two_(void) __asm__("label_two");
int two_(void) { return 2; }
#ifdef MODIFIED
int called(void) __asm__("label_two");
#else
int called(void) __asm__("label_one");
#endif
int main(void) { CHECK(called() == 1); return 0; }
