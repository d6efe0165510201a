/*@ assigns \nothing; ensures never_returns: \false; */
extern void abort(void) __attribute__((noreturn));
