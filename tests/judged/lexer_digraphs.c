#include "judged.h"
int main(void)
<%
    int a<:2:> = <%1, 2%>;
    CHECK(a<:0:> + a<:1:> == 3);
    END;
%>
