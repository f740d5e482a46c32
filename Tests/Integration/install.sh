#!/usr/bin/env bash
# Installs the programs into a folder with make install, and checks what arrives: they run, man formats each manual
# page without a warning, bash completes, and each command has a page.
#
#   install.sh PROGRAMS
set -euo pipefail
programs=$(realpath "$1")
project=$(cd "$(dirname "$0")/../.." && pwd)
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

fail() {
    printf 'install.sh: %s\n' "$*" >&2
    exit 1
}

make -s -C "$project" install PROGRAMS="$programs" DESTDIR="$work" PREFIX=/opt/paytoken
prefix=$work/opt/paytoken
[ -z "$(find "$work" -type f ! -path "$prefix/*")" ] || fail 'files outside PREFIX'
[ -z "$(find "$prefix" -type f ! -perm 644 ! -path "$prefix/bin/*")" ] || fail 'a file has other permissions than 644'
for program in paytoken paytokend; do
    "$prefix/bin/$program" --version > "$work/version"
    grep -q "^$program [0-9]" "$work/version" || fail "$program --version does not run"
done

# The usage lists all commands, so each has a page, and no page is empty.
for program in paytoken paytokend; do
    "$programs/$program" manual | sed -n "s/^\.B $program \([a-z]*\( [a-z]*\)\{0,1\}\)\( .*\)\{0,1\}\$/\1/p"
done > "$work/commands"
pages=$(find "$prefix/share/man/man1" -name 'paytoken*.1' | wc -l)
[ "$pages" = $(($(wc -l < "$work/commands") + 2)) ] || fail "$pages manual pages for $(wc -l < "$work/commands") commands"
for page in "$prefix"/share/man/man1/*; do
    if command -v man > /dev/null; then
        MANROFFSEQ='' MANWIDTH=80 man --warnings -E UTF-8 -l -Tutf8 "$page" 2>&1 > "$work/page" | grep . && fail "$page: man warns"
        [ "$(wc -l < "$work/page")" -gt 10 ] || fail "$page is empty"
    fi
done

proposals=$(bash -c '. "$1"; COMP_WORDS=(paytoken keys l) COMP_CWORD=2; _paytoken; echo "${COMPREPLY[*]}"' bash \
    "$prefix/share/bash-completion/completions/paytoken")
[ "$proposals" = list ] || fail "bash proposes $proposals"
for shell in zsh fish; do
    file=$(find "$prefix/share" -name '*paytoken*' -path "*$shell*" -type f)
    [ -n "$file" ] || fail "no completions for $shell"
    ! command -v $shell > /dev/null || "$shell" -n "$file" || fail "$shell cannot read $file"
done
for document in README.md InstallAndOperate.md Operators.md CHANGELOG.md SECURITY.md LICENSE examples/service/pay.php examples/shop/page.html; do
    [ -s "$prefix/share/doc/paytoken/$document" ] || fail "$document is missing"
done
# Links within the documents lead to documents that are installed, too.
cd "$prefix/share/doc/paytoken"
! grep -nE '<doc:|<!--' -- *.md || fail 'documents have links or comments that only docc reads'
grep -ohE '\]\([^)]+\)' -- *.md | sed 's/^..//; s/)$//; /^[a-z]*:/d; s/#.*//; /^$/d' | sort -u > "$work/links"
[ -s "$work/links" ] || fail 'the documents have no links'
while read -r link; do
    [ -e "$link" ] || fail "a document links $link, which is not installed"
done < "$work/links"
# So are the articles of other modules, which are named by their titles.
find "$project/Sources" -path '*.docc/*.md' > "$work/articles"
while read -r article; do
    title=$(sed -n '1s/^# //p' "$article")
    [ -n "$title" ] || fail "$article has no title"
    ! grep -qF "*$title*" -- *.md || [ -e "${article##*/}" ] || fail "a document names *$title*, which is not installed"
done < "$work/articles"
echo "install.sh: done, $pages manual pages"
