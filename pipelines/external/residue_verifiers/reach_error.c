/*@ requires unreach_call: \false; */
extern void reach_error(void);
