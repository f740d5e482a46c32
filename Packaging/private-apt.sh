# To be sourced: an apt in a folder, which downloads packages of a release of Debian without changing this system.
#
#   private_apt FOLDER RELEASE ARCHITECTURE deb|deb-src
#
# Then APT_CONFIG=FOLDER/apt.conf is apt's configuration for that release, and its lists are up to date. It uses the mirrors of
# this system's apt; if those are not Debian's, set DEBIAN_MIRROR=URI and, for security updates, DEBIAN_SECURITY_MIRROR=URI. The
# caller defines fail, which ends the script with a message.
# shellcheck shell=bash

keyring=/usr/share/keyrings/debian-archive-keyring.gpg

# Prints the name of this system's release.
system_release() { (. /etc/os-release && echo "${VERSION_CODENAME:-}"); }

# Prints a line for each archive that this system's apt uses for its own release: the archive's address and the
# release's suffix (empty, -updates or -security).
archives() {
    local system
    if [ -n "${DEBIAN_MIRROR:-}" ]; then
        printf '%s \n' "${DEBIAN_MIRROR%/}"
        [ -z "${DEBIAN_SECURITY_MIRROR:-}" ] || printf '%s -security\n' "${DEBIAN_SECURITY_MIRROR%/}"
        return
    fi
    system=$(. /etc/os-release && echo "${ID:-}")
    [ "$system" = debian ] || fail "the archives of $system are not Debian's; set DEBIAN_MIRROR"
    apt-get update --print-uris 2> /dev/null |
        sed -nE "s|^'([^']*)/dists/$(system_release)(-updates\|-security)?/InRelease' .*|\1 \2|p" | sort -u
}

private_apt() { # FOLDER RELEASE ARCHITECTURE deb|deb-src
    local apt=$1 program
    for program in apt-get apt-config dpkg-deb; do
        command -v "$program" > /dev/null || fail "$program is missing; this needs Debian or Ubuntu"
    done
    [ -e "$keyring" ] || fail "$keyring is missing; install debian-archive-keyring"
    mkdir -p "$apt/empty" "$apt/lists/partial" "$apt/cache/archives/partial" "$apt/log" "$apt/packages"
    : > "$apt/status"
    # Keep apt's settings for reaching the archives (proxies, credentials), but do not run this system's hooks.
    apt-config dump | grep '^Acquire::' > "$apt/apt.conf" || true
    cat >> "$apt/apt.conf" << CONFIGURATION
APT::Architecture "$3";
APT::Architectures "$3";
APT::Install-Recommends "false";
Acquire::AllowInsecureRepositories "false";
Acquire::Languages "none";
APT::Update::Error-Mode "any";
Dir::Etc::main "/dev/null";
Dir::Etc::parts "$apt/empty";
Dir::Etc::sourcelist "$apt/sources.list";
Dir::Etc::sourceparts "$apt/empty";
Dir::Etc::preferences "/dev/null";
Dir::Etc::preferencesparts "$apt/empty";
Dir::Etc::trusted "/dev/null";
Dir::Etc::trustedparts "$apt/empty";
Dir::State "$apt";
Dir::State::lists "$apt/lists";
Dir::State::status "$apt/status";
Dir::Cache "$apt/cache";
Dir::Log "$apt/log";
CONFIGURATION
    archives | while read -r address suffix; do
        printf '%s [signed-by=%s] %s %s%s main\n' "$4" "$keyring" "$address" "$2" "$suffix"
    done > "$apt/sources.list"
    [ -s "$apt/sources.list" ] || fail "apt names no archive of its own release; set DEBIAN_MIRROR"
    # As root, apt downloads as the user _apt, who must be able to write there.
    if [ "$(id -u)" -eq 0 ]; then chown _apt "$apt/packages" "$apt/lists/partial" "$apt/cache/archives/partial"; fi
    APT_CONFIG=$apt/apt.conf apt-get update -qq
}

# Downloads the newest versions of packages into the folder packages of apt's folder, instead of those that are there.
download_packages() { # APT'S FOLDER, PACKAGE...
    local apt=$1
    shift
    rm -f "$apt"/packages/*.deb
    (cd "$apt/packages" && APT_CONFIG=$apt/apt.conf apt-get download -qq "$@")
}

# Unpacks the packages that were downloaded into a folder, instead of what it contains. Their scripts are not run.
unpack_packages() { # APT'S FOLDER, FOLDER
    local package
    rm -rf "$2"
    for package in "$1"/packages/*.deb; do dpkg-deb -x "$package" "$2"; done
}
