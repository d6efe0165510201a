// The traps, as invocation of a macro that whoever uses them defines: the tests of the detectors, and `residue bench-stage`.

traps! {
    u1_identical_initialiser_reads_affected: Regression, "
        //- original.c
        int main(void) { int x = 1; int y = x; if (y == 2) reach_error(); }
        //- modified.c
        int main(void) { int x = 2; int y = x; if (y == 2) reach_error(); }";

    u2_result_assigned_elsewhere: Regression, "
        int f(void) { return 1; }
        //- original.c
        int main(void) { int x = 0, y = 0; x = f(); if (y == 1) reach_error(); }
        //- modified.c
        int main(void) { int x = 0, y = 0; y = f(); if (y == 1) reach_error(); }";

    u3_affected_index: Regression, "
        int a[2];
        //- original.c
        int main(void) { int i = 0; a[i] = 1; if (a[1] == 1) reach_error(); }
        //- modified.c
        int main(void) { int i = 1; a[i] = 1; if (a[1] == 1) reach_error(); }";

    u4_affected_value_stored_through_pointer: Regression, "
        //- original.c
        int main(void) { int x = 0, v = 0; int *p = &x; *p = v; if (x == 1) reach_error(); }
        //- modified.c
        int main(void) { int x = 0, v = 1; int *p = &x; *p = v; if (x == 1) reach_error(); }";

    u4_read_through_pointer: Regression, "
        //- original.c
        int main(void) { int x = 0; int *p = &x; x = 0; if (*p == 1) reach_error(); }
        //- modified.c
        int main(void) { int x = 0; int *p = &x; x = 1; if (*p == 1) reach_error(); }";

    u4_store_through_pointer_into_array: Regression, "
        //- original.c
        int main(void) { int a[4] = {0}; int *p = a; p[2] = 0; if (a[2] == 1) reach_error(); }
        //- modified.c
        int main(void) { int a[4] = {0}; int *p = a; p[2] = 1; if (a[2] == 1) reach_error(); }";

    p35_affected_pointer_writes_targets_of_both: Regression, "
        //- original.c
        int main(void) { int x = 1, y = 1; int *p = &x; *p = 0; if (x == 1) reach_error(); }
        //- modified.c
        int main(void) { int x = 1, y = 1; int *p = &y; *p = 0; if (x == 1) reach_error(); }";

    p36_affected_pointer_does_not_clear: Regression, "
        //- original.c
        int main(void) { int x = 0, y = 0; int *p = &x; x = 0; *p = 3; x = x; if (y == 3) reach_error(); }
        //- modified.c
        int main(void) { int x = 0, y = 0; int *p = &y; x = 0; *p = 3; x = x; if (y == 3) reach_error(); }";

    p39_pointer_to_pointer: Regression, "
        //- original.c
        int main(void) { int x = 0, y = 0; int *p = &x; int **q = &p; *q = &x; **q = 1; if (y == 1) reach_error(); }
        //- modified.c
        int main(void) { int x = 0, y = 0; int *p = &x; int **q = &p; *q = &y; **q = 1; if (y == 1) reach_error(); }";

    u5_same_text_other_type: Regression, "
        //- original.c
        int main(void) { int x; x = 300; if (x == 44) reach_error(); }
        //- modified.c
        int main(void) { unsigned char x; x = 300; if (x == 44) reach_error(); }";

    u5_typedef_narrowed: Regression, "
        //- original.c
        typedef int number; int main(void) { number x = 300; if (x == 44) reach_error(); }
        //- modified.c
        typedef unsigned char number; int main(void) { number x = 300; if (x == 44) reach_error(); }";

    u5_signedness_of_a_member: Regression, "
        //- original.c
        struct s { int a; }; int main(void) { struct s s; s.a = -1; if (s.a > 0) reach_error(); }
        //- modified.c
        struct s { unsigned a; }; int main(void) { struct s s; s.a = -1; if (s.a > 0) reach_error(); }";

    functions_defined_in_another_order: Regression, "
        //- original.c
        void a(void) {} void b(void) {} int main(void) { int r = 0; void (*p)(void) = a; if (p == b) reach_error(); return r; }
        //- modified.c
        void b(void) {} void a(void) {} int main(void) { int r = 1; void (*p)(void) = a; if (p == a) reach_error(); return r; }";

    members_swapped: Regression, "
        //- original.c
        struct s { int a, b; }; int main(void) { struct s s = {1, 2}; if (s.a == 2) reach_error(); }
        //- modified.c
        struct s { int b, a; }; int main(void) { struct s s = {1, 2}; if (s.a == 2) reach_error(); }";

    member_moved_behind_a_pointer: Regression, "
        //- original.c
        struct s { int a, b; };
        int main(void) { int m[2] = {7, 9}; struct s *p = (struct s *)m; if (p->a == 9) reach_error(); }
        //- modified.c
        struct s { int b, a; };
        int main(void) { int m[2] = {7, 9}; struct s *p = (struct s *)m; if (p->a == 9) reach_error(); }";

    u6_inner_declaration_deleted: Regression, "
        //- original.c
        int main(void) { int x = 0; { int x = 1; x = 1; } if (x == 1) reach_error(); }
        //- modified.c
        int main(void) { int x = 0; { x = 1; } if (x == 1) reach_error(); }";

    u7_global_initialiser: Regression, "
        //- original.c
        int g = 0; int main(void) { if (g == 1) reach_error(); }
        //- modified.c
        int g = 1; int main(void) { if (g == 1) reach_error(); }";

    u7_initialiser_behind_a_pointer: Regression, "
        //- original.c
        int g = 0; int *p = &g; int main(void) { if (*p == 1) reach_error(); }
        //- modified.c
        int g = 1; int *p = &g; int main(void) { if (*p == 1) reach_error(); }";

    u7_pointer_initialised_otherwise: Regression, "
        //- original.c
        int g = 0, h = 1; int *p = &g; int main(void) { if (*p == 1) reach_error(); }
        //- modified.c
        int g = 0, h = 1; int *p = &h; int main(void) { if (*p == 1) reach_error(); }";

    static_local_initialiser: Regression, "
        //- original.c
        int f(void) { static int n = 0; return n; } int main(void) { if (f() == 1) reach_error(); }
        //- modified.c
        int f(void) { static int n = 1; return n; } int main(void) { if (f() == 1) reach_error(); }";

    u9_return_to_the_right_call: Regression, "
        int g;
        int f(int x) { g = x; return g; }
        //- original.c
        int main(void) { f(1); f(0); if (g == 1) reach_error(); }
        //- modified.c
        int main(void) { f(0); f(1); if (g == 1) reach_error(); }";

    u10_original_in_an_endless_loop: Regression, "
        //- original.c
        int main(void) { unsigned x = 0; for (;;) x++; }
        //- modified.c
        int main(void) { unsigned x = 0; x = 1; if (x == 1) reach_error(); for (;;) x++; }";

    u11_original_ends_first: Regression, "
        //- original.c
        int main(void) { int x = 1; return 0; }
        //- modified.c
        int main(void) { int x = 1; if (x == 1) reach_error(); return 0; }";

    p14_abort_removed: Regression, "
        //- original.c
        int main(void) { int x = __VERIFIER_nondet_int(); if (x == 1) abort(); if (x == 1) reach_error(); }
        //- modified.c
        int main(void) { int x = __VERIFIER_nondet_int(); if (x == 1) ; if (x == 1) reach_error(); }";

    exit_in_a_callee_removed: Regression, "
        //- original.c
        void stop(int x) { if (x) exit(0); } int main(void) { stop(1); reach_error(); }
        //- modified.c
        void stop(int x) { } int main(void) { stop(1); reach_error(); }";

    surplus_arguments_read_by_the_library: Checked, "
        extern int vsprintf(char *, const char *, __builtin_va_list);
        void f(char *b, ...) { __builtin_va_list l; __builtin_va_start(l, b); vsprintf(b, \"%d\", l); __builtin_va_end(l); }
        //- original.c
        int main(void) { char b[8]; f(b, 1); if (b[0] == 50) reach_error(); }
        //- modified.c
        int main(void) { char b[8]; f(b, 2); if (b[0] == 50) reach_error(); }";

    surplus_arguments_whose_variables_differ: Checked, "
        extern int vsprintf(char *, const char *, __builtin_va_list);
        void f(char *b, ...) { __builtin_va_list l; __builtin_va_start(l, b); vsprintf(b, \"%d\", l); __builtin_va_end(l); }
        //- original.c
        int main(void) { char b[8]; int x = 1; f(b, x); if (b[0] == 50) reach_error(); }
        //- modified.c
        int main(void) { char b[8]; int x = 2; f(b, x); if (b[0] == 50) reach_error(); }";

    surplus_pointers_to_what_differs: Checked, "
        extern int vsprintf(char *, const char *, __builtin_va_list);
        void f(char *b, ...) { __builtin_va_list l; __builtin_va_start(l, b); vsprintf(b, \"%s\", l); __builtin_va_end(l); }
        //- original.c
        int main(void) { char b[8], c[2]; c[0] = 49; c[1] = 0; f(b, c); if (b[0] == 50) reach_error(); }
        //- modified.c
        int main(void) { char b[8], c[2]; c[0] = 50; c[1] = 0; f(b, c); if (b[0] == 50) reach_error(); }";

    surplus_arguments_of_a_reader: Regression, "
        int f(int n, ...) { __builtin_va_list l; __builtin_va_start(l, n); int r = __builtin_va_arg(l, int); return r; }
        //- original.c
        int main(void) { if (f(1, 1) == 2) reach_error(); }
        //- modified.c
        int main(void) { if (f(1, 2) == 2) reach_error(); }";

    one_reads_further: Regression, "
        int f(int n, ...) { __builtin_va_list l; __builtin_va_start(l, n); int r = __builtin_va_arg(l, int);
        //- original.c
            return r; } int main(void) { if (f(1, 0, 1)) reach_error(); }
        //- modified.c
            r = __builtin_va_arg(l, int); return r; } int main(void) { if (f(1, 0, 1)) reach_error(); }";

    errno_of_other_arguments: Checked, "
        extern int *__errno_location(void); extern double log(double);
        //- original.c
        int main(void) { *__errno_location() = 0; log(1.0); if (*__errno_location()) reach_error(); }
        //- modified.c
        int main(void) { *__errno_location() = 0; log(-1.0); if (*__errno_location()) reach_error(); }";

    waits_for_ever: Regression, "
        extern int pause(void);
        //- original.c
        int main(void) { pause(); reach_error(); }
        //- modified.c
        int main(void) { reach_error(); }";

    rounding_mode: Checked, "
        extern int fesetround(int); double one = 1, three = 3;
        //- original.c
        int main(void) { fesetround(0); if (one / three > 0.33333333333333333) reach_error(); }
        //- modified.c
        int main(void) { fesetround(0x800); if (one / three > 0.33333333333333333) reach_error(); }";

    size_of_an_object: Regression, "
        //- original.c
        char b[10]; int main(void) { if (__builtin_object_size(b, 0) == 11) reach_error(); }
        //- modified.c
        char b[11]; int main(void) { if (__builtin_object_size(b, 0) == 11) reach_error(); }";

    no_return_attribute: Regression, "
        extern void quit(void) __attribute__((noreturn));
        //- original.c
        int main(void) { quit(); reach_error(); }
        //- modified.c
        int main(void) { reach_error(); }";

    assumption_removed: Regression, "
        extern void __VERIFIER_assume(int);
        //- original.c
        int main(void) { int x = __VERIFIER_nondet_int(); __VERIFIER_assume(x == 0); if (x == 1) reach_error(); }
        //- modified.c
        int main(void) { int x = __VERIFIER_nondet_int(); if (x == 1) reach_error(); }";

    p16_affected_function_pointer: Regression, "
        int f(void) { return 0; } int g(void) { return 1; }
        //- original.c
        int main(void) { int (*p)(void) = f; if (p() == 1) reach_error(); }
        //- modified.c
        int main(void) { int (*p)(void) = g; if (p() == 1) reach_error(); }";

    p17_callee_changed: Regression, "
        //- original.c
        int f(void) { return 0; } int main(void) { if (f() == 1) reach_error(); }
        //- modified.c
        int f(void) { return 1; } int main(void) { if (f() == 1) reach_error(); }";

    p18_near_homonym: Regression, "
        void reach_errors(void) { }
        //- original.c
        int main(void) { reach_errors(); }
        //- modified.c
        int main(void) { reach_error(); }";

    p30_error_behind_a_pointer: Regression, "
        void bad(void) { reach_error(); } void good(void) { }
        //- original.c
        int main(void) { void (*p)(void) = good; p(); }
        //- modified.c
        int main(void) { void (*p)(void) = bad; p(); }";

    p31_function_pointer_of_another_type: Regression, "
        int g; int f(int x) { if (x == 0) return 0; g = 1; return 1; }
        //- original.c
        int main(void) { int (*p)(int) = f; p(0); if (g == 1) reach_error(); }
        //- modified.c
        int main(void) { int (*p)(int) = f; p(1); if (g == 1) reach_error(); }";

    p32_endless_callee: Regression, "
        //- original.c
        void wait(void) { for (;;) ; } int main(void) { wait(); reach_error(); }
        //- modified.c
        void wait(void) { } int main(void) { wait(); reach_error(); }";

    loop_of_the_original_may_not_end: Regression, "
        //- original.c
        int main(void) { int x = 1; while (x) { x = 1; } reach_error(); }
        //- modified.c
        int main(void) { int x = 0; while (x) { x = 1; } reach_error(); }";

    p33_string_literal: Regression, "
        //- original.c
        int main(void) { const char *s = \"a\"; if (s[0] == 'b') reach_error(); }
        //- modified.c
        int main(void) { const char *s = \"b\"; if (s[0] == 'b') reach_error(); }";

    p34_passing_a_declaration_makes_arbitrary: Regression, "
        //- original.c
        int main(void) { int s = 0; int x = 0; for (int i = 0; i < 2; i++) { if (x == 5) s = 1; } if (s) reach_error(); }
        //- modified.c
        int main(void) { int s = 0; for (int i = 0; i < 2; i++) { int x; if (x == 5) s = 1; } if (s) reach_error(); }";

    p44_only_a_macro: Regression, "
        //- original.c
        enum { LIMIT = 3 }; int main(void) { int x = 4; if (x < LIMIT) reach_error(); }
        //- modified.c
        enum { LIMIT = 5 }; int main(void) { int x = 4; if (x < LIMIT) reach_error(); }";

    p09_size_of_a_changed_struct: Regression, "
        //- original.c
        struct s { int a; }; int main(void) { if (sizeof(struct s) == 8) reach_error(); }
        //- modified.c
        struct s { int a, b; }; int main(void) { if (sizeof(struct s) == 8) reach_error(); }";

    p45_parameters_reordered: Regression, "
        //- original.c
        int f(int a, int b) { return a; } int main(void) { if (f(0, 1) == 1) reach_error(); }
        //- modified.c
        int f(int b, int a) { return a; } int main(void) { if (f(0, 1) == 1) reach_error(); }";

    parameter_added_in_front: Regression, "
        //- original.c
        int f(int a) { return a; } int main(void) { if (f(0) == 1) reach_error(); }
        //- modified.c
        int f(int n, int a) { return n; } int main(void) { if (f(1, 0) == 1) reach_error(); }";

    p15_recursive_callee_changed: Regression, "
        //- original.c
        int f(int n) { if (n == 0) return 0; return f(n - 1); } int main(void) { if (f(2) == 1) reach_error(); }
        //- modified.c
        int f(int n) { if (n == 0) return 1; return f(n - 1); } int main(void) { if (f(2) == 1) reach_error(); }";

    p56_error_in_a_recursive_callee: Regression, "
        //- original.c
        void f(int n) { if (n == 5) reach_error(); if (n > 0) f(n - 1); } int main(void) { f(4); }
        //- modified.c
        void f(int n) { if (n == 5) reach_error(); if (n > 0) f(n - 1); } int main(void) { f(6); }";

    p25_volatile_object_is_ordinary_memory: Regression, "
        //- original.c
        int main(void) { volatile int x = 0; int y = x; if (y == 1) reach_error(); }
        //- modified.c
        int main(void) { volatile int x = 1; int y = x; if (y == 1) reach_error(); }";

    p29_store_to_another_member_keeps_the_mark: Regression, "
        struct s { int a, b; };
        //- original.c
        int main(void) { struct s s; struct s *p = &s; p->a = 0; p->b = 0; if (p->a == 1) reach_error(); }
        //- modified.c
        int main(void) { struct s s; struct s *p = &s; p->a = 1; p->b = 0; if (p->a == 1) reach_error(); }";

    store_to_another_element_keeps_the_mark: Regression, "
        //- original.c
        int main(void) { int a[2]; a[0] = 0; a[1] = 0; if (a[0] == 1) reach_error(); }
        //- modified.c
        int main(void) { int a[2]; a[0] = 1; a[1] = 0; if (a[0] == 1) reach_error(); }";

    store_to_another_bit_field_keeps_the_mark: Regression, "
        struct s { unsigned a : 4, b : 4; };
        //- original.c
        int main(void) { struct s s = {0}; s.a = 0; s.b = 0; if (s.a == 1) reach_error(); }
        //- modified.c
        int main(void) { struct s s = {0}; s.a = 1; s.b = 0; if (s.a == 1) reach_error(); }";

    store_to_a_narrow_union_member_keeps_the_mark: Regression, "
        union u { int i; char c; };
        //- original.c
        int main(void) { union u u; u.i = 0; u.c = 0; if (u.i == 256) reach_error(); }
        //- modified.c
        int main(void) { union u u; u.i = 256; u.c = 0; if (u.i == 256) reach_error(); }";

    union_members_share_memory: Regression, "
        union u { int i; unsigned n; };
        //- original.c
        int main(void) { union u u; u.i = 0; if (u.n == 1) reach_error(); }
        //- modified.c
        int main(void) { union u u; u.i = 1; if (u.n == 1) reach_error(); }";

    p51_body_lost: Regression, "
        //- original.c
        int f(void) { return 0; } int main(void) { if (f() == 1) reach_error(); }
        //- modified.c
        int f(void); int main(void) { if (f() == 1) reach_error(); }";

    global_no_longer_defined: Regression, "
        //- original.c
        int g; int main(void) { if (g == 1) reach_error(); }
        //- modified.c
        extern int g; int main(void) { if (g == 1) reach_error(); }";

    p59_known_name_with_a_body: Regression, "
        //- original.c
        void exit(int x) { reach_error(); } int main(void) { }
        //- modified.c
        void exit(int x) { reach_error(); } int main(void) { exit(0); }";

    other_input_function: Regression, "
        //- original.c
        int main(void) { unsigned char x = 1; unsigned y = x; if (y == 5) reach_error(); }
        //- modified.c
        int main(void) { unsigned x = __VERIFIER_nondet_uint(); unsigned y = x; if (y == 5) reach_error(); }";

    zero_is_not_negative_zero: Regression, "
        //- original.c
        int main(void) { double d = 0.0; if (1.0 / d < 0.0) reach_error(); }
        //- modified.c
        int main(void) { double d = -0.0; if (1.0 / d < 0.0) reach_error(); }";

    switch_cases_exchanged: Regression, "
        //- original.c
        int main(void) { int x = 1, y = 0; switch (x) { case 1: y = 0; break; case 2: y = 1; } if (y) reach_error(); }
        //- modified.c
        int main(void) { int x = 1, y = 0; switch (x) { case 2: y = 0; break; case 1: y = 1; } if (y) reach_error(); }";

    branches_exchanged: Regression, "
        //- original.c
        int main(void) { int x = 1; if (x) ; else reach_error(); }
        //- modified.c
        int main(void) { int x = 1; if (!x) ; else reach_error(); }";

    deleted_assignment_before_its_use: Regression, "
        //- original.c
        int main(void) { int x = 1; x = 0; if (x == 1) reach_error(); }
        //- modified.c
        int main(void) { int x = 1; if (x == 1) reach_error(); }";

    deleted_declaration_then_change: Regression, "
        //- original.c
        int main(void) { int unused; int x = 0; if (x == 1) reach_error(); }
        //- modified.c
        int main(void) { int x = 1; if (x == 1) reach_error(); }";

    p11_global_becomes_local: Regression, "
        int g; void set(void) { g = 1; }
        //- original.c
        int main(void) { int x = 0; set(); if (x == 1) reach_error(); }
        //- modified.c
        int main(void) { int x = 0; set(); x = g; if (x == 1) reach_error(); }";

    error_function_with_a_body: Regression, "
        //- original.c
        int main(void) { int x = 0; if (x) reach_error(); }
        //- modified.c
        int main(void) { int x = 1; if (x) reach_error(); }";

    moved_behind_the_check: Regression, "
        //- original.c
        int main(void) { int x = __VERIFIER_nondet_int(); if (x == 5) x = 0; if (x == 5) reach_error(); }
        //- modified.c
        int main(void) { int x = __VERIFIER_nondet_int(); if (x == 5) reach_error(); if (x == 5) x = 0; }";

    varargs_arguments_changed: Regression, "
        int g; void f(int n, ...) { g = n; }
        //- original.c
        int main(void) { f(0, 1); if (g == 1) reach_error(); }
        //- modified.c
        int main(void) { f(1, 1); if (g == 1) reach_error(); }";

    struct_copied_whole: Regression, "
        struct s { int a, b; };
        //- original.c
        int main(void) { struct s s = {0, 0}, t; t = s; if (t.b == 1) reach_error(); }
        //- modified.c
        int main(void) { struct s s = {0, 1}, t; t = s; if (t.b == 1) reach_error(); }";

    struct_passed_and_returned: Regression, "
        struct s { int a, b; }; struct s same(struct s x) { return x; }
        //- original.c
        int main(void) { struct s s = {0, 0}; struct s t = same(s); if (t.b == 1) reach_error(); }
        //- modified.c
        int main(void) { struct s s = {0, 1}; struct s t = same(s); if (t.b == 1) reach_error(); }";

    compound_literal: Regression, "
        //- original.c
        int main(void) { int *p = (int[]){0, 0}; if (p[1] == 1) reach_error(); }
        //- modified.c
        int main(void) { int *p = (int[]){0, 1}; if (p[1] == 1) reach_error(); }";

    memory_function_copies_affected: Regression, "
        extern void *memcpy(void *, const void *, unsigned long);
        //- original.c
        int main(void) { int a = 0, b = 0; memcpy(&b, &a, sizeof a); if (b == 1) reach_error(); }
        //- modified.c
        int main(void) { int a = 1, b = 0; memcpy(&b, &a, sizeof a); if (b == 1) reach_error(); }";

    known_function_reads_affected_memory: Regression, "
        extern unsigned long strlen(const char *);
        //- original.c
        int main(void) { char s[2]; s[0] = 0; s[1] = 0; if (strlen(s) == 1) reach_error(); }
        //- modified.c
        int main(void) { char s[2]; s[0] = 1; s[1] = 0; if (strlen(s) == 1) reach_error(); }";

    skipped_callee_writes_a_global: Regression, "
        int g; void clear(void) { if (g) g = 0; }
        //- original.c
        int main(void) { g = 1; clear(); if (g == 1) reach_error(); }
        //- modified.c
        int main(void) { g = 1; if (g == 1) reach_error(); }";

    skipped_branching_returns_a_value: Regression, "
        //- original.c
        int f(int x) { if (x) return 0; return 0; } int main(void) { if (f(1) == 1) reach_error(); }
        //- modified.c
        int f(int x) { return x; } int main(void) { if (f(1) == 1) reach_error(); }";

    allocated_memory: Regression, "
        extern void *malloc(unsigned long);
        //- original.c
        int main(void) { int *p = malloc(4); if (!p) return 0; *p = 0; if (*p == 1) reach_error(); }
        //- modified.c
        int main(void) { int *p = malloc(4); if (!p) return 0; *p = 1; if (*p == 1) reach_error(); }";

    one_site_two_objects: Regression, "
        extern void *malloc(unsigned long); int *make(void) { return malloc(4); }
        //- original.c
        int main(void) { int *p = make(), *q = make(); if (!p || !q) return 0; *p = 0; *q = 0; if (*p == 1) reach_error(); }
        //- modified.c
        int main(void) { int *p = make(), *q = make(); if (!p || !q) return 0; *p = 1; *q = 0; if (*p == 1) reach_error(); }";

    /// The original may choose what it reads; the modified program reads it for certain.
    input_replaced_by_a_constant: Sound, "
        //- original.c
        int main(void) { int x = __VERIFIER_nondet_int(); if (x == 1) reach_error(); }
        //- modified.c
        int main(void) { int x = 1; if (x == 1) reach_error(); }";

    constant_replaced_by_an_input: Regression, "
        //- original.c
        int main(void) { int x = 0; if (x == 1) reach_error(); }
        //- modified.c
        int main(void) { int x = __VERIFIER_nondet_int(); if (x == 1) reach_error(); }";

    an_external_may_write_what_it_gets: Sound, "
        extern void outside(int *);
        //- original.c
        int main(void) { int x = 0; if (x == 1) reach_error(); }
        //- modified.c
        int main(void) { int x = 0; outside(&x); if (x == 1) reach_error(); }";

    object_without_a_name_starts_otherwise: Regression, "
        //- original.c
        static int *p = (int[]){1, 2, 3};
        int main(void) { if (p[1] == 3) reach_error(); }
        //- modified.c
        static int *p = (int[]){1, 3, 2};
        int main(void) { if (p[1] == 3) reach_error(); }";

    /// Was zero at the start, and is not when zero is assigned again.
    constant_again_behind_a_store_through_a_pointer: Regression, "
        int x;
        //- original.c
        int main(void) { int *p = &x; *p = 1; if (x == 0) reach_error(); }
        //- modified.c
        int main(void) { int *p = &x; *p = 1; x = 0; if (x == 0) reach_error(); }";

    constant_again_behind_a_call: Regression, "
        int x; void set(void) { x = 1; }
        //- original.c
        int main(void) { set(); if (x == 0) reach_error(); }
        //- modified.c
        int main(void) { set(); x = 0; if (x == 0) reach_error(); }";

    constant_again_in_the_second_round: Regression, "
        int x;
        //- original.c
        int main(void) { for (int i = 0; i < 2; i++) { if (x == 0 && i == 1) reach_error(); x = 1; } }
        //- modified.c
        int main(void) { for (int i = 0; i < 2; i++) { x = 0; if (x == 0 && i == 1) reach_error(); x = 1; } }";

    constant_again_where_only_one_branch_has_it: Regression, "
        int x;
        //- original.c
        int main(void) { if (__VERIFIER_nondet_int()) x = 1; if (x == 0 && __VERIFIER_nondet_int() == 0) return 0; if (x == 0) x = 2; if (x == 1) return 0; }
        //- modified.c
        int main(void) { if (__VERIFIER_nondet_int()) x = 1; x = 0; if (x == 0 && __VERIFIER_nondet_int() == 0) return 0; if (x == 0) reach_error(); }";

    what_a_function_keeps_outlives_it: Regression, "
        //- original.c
        int keep(int a) { static int n; int r = n; n = a; return r; }
        int main(void) { keep(1); if (keep(0) == 2) reach_error(); }
        //- modified.c
        int keep(int a) { static int n; int r = n; n = a; return r; }
        int main(void) { keep(2); if (keep(0) == 2) reach_error(); }";

    what_a_function_was_led_to_outlives_it: Regression, "
        //- original.c
        void set(int *p) { int one = 1; *p = one; }
        int main(void) { int x = 0; set(&x); if (x == 2) reach_error(); }
        //- modified.c
        void set(int *p) { int one = 2; *p = one; }
        int main(void) { int x = 0; set(&x); if (x == 2) reach_error(); }";

    a_function_ends_while_another_call_of_it_is_active: Regression, "
        //- original.c
        int f(int n) { int x = 1; if (n) f(n - 1); if (x == 2) reach_error(); return x; }
        int main(void) { f(1); }
        //- modified.c
        int f(int n) { int x = 1; if (n) x = 2; if (n) f(n - 1); if (x == 2) reach_error(); return x; }
        int main(void) { f(1); }";

    constant_again_in_the_next_call: Regression, "
        //- original.c
        int next(void) { static int n; int r = n; n = 1; return r; }
        int main(void) { next(); if (next() == 0) reach_error(); }
        //- modified.c
        int next(void) { static int n; n = 0; int r = n; n = 1; return r; }
        int main(void) { next(); if (next() == 0) reach_error(); }";

    constant_of_another_start: Regression, "
        //- original.c
        int x = 1;
        int main(void) { if (x == 0) reach_error(); }
        //- modified.c
        int x = 1;
        int main(void) { x = 0; if (x == 0) reach_error(); }";

    constant_no_longer_assigned: Regression, "
        int x;
        //- original.c
        int main(void) { x = __VERIFIER_nondet_int(); x = 0; if (x != 0) reach_error(); }
        //- modified.c
        int main(void) { x = __VERIFIER_nondet_int(); if (x != 0) reach_error(); }";

    constant_of_a_bit_that_is_lost: Regression, "
        unsigned char x = 1;
        //- original.c
        int main(void) { if (x != 1) reach_error(); }
        //- modified.c
        int main(void) { x = 257 + (x != 1); x = x == 1 ? 2 : 1; if (x != 1) reach_error(); }";
}
