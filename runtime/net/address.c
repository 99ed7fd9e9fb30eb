#include "net/address.h"

#include <errno.h>
#include <netdb.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#define SOCKET_KIND         (SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC)
#define SOCKET_BUFFER_BYTES (4 << 20)
#define BACKLOG             1024

union socket_address {
    struct sockaddr any;
    struct sockaddr_un local;
    struct sockaddr_in inet;
    struct sockaddr_in6 inet6;
};

static enum status parse_unix(const char *path, union socket_address *out, socklen_t *size,
                              struct error *err)
{
    out->local.sun_family = AF_UNIX;
    if (strlen(path) >= sizeof out->local.sun_path)
        return fail(err, STATUS_LIMIT, "socket path \"%s\" is longer than %zu bytes", path,
                    sizeof out->local.sun_path - 1);
    memcpy(out->local.sun_path, path, strlen(path) + 1);
    *size = sizeof out->local;
    return STATUS_OK;
}

/* Numeric hosts only: a look-up could block the loop. */
static enum status parse_tcp(const char *text, union socket_address *out, socklen_t *size,
                             struct error *err)
{
    const char *colon = strrchr(text, ':');
    char host[256];
    struct addrinfo hints = {.ai_flags = AI_NUMERICHOST | AI_NUMERICSERV,
                             .ai_socktype = SOCK_STREAM};
    struct addrinfo *found = NULL;

    if (!colon || (size_t)(colon - text) >= sizeof host)
        return fail(err, STATUS_INVALID, "address \"tcp:%s\", expected tcp:HOST:PORT", text);
    snprintf(host, sizeof host, "%.*s", (int)(colon - text), text);
    if (getaddrinfo(host, colon + 1, &hints, &found) != 0 || found->ai_addrlen > sizeof *out) {
        if (found)
            freeaddrinfo(found);
        return fail(err, STATUS_INVALID, "address \"tcp:%s\", expected numbers as host and port",
                    text);
    }
    memcpy(out, found->ai_addr, found->ai_addrlen);
    *size = found->ai_addrlen;
    freeaddrinfo(found);
    return STATUS_OK;
}

static enum status parse(const char *address, union socket_address *out, socklen_t *size,
                         struct error *err)
{
    memset(out, 0, sizeof *out);
    if (strncmp(address, "unix:", 5) == 0)
        return parse_unix(address + 5, out, size, err);
    if (strncmp(address, "tcp:", 4) == 0)
        return parse_tcp(address + 4, out, size, err);
    return fail(err, STATUS_INVALID, "address \"%s\", expected unix:PATH or tcp:HOST:PORT",
                address);
}

/* Large buffers spare wake-ups when models are large; a refusal only costs speed. */
static void tune(int fd, sa_family_t family)
{
    int bytes = SOCKET_BUFFER_BYTES, on = 1;

    (void)setsockopt(fd, SOL_SOCKET, SO_SNDBUF, &bytes, sizeof bytes);
    (void)setsockopt(fd, SOL_SOCKET, SO_RCVBUF, &bytes, sizeof bytes);
    if (family != AF_UNIX)
        (void)setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &on, sizeof on);
}

static void print_bound(int fd, const char *address, char *bound, size_t bound_size)
{
    union socket_address actual;
    socklen_t size = sizeof actual;
    char host[INET6_ADDRSTRLEN], port[16];

    snprintf(bound, bound_size, "%s", address);
    if (getsockname(fd, &actual.any, &size) == 0 && actual.any.sa_family != AF_UNIX &&
        getnameinfo(&actual.any, size, host, sizeof host, port, sizeof port,
                    NI_NUMERICHOST | NI_NUMERICSERV) == 0)
        snprintf(bound, bound_size, "tcp:%s:%s", host, port);
}

enum status address_listen(const char *address, int *out, char *bound, size_t bound_size,
                           struct error *err)
{
    union socket_address where;
    socklen_t size = 0;
    int fd;

    TRY(parse(address, &where, &size, err));
    fd = socket(where.any.sa_family, SOCKET_KIND, 0);
    if (fd < 0)
        return fail_errno(err, STATUS_IO, "cannot make a socket for %s", address);
    /* A role that was killed leaves its socket file behind for the next one. */
    if (where.any.sa_family == AF_UNIX)
        (void)unlink(where.local.sun_path);
    if (bind(fd, &where.any, size) != 0 || listen(fd, BACKLOG) != 0) {
        fail_errno(err, STATUS_IO, "cannot listen on %s", address);
        close(fd);
        return err ? err->status : STATUS_IO;
    }
    print_bound(fd, address, bound, bound_size);
    *out = fd;
    return STATUS_OK;
}

enum status address_connect(const char *address, int *out, struct error *err)
{
    union socket_address where;
    socklen_t size = 0;
    int fd;

    TRY(parse(address, &where, &size, err));
    fd = socket(where.any.sa_family, SOCKET_KIND, 0);
    if (fd < 0)
        return fail_errno(err, STATUS_IO, "cannot make a socket for %s", address);
    tune(fd, where.any.sa_family);
    if (connect(fd, &where.any, size) != 0 && errno != EINPROGRESS) {
        fail_errno(err, STATUS_CONNECTION, "cannot connect to %s", address);
        close(fd);
        return err ? err->status : STATUS_CONNECTION;
    }
    *out = fd;
    return STATUS_OK;
}

int address_accept(int listener)
{
    union socket_address from;
    socklen_t size = sizeof from;
    int fd = accept4(listener, &from.any, &size, SOCK_NONBLOCK | SOCK_CLOEXEC);

    if (fd >= 0)
        tune(fd, from.any.sa_family);
    return fd;
}
