# Read by the scripts that install files.

# install_output FILE COMMAND...: installs what a command prints.
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
install_output() {
    file=$1
    shift
    "$@" > "$work/output"
    install -D -m 644 "$work/output" "$file"
}
