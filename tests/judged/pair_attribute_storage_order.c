#include "judged.h"
#ifdef MODIFIED
struct __attribute__((scalar_storage_order("big-endian"))) w { unsigned short v; };
#else
struct w { unsigned short v; };
#endif
int main(void) { struct w w = {0x0102}; CHECK(*(unsigned char *)&w == 2); return 0; }
