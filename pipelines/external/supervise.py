"""Runs a command under limits of CPU time, idleness and memory, and leaves no process of it behind.

The limits hold for the command and everything it starts, added up. Orphans come back to this process (it is their
subreaper), so that a child that starts a session of its own, ignores SIGTERM or outlives its parent is found as well.
Linux only.
"""
import ctypes
import os
import resource
import signal
import subprocess
import time
from dataclasses import dataclass

PR_SET_PDEATHSIG = 1
PR_SET_CHILD_SUBREAPER = 36
TICK = os.sysconf("SC_CLK_TCK")
PAGE = os.sysconf("SC_PAGE_SIZE")
SHORTEST_NAP, LONGEST_NAP = 0.005, 0.05
# Seconds between two looks at all processes, which cost CPU time themselves.
SHORTEST_PAUSE, LONGEST_PAUSE = 0.1, 1.0
GRACE_SECONDS = 1.0
LONGEST_LOG = 256 << 20
KILL_SECONDS = 10.0


class Stopped(BaseException):
    """This process was asked to end."""


@dataclass
class Limits:
    """What a run may use; None is no limit. Wall time says nothing on a busy machine, so what counts is how long nothing ran."""

    cpu_seconds: float | None = None
    idle_seconds: float | None = None
    memory_bytes: int | None = None


@dataclass
class Ended:
    """How a run ended: exit value or signal, and the limit that ended it, if one did."""

    exit_value: int | None
    exit_signal: int | None
    termination_reason: str | None
    cpu_seconds: float
    wall_seconds: float
    peak_memory: int
    began: float


def be_the_last_parent():
    """Makes orphans come here, and SIGTERM, SIGINT or the end of the parent raise `Stopped`."""
    def stop(_signal, _frame):
        raise Stopped

    for number in (signal.SIGTERM, signal.SIGINT, signal.SIGHUP):
        signal.signal(number, stop)
    libc = ctypes.CDLL(None, use_errno=True)
    libc.prctl(PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0)
    parent = os.getppid()
    libc.prctl(PR_SET_PDEATHSIG, signal.SIGTERM, 0, 0, 0)
    if os.getppid() != parent:
        raise Stopped


def supervise(command, folder, environment, log, limits):
    """Runs `command` to its end or to a limit; its output goes to `log`."""
    libc = ctypes.CDLL(None)

    def before_start():
        libc.prctl(PR_SET_PDEATHSIG, signal.SIGKILL, 0, 0, 0)
        resource.setrlimit(resource.RLIMIT_CORE, (0, 0))

    before = own_children_seconds()
    began, start = time.time(), time.monotonic()
    with open(log, "wb") as output:
        process = subprocess.Popen(
            command, cwd=folder, env=environment, stdin=subprocess.DEVNULL, stdout=output, stderr=subprocess.STDOUT,
            start_new_session=True, preexec_fn=before_start,
        )
    status, reason, peak, cpu, nap = None, None, 0, 0.0, SHORTEST_NAP
    worked, busy, look = 0.0, start, start
    try:
        while True:
            status = reap(process.pid, status)
            now = time.monotonic()
            if status is None and now < look:
                time.sleep(nap)
                nap = min(nap * 1.5, LONGEST_NAP)
                continue
            seconds, memory = usage()
            cpu = max(cpu, seconds + own_children_seconds() - before)
            peak = max(peak, memory)
            if status is not None:
                break
            if cpu > worked:
                worked, busy = cpu, time.monotonic()
            reason = exceeded(limits, cpu, time.monotonic() - busy, memory, log)
            if reason:
                break
            left = LONGEST_PAUSE if limits.cpu_seconds is None else (limits.cpu_seconds - cpu) / 8
            look = now + min(max(left, SHORTEST_PAUSE), LONGEST_PAUSE)
    except Stopped:
        reason = "stopped"
    if reason:
        status = end_gently(process.pid, status)
    status = kill_descendants(process.pid, status)
    process.returncode = 0 if status is None else os.waitstatus_to_exitcode(status)
    cpu = max(cpu, own_children_seconds() - before)
    value = process.returncode if process.returncode >= 0 else None
    number = -process.returncode if process.returncode < 0 else None
    return Ended(value, number, reason, cpu, time.monotonic() - start, peak, began)


def exceeded(limits, cpu, idle, memory, log):
    """The limit that is exceeded, in BenchExec's words."""
    if limits.cpu_seconds is not None and cpu >= limits.cpu_seconds:
        return "cputime"
    if limits.idle_seconds is not None and idle >= limits.idle_seconds:
        return "walltime"
    if limits.memory_bytes is not None and memory > limits.memory_bytes:
        return "memory"
    if log.stat().st_size > LONGEST_LOG:
        return "its output is too long"
    return None


def end_gently(main, status):
    """SIGTERM to all, and a little time to act on it."""
    signal_all(signal.SIGTERM)
    deadline = time.monotonic() + GRACE_SECONDS
    while time.monotonic() < deadline:
        status = reap(main, status)
        if not descendants():
            break
        time.sleep(SHORTEST_NAP)
    return status


def kill_descendants(main=None, status=None):
    """SIGKILL to every descendant until none is left; the exit status of `main` if it ended meanwhile."""
    deadline = time.monotonic() + KILL_SECONDS
    while time.monotonic() < deadline:
        status = reap(main, status)
        if not descendants():
            break
        signal_all(signal.SIGKILL)
        time.sleep(SHORTEST_NAP)
    return status


def signal_all(number):
    """Sends a signal to every descendant."""
    for pid in descendants():
        try:
            os.kill(pid, number)
        except ProcessLookupError:
            pass


def reap(main, status):
    """Takes the exit status of every child that has ended; returns that of `main`."""
    while True:
        try:
            pid, ended = os.waitpid(-1, os.WNOHANG)
        except ChildProcessError:
            return status
        if pid == 0:
            return status
        if pid == main:
            status = ended


def own_children_seconds():
    """CPU seconds of the children that were waited for, with theirs."""
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


def processes():
    """Parent, CPU seconds (with the children waited for) and resident bytes of every process, by its id."""
    found = {}
    for entry in os.listdir("/proc"):
        if not entry.isdigit():
            continue
        try:
            with open(f"/proc/{entry}/stat", "rb") as file:
                fields = file.read().rpartition(b")")[2].split()
        except OSError:
            continue
        seconds = sum(int(field) for field in fields[11:15]) / TICK
        found[int(entry)] = (int(fields[1]), seconds, int(fields[21]) * PAGE)
    return found


def descendants(table=None):
    """The ids of all processes below this one."""
    table = processes() if table is None else table
    children = {}
    for pid, (parent, _, _) in table.items():
        children.setdefault(parent, []).append(pid)
    found, todo = [], [os.getpid()]
    while todo:
        below = children.get(todo.pop(), [])
        found += below
        todo += below
    return found


def usage():
    """CPU seconds and resident bytes of all descendants together."""
    table = processes()
    rows = [table[pid] for pid in descendants(table)]
    return sum(row[1] for row in rows), sum(row[2] for row in rows)
