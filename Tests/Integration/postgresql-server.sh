# Starts PostgreSQL servers in folders, for the scripts that source this file.
programs=$(ls -d /usr/lib/postgresql/*/bin 2> /dev/null | sort -V | tail -n 1)
programs=${programs:-$(dirname "$(command -v initdb)")}

# initdb refuses to run as root, so the server then runs as an unprivileged user.
somebody=$(id -un)
if [ "$(id -u)" -eq 0 ]; then
    if id postgres > /dev/null 2>&1; then somebody=postgres; else somebody=nobody; fi
fi
as_somebody() {
    if [ "$(id -u)" -eq 0 ]; then
        setpriv --reuid="$somebody" --regid="$(id -g "$somebody")" --clear-groups "$@"
    else
        "$@"
    fi
}

# Prints a port of 127.0.0.1 on which nothing listens for now.
free_port() { python3 -c 'import socket; print(socket.create_server(("127.0.0.1", 0)).getsockname()[1])'; }

# Starts the server whose data are in a folder.
start_server() {
    # The next server does not start until the last process of a killed one has ended.
    for _ in $(seq 100); do
        if as_somebody "$programs/pg_ctl" -D "$1/data" -w -l "$1/log" start > /dev/null 2>&1; then return; fi
        sleep 0.1
    done
    tail "$1/log" >&2
    return 1
}

# Creates and starts a server in a folder, which also contains its socket; further arguments are lines of its settings.
make_server() {
    local folder=$1
    shift
    mkdir -p "$folder"
    chown "$somebody" "$folder"
    as_somebody "$programs/initdb" -D "$folder/data" -U ledger -A trust > /dev/null
    printf '%s\n' "listen_addresses = ''" "unix_socket_directories = '$folder'" "$@" >> "$folder/data/postgresql.conf"
    start_server "$folder"
}

stop_server() {
    if [ -s "$1/data/postmaster.pid" ]; then
        kill -CONT "$(head -n 1 "$1/data/postmaster.pid")" 2> /dev/null || true
        as_somebody "$programs/pg_ctl" -D "$1/data" -m immediate stop > /dev/null 2>&1 || true
    fi
}

# Stops a server and starts it again; the mode is fast, which rolls back what is under way, or immediate, as after a crash.
restart_server() {
    as_somebody "$programs/pg_ctl" -D "$1/data" -m "$2" stop > /dev/null
    start_server "$1"
}

# Two servers for a failover, in the folders `primary` and `standby` of the folder `work`.
primary_uri() { echo "postgresql://ledger@/postgres?host=$work/primary"; }
query_primary() { as_somebody "$programs/psql" -qAt "$(primary_uri)" -c "$1"; }

# Copies the primary, which runs, and starts the copy as its standby.
add_standby() {
    mkdir "$work/standby"
    chown "$somebody" "$work/standby"
    as_somebody "$programs/pg_basebackup" -d "$(primary_uri)" -D "$work/standby/data" -R -X stream -S standby -C
    printf '%s\n' "unix_socket_directories = '$work/standby'" >> "$work/standby/data/postgresql.conf"
    start_server "$work/standby"
    for _ in $(seq 100); do
        if [ "$(query_primary 'SELECT count(*) FROM pg_stat_replication')" -eq 1 ]; then return; fi
        sleep 0.1
    done
    return 1
}

# Has the primary wait for the standby at each commit.
make_primary_wait() {
    query_primary "ALTER SYSTEM SET synchronous_standby_names = '*'"
    query_primary "SELECT pg_reload_conf()" > /dev/null
    sleep 1
}

# Kills the primary as a power failure would, and promotes the standby.
fail_over() {
    kill -KILL "$(head -n 1 "$work/primary/data/postmaster.pid")"
    sleep 1
    rm -f "$work/primary/data/postmaster.pid"
    as_somebody "$programs/pg_ctl" -D "$work/standby/data" -w promote > /dev/null
}

# Sets `work` to a temporary folder. At the end of the script, its jobs and the servers in the folder are stopped, what is
# mounted there is unmounted, and the folder is removed.
open_work() {
    work=$(mktemp -d)
    # The servers run as another user.
    chmod 755 "$work"
    trap close_work EXIT
}
close_work() {
    local job path
    for job in $(jobs -p); do kill "$job" 2> /dev/null || true; done
    for path in "$work"/*/data; do stop_server "${path%/data}"; done
    for path in "$work"/*; do
        if mountpoint -q "$path"; then umount "$path"; fi
    done
    rm -rf "$work"
}

title() { printf '\n# %s\n' "$*"; }
