#!/bin/sh
# Installs a program with its manual pages and completions, which it prints itself.
#
#   install-program.sh PROGRAM FOLDER
#
# FOLDER is the prefix, such as /usr/local, with DESTDIR before it.
set -eu
umask 022
program=$1 share=$2/share
name=$(basename "$1")

. "$(dirname "$0")/install-output.sh"

install -D -m 755 "$program" "$2/bin/$name"

install_output "$share/man/man1/$name.1" "$program" manual
# The program's page lists those of the commands: paytoken-keys-list is the page of `keys list`.
tr -d '\134' < "$share/man/man1/$name.1" | sed -n "s/^\.BR $name-\(.*\) (1),*\$/\1/p" > "$work/pages"
[ -s "$work/pages" ] || { echo "install-program.sh: the manual page of $name lists no other pages" >&2; exit 1; }
while read -r page; do
    # shellcheck disable=SC2046 # A command is one or two words.
    install_output "$share/man/man1/$name-$page.1" "$program" manual $(echo "$page" | tr - ' ')
done < "$work/pages"

# A program that people do not type has no completions.
"$program" --help | grep -q '^  completions ' || exit 0
install_output "$share/bash-completion/completions/$name" "$program" completions bash
install_output "$share/zsh/site-functions/_$name" "$program" completions zsh
install_output "$share/fish/vendor_completions.d/$name.fish" "$program" completions fish
