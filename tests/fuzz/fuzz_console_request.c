/*
 * Whatever a browser sends: what is let in has the token, the host and, where it changes something,
 * the second token; names are texts, and numbers within their bounds.
 *
 * Input: pieces with a zero byte between them: method, target, host, origin, second token, body.
 */
#include <stdlib.h>
#include <string.h>

#include "console/request.h"

#define TOKEN "00112233445566778899aabbccddeeff"
#define CSRF  "ffeeddccbbaa99887766554433221100"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static struct slice cut(struct slice *rest)
{
    const char *end = rest->size > 0 ? memchr(rest->data, '\0', rest->size) : NULL;
    const struct slice piece = {rest->data, end ? (size_t)(end - rest->data) : rest->size};

    *rest = end ? (struct slice){end + 1, rest->size - piece.size - 1} : (struct slice){"", 0};
    return piece;
}

static void check(bool is_so)
{
    if (!is_so)
        abort();
}

static void check_text(const char *text)
{
    for (size_t left = strlen(text), step; left > 0; left -= step, text += step) {
        step = utf8_sequence(text, left);
        check(step > 0);
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    const struct console_secrets secrets = {TOKEN, CSRF};
    struct slice rest = {(const char *)data, size};
    struct console_given given = {.is_post = slice_is(cut(&rest), "POST")};
    struct console_request request;
    int code;

    given.target = cut(&rest);
    given.host = cut(&rest);
    given.origin = cut(&rest);
    given.csrf = cut(&rest);
    given.body = rest;
    code = console_request_read(&given, &secrets, &request);
    check(code == 200 || code == 400 || code == 403 || code == 404 || code == 405);
    if (code != 200)
        return 0;
    check(given.target.size > sizeof TOKEN - 1 &&
          memcmp(given.target.data, "/" TOKEN, sizeof TOKEN) == 0);
    check(given.host.size > 0 && strchr("1lL[", given.host.data[0]));
    check(!given.is_post || (slice_is(given.csrf, CSRF) && given.origin.size > 7));
    check(given.is_post == (request.call == CONSOLE_CANCEL || request.call == CONSOLE_SCALE));
    check(request.id >= 0 && request.workers >= 0 && request.workers <= CONSOLE_WORKERS_MAX &&
          request.servers >= 0 && request.servers <= CONSOLE_WORKERS_MAX);
    check_text(request.name);
    check_text(request.kind);
    check_text(request.theme);
    check_text(request.owner);
    return 0;
}
