#include "judged.h"
enum __attribute__((packed)) small { X, Y = 200 };
int main(void)
{
    enum small s = Y;
    CHECK(sizeof(enum small) == 1 && s == 200);
    END;
}
