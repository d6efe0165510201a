#!/bin/sh
# Installs Frama-C's Eva from the packages of Debian or Ubuntu; elsewhere says what to install.
if [ "$(id -u)" = 0 ] && command -v apt-get >/dev/null; then
    export DEBIAN_FRONTEND=noninteractive
    apt-get install -y -qq --no-install-recommends frama-c-base >/dev/null 2>&1 && exit 0
    apt-get update -qq && apt-get install -y -qq --no-install-recommends frama-c-base >/dev/null && exit 0
fi
echo 'Frama-C is missing, --verifier frama-c will not run: install Frama-C 25 or later with the Eva plug-in'
echo '(Debian and Ubuntu: apt-get install --no-install-recommends frama-c-base; elsewhere: opam install frama-c)'
