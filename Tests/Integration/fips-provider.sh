#!/usr/bin/env bash
# Builds OpenSSL's FIPS provider from Debian's source of this system's release, and a configuration that requires it.
#
#   fips-provider.sh FOLDER
#
# FOLDER receives fips.so, fipsmodule.cnf with the result of its self-tests, and openssl.cnf, which activates only this provider
# and the base provider. A provider that is there is not built again. apt downloads the source with its configuration and caches
# inside FOLDER, as Packaging/private-apt.sh explains. The result has not been validated by NIST: it is for tests alone.
set -euo pipefail
mkdir -p "$1"
folder=$(realpath "$1")
project=$(cd "$(dirname "$0")/../.." && pwd)

fail() {
    printf 'fips-provider.sh: %s\n' "$*" >&2
    exit 1
}
. "$project/Packaging/private-apt.sh"

# Downloads and builds the newest version whose files the mirror has.
build() {
    local version
    private_apt "$folder/apt" "$(system_release)" "$(dpkg --print-architecture)" deb-src
    export APT_CONFIG=$folder/apt/apt.conf
    rm -rf "$folder/source"
    for version in $(apt-cache showsrc openssl | sed -n 's/^Version: //p' | sort -rV); do
        mkdir -p "$folder/source"
        if [ "$(id -u)" -eq 0 ]; then chown _apt "$folder/source"; fi
        # apt's notice is about the package's version control.
        if (cd "$folder/source" && apt-get source -qq "openssl=$version" > ../source.log 2>&1); then break; fi
        rm -rf "$folder/source"
    done
    unset APT_CONFIG
    [ -d "$folder/source" ] || { cat "$folder/source.log" >&2; fail "apt could not download the source of openssl"; }
    cd "$folder"/source/openssl-*/
    echo "Building the FIPS provider of OpenSSL $version."
    {
        ./Configure enable-fips no-tests
        make build_generated
        make -j "$(nproc)" providers/fips.so
    } > "$folder/build.log" 2>&1 || { tail -n 20 "$folder/build.log" >&2; fail "the build failed: $folder/build.log"; }
    cp providers/fips.so "$folder/fips.so"
    rm -rf "$folder/source"
}
[ -e "$folder/fips.so" ] || build

# As an administrator does for the first time: the self-tests, and their result in a file.
openssl fipsinstall -quiet -module "$folder/fips.so" -out "$folder/fipsmodule.cnf"
cat > "$folder/openssl.cnf" << CONFIGURATION
config_diagnostics = 1
openssl_conf = openssl_init
.include $folder/fipsmodule.cnf
[openssl_init]
providers = providers
alg_section = algorithms
[providers]
fips = fips_sect
base = base
[base]
activate = 1
[algorithms]
default_properties = fips=yes
CONFIGURATION
