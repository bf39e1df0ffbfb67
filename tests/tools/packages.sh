# SPDX-License-Identifier: MIT
# shellcheck shell=sh
# What kedge is built and tested with, by the names of Debian's packages. This
# is the one list; scripts read it with "." and call install_missing.

packages_build='gcc libc6-dev meson ninja-build pkg-config python3 zstd
liblmdb-dev libzstd-dev zlib1g-dev libutf8proc-dev libstemmer-dev
libopenblas-pthread-dev liblapacke-dev'

# shellcheck disable=SC2034  # read by the scripts that include this file
packages_test="$packages_build check libsubunit-dev g++ clang python3-numpy
python3-sklearn shellcheck chromium chromium-driver libopenmpi-dev
openmpi-bin"

package_is_there() {
    case $(dpkg-query -W -f='${Status}' "$1" 2>/dev/null) in
        'install ok installed') return 0 ;;
        *) return 1 ;;
    esac
}

missing_packages() {
    for package in "$@"; do
        package_is_there "$package" || printf '%s ' "$package"
    done
}

# Installs those of the named packages that are not there yet.
install_missing() {
    if ! command -v dpkg-query >/dev/null || ! command -v apt-get >/dev/null
    then
        printf 'This is no Debian: please see to these packages, or what\n'
        printf 'they are called here, yourself:\n  %s\n' "$*"
        return 0
    fi
    missing=$(missing_packages "$@")
    [ -n "$missing" ] || return 0
    if [ "$(id -u)" -ne 0 ]; then
        printf 'These packages are missing: %s\n' "$missing" >&2
        printf 'Install them as root, then run this again:\n' >&2
        printf '  apt-get update && apt-get install %s\n' "$missing" >&2
        return 1
    fi
    printf 'Installing %s\n' "$missing"
    DEBIAN_FRONTEND=noninteractive
    export DEBIAN_FRONTEND
    apt-get update -q || return 1
    # shellcheck disable=SC2086  # a list of words
    apt-get install -y -q --no-install-recommends $missing
}
