#!/bin/sh
# Checks one refactoring and one regression of the tank controller and prints both verdicts.
set -u
cd "$(dirname "$0")" || exit 2
residue=${RESIDUE:-../../target/release/residue}

echo '$ residue check original.c refactored.c'
"$residue" check original.c refactored.c
safe=$?
echo
echo '$ residue check original.c regression.c'
"$residue" check original.c regression.c
unsafe=$?

# 0: no regression, 1: a violation; anything else means that the demonstration itself failed.
[ "$safe" -eq 0 ] && [ "$unsafe" -eq 1 ]
