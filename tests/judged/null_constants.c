#include "judged.h"
/* Which null pointers are constants, and so give `?:` the type of the other branch: it is a matter of how they are written. */
enum e { Z };
static int a[4], x;
int main(void)
{
    int *p = a;
    int(*pa)[] = (void *)a;
    int(*pb)[4] = &a;
    CHECK((char *)((x ? p : (void *)(void *)0) + 1) == (char *)1);
    CHECK(_Generic((x ? p : (void*)0), int*:1, void*:2)==1);
    CHECK(_Generic((x ? p : (void*)(1-1)), int*:1, void*:2)==1);
    CHECK(_Generic((x ? p : (void*)(enum e)0), int*:1, void*:2)==1);
    CHECK(_Generic((x ? p : (void*)Z), int*:1, void*:2)==1);
    CHECK(_Generic((x ? p : (void*)(_Bool)0), int*:1, void*:2)==1);
    CHECK(_Generic((x ? p : (void*)(x-x)), int*:1, void*:2)==2);
    CHECK(_Generic((x ? p : (void*)(0*x)), int*:1, void*:2)==2);
    CHECK(_Generic((x ? p : (void*)(int)0.5), int*:1, void*:2)==1);
    CHECK(_Generic((x ? p : (void*)(0,0)), int*:1, void*:2)==2);
    CHECK(_Generic((x ? p : (1?(void*)0:0)), int*:1, void*:2)==2);
    CHECK(_Generic((x ? p : __extension__ (void*)0), int*:1, void*:2)==1);
    CHECK(_Generic((x ? p : __builtin_choose_expr(1,(void*)0,x)), int*:1, void*:2)==1);
    CHECK(_Generic((x ? p : (void*)(long)(void*)0), int*:1, void*:2)==2);
    CHECK(_Generic((x ? p : (void*)(0&&x)), int*:1, void*:2)==2);
    CHECK(_Generic((x ? p : (void*)(1?0:x)), int*:1, void*:2)==2);
    CHECK(_Generic((x ? p : (void*)!1), int*:1, void*:2)==1);
    CHECK(_Generic((x ? p : (void*)(sizeof(int)-4)), int*:1, void*:2)==1);
    CHECK(_Generic((x ? p : (void*)'\0'), int*:1, void*:2)==1);
    CHECK(_Generic((x ? p : (void*)(char)0), int*:1, void*:2)==1);
    CHECK(_Generic((x ? p : (const void*)0), int*:1, void*:2, const void*:3)==3);
    CHECK(_Generic((x ? (void*)0 : p), int*:1, void*:2)==1);
    CHECK(_Generic((x ? (void*)(void*)0 : p), int*:1, void*:2)==2);
    CHECK(_Generic(((void*)0 ?: p), int*:1, void*:2)==1);
    CHECK(_Generic((x ? p : (void*)__builtin_constant_p(x)), int*:1, void*:2)==1);
    CHECK(_Generic((x ? p : (void*)!1.0), int*:1, void*:2)==2);
    CHECK(_Generic((x ? p : (void*)__builtin_types_compatible_p(int,long)), int*:1, void*:2)==1);
    CHECK(_Generic((x ? p : (void*)__builtin_offsetof(struct{int a;},a)), int*:1, void*:2)==1);
    CHECK(_Generic((x ? p : (void*)(4 > 7)), int*:1, void*:2)==1);
    CHECK(_Generic((x ? p : (void*)(0u)), int*:1, void*:2)==1);
    CHECK(_Generic((x ? p : ({(void*)0;})), int*:1, void*:2)==2);
    CHECK(_Generic((x ? p : ((void*)0)), int*:1, void*:2)==1);
    CHECK(sizeof *(x?pa:pb) == 16);
    CHECK(sizeof *(x?pb:pa) == 16);
    END;
}
