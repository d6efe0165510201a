#!/bin/sh
# Checks what a pull request changes: everything between the commit where it left BASE and HEAD.
#
#     check-pull-request.sh BASE [HEAD [OPTION OF residue check | FILE]...]
#
# Prints a line per file and entry function, leaves residue.sarif, residue.html and residue.json in RESIDUE_REPORTS
# (default: residue-reports), and ends with the exit code of `residue check`: by default a violation (1) or an unknown
# answer (3) fails, `--fail-on regression` lets only regressions fail. A repository without assertions is asked for more with
# `--entry '*' --property valid-deref,no-overflow`: what can go wrong in functions that other files can call. In GitHub Actions it also annotates the places and
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
# A change may bring links along: nothing is written through them.
for file in "$reports" "$reports/residue.sarif" "$reports/residue.html" "$reports/residue.json" "$reports/residue.txt"; do
    [ ! -L "$file" ] || { echo "error: $file is a symbolic link" >&2; exit 2; }
done
mkdir -p -- "$reports" || exit 2

residue check --git "$fork..$head" \
    --report "$reports/residue.sarif" --report "$reports/residue.html" --report "$reports/residue.json" \
    "$@" > "$reports/residue.txt"
code=$?
# A line that begins with :: would be a command for the code host.
sed 's/^\([[:blank:]]*\)\(::\|##\)/\1\\\2/; s/##\[/#\\#[/g' "$reports/residue.txt"

if [ "${GITHUB_ACTIONS:-}" = true ]; then
    # Workflow commands: ::error file=FILE,line=LINE,title=TITLE::MESSAGE. Only lines with the verdict FALSE, whatever a file
    # is called; what separates the parts of a command is escaped, for a name may contain it.
    awk '{ text[NR] = $0 }
        END {
            for (i = 1; i <= NR; i++) {
                alone = NR == 2 && i == 1 && text[2] ~ /^FALSE/
                if (!alone && text[i] !~ /: FALSE\([a-z-][a-z-]*\)$/) continue
                if (!match(text[i], /(^|: )(regression|violation) at [^:]*:[0-9]+/)) continue
                message = substr(text[i], RSTART); sub(/^: /, "", message)
                file = message; sub(/^[a-z]* at /, "", file); sub(/:.*/, "", file)
                line = substr(message, index(message, file ":") + length(file) + 1); sub(/[^0-9].*/, "", line)
                gsub(/%/, "%25", file); gsub(/,/, "%2C", file); gsub(/%/, "%25", message)
                printf "::error file=%s,line=%s,title=Residue::%s\n", file, line, message
            }
        }' "$reports/residue.txt"
fi
if [ -n "${GITHUB_STEP_SUMMARY:-}" ]; then
    # Indented, because a fence could be closed by what is inside.
    { echo '### Residue'; echo; sed 's/^/    /' "$reports/residue.txt"; echo; } >> "$GITHUB_STEP_SUMMARY"
fi
exit "$code"
