#!/bin/sh
# Checks what a pull request changes: everything between the commit where it left BASE and HEAD.
#
#     check-pull-request.sh BASE [HEAD [OPTION OF residue check | FILE]...]
#
# Prints a line per file and entry function, leaves residue.sarif, residue.html and residue.json in RESIDUE_REPORTS
# (default: residue-reports), and ends with the exit code of `residue check`: by default a violation (1) or an unknown
# answer (3) fails, `--fail-on regression` lets only regressions fail. In GitHub Actions it also annotates the places and
# writes the summary of the job.
set -u

base=${1:?usage: check-pull-request.sh BASE [HEAD [OPTION]...]}
head=${2:-HEAD}
shift
[ $# -eq 0 ] || shift
reports=${RESIDUE_REPORTS:-residue-reports}

fork=$(git merge-base "$base" "$head") || {
    echo "error: $base and $head have no common commit here; a shallow clone lacks it (actions/checkout: fetch-depth: 0)" >&2
    exit 2
}
mkdir -p "$reports" || exit 2

residue check --git "$fork..$head" \
    --report "$reports/residue.sarif" --report "$reports/residue.html" --report "$reports/residue.json" \
    "$@" > "$reports/residue.txt"
code=$?
cat "$reports/residue.txt"

if [ "${GITHUB_ACTIONS:-}" = true ]; then
    # Workflow commands: ::error file=FILE,line=LINE,title=TITLE::MESSAGE
    sed -n 's/^\(.*: \)\{0,1\}\(\(regression\|violation\) at \([^:]*\):\([0-9]*\).*\)$/::error file=\4,line=\5,title=Residue::\2/p' \
        "$reports/residue.txt"
fi
if [ -n "${GITHUB_STEP_SUMMARY:-}" ]; then
    { echo '### Residue'; echo '```'; cat "$reports/residue.txt"; echo '```'; } >> "$GITHUB_STEP_SUMMARY"
fi
exit "$code"
