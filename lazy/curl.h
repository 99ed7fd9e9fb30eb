/*
 * curl.h - libcurl, loaded when a program first sends a request (lazy.h).
 *
 * lazy_curl_load() comes before the first call; what is not in the list cannot be called.
 */
#pragma once

#include <curl/curl.h>

#include "base/error.h"

/* CONNECTION where it is not installed. From any thread, any number of times. */
enum status lazy_curl_load(struct error *err);

/* Without the prefix: some names are macros of curl's own. */

/* clang-format off */
#define LAZY_CURL(CALL) \
    CALL(easy_cleanup) CALL(easy_getinfo) CALL(easy_init) CALL(easy_setopt) \
    CALL(easy_strerror) CALL(global_init) CALL(multi_add_handle) CALL(multi_assign) \
    CALL(multi_cleanup) CALL(multi_info_read) CALL(multi_init) CALL(multi_perform) \
    CALL(multi_poll) CALL(multi_remove_handle) CALL(multi_setopt) CALL(multi_socket_action) \
    CALL(multi_strerror) CALL(slist_append) CALL(slist_free_all)
/* clang-format on */

#undef curl_easy_setopt
#undef curl_easy_getinfo
#undef curl_multi_setopt

struct lazy_curl {
#define LAZY_CURL_POINTER(name) __typeof__(&curl_##name) name;
    LAZY_CURL(LAZY_CURL_POINTER)
#undef LAZY_CURL_POINTER
};
extern struct lazy_curl lazy_curl;

#ifndef LAZY_CURL_TABLE /* curl.c, which fills the table, needs the names themselves */
#define curl_easy_cleanup        lazy_curl.easy_cleanup
#define curl_easy_getinfo        lazy_curl.easy_getinfo
#define curl_easy_init           lazy_curl.easy_init
#define curl_easy_setopt         lazy_curl.easy_setopt
#define curl_easy_strerror       lazy_curl.easy_strerror
#define curl_global_init         lazy_curl.global_init
#define curl_multi_add_handle    lazy_curl.multi_add_handle
#define curl_multi_assign        lazy_curl.multi_assign
#define curl_multi_cleanup       lazy_curl.multi_cleanup
#define curl_multi_info_read     lazy_curl.multi_info_read
#define curl_multi_init          lazy_curl.multi_init
#define curl_multi_perform       lazy_curl.multi_perform
#define curl_multi_poll          lazy_curl.multi_poll
#define curl_multi_remove_handle lazy_curl.multi_remove_handle
#define curl_multi_setopt        lazy_curl.multi_setopt
#define curl_multi_socket_action lazy_curl.multi_socket_action
#define curl_multi_strerror      lazy_curl.multi_strerror
#define curl_slist_append        lazy_curl.slist_append
#define curl_slist_free_all      lazy_curl.slist_free_all
#endif
