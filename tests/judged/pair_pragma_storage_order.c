#include "judged.h"
#ifdef MODIFIED
#pragma scalar_storage_order big-endian
#endif
struct w { unsigned int v; };
#ifdef MODIFIED
#pragma scalar_storage_order default
#endif
int main(void) { struct w w; w.v = 1; CHECK(*(unsigned char *)&w == 1); return 0; }
