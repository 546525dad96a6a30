# Bare Debian systems, for the scripts that test vtx on one; sourced after common.sh, never run.
# shellcheck shell=bash

# shellcheck disable=SC2034 # used where this file is sourced
cache=${VTX_CACHE:-/var/cache/vtx}

# bare_debian RELEASE: makes the system $cache/RELEASE if it is missing. Nothing writes into it afterwards.
bare_debian() {
    local base=$cache/$1 mirror
    [[ -d $base ]] && return
    command -v debootstrap >/dev/null || die "needs debootstrap: apt-get install debootstrap" 2
    say "Making a bare Debian, $1."
    # shellcheck disable=SC2016 # apt-get's syntax
    mirror=$(apt-get indextargets --format '$(SITE)' 'Created-By: Packages' 'Origin: Debian' | sed -n 1p)
    rm -rf --one-file-system -- "$base.new"
    mkdir -p -- "$base.new"
    debootstrap --variant=minbase "$1" "$base.new" ${mirror:+"$mirror"} >"$cache/$1.log" 2>&1 ||
        die "debootstrap failed; see $cache/$1.log"
    # The new system reaches the mirror as this machine does.
    apt-config dump | grep '^Acquire::\(Check\|http\)' >"$base.new/etc/apt/apt.conf.d/99host" || true
    rm -rf --one-file-system -- "$base"
    mv -- "$base.new" "$base"
}

# own_mounts ARGUMENT...: restarts the running script in its own mount and PID namespaces, which the kernel removes when
# it ends. unshare ignores signals while it waits, so it is killed.
own_mounts() {
    if [[ ${VTX_UNSHARED-} == yes ]]; then return; fi
    VTX_UNSHARED=yes unshare --mount --propagation private --pid --fork --kill-child --mount-proc -- "$0" "$@" <&0 &
    inside=$!
    trap 'kill -KILL "$inside" 2>/dev/null || true' EXIT
    wait "$inside"
    exit
}

# lay_over RELEASE DIRECTORY: mounts the bare system at DIRECTORY/root; writes to it stay in DIRECTORY.
lay_over() {
    local system=$2/root
    mkdir -p -- "$2/upper" "$2/work" "$system"
    mount -t overlay -o "lowerdir=$cache/$1,upperdir=$2/upper,workdir=$2/work" vtx "$system"
    mount -t proc proc "$system/proc"
    mount --rbind /sys "$system/sys"
    mount --rbind /dev "$system/dev"
    cp -- /etc/resolv.conf "$system/etc/resolv.conf"
}

# run_in SYSTEM COMMAND...: runs a command in the system, without this machine's environment.
run_in() {
    env -i HOME=/srv LANG=C.UTF-8 PATH=/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin:/opt/swift/usr/bin chroot "$@"
}

# The directory of the toolchain of `swift` on PATH, with bin and lib in it.
toolchain_directory() { swift -print-target-info | sed -n 's|.*"runtimeResourcePath": "\(.*\)/lib/swift".*|\1|p'; }
