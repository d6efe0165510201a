/*
 * A controller for a storage tank. Water comes in by rain, leaves through a
 * valve, and the level must never rise above the rim, whatever the sensors say.
 *
 * The call that matters is three functions deep:
 *   main -> run_tick -> update_level -> limit_level
 */

extern int __VERIFIER_nondet_int(void);
extern unsigned char __VERIFIER_nondet_uchar(void);
extern void abort(void);

void reach_error(void) { }

#define BOTTOM 0
#define RIM 100
#define VALVE_STEPS 4
#define MAX_RAIN 12

enum mode { MODE_IDLE, MODE_FILL, MODE_DRAIN, MODE_ALARM };

struct tank {
    int level;            /* centimetres above the bottom */
    int valve;            /* 0 closed .. VALVE_STEPS open */
    enum mode mode;
    unsigned int ticks;   /* since the controller was started */
};

struct statistics {
    unsigned int alarms;
    unsigned int drained;
    int highest;
};

static struct tank tank;
static struct statistics statistics;

/* A sensor never reports more rain than the gutter can carry. */
static int read_rain(void)
{
    int rain = __VERIFIER_nondet_int();
    if (rain < 0)
        return 0;
    if (rain > MAX_RAIN)
        return MAX_RAIN;
    return rain;
}

/* Keeps a computed level between the bottom and the rim. */
static int limit_level(int level)
{
    int limited = level;
    if (limited <= BOTTOM)
        limited = BOTTOM;
    else if (limited >= RIM)
        limited = RIM;
    return limited;
}

/* Opens the valve one step when the tank is rather full, closes it when it is rather empty. */
static void update_valve(void)
{
    switch (tank.mode) {
    case MODE_DRAIN:
    case MODE_ALARM:
        if (tank.valve < VALVE_STEPS)
            tank.valve++;
        break;
    case MODE_FILL:
        if (tank.valve > 0)
            tank.valve--;
        break;
    default:
        break;
    }
}

static void update_mode(void)
{
    if (tank.level >= 95) {
        tank.mode = MODE_ALARM;
        statistics.alarms++;
    } else if (tank.level > 70) {
        tank.mode = MODE_DRAIN;
    } else if (tank.level < 20) {
        tank.mode = MODE_FILL;
    } else {
        tank.mode = MODE_IDLE;
    }
}

/* What flows out in one tick: three centimetres for each step of the valve. */
static int outflow(void)
{
    return 3 * tank.valve;
}

static void update_level(int rain)
{
    int next = tank.level + rain - outflow();
    tank.level = limit_level(next);
}

static void update_statistics(int before)
{
    if (tank.level < before)
        statistics.drained += (unsigned int)(before - tank.level);
    if (tank.level > statistics.highest)
        statistics.highest = tank.level;
}

/* Somebody may open or close the valve by hand, within its range. */
static void manual_override(void)
{
    unsigned char wanted = __VERIFIER_nondet_uchar();
    if (wanted <= VALVE_STEPS)
        tank.valve = wanted;
}

static void check_level(void)
{
    if (tank.level > RIM)
        reach_error();
    if (tank.level < BOTTOM)
        reach_error();
}

static void run_tick(void)
{
    int before = tank.level;
    int rain = read_rain();
    update_mode();
    update_valve();
    update_level(rain);
    update_statistics(before);
    tank.ticks++;
}

static void start(void)
{
    tank.level = 50;
    tank.valve = 0;
    tank.mode = MODE_IDLE;
    tank.ticks = 0;
    statistics.alarms = 0;
    statistics.drained = 0;
    statistics.highest = tank.level;
}

int main(void)
{
    start();
    while (__VERIFIER_nondet_int()) {
        if (__VERIFIER_nondet_uchar())
            manual_override();
        run_tick();
        check_level();
    }
    return 0;
}
