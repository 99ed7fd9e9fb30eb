#include "runtime/net/address.h"

#include <errno.h>
#include <netdb.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <stdio.h>
#include <string.h>
#include <sys/un.h>
#include <unistd.h>

#define SOCKET_KIND         (SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC)
#define SOCKET_BUFFER_BYTES (4 << 20)
#define BACKLOG             1024

/* A connection that is silent for so long is probed. The loop and the heartbeats find dead peers
 * much sooner; this is for connections that they leave behind. */
#define KEEPALIVE_IDLE_S  15
#define KEEPALIVE_EVERY_S 5
#define KEEPALIVE_TRIES   3

static enum status read_unix(const char *path, struct address *out, struct error *err)
{
    struct sockaddr_un local = {.sun_family = AF_UNIX};

    if (strlen(path) >= sizeof local.sun_path)
        return fail(err, STATUS_LIMIT, "socket path \"%s\" is longer than %zu bytes", path,
                    sizeof local.sun_path - 1);
    memcpy(local.sun_path, path, strlen(path) + 1);
    memcpy(&out->where, &local, sizeof local);
    out->size = sizeof local;
    return STATUS_OK;
}

static enum status fail_tcp(const char *text, struct error *err)
{
    fail(err, STATUS_INVALID, "address \"tcp:%s\", expected tcp:HOST:PORT", text);
    return error_hint(err, "PORT is a number below 65536; an IPv6 address stands in brackets.");
}

static bool is_port(const char *text)
{
    int64_t number;

    return text[0] >= '0' && text[0] <= '9' && strlen(text) < sizeof((struct address *)0)->port &&
           slice_to_integer(slice_of(text), &number) && number <= UINT16_MAX;
}

/* "[fd00::7]:4711" or "host:4711" */
static bool split(const char *text, struct address *out)
{
    bool is_bracketed = text[0] == '[';
    const char *host = text + is_bracketed;
    const char *end = strchr(host, is_bracketed ? ']' : ':');
    size_t size = end ? (size_t)(end - host) : 0;

    if (size == 0 || size >= sizeof out->host || (is_bracketed && end[1] != ':'))
        return false;
    memcpy(out->host, host, size);
    out->host[size] = '\0';
    end += is_bracketed ? 2 : 1;
    if (!is_port(end))
        return false;
    snprintf(out->port, sizeof out->port, "%s", end);
    return true;
}

/* Letters, digits, dashes, underscores and dots, as names in the DNS are. */
static bool is_name(const char *host)
{
    return strspn(host, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-_.") ==
           strlen(host);
}

static enum status read_tcp(const char *text, struct address *out, struct error *err)
{
    struct addrinfo hints = {.ai_flags = AI_NUMERICHOST | AI_NUMERICSERV,
                             .ai_socktype = SOCK_STREAM};
    struct addrinfo *found = NULL;

    if (!split(text, out))
        return fail_tcp(text, err);
    if (text[0] == '[')
        hints.ai_family = AF_INET6;
    if (getaddrinfo(out->host, out->port, &hints, &found) != 0)
        return text[0] != '[' && is_name(out->host) ? STATUS_OK : fail_tcp(text, err);
    memcpy(&out->where, found->ai_addr, found->ai_addrlen);
    out->size = found->ai_addrlen;
    freeaddrinfo(found);
    return STATUS_OK;
}

enum status address_read(const char *text, struct address *out, struct error *err)
{
    memset(out, 0, sizeof *out);
    if (strlen(text) > ADDRESS_TEXT_MAX)
        return fail(err, STATUS_LIMIT, "an address is longer than %d bytes", ADDRESS_TEXT_MAX);
    if (strncmp(text, "unix:", 5) == 0)
        return read_unix(text + 5, out, err);
    if (address_is_tcp(text))
        return read_tcp(text + 4, out, err);
    return fail(err, STATUS_INVALID, "address \"%s\", expected unix:PATH or tcp:HOST:PORT", text);
}

void address_write(const struct address *address, char *text, size_t text_size)
{
    const struct sockaddr *where = (const struct sockaddr *)&address->where;
    char host[NI_MAXHOST], port[NI_MAXSERV];

    text[0] = '\0';
    if (address->size > 0 && where->sa_family == AF_UNIX)
        snprintf(text, text_size, "unix:%s", ((const struct sockaddr_un *)where)->sun_path);
    else if (address->size > 0 && getnameinfo(where, address->size, host, sizeof host, port,
                                              sizeof port, NI_NUMERICHOST | NI_NUMERICSERV) == 0)
        snprintf(text, text_size, where->sa_family == AF_INET6 ? "tcp:[%s]:%s" : "tcp:%s:%s", host,
                 port);
}

bool address_is_tcp(const char *text)
{
    return strncmp(text, "tcp:", 4) == 0;
}

bool address_is_wildcard(const char *text)
{
    struct address address;

    if (address_read(text, &address, NULL) != STATUS_OK || address.size == 0)
        return false;
    if (address.where.ss_family == AF_INET)
        return ((struct sockaddr_in *)&address.where)->sin_addr.s_addr == htonl(INADDR_ANY);
    return address.where.ss_family == AF_INET6 &&
           IN6_IS_ADDR_UNSPECIFIED(&((struct sockaddr_in6 *)&address.where)->sin6_addr);
}

static void set(int fd, int level, int option, int value)
{
    (void)setsockopt(fd, level, option, &value, sizeof value);
}

/* Large buffers spare wake-ups when models are large; a refusal only costs speed. */
static void tune(int fd, sa_family_t family)
{
    set(fd, SOL_SOCKET, SO_SNDBUF, SOCKET_BUFFER_BYTES);
    set(fd, SOL_SOCKET, SO_RCVBUF, SOCKET_BUFFER_BYTES);
    if (family == AF_UNIX)
        return;
    set(fd, IPPROTO_TCP, TCP_NODELAY, 1);
    set(fd, SOL_SOCKET, SO_KEEPALIVE, 1);
    set(fd, IPPROTO_TCP, TCP_KEEPIDLE, KEEPALIVE_IDLE_S);
    set(fd, IPPROTO_TCP, TCP_KEEPINTVL, KEEPALIVE_EVERY_S);
    set(fd, IPPROTO_TCP, TCP_KEEPCNT, KEEPALIVE_TRIES);
}

static enum status open_socket(const char *text, struct address *address, int *fd,
                               struct error *err)
{
    TRY(address_read(text, address, err));
    if (address->size == 0) {
        fail(err, STATUS_INVALID, "cannot listen on the name in \"%s\"", text);
        return error_hint(err, "Listen on a number, such as tcp:0.0.0.0:4711.");
    }
    *fd = socket(address->where.ss_family, SOCKET_KIND, 0);
    return *fd >= 0 ? STATUS_OK : fail_errno(err, STATUS_IO, "cannot make a socket for %s", text);
}

static bool has_port(const struct address *address)
{
    return ((const struct sockaddr_in *)&address->where)->sin_port != 0; /* IPv6: the same place */
}

static void write_bound(int fd, const char *text, char *bound, size_t bound_size)
{
    struct address actual = {.size = sizeof actual.where};

    snprintf(bound, bound_size, "%s", text);
    if (address_is_tcp(text) &&
        getsockname(fd, (struct sockaddr *)&actual.where, &actual.size) == 0)
        address_write(&actual, bound, bound_size);
}

enum status address_listen(const char *text, int *out, char *bound, size_t bound_size,
                           struct error *err)
{
    struct address address;
    int fd = -1;

    TRY(open_socket(text, &address, &fd, err));
    /* A role that was killed leaves its socket file behind for the next one,
     * and connections that the kernel still closes. */
    if (address.where.ss_family == AF_UNIX)
        (void)unlink(((struct sockaddr_un *)&address.where)->sun_path);
    else if (has_port(&address))
        set(fd, SOL_SOCKET, SO_REUSEADDR, 1);
    if (bind(fd, (struct sockaddr *)&address.where, address.size) != 0 ||
        listen(fd, BACKLOG) != 0) {
        fail_errno(err, STATUS_IO, "cannot listen on %s", text);
        close(fd);
        return STATUS_IO;
    }
    write_bound(fd, text, bound, bound_size);
    *out = fd;
    return STATUS_OK;
}

enum status address_reserve(const char *text, int *out, char *bound, size_t bound_size,
                            struct error *err)
{
    struct address address;
    int fd = -1;

    TRY(open_socket(text, &address, &fd, err));
    if (bind(fd, (struct sockaddr *)&address.where, address.size) != 0) {
        fail_errno(err, STATUS_IO, "cannot use %s", text);
        close(fd);
        return STATUS_IO;
    }
    /* After bind: a free port was chosen; from now on a socket that names it and sets the same
     * option may share it. */
    set(fd, SOL_SOCKET, SO_REUSEADDR, 1);
    write_bound(fd, text, bound, bound_size);
    *out = fd;
    return STATUS_OK;
}

enum status address_connect(const struct address *address, int *out, struct error *err)
{
    char text[ADDRESS_TEXT_MAX + 1];
    int fd = socket(address->where.ss_family, SOCKET_KIND, 0);

    address_write(address, text, sizeof text);
    if (fd < 0)
        return fail_errno(err, STATUS_IO, "cannot make a socket for %s", text);
    tune(fd, address->where.ss_family);
    if (connect(fd, (const struct sockaddr *)&address->where, address->size) != 0 &&
        errno != EINPROGRESS) {
        fail_errno(err, STATUS_CONNECTION, "cannot connect to %s", text);
        close(fd);
        return STATUS_CONNECTION;
    }
    *out = fd;
    return STATUS_OK;
}

bool address_is_own_peer(int socket)
{
    struct address own = {.size = sizeof own.where}, peer = {.size = sizeof peer.where};

    return getsockname(socket, (struct sockaddr *)&own.where, &own.size) == 0 &&
           getpeername(socket, (struct sockaddr *)&peer.where, &peer.size) == 0 &&
           own.where.ss_family != AF_UNIX && own.size == peer.size &&
           memcmp(&own.where, &peer.where, own.size) == 0;
}

void address_limit_unacked(int socket, int milliseconds)
{
    set(socket, IPPROTO_TCP, TCP_USER_TIMEOUT, milliseconds);
}

int address_accept(int listener)
{
    struct sockaddr_storage from;
    socklen_t size = sizeof from;
    int fd;

    do {
        fd = accept4(listener, (struct sockaddr *)&from, &size, SOCK_NONBLOCK | SOCK_CLOEXEC);
    } while (fd < 0 && (errno == ECONNABORTED || errno == EINTR));
    if (fd >= 0)
        tune(fd, from.ss_family);
    return fd;
}

void address_of_peer(int socket, char *text, size_t text_size)
{
    struct address peer = {.size = sizeof peer.where};

    text[0] = '\0';
    if (getpeername(socket, (struct sockaddr *)&peer.where, &peer.size) == 0)
        address_write(&peer, text, text_size);
}
