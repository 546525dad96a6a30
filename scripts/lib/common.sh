# Shared by the scripts; sourced, never run. Sets `root` to the checkout, independent of the current directory.
# shellcheck shell=bash
set -euo pipefail
unset CDPATH
root=$(cd -- "$(dirname -- "${BASH_SOURCE[0]}")/../.." && pwd -P)

# SwiftPM's build directory. With another one, a second build need not wait for the first.
build_dir=${VTX_BUILD_DIR:-$root/.build}

# `vtx`, and the programs that it starts.
# shellcheck disable=SC2034
programs=(vtx vtx-worker vtx-driver vtx-service)

# A target may import only its declared dependencies. The linker is the toolchain's, so that every Debian links alike.
# Release programs contain Swift's runtime: they start in half the time, and need no toolchain. Nothing looks up their
# symbols. Only the tests are built with warnings as errors; a newer compiler's warnings must not break a user's build.
# shellcheck disable=SC2034 # used where this file is sourced
{
    # Nothing reads an index; see Tests/XCTMain.swift.
    common_flags=(--explicit-target-dependency-import-check error --disable-index-store -Xswiftc -use-ld=lld)
    release_flags=(
        -c release "${common_flags[@]}" --static-swift-stdlib -Xlinker --no-export-dynamic
        -Xlinker -z -Xlinker pack-relative-relocs
    )
    debug_flags=(-c debug "${common_flags[@]}" -Xswiftc -warnings-as-errors -Xcc -Wall -Xcc -Wextra -Xcc -Werror)
    # For a single build: each module is compiled as a whole, a third less work, but also after each change.
    whole_flags=(
        -Xswiftc -wmo -Xswiftc -no-emit-module-separately-wmo -Xswiftc -num-threads -Xswiftc 1 -Xswiftc -disable-batch-mode
    )
}

say() { printf '%s\n' "$*" >&2; }

# die MESSAGE [STATUS]
die() {
    say "${0##*/}: $1"
    exit "${2:-1}"
}

# Prints the comment at the top of the running script, from its second line.
usage() { sed -n -e '1d' -e '/^#/!q' -e 's/^# \{0,1\}//p' -- "$0"; }

require_swift() {
    command -v swift >/dev/null && return
    say "${0##*/}: swift is not on PATH."
    say "Get the toolchain, 6.3 or newer, from https://www.swift.org/install/linux/ and put its usr/bin on PATH."
    exit 2
}

# The stamp has the time at which the last successful build started.
stamp_of() { printf '%s/vtx-%s.stamp' "$build_dir" "$1"; }

# build_is_current CONFIGURATION: true if no input has changed since the last successful build. Compares ctime, which
# a checkout, a copy that keeps its dates, and a deletion (in the directory) all set.
build_is_current() {
    local stamp newer
    stamp=$(stamp_of "$1")
    [[ -f $stamp ]] || return 1
    local program
    for program in "${programs[@]}"; do [[ -x $build_dir/$1/$program ]] || return 1; done
    local inputs=("$root/Package.swift" "$root/Sources" "$root/scripts/build" "$root/scripts/lib/common.sh")
    local file
    for file in "$(type -P swift)" /usr/lib/*/pkgconfig/libav{codec,filter,format,util}.pc; do
        [[ -e $file ]] && inputs+=("$file")
    done
    newer=$(find -H "${inputs[@]}" -cnewer "$stamp" -print -quit) || return 1
    [[ -z $newer ]]
}
