#!/usr/bin/env python3
"""Runs a verifier that BenchExec knows on one program and reads its verdict.

A BenchExec tool-info module builds the command line, finds the executable (private folder first, then the absolute folders
of PATH, never the current folder) and reads the verdict; this program supplies the task, keeps the limits and writes down what happened. Request and answer are JSON.

A verdict counts only if the tool ended by itself: TRUE needs exit code 0, and no module of our own may doubt it; what a
tool printed before a limit or a signal ended it does not count.

Exit codes: 0 the tool ran, whatever came out of it; 2 it could not be run (unknown module, no executable, bad options).
"""
import argparse
import importlib
import json
import logging
import os
import re
import signal
import string
import sys
from pathlib import Path

from assignments import assignments_of
from supervise import Limits, Stopped, be_the_last_parent, kill_descendants, supervise

OWN_MODULES = "residue_verifiers"
VERSION_SECONDS = 20
TAIL_LINES = 15


class CannotRun(Exception):
    """The verifier cannot be started; the text says what to do."""


def load_tool(name):
    """The tool-info object for `name`: a module of our own, one of BenchExec's, or, with a dot, any module."""
    try:
        from benchexec import tooladapter
    except ImportError as error:
        raise CannotRun(f"BenchExec is missing ({error}): run `make external`, or `pip install benchexec`") from error
    if not re.fullmatch(r"[\w.+-]+", name):
        raise CannotRun(f"`{name}` is no name of a BenchExec tool-info module")
    candidates = [name] if "." in name else [f"{OWN_MODULES}.{name}", f"benchexec.tools.{name}"]
    for candidate in candidates:
        try:
            module = importlib.import_module(candidate)
        except ModuleNotFoundError as error:
            if error.name and (candidate == error.name or candidate.startswith(error.name + ".")):
                continue
            raise CannotRun(f"the module {candidate} cannot be loaded: {error}") from error
        except Exception as error:  # whatever a foreign module does when it is loaded
            raise CannotRun(f"the module {candidate} cannot be loaded: {error!r}") from error
        if not hasattr(module, "Tool"):
            raise CannotRun(f"the module {candidate} has no class Tool, so it is no tool-info module")
        try:
            return tooladapter.adapt_to_current_version(module.Tool())
        except Exception as error:
            raise CannotRun(f"the module {candidate} cannot be used: {error!r}") from error
    raise CannotRun(f"there is no tool-info module {' or '.join(candidates)}")


def find_executable(tool):
    """The absolute path of the tool's executable."""
    from benchexec.tools.template import BaseTool2
    locator = BaseTool2.ToolLocator(tool_directory=None, use_path=True, use_current=False)
    try:
        found = tool.executable(locator)
    except Exception as error:
        raise CannotRun(f"{tool.name()} is not installed: {' '.join(str(error).split())}") from error
    if not os.path.isabs(found):
        # Whoever has written the current folder must not choose what is executed.
        raise CannotRun(f"{tool.name()} is not installed: {found} would be taken from the current folder")
    return found


def version_of(tool, executable):
    """The version the tool names, or nothing if it does not do so in time."""
    def late(_signal, _frame):
        raise TimeoutError

    before = signal.signal(signal.SIGALRM, late)
    signal.alarm(VERSION_SECONDS)
    try:
        return " ".join((tool.version(executable) or "").split())
    except Stopped:
        raise
    except Exception:
        return ""
    finally:
        signal.alarm(0)
        signal.signal(signal.SIGALRM, before)
        kill_descendants()


def command_of(tool, executable, request):
    """Command line, working folder and environment of one run."""
    from benchexec.tools.template import BaseTool2
    work = os.path.abspath(request["work"])
    options = [string.Template(option).safe_substitute(work=work) for option in request["options"]]
    seconds = request.get("cpu_seconds")
    whole = None if seconds is None else max(1, int(seconds))
    # Keyword arguments, because the order of the fields is no part of BenchExec's interface.
    limits = BaseTool2.ResourceLimits(cputime=whole, cputime_hard=whole, memory=request.get("memory_bytes"))
    task = BaseTool2.Task.with_files(
        [os.path.abspath(request["program"])],
        property_file=os.path.abspath(request["property_file"]),
        options={"language": "C", "data_model": request["data_model"], "residue": request.get("facts", {})},
    )
    try:
        command = [str(part) for part in tool.cmdline(executable, options, task, limits)]
        folder = tool.working_directory(executable)
        changes = tool.environment(executable) or {}
    except Exception as error:
        raise CannotRun(f"{tool.name()} does not accept the task: {' '.join(str(error).split())}") from error
    folder = work if folder in ("", ".", os.curdir) else folder
    environment = {} if changes.get("keepEnv") else dict(os.environ)
    environment |= {name: os.environ[name] for name in changes.get("keepEnv", {}) if name in os.environ}
    environment |= changes.get("newEnv", {})
    for name, value in changes.get("additionalEnv", {}).items():
        environment[name] = environment.get(name, "") + value
    return command, folder, environment


def judge(tool, run, ended):
    """Verdict (true, false, unknown), status as the tool sees it, and the reason for unknown."""
    try:
        status = str(tool.determine_result(run))
    except Exception as error:
        return "unknown", "ERROR", f"its answer cannot be read: {error!r}"
    limits = {"cputime": "budget", "walltime": "budget", "memory": "memory", "stopped": "interrupted"}
    if ended.termination_reason in limits:
        return "unknown", status, limits[ended.termination_reason]
    if ended.termination_reason:
        return "unknown", status, ended.termination_reason
    if ended.exit_signal is not None:
        return "unknown", status, f"it was ended by signal {ended.exit_signal}"
    if status == "true":
        if ended.exit_value != 0:
            return "unknown", status, f"it printed TRUE but failed with exit code {ended.exit_value}"
        doubts = doubts_of(tool, run)
        return ("unknown", status, doubts) if doubts else ("true", status, None)
    if status in ("false", "false(unreach-call)"):
        return "false", status, None
    if status == "unknown":
        return "unknown", status, why_unknown(tool, run) or "it does not know"
    if status.startswith("false("):
        return "unknown", status, f"it answered {status}, which is another property"
    code = f", exit code {ended.exit_value}" if ended.exit_value else ""
    return "unknown", status, f"it gave no verdict ({status}{code})"


def why_unknown(tool, run):
    """Why a tool knows nothing, if a module of our own can tell."""
    own = getattr(tool, "why_unknown", None)
    return own(run) if own else None


def doubts_of(tool, run):
    """Why a TRUE is not to be relied on; only our own modules can tell."""
    own = getattr(tool, "doubts", None)
    if own is None:
        return None
    try:
        return own(run)
    except Exception as error:
        return f"its answer cannot be trusted: {error!r}"


def run(request):
    """Runs the verifier of a request; the answer."""
    tool = load_tool(request["module"])
    from benchexec.tools.template import BaseTool2
    from benchexec.util import ProcessExitCode
    executable = find_executable(tool)
    answer = {"tool": tool.name(), "version": version_of(tool, executable), "executable": executable}
    command, folder, environment = command_of(tool, executable, request)
    log = Path(request["log"])
    limits = Limits(request.get("cpu_seconds"), request.get("idle_seconds"), request.get("memory_bytes"))
    try:
        ended = supervise(command, folder, environment, log, limits)
    except OSError as error:
        raise CannotRun(f"{executable} cannot be started: {error.strerror}") from error
    lines = log.read_text(errors="replace").splitlines(keepends=True)
    exit_code = ProcessExitCode.create(value=ended.exit_value, signal=ended.exit_signal)
    result = BaseTool2.Run(command, exit_code, BaseTool2.RunOutput(lines), ended.termination_reason)
    verdict, status, reason = judge(tool, result, ended)
    own_trace = getattr(tool, "assignments", None)
    found = []
    if verdict == "false":
        found = own_trace(result) if own_trace else assignments_of([Path(request["work"]), Path(folder)], ended.began)
    tool.close()
    return answer | {
        "verdict": verdict, "status": status, "reason": reason, "command": command,
        "exit_value": ended.exit_value, "exit_signal": ended.exit_signal, "terminated": ended.termination_reason,
        "cpu_seconds": round(ended.cpu_seconds, 3), "wall_seconds": round(ended.wall_seconds, 3),
        "peak_memory": ended.peak_memory, "assignments": found,
        "tail": [line.rstrip("\n")[:300] for line in lines[-TAIL_LINES:]],
    }


def describe(name):
    """Which executable of which version `name` stands for."""
    tool = load_tool(name)
    executable = find_executable(tool)
    return {"tool": tool.name(), "version": version_of(tool, executable), "executable": executable}


def main():
    """Reads the request, prints the answer."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    what = parser.add_mutually_exclusive_group(required=True)
    what.add_argument("--request", metavar="FILE.json", type=Path, help="run the verifier on the program it names")
    what.add_argument("--describe", metavar="NAME", help="only find the verifier and ask for its version")
    parser.add_argument("--path", metavar="DIR", action="append", default=[], help="look for executables here first")
    arguments = parser.parse_args()
    logging.basicConfig(level=logging.CRITICAL)
    folders = [*arguments.path, *os.environ.get("PATH", os.defpath).split(os.pathsep)]
    os.environ["PATH"] = os.pathsep.join(folder for folder in folders if os.path.isabs(folder))
    sys.path[:] = [folder for folder in sys.path if os.path.isabs(folder)]
    be_the_last_parent()
    try:
        answer = describe(arguments.describe) if arguments.describe else run(json.loads(arguments.request.read_text()))
    except CannotRun as error:
        print(f"error: {error}", file=sys.stderr)
        return 2
    except Stopped:
        answer = {"verdict": "unknown", "status": "stopped", "reason": "interrupted"}
    finally:
        kill_descendants()
    print(json.dumps(answer))
    return 0


if __name__ == "__main__":
    sys.exit(main())
