extern int __VERIFIER_nondet_int(void);
int main(void) {
  initialize();
  Cur_Vertical_Sep = __VERIFIER_nondet_int(); High_Confidence = __VERIFIER_nondet_int();
  Two_of_Three_Reports_Valid = __VERIFIER_nondet_int(); Own_Tracked_Alt = __VERIFIER_nondet_int();
  Own_Tracked_Alt_Rate = __VERIFIER_nondet_int(); Other_Tracked_Alt = __VERIFIER_nondet_int();
  Alt_Layer_Value = __VERIFIER_nondet_int();
  if (Alt_Layer_Value < 0 || Alt_Layer_Value > 3) return 0;
  Up_Separation = __VERIFIER_nondet_int(); Down_Separation = __VERIFIER_nondet_int();
  Other_RAC = __VERIFIER_nondet_int(); Other_Capability = __VERIFIER_nondet_int(); Climb_Inhibit = __VERIFIER_nondet_int();
  int sep = alt_sep_test();
P:;
  return sep;
}
