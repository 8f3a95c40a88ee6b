# bare.sh -- a bare Debian system in a temporary folder. Sourced by bash scripts.
#
#     bare_make SUITE        makes it in the folder $bare; to be called first
#     bare_run COMMAND...    runs a command in it as root
#     bare_remove            takes it away; runs by itself when the script ends
#
# Packages come from where this machine's apt takes its own, by its proxies. The system sees no
# other folder of this machine; mounts are made for one command at a time and end with it.
bare=

bare_cannot() { # reason...: for a machine on which this cannot work
    echo "cannot make a bare system here: $*" >&2
    exit 77
}

bare_mirror() { # the address of Debian's packages in apt's own words
    apt-get indextargets --format '$(REPO_URI)' 'Created-By: Packages' 'Origin: Debian' 'Label: Debian' 2>/dev/null |
        sed -n 1p
}

bare_make() { # suite
    local mirror log
    [ "$(id -u)" -eq 0 ] || bare_cannot "only root can"
    command -v debootstrap >/dev/null || bare_cannot "debootstrap is not installed (Debian: apt-get install debootstrap)"
    unshare --mount true 2>/dev/null || bare_cannot "no right to mount"
    mirror=$(bare_mirror)
    [ -n "$mirror" ] || bare_cannot "apt knows no place of Debian's packages (try apt-get update)"
    bare=$(mktemp -d) || return
    trap bare_remove EXIT
    trap 'exit 130' INT
    trap 'exit 143' TERM
    chmod 755 "$bare" && log=$bare.log || return
    # shellcheck disable=SC2046
    if ! unshare --mount debootstrap --variant=minbase \
        $(case $mirror in https:*) echo --include=ca-certificates ;; esac) "$1" "$bare" "$mirror" >"$log" 2>&1; then
        tail -n 20 "$log" >&2
        bare_cannot "debootstrap $1 failed"
    fi
    apt-config dump | grep -E '^Acquire::(http|https|Retries|Check-Valid-Until)\b.*"[^"]' >"$bare/etc/apt/apt.conf.d/90host"
    cp -L /etc/resolv.conf /etc/hosts "$bare/etc/"
    bare_run apt-get -q update >"$log" 2>&1 || { tail -n 20 "$log" >&2; bare_cannot "apt-get update failed"; }
}

bare_run() {
    # shellcheck disable=SC2016
    unshare --mount --pid --fork --kill-child --mount-proc="$bare/proc" sh -c '
        mount --rbind /dev "$0/dev" && mount -t sysfs -o ro sysfs "$0/sys" && exec chroot "$0" "$@"' "$bare" \
        env -i PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin HOME=/root LC_ALL=C.UTF-8 \
        DEBIAN_FRONTEND=noninteractive ${http_proxy:+http_proxy="$http_proxy"} \
        ${https_proxy:+https_proxy="$https_proxy"} "$@"
}

bare_remove() {
    [ -z "$bare" ] || rm -rf --one-file-system "$bare" "$bare.log"
    bare=
}
