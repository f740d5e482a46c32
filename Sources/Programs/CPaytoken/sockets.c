#define _GNU_SOURCE
#include "CPaytoken.h"

#include <errno.h>
#include <stddef.h>
#include <sys/socket.h>

int CPaytoken_accept(int listener) { return accept4(listener, NULL, NULL, SOCK_NONBLOCK | SOCK_CLOEXEC); }

int CPaytoken_peer(int descriptor, unsigned *user, unsigned *group, int *process) {
    struct ucred peer;
    socklen_t length = sizeof peer;
    if (getsockopt(descriptor, SOL_SOCKET, SO_PEERCRED, &peer, &length) != 0) return -1;
    *user = peer.uid;
    *group = peer.gid;
    *process = peer.pid;
    return 0;
}

int CPaytoken_peer_groups(int descriptor, unsigned *groups, unsigned count) {
    socklen_t length = count * sizeof *groups;
    if (getsockopt(descriptor, SOL_SOCKET, SO_PEERGROUPS, groups, &length) != 0 && errno != ERANGE) return -1;
    return (int)(length / sizeof *groups);
}
