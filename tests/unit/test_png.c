/* Pictures in cells: raw bytes, and PNG of every kind; files that are damaged or ask for too much.
 */
#include <spng.h>
#include <stdlib.h>

#include "inputs/cell_list_json.h"
#include "inputs/picture.h"
#include "tests/check.h"

#define WIDTH  5
#define HEIGHT 3
#define PIXELS (WIDTH * HEIGHT)

static struct cell_list list_of(uint32_t height, uint32_t width, uint32_t channels)
{
    return (struct cell_list){.form = LIST_PICTURE,
                              .size = height * width * channels,
                              .width = width,
                              .channels = channels};
}

/* A PNG of these rows, which the caller frees. */
static struct slice png_of(struct spng_ihdr header, struct spng_plte *palette,
                           struct spng_trns *transparent, struct spng_text *text,
                           const void *pixels, size_t size)
{
    spng_ctx *png = spng_ctx_new(SPNG_CTX_ENCODER);
    struct slice bytes;
    int reason = 0;

    spng_set_option(png, SPNG_ENCODE_TO_BUFFER, 1);
    assert_int_equal(spng_set_ihdr(png, &header), 0);
    if (palette)
        assert_int_equal(spng_set_plte(png, palette), 0);
    if (transparent)
        assert_int_equal(spng_set_trns(png, transparent), 0);
    if (text)
        assert_int_equal(spng_set_text(png, text, 1), 0);
    assert_int_equal(spng_encode_image(png, pixels, size, SPNG_FMT_PNG, SPNG_ENCODE_FINALIZE), 0);
    bytes.data = spng_get_png_buffer(png, &bytes.size, &reason);
    assert_int_equal(reason, 0);
    spng_ctx_free(png);
    return bytes;
}

static struct slice png_of_type(enum spng_color_type type, uint8_t bits, const void *pixels,
                                size_t size)
{
    return png_of(
        (struct spng_ihdr){
            .width = WIDTH, .height = HEIGHT, .bit_depth = bits, .color_type = (uint8_t)type},
        NULL, NULL, NULL, pixels, size);
}

static enum status read_as(struct slice blob, uint32_t channels, double *numbers, struct error *err)
{
    const struct cell_list list = list_of(HEIGHT, WIDTH, channels);

    return picture_read(blob, &list, SLICE("c"), numbers, err);
}

/* The PNG has the numbers of these raw bytes. */
static void check_same(struct slice png, uint32_t channels, const unsigned char *raw)
{
    double numbers[PIXELS * 4], expected[PIXELS * 4];
    struct error err;

    CHECK_OK(read_as((struct slice){(const char *)raw, (size_t)PIXELS * channels}, channels,
                     expected, &err));
    CHECK_OK(read_as(png, channels, numbers, &err));
    assert_memory_equal(numbers, expected, PIXELS * channels * sizeof *numbers);
}

static void fill(unsigned char *bytes, size_t size)
{
    for (size_t i = 0; i < size; i++)
        bytes[i] = (unsigned char)(i * 37 + 11);
}

static void a_png_has_the_numbers_of_its_raw_bytes(void **state)
{
    static const enum spng_color_type types[] = {
        SPNG_COLOR_TYPE_GRAYSCALE, SPNG_COLOR_TYPE_GRAYSCALE_ALPHA, SPNG_COLOR_TYPE_TRUECOLOR,
        SPNG_COLOR_TYPE_TRUECOLOR_ALPHA};
    unsigned char raw[PIXELS * 4];
    (void)state;

    fill(raw, sizeof raw);
    for (uint32_t channels = 1; channels <= 4; channels++) {
        const struct slice png = png_of_type(types[channels - 1], 8, raw, PIXELS * channels);

        check_same(png, channels, raw);
        free((void *)png.data);
    }
}

/* Four bits a pixel: 0 to 15 are 0 to 255. */
static void few_bits_are_read(void **state)
{
    static const unsigned char rows[HEIGHT * 3] = {0x01, 0x23, 0x40, 0x56, 0x78,
                                                   0x90, 0xab, 0xcd, 0xe0};
    const struct slice png = png_of_type(SPNG_COLOR_TYPE_GRAYSCALE, 4, rows, sizeof rows);
    unsigned char raw[PIXELS];
    (void)state;

    for (size_t i = 0; i < PIXELS; i++)
        raw[i] = (unsigned char)(i * 17);
    check_same(png, 1, raw);
    free((void *)png.data);
}

static struct spng_plte palette_of(const unsigned char colours[][3], uint32_t count)
{
    struct spng_plte palette = {.n_entries = count};

    for (uint32_t i = 0; i < count; i++)
        palette.entries[i] =
            (struct spng_plte_entry){colours[i][0], colours[i][1], colours[i][2], UINT8_MAX};
    return palette;
}

/* Nothing of a palette is seen where its colours are grey, and none is transparent. */
static void palettes_are_read(void **state)
{
    static const unsigned char colours[][3] = {{1, 1, 1}, {200, 200, 200}, {9, 8, 7}};
    struct spng_ihdr header = {.width = WIDTH,
                               .height = HEIGHT,
                               .bit_depth = 8,
                               .color_type = SPNG_COLOR_TYPE_INDEXED,
                               .interlace_method = SPNG_INTERLACE_NONE};
    struct spng_trns half = {.type3_alpha = {255, 128}, .n_type3_entries = 2};
    struct spng_plte palette = palette_of(colours, 3);
    unsigned char places[PIXELS], grey[PIXELS], colour[PIXELS * 3], both[PIXELS * 4];
    double numbers[PIXELS * 4];
    struct slice png;
    struct error err;
    (void)state;

    for (size_t i = 0; i < PIXELS; i++) {
        places[i] = i % 2;
        grey[i] = colours[i % 2][0];
        memset(colour + 3 * i, grey[i], 3);
        memset(both + 4 * i, grey[i], 3);
        both[4 * i + 3] = i % 2 ? 128 : 255;
    }
    png = png_of(header, &palette, NULL, NULL, places, sizeof places);
    check_same(png, 1, grey);
    check_same(png, 3, colour);
    free((void *)png.data);

    png = png_of(header, &palette, &half, NULL, places, sizeof places);
    check_same(png, 4, both);
    CHECK_FAILS(read_as(png, 3, numbers, &err), STATUS_INVALID,
                "column \"c\" holds a PNG with transparent pixels, which 3 channels cannot keep");
    free((void *)png.data);

    places[PIXELS - 1] = 2;
    png = png_of(header, &palette, NULL, NULL, places, sizeof places);
    CHECK_FAILS(read_as(png, 1, numbers, &err), STATUS_INVALID,
                "column \"c\" holds a PNG with coloured pixels, which 1 channel cannot keep");
    CHECK_FAILS(read_as(png, 2, numbers, &err), STATUS_INVALID, "which 2 channels cannot keep");
    memcpy(colour + 3 * (PIXELS - 1), colours[2], 3);
    check_same(png, 3, colour);
    free((void *)png.data);
}

static void other_pictures_are_refused(void **state)
{
    const struct cell_list other = list_of(HEIGHT, WIDTH + 1, 1), many = list_of(HEIGHT, WIDTH, 5);
    const struct cell_list before = {.form = LIST_BYTES, .size = PIXELS};
    unsigned char raw[PIXELS * 8];
    double numbers[PIXELS * 5];
    struct slice png;
    struct error err;
    (void)state;

    fill(raw, sizeof raw);
    CHECK_FAILS(read_as((struct slice){(const char *)raw, PIXELS - 1}, 1, numbers, &err),
                STATUS_INVALID, "column \"c\" holds 14 bytes, where 15 were expected");
    png = png_of_type(SPNG_COLOR_TYPE_GRAYSCALE, 16, raw, PIXELS * 2);
    CHECK_FAILS(read_as(png, 1, numbers, &err), STATUS_INVALID,
                "holds a PNG of 16 bits a channel, where at most 8 are read");
    free((void *)png.data);
    png = png_of_type(SPNG_COLOR_TYPE_GRAYSCALE, 8, raw, PIXELS);
    CHECK_FAILS(picture_read(png, &other, SLICE("c"), numbers, &err), STATUS_INVALID,
                "holds a PNG of 3 x 5 pixels, where 3 x 6 were expected");
    CHECK_FAILS(picture_read(png, &many, SLICE("c"), numbers, &err), STATUS_INVALID,
                "holds a PNG, which has at most 4 channels and not 5");
    CHECK_FAILS(picture_read(png, &before, SLICE("c"), numbers, &err), STATUS_INVALID,
                "bytes, where 15 were expected");
    free((void *)png.data);
}

/* A length, a checksum, a bit of the pixels: whatever is changed or cut off is noticed, but the
 * checksum of the last chunk, which is empty. */
static void damaged_files_are_refused(void **state)
{
    unsigned char raw[PIXELS], *bytes;
    double numbers[PIXELS];
    struct slice png;
    struct error err;
    size_t end;
    (void)state;

    fill(raw, sizeof raw);
    png = png_of_type(SPNG_COLOR_TYPE_GRAYSCALE, 8, raw, sizeof raw);
    bytes = (unsigned char *)png.data;
    end = png.size - 4;
    for (size_t size = 8; size < end; size++)
        CHECK_FAILS(read_as((struct slice){png.data, size}, 1, numbers, &err), STATUS_INVALID,
                    "column \"c\" holds a PNG that is damaged");
    for (size_t i = 8; i < end; i++) {
        bytes[i] ^= 0x10;
        CHECK_FAILS(read_as(png, 1, numbers, &err), STATUS_INVALID, "column \"c\" holds a PNG");
        bytes[i] ^= 0x10;
    }
    CHECK_OK(read_as(png, 1, numbers, &err));
    free((void *)png.data);
}

/* 64 MiB of text in 64 KiB of a chunk, and a picture of 100,000 rows: neither gets memory. */
static void files_that_ask_for_much_are_refused(void **state)
{
    const size_t size = (size_t)64 << 20;
    struct spng_text text = {.keyword = "Comment", .type = SPNG_ZTXT};
    struct spng_ihdr header = {.width = WIDTH, .height = 100000, .bit_depth = 8};
    unsigned char raw[PIXELS], *rows = calloc(header.height, WIDTH);
    double numbers[PIXELS];
    struct slice png;
    struct error err;
    (void)state;

    CHECK(rows);
    png = png_of(header, NULL, NULL, NULL, rows, (size_t)header.height * WIDTH);
    CHECK_FAILS(read_as(png, 1, numbers, &err), STATUS_INVALID,
                "holds a PNG of 100000 x 5 pixels, where 3 x 5 were expected");
    free(rows);
    free((void *)png.data);

    fill(raw, sizeof raw);
    text.text = malloc(size + 1);
    CHECK(text.text);
    memset(text.text, 'a', size);
    text.text[size] = '\0';
    text.length = size;
    header.height = HEIGHT;
    png = png_of(header, NULL, NULL, &text, raw, sizeof raw);
    CHECK(png.size < size / 256);
    CHECK_FAILS(read_as(png, 1, numbers, &err), STATUS_INVALID, "holds a PNG that is damaged");
    free(text.text);
    free((void *)png.data);
}

static void a_list_of_pictures_is_written_and_read(void **state)
{
    static const struct cell_list others[] = {
        {.form = LIST_PICTURE, .size = 12, .width = 0, .channels = 1},
        {.form = LIST_PICTURE, .size = 12, .width = 5, .channels = 1},
        {.form = LIST_PICTURE, .size = PICTURE_NUMBERS_MAX + 1, .width = 1, .channels = 1},
        {.form = LIST_PICTURE, .size = 12, .width = 4, .channels = 3, .delimiter = ','},
        {.form = LIST_BYTES, .size = 12, .width = 4, .channels = 3},
        {.form = LIST_DENSE, .size = 12, .width = 4, .channels = 3},
        {.form = LIST_BYTES, .size = LIST_SIZE_MAX + 1}};
    const struct cell_list list = list_of(64, 64, 3);
    cJSON *written = cJSON_CreateObject(), *json;
    struct cell_list read;
    struct error err;
    char *text;
    (void)state;

    cell_list_write(&list, written);
    text = cJSON_Print(written);
    json = cJSON_Parse(text);
    CHECK_OK(cell_list_get(json, &read, &err));
    CHECK(cell_list_equal(&list, &read));
    read.width = 32;
    CHECK(!cell_list_equal(&list, &read));
    cJSON_free(text);
    cJSON_Delete(written);
    cJSON_Delete(json);
    for (size_t i = 0; i < sizeof others / sizeof *others; i++)
        CHECK(!cell_list_fits(&others[i]));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_png_has_the_numbers_of_its_raw_bytes),
        cmocka_unit_test(few_bits_are_read),
        cmocka_unit_test(palettes_are_read),
        cmocka_unit_test(other_pictures_are_refused),
        cmocka_unit_test(damaged_files_are_refused),
        cmocka_unit_test(files_that_ask_for_much_are_refused),
        cmocka_unit_test(a_list_of_pictures_is_written_and_read),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
