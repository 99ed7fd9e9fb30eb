#include "inputs/picture.h"

#include <spng.h>
#include <stdlib.h>
#include <string.h>

#define RGBA              4
#define PNG_CHUNK_BYTES   ((size_t)1 << 20) /* one chunk, inflated */
#define PNG_KEPT_BYTES    ((size_t)2 << 20) /* all that are kept beside the pixels */
#define PNG_CHANNELS_MOST 4

static const unsigned char signature[8] = {0x89, 'P', 'N', 'G', '\r', '\n', 0x1a, '\n'};

/* ----- a PNG ----- */

struct picture {
    const struct cell_list *list;
    struct slice column;
    struct error *err;
};

static enum status refuse_size(const struct picture *picture, const struct spng_ihdr *header)
{
    return fail(picture->err, STATUS_INVALID,
                "column \"%.*s\" holds a PNG of %u x %u pixels, where %u x %u were expected",
                SLICE_FORMAT(picture->column), header->height, header->width,
                picture->list->size / picture->list->width / picture->list->channels,
                picture->list->width);
}

static enum status refuse_png(const struct picture *picture, int reason)
{
    if (reason == SPNG_EMEM)
        return fail_no_memory(picture->err);
    return fail(picture->err, STATUS_INVALID, "column \"%.*s\" holds a PNG that is damaged: %s",
                SLICE_FORMAT(picture->column), spng_strerror(reason));
}

static enum status refuse_pixels(const struct picture *picture, const char *what)
{
    fail(picture->err, STATUS_INVALID,
         "column \"%.*s\" holds a PNG with %s pixels, which %u channel%s cannot keep",
         SLICE_FORMAT(picture->column), what, picture->list->channels,
         picture->list->channels == 1 ? "" : "s");
    return error_hint(picture->err,
                      "IMAGE(column, height, width, 3) takes colours, 2 channels take grey and "
                      "transparency, 4 channels take both.");
}

/* The channels that the list has of pixels with red, green, blue and alpha. */
static enum status put_pixels(const struct picture *picture, const unsigned char *pixels,
                              double *numbers)
{
    const uint32_t channels = picture->list->channels;
    const bool has_alpha = channels % 2 == 0;
    const uint32_t colours = channels - has_alpha;

    for (uint32_t i = 0; i < picture->list->size; i += channels, pixels += RGBA) {
        if (colours == 1 && (pixels[0] != pixels[1] || pixels[0] != pixels[2]))
            return refuse_pixels(picture, "coloured");
        if (!has_alpha && pixels[3] != UINT8_MAX)
            return refuse_pixels(picture, "transparent");
        for (uint32_t c = 0; c < colours; c++)
            numbers[i + c] = pixels[c];
        if (has_alpha)
            numbers[i + colours] = pixels[3];
    }
    return STATUS_OK;
}

/* Bounds what the file may ask for. */
static int set_limits(spng_ctx *png, struct slice blob)
{
    int reason = spng_set_chunk_limits(png, PNG_CHUNK_BYTES, PNG_KEPT_BYTES);

    if (!reason)
        reason = spng_set_crc_action(png, SPNG_CRC_ERROR, SPNG_CRC_ERROR);
    return reason ? reason : spng_set_png_buffer(png, blob.data, blob.size);
}

/* Checks what the first chunk promises, before anything is decoded. */
static enum status check_header(const struct picture *picture, spng_ctx *png)
{
    const struct cell_list *list = picture->list;
    struct spng_ihdr header;
    const int reason = spng_get_ihdr(png, &header);

    if (reason)
        return refuse_png(picture, reason);
    if (header.width != list->width || header.height != list->size / list->width / list->channels)
        return refuse_size(picture, &header);
    if (header.bit_depth > 8)
        return fail(picture->err, STATUS_INVALID,
                    "column \"%.*s\" holds a PNG of %d bits a channel, where at most 8 are read",
                    SLICE_FORMAT(picture->column), header.bit_depth);
    return STATUS_OK;
}

static enum status decode(const struct picture *picture, spng_ctx *png, struct slice blob,
                          double *numbers)
{
    const size_t size = (size_t)(picture->list->size / picture->list->channels) * RGBA;
    unsigned char pixels[RGBA * PICTURE_NUMBERS_MAX];
    int reason = set_limits(png, blob);

    if (reason)
        return refuse_png(picture, reason);
    TRY(check_header(picture, png));
    reason = spng_decode_image(png, pixels, size, SPNG_FMT_RGBA8, SPNG_DECODE_TRNS);
    if (!reason)
        reason = spng_decode_chunks(png); /* those behind the pixels, up to the end */
    return reason ? refuse_png(picture, reason) : put_pixels(picture, pixels, numbers);
}

static enum status read_png(const struct picture *picture, struct slice blob, double *numbers)
{
    enum status status;
    spng_ctx *png;

    if (picture->list->channels > PNG_CHANNELS_MOST)
        return fail(picture->err, STATUS_INVALID,
                    "column \"%.*s\" holds a PNG, which has at most %d channels and not %u",
                    SLICE_FORMAT(picture->column), PNG_CHANNELS_MOST, picture->list->channels);
    png = spng_ctx_new(0);
    if (!png)
        return fail_no_memory(picture->err);
    status = decode(picture, png, blob, numbers);
    spng_ctx_free(png);
    return status;
}

/* ----- a picture ----- */

enum status picture_read(struct slice blob, const struct cell_list *list, struct slice column,
                         double *numbers, struct error *err)
{
    if (list->form == LIST_PICTURE && blob.size >= sizeof signature &&
        memcmp(blob.data, signature, sizeof signature) == 0)
        return read_png(&(struct picture){list, column, err}, blob, numbers);
    if (blob.size != list->size)
        return fail(err, STATUS_INVALID, "column \"%.*s\" holds %zu bytes, where %u were expected",
                    SLICE_FORMAT(column), blob.size, list->size);
    for (uint32_t i = 0; i < list->size; i++)
        numbers[i] = (unsigned char)blob.data[i];
    return STATUS_OK;
}
