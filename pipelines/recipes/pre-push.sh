#!/bin/sh
# Checks what a push changes, before it leaves: a git pre-push hook.
#
#     ln -s PREFIX/share/residue/recipes/pre-push.sh .git/hooks/pre-push
#     git config residue.options '--entry push,pop --fail-on regression --budget 120'
#
# git passes REMOTE and URL as arguments and on stdin a line `LOCAL-REF LOCAL-COMMIT REMOTE-REF REMOTE-COMMIT` for each ref
# that is pushed. A branch is compared with what the remote has of it, a new one with the commit where it left what the
# remote has. The push is refused if `residue check` fails; by default only a regression fails. `git push --no-verify`
# skips the hook.
# No file names in the place of patterns: they are for git.
set -uf

remote=${1:?git calls this as a pre-push hook}
options=$(git config --get residue.options) || options='--fail-on regression --budget 60'
# git tells a hook where the repository is; the checkouts that `residue check` makes are others.
unset GIT_DIR GIT_INDEX_FILE GIT_WORK_TREE GIT_PREFIX
worst=0

is_zero() {
    case $1 in *[!0]*) return 1 ;; *) return 0 ;; esac
}

# The commit that the pushed branch is compared with; nothing if the remote has none of it.
base_of() { # LOCAL-COMMIT REMOTE-COMMIT
    if ! is_zero "$2" && git cat-file -e "$2^{commit}" 2>/dev/null; then
        echo "$2"
    elif [ -z "$(git rev-list --max-count=1 "$1" --not --remotes="$remote")" ]; then
        echo "$1"
    else
        git rev-list --boundary "$1" --not --remotes="$remote" | sed -n '/^-/{s/^-//p;q;}'
    fi
}

while read -r local_ref local_commit remote_ref remote_commit; do
    case $remote_ref in refs/heads/*) ;; *) continue ;; esac
    # A deleted branch has nothing to check.
    is_zero "$local_commit" && continue
    base=$(base_of "$local_commit" "$remote_commit")
    if [ -z "$base" ]; then
        echo "residue: $remote has nothing to compare $local_ref with: not checked" >&2
        continue
    fi
    # shellcheck disable=SC2086 # several words are meant
    residue check --git "$base..$local_commit" $options < /dev/null >&2
    code=$?
    if [ "$code" -ne 0 ]; then
        echo "residue: $local_ref is not pushed (exit code $code); git push --no-verify pushes it all the same" >&2
        [ "$worst" -ne 0 ] || worst=$code
    fi
done
exit "$worst"
