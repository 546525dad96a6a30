# Bare Debian systems, for the scripts that try vtx on one; sourced after common.sh, never run.
# shellcheck shell=bash

# shellcheck disable=SC2034 # used where this file is sourced
cache=${VTX_CACHE:-/var/cache/vtx}

# bare_debian RELEASE: makes the system $cache/RELEASE when it is not there. Nothing writes into it afterwards.
bare_debian() {
    local base=$cache/$1 mirror
    [[ -d $base ]] && return
    command -v debootstrap >/dev/null || die "needs debootstrap: apt-get install debootstrap" 2
    say "Making a bare Debian, $1."
    # shellcheck disable=SC2016 # apt-get's own
    mirror=$(apt-get indextargets --format '$(SITE)' 'Created-By: Packages' 'Origin: Debian' | sed -n 1p)
    rm -rf --one-file-system -- "$base.new"
    mkdir -p -- "$base.new"
    debootstrap --variant=minbase "$1" "$base.new" ${mirror:+"$mirror"} >"$cache/$1.log" 2>&1 ||
        die "debootstrap failed; see $cache/$1.log"
    # How this machine reaches its mirror is how the new system does.
    apt-config dump | grep '^Acquire::\(Check\|http\)' >"$base.new/etc/apt/apt.conf.d/99host" || true
    rm -rf --one-file-system -- "$base"
    mv -- "$base.new" "$base"
}

# own_mounts ARGUMENT...: starts the running script again, with mounts and processes of its own: the kernel ends both when
# it ends, however that is. unshare waits without hearing signals, so it is killed.
own_mounts() {
    if [[ ${VTX_UNSHARED-} == yes ]]; then return; fi
    VTX_UNSHARED=yes unshare --mount --propagation private --pid --fork --kill-child --mount-proc -- "$0" "$@" <&0 &
    inside=$!
    trap 'kill -KILL "$inside" 2>/dev/null || true' EXIT
    wait "$inside"
    exit
}

# lay_over RELEASE DIRECTORY: DIRECTORY/root is that bare system, and what is written there stays in DIRECTORY.
lay_over() {
    local system=$2/root
    mkdir -p -- "$2/upper" "$2/work" "$system"
    mount -t overlay -o "lowerdir=$cache/$1,upperdir=$2/upper,workdir=$2/work" vtx "$system"
    mount -t proc proc "$system/proc"
    mount --rbind /sys "$system/sys"
    mount --rbind /dev "$system/dev"
    cp -- /etc/resolv.conf "$system/etc/resolv.conf"
}

# run_in SYSTEM COMMAND...: with nothing of this machine's environment.
run_in() {
    env -i HOME=/srv LANG=C.UTF-8 PATH=/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin:/opt/swift/usr/bin chroot "$@"
}

# Where the toolchain is that `swift` on PATH belongs to: the directory with bin and lib in it.
toolchain_directory() { swift -print-target-info | sed -n 's|.*"runtimeResourcePath": "\(.*\)/lib/swift".*|\1|p'; }
