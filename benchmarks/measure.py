"""Runs one process and measures it."""
import os
import resource
import signal
import subprocess
import tempfile
import time

MEMORY = 6 << 30
# Wall seconds per CPU second, for busy machines.
PATIENCE = 30


def run(command, seconds, cwd, hard=None):
    """Runs one stage; returns exit code (minus the signal if killed), stdout, stderr, CPU seconds.

    The stage is expected to keep to `seconds` of CPU time itself; it is ended a little later (at `hard`, if given), and
    its whole process group if it hangs.
    """
    def limits():
        os.setsid()
        # The kernel counts in ticks, which on a busy machine is a few per cent more than what was used.
        most = hard or int(1.1 * seconds) + 5
        resource.setrlimit(resource.RLIMIT_CPU, (most, most + 1))
        resource.setrlimit(resource.RLIMIT_AS, (MEMORY, MEMORY))
    with tempfile.TemporaryFile() as out, tempfile.TemporaryFile() as err:
        process = subprocess.Popen(command, stdout=out, stderr=err, stdin=subprocess.DEVNULL, cwd=cwd,
                                   preexec_fn=limits)
        deadline = time.monotonic() + PATIENCE * seconds + 60
        while True:
            pid, status, usage = os.wait4(process.pid, os.WNOHANG)
            if pid:
                break
            if time.monotonic() > deadline:
                os.killpg(process.pid, signal.SIGKILL)
            time.sleep(0.005)
        process.returncode = os.waitstatus_to_exitcode(status)
        out.seek(0)
        err.seek(0)
        return (process.returncode, out.read().decode(errors="replace"), err.read().decode(errors="replace"),
                usage.ru_utime + usage.ru_stime)


def verdict_of(stdout):
    """The verdict in one word and the reason of an UNKNOWN, from the last line of a verifier."""
    last = (stdout.strip().splitlines() or [""])[-1]
    word = "FALSE" if last.startswith("FALSE") else "TRUE" if last == "TRUE" else "UNKNOWN"
    return word, last[8:-1] if last.startswith("UNKNOWN(") else ""
