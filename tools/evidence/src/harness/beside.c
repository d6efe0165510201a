
/* ---- both versions, each in a process of its own ------------------------------------------------------------------ */
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

/* What a version shows: lines, in memory that outlives it. */
struct __both_log { unsigned long used; int returned, undefined; char text[1 << 20]; };
static struct __both_log *__both_logs, *__both_own;

static struct __both_log *__both_here(void) {
  if (!__both_logs) {
    void *memory = mmap(0, 3 * sizeof *__both_logs, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    if (memory == MAP_FAILED) _exit(2);
    __both_logs = memory;
  }
  return __both_own ? __both_own : &__both_logs[2];
}
static void __both_list(const char *format, __builtin_va_list list) {
  struct __both_log *log = __both_here();
  unsigned long start = log->used, left = sizeof log->text - start;
  int length = vsnprintf(log->text + start, left, format, list);
  if (length > 0) log->used = (unsigned long)length < left ? start + (unsigned long)length : sizeof log->text - 1;
}
void __both_say(const char *format, ...) {
  va_list list;
  va_start(list, format);
  __both_list(format, list);
  va_end(list);
}
void __both_integer(const char *format, long long number) { __both_say(format, number); }
void __both_real(double number) {
  if (number != number) __both_say("nan");
  else __both_say("%.17g", number);
}
/* One line, whatever is in the text. */
static void __both_quote(const char *text, unsigned long most) {
  __both_say("\"");
  for (; *text && most; text++, most--) {
    unsigned char byte = (unsigned char)*text;
    if (byte == '\n') __both_say("\\n");
    else if (byte < 32 || byte > 126 || byte == '"' || byte == '\\') __both_say("\\%03o", byte);
    else __both_say("%c", byte);
  }
  __both_say("\"");
}
extern const char __executable_start, __data_start __attribute__((weak));
/* The text of a literal; nothing is said of other memory. */
void __both_text(const void *memory) {
  const char *text = memory;
  if (text && text >= &__executable_start && text < &__data_start) __both_quote(text, 4096);
  else __both_say(text ? "..." : "null");
}
void __both_format(const char *format, __builtin_va_list list) {
  static char text[1 << 16];
  vsnprintf(text, sizeof text, format, list);
  __both_say(" prints ");
  __both_quote(text, sizeof text);
}
void __both_returned(void) { __both_here()->returned = 1; }
__attribute__((noreturn)) void __both_abort(void) { signal(SIGABRT, SIG_DFL); abort(); }
__attribute__((noreturn)) void __both_stop(void) {
  __both_say("stops at what is assumed\n");
  __both_returned();
  _exit(0);
}
void __asan_on_error(void) { __both_here()->undefined = 1; }
const char *__asan_default_options(void) {
  return "detect_stack_use_after_return=1:detect_leaks=0:log_path=/dev/null:handle_segv=0:handle_sigfpe=0:handle_sigill=0:handle_abort=0";
}

static void __both_run(int version, void (*start)(void)) {
  int status = 0;
  pid_t child;
  (void)__both_here();
  fflush(stdout);
  child = fork();
  if (child < 0) exit(2);
  if (!child) {
    __both_own = &__both_logs[version];
    /* What happened before the start. */
    __both_say("%s", __both_logs[2].text);
    alarm(60);
    if (!freopen("/dev/null", "w", stdout) || !freopen("/dev/null", "w", stderr)) _exit(2);
    start();
    __both_returned();
    _exit(0);
  }
  if (waitpid(child, &status, 0) != child) exit(2);
  __both_own = &__both_logs[version];
  if (__both_own->undefined) __both_say("is not defined (memory)\n");
  else if (WIFSIGNALED(status) && WTERMSIG(status) == SIGABRT) __both_say("aborts\n");
  else if (WIFSIGNALED(status) && WTERMSIG(status) == SIGALRM) __both_say("does not end\n");
  else if (WIFSIGNALED(status)) __both_say("is not defined (signal %d)\n", WTERMSIG(status)), __both_own->undefined = 1;
  else if (!__both_own->returned) __both_say("exits with %d\n", WEXITSTATUS(status));
  __both_own = 0;
}
/* One line of a text; where the next begins. */
static const char *__both_line(const char *from, int *length) {
  const char *end = strchr(from, '\n');
  *length = end ? (int)(end - from) : (int)strlen(from);
  return end ? end + 1 : from + *length;
}
static void __both_print(const char *name, const char *text, const char *other) {
  enum { FEW = 40 };
  int length, length2, printed = 0;
  unsigned long left = 0;
  printf("%s:\n", name);
  while (*text) {
    const char *next = __both_line(text, &length), *next2 = __both_line(other, &length2);
    int same = length == length2 && !memcmp(text, other, (unsigned long)length);
    if (printed < FEW || !same) printf("  %.*s\n", length, text), printed++;
    else left++;
    text = next, other = next2;
  }
  if (left) printf("  and %lu lines that are the same\n", left);
}
int main(void) {
  const char *a, *b;
  int i, lengths[2];
  __both_run(0, __residue_original_start);
  __both_run(1, __residue_modified_start);
  a = __both_logs[0].text, b = __both_logs[1].text;
  __both_print("original", a, b);
  __both_print("modified", b, a);
  while (*a || *b) {
    const char *next_a = __both_line(a, &lengths[0]), *next_b = __both_line(b, &lengths[1]);
    if (lengths[0] != lengths[1] || memcmp(a, b, (unsigned long)lengths[0])) break;
    a = next_a, b = next_b;
  }
  if (!*a && !*b) {
    printf("no difference\n");
    return 1;
  }
  printf("first difference:\n");
  for (i = 0; i < 2; i++)
    printf("  %s: %.*s\n", i ? "modified" : "original", lengths[i] ? lengths[i] : 7, lengths[i] ? (i ? b : a) : "nothing");
  return 0;
}
