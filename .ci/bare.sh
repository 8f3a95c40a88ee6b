# bare.sh -- a bare Debian system in a temporary directory. Sourced by bash scripts.
#
#     bare_make SUITE        makes it in the directory $bare; to be called first
#     bare_copy DIR       puts the files of this tree, as they stand, into a directory of it
#     bare_run COMMAND...    runs a command in it as root
#     bare_remove            takes it away; runs by itself when the script ends
#
# Packages come from where this machine's apt takes its own, by its proxies. The system sees no
# other directory of this machine; mounts are made for one command at a time and end with it.
#
# Where it cannot work the script ends with 77, and the last line says why.
bare=

bare_cannot() { # reason...
    echo "a bare system cannot be made here: $*" >&2
    exit 77
}

bare_apt_value() { # name: its value in the configuration of this machine's apt
    apt-config shell value "$1" | sed "s/^value='\(.*\)'$/\1/"
}

bare_make() { # suite
    local mirror
    [ "$(id -u)" -eq 0 ] || bare_cannot "it takes root"
    for tool in unshare git apt-get; do
        command -v $tool >/dev/null || bare_cannot "there is no $tool"
    done
    command -v debootstrap >/dev/null || { apt-get -qq update && apt-get -qqy install --no-install-recommends debootstrap >/dev/null; } ||
        bare_cannot "there is no debootstrap"
    unshare --mount --pid --fork true 2>/dev/null || bare_cannot "the system grants no namespaces"
    mirror=$(apt-get indextargets --format '$(REPO_URI) $(RELEASE)' 'Created-By: Packages' |
        awk '$2 !~ /-/ && !found { print $1; found = 1 }')
    [ -n "$mirror" ] || bare_cannot "apt knows no mirror"
    http_proxy=$(bare_apt_value Acquire::http::Proxy)
    https_proxy=$(bare_apt_value Acquire::https::Proxy)
    export http_proxy https_proxy
    bare=$(mktemp -d)
    trap bare_remove EXIT
    trap 'exit 1' HUP INT TERM
    chmod 755 "$bare" # or no user gets in
    unshare --mount --pid --fork --kill-child debootstrap --variant=minbase "$1" "$bare" "$mirror" >"$bare.log" 2>&1 || {
        tail -n 5 "$bare.log" >&2
        bare_cannot "debootstrap did not finish"
    }
    apt-config dump --format '%F "%v";%n' Acquire::http::Proxy Acquire::https::Proxy \
        Acquire::Check-Valid-Until >"$bare/etc/apt/apt.conf.d/99bare"
    cp -L /etc/resolv.conf /etc/hosts "$bare/etc/"
}

bare_copy() { # directory; permissions are as the umask wills, as in a clone
    mkdir -p "$bare$1" && git ls-files -z | tar -c --null -T - | tar -x -m --no-same-owner --no-same-permissions -C "$bare$1"
}

bare_run() {
    # shellcheck disable=SC2016
    unshare --mount --pid --fork --kill-child --mount-proc="$bare/proc" sh -c '
        mount -t devpts -o newinstance,ptmxmode=666,mode=620,gid=5 devpts "$0/dev/pts" &&
            mount -t tmpfs tmpfs "$0/dev/shm" && exec chroot "$0" "$@"' "$bare" \
        env -i PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin HOME=/root LC_ALL=C.UTF-8 \
        DEBIAN_FRONTEND=noninteractive "$@" </dev/null
}

bare_remove() { rm -rf --one-file-system "$bare" "$bare.log"; }
