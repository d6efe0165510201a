
/* ---- counterexample harness: what the program needs from outside ------------------------------------------------- */
typedef unsigned long long __residue_u64;
typedef __SIZE_TYPE__ __residue_size;
#define __RESIDUE_WEAK __attribute__((weak, unused))

#if !defined(__SANITIZE_ADDRESS__)
__RESIDUE_WEAK void *__residue_memcpy(void *to, const void *from, __residue_size n) __asm__("memcpy");
__RESIDUE_WEAK void *__residue_memcpy(void *to, const void *from, __residue_size n) {
  volatile char *t = (volatile char *)to; const char *f = (const char *)from;
  while (n--) *t++ = *f++;
  return to;
}
__RESIDUE_WEAK void *__residue_memmove(void *to, const void *from, __residue_size n) __asm__("memmove");
__RESIDUE_WEAK void *__residue_memmove(void *to, const void *from, __residue_size n) {
  volatile char *t = (volatile char *)to; const char *f = (const char *)from;
  if ((__residue_size)(t - (volatile char *)f) >= n) { while (n--) *t++ = *f++; }
  else { t += n; f += n; while (n--) *--t = *--f; }
  return to;
}
__RESIDUE_WEAK void *__residue_memset(void *to, int c, __residue_size n) __asm__("memset");
__RESIDUE_WEAK void *__residue_memset(void *to, int c, __residue_size n) {
  volatile char *t = (volatile char *)to;
  while (n--) *t++ = (char)c;
  return to;
}
__RESIDUE_WEAK int __residue_memcmp(const void *a, const void *b, __residue_size n) __asm__("memcmp");
__RESIDUE_WEAK int __residue_memcmp(const void *a, const void *b, __residue_size n) {
  const unsigned char *x = (const unsigned char *)a, *y = (const unsigned char *)b;
  for (; n--; x++, y++) if (*x != *y) return *x < *y ? -1 : 1;
  return 0;
}
__RESIDUE_WEAK __residue_size __residue_strlen(const char *s) __asm__("strlen");
__RESIDUE_WEAK __residue_size __residue_strlen(const char *s) {
  const volatile char *e = s;
  while (*e) e++;
  return (__residue_size)((const char *)e - s);
}
__RESIDUE_WEAK int __residue_strcmp(const char *a, const char *b) __asm__("strcmp");
__RESIDUE_WEAK int __residue_strcmp(const char *a, const char *b) {
  for (; *a && *a == *b; a++, b++) ;
  return (unsigned char)*a - (unsigned char)*b;
}
#endif

__attribute__((noreturn, unused)) static void __residue_end(int status) {
#if defined(__i386__)
  for (;;) __asm__ volatile("int $0x80" : : "a"(1), "b"(status));
#else
  for (;;) __asm__ volatile("syscall" : : "a"(231L), "D"((long)status) : "rcx", "r11", "memory");
#endif
}
__attribute__((unused)) static void __residue_print(const char *text, __residue_size n) {
  long result;
#if defined(__i386__)
  __asm__ volatile("int $0x80" : "=a"(result) : "0"(4L), "b"(1L), "c"(text), "d"(n) : "memory");
#else
  __asm__ volatile("syscall" : "=a"(result) : "0"(1L), "D"(1L), "S"(text), "d"(n) : "rcx", "r11", "memory");
#endif
}
/* The error is reached: says so and ends with status 1. */
__attribute__((noreturn, unused)) static void __residue_reached(void) {
  __residue_print("reach_error\n", 12);
  __residue_end(1);
}

__RESIDUE_WEAK void __residue_abort(void) __asm__("abort");
__RESIDUE_WEAK void __residue_abort(void) { __residue_end(134); }
#if !defined(__SANITIZE_ADDRESS__)
/* What runs at the end: there may be no library that knows it, and `exit` is ours. */
static void (*__residue_last[64])(void) __attribute__((unused));
static int __residue_count __attribute__((unused));
__RESIDUE_WEAK int __residue_atexit(void (*function)(void)) __asm__("atexit");
__RESIDUE_WEAK int __residue_atexit(void (*function)(void)) {
  if (__residue_count == 64) return 1;
  __residue_last[__residue_count++] = function;
  return 0;
}
/* Behind `main` a library runs it as a destructor, the first of all: it stands last. */
__attribute__((unused, destructor)) static void __residue_leave(void) {
  while (__residue_count) __residue_last[--__residue_count]();
}
#else
__attribute__((unused)) static void __residue_leave(void) {}
#endif
#if !defined(__SANITIZE_ADDRESS__)
__RESIDUE_WEAK void __residue_exit(int status) __asm__("exit");
__RESIDUE_WEAK void __residue_exit(int status) { __residue_leave(); __residue_end(status == 1 ? 2 : status); }
#endif
__RESIDUE_WEAK void __residue_exit1(int status) __asm__("_exit");
__RESIDUE_WEAK void __residue_exit1(int status) { __residue_end(status == 1 ? 2 : status); }
__RESIDUE_WEAK void __residue_exit2(int status) __asm__("_Exit");
__RESIDUE_WEAK void __residue_exit2(int status) { __residue_end(status == 1 ? 2 : status); }
__RESIDUE_WEAK void __residue_stack(void) __asm__("__stack_chk_fail");
__RESIDUE_WEAK void __residue_stack(void) { __residue_end(134); }

#if defined(__i386__)
/* gcc expects these in a library that a 64-bit machine may not have. */
static __residue_u64 __residue_divide(__residue_u64 a, __residue_u64 b, __residue_u64 *rest) {
  __residue_u64 quotient = 0, remainder = 0;
  int i;
  for (i = 63; i >= 0; i--) {
    remainder = remainder << 1 | (a >> i & 1);
    if (remainder >= b) { remainder -= b; quotient |= 1ULL << i; }
  }
  *rest = remainder;
  return quotient;
}
__RESIDUE_WEAK __residue_u64 __udivdi3(__residue_u64 a, __residue_u64 b) { __residue_u64 r; return __residue_divide(a, b, &r); }
__RESIDUE_WEAK __residue_u64 __umoddi3(__residue_u64 a, __residue_u64 b) { __residue_u64 r; __residue_divide(a, b, &r); return r; }
__RESIDUE_WEAK __residue_u64 __udivmoddi4(__residue_u64 a, __residue_u64 b, __residue_u64 *r) {
  __residue_u64 rest, q = __residue_divide(a, b, &rest);
  if (r) *r = rest;
  return q;
}
__RESIDUE_WEAK long long __divdi3(long long a, long long b) {
  __residue_u64 r, q = __residue_divide(a < 0 ? -(__residue_u64)a : (__residue_u64)a, b < 0 ? -(__residue_u64)b : (__residue_u64)b, &r);
  return (long long)((a < 0) != (b < 0) ? -q : q);
}
__RESIDUE_WEAK long long __moddi3(long long a, long long b) {
  __residue_u64 r;
  __residue_divide(a < 0 ? -(__residue_u64)a : (__residue_u64)a, b < 0 ? -(__residue_u64)b : (__residue_u64)b, &r);
  return (long long)(a < 0 ? -r : r);
}
__RESIDUE_WEAK long long __divmoddi4(long long a, long long b, long long *r) {
  if (r) *r = __moddi3(a, b);
  return __divdi3(a, b);
}
#endif

#if defined(__RESIDUE_MEMORY_RUNS_OUT)
int __VERIFIER_nondet_residue_int(void);
#define __RESIDUE_OUT_OF_MEMORY (__VERIFIER_nondet_residue_int() < 0)
#else
#define __RESIDUE_OUT_OF_MEMORY 0
#endif

/* Memory comes from one block and is never given back. It holds what the run read there. */
static void __residue_fill_block(void *block) __attribute__((unused));
static char __residue_heap[16 << 20] __attribute__((aligned(16), unused));
static __residue_size __residue_heap_used __attribute__((unused));
#if !defined(__SANITIZE_ADDRESS__)
__RESIDUE_WEAK void *__residue_malloc(__residue_size n) __asm__("malloc");
__RESIDUE_WEAK void *__residue_malloc(__residue_size n) {
  char *block = __residue_heap + __residue_heap_used + 16;
  if (__RESIDUE_OUT_OF_MEMORY) return 0;
  if (n > sizeof __residue_heap - 64 - __residue_heap_used) return 0;
  __residue_heap_used += (n + 47) & ~(__residue_size)15;
  ((__residue_size *)block)[-1] = n;
  __residue_fill_block(block);
  return block;
}
__RESIDUE_WEAK void *__residue_calloc(__residue_size n, __residue_size m) __asm__("calloc");
__RESIDUE_WEAK void *__residue_calloc(__residue_size n, __residue_size m) { return __residue_malloc(n * m); }
__RESIDUE_WEAK void *__residue_realloc(void *old, __residue_size n) __asm__("realloc");
__RESIDUE_WEAK void *__residue_realloc(void *old, __residue_size n) {
  void *block = __residue_malloc(n);
  if (old && !n) return 0;
  if (old && block) __residue_memcpy(block, old, n < ((__residue_size *)old)[-1] ? n : ((__residue_size *)old)[-1]);
  return block;
}
__RESIDUE_WEAK void __residue_free(void *old) __asm__("free");
__RESIDUE_WEAK void __residue_free(void *old) { (void)old; }
#elif defined(__RESIDUE_MEMORY_RUNS_OUT)
void *__real_malloc(__residue_size n);
void *__real_calloc(__residue_size n, __residue_size m);
void *__real_realloc(void *old, __residue_size n);
void *__wrap_malloc(__residue_size n) { return __RESIDUE_OUT_OF_MEMORY ? 0 : __real_malloc(n); }
void *__wrap_calloc(__residue_size n, __residue_size m) { return __RESIDUE_OUT_OF_MEMORY ? 0 : __real_calloc(n, m); }
void *__wrap_realloc(void *old, __residue_size n) { return __RESIDUE_OUT_OF_MEMORY ? 0 : __real_realloc(old, n); }
#endif
