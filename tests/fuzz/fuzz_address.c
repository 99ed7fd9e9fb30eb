/*
 * Whatever is read as an address, written again, is read as the same; what is
 * read as an identity is written as the same text.
 */
#include <stdlib.h>
#include <string.h>

#include "runtime/net/address.h"
#include "runtime/net/identity.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void read_identity(struct slice bytes)
{
    struct identity identity;
    char text[IDENTITY_TEXT_MAX];

    if (!identity_read(bytes, &identity))
        return;
    identity_write(&identity, text);
    if (!slice_is(bytes, text))
        abort();
}

static void read_address(const char *text)
{
    struct address address, again;
    char written[ADDRESS_TEXT_MAX + 1];
    struct error err;

    if (address_read(text, &address, &err) != STATUS_OK || address.size == 0)
        return;
    address_write(&address, written, sizeof written);
    if (address_read(written, &again, &err) != STATUS_OK || again.size != address.size ||
        memcmp(&again.where, &address.where, sizeof again.where) != 0)
        abort();
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static const char *const starts[] = {"", "tcp:", "tcp:[", "unix:"};
    static const struct slice identity = {"totrain:job/", 12};
    char *text = malloc(size + 13);

    if (!text)
        return 0;
    for (size_t i = 0; i < sizeof starts / sizeof *starts; i++) {
        size_t start = strlen(starts[i]);

        memcpy(text, starts[i], start);
        if (size > 0)
            memcpy(text + start, data, size);
        text[start + size] = '\0';
        read_address(text);
    }
    memcpy(text, identity.data, identity.size);
    if (size > 0)
        memcpy(text + identity.size, data, size);
    read_identity((struct slice){text, identity.size + size});
    free(text);
    return 0;
}
