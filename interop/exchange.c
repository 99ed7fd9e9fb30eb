#include "interop/exchange.h"

#include <stdio.h>
#include <string.h>

#include "base/sums/sha256.h"
#include "interop/lightgbm_read.h"
#include "interop/lightgbm_write.h"
#include "interop/onnx/import/onnx_import.h"
#include "interop/xgboost_read.h"
#include "interop/xgboost_write.h"
#include "kinds/trees/trees_kind.h"
#include "scoring/tables/model_bytes.h"
#include "scoring/tables/model_write.h"

struct format {
    const char *name, *ending;
};

#define EXCHANGE_FORMAT(name, word, ending) {word, ending},
static const struct format formats[] = {EXCHANGE_FORMAT_MAP(EXCHANGE_FORMAT){"onnx", ".onnx"}};
#undef EXCHANGE_FORMAT

enum status exchange_format_find(struct slice name, struct slice file, enum exchange_format *format,
                                 struct error *err)
{
    for (unsigned i = 0; i < sizeof formats / sizeof *formats; i++)
        if (name.size > 0 ? slice_is_fold(name, formats[i].name)
                          : slice_ends_fold(file, formats[i].ending)) {
            *format =
                i == EXCHANGE_XGBOOST && slice_ends_fold(file, formats[EXCHANGE_XGBOOST_UBJ].ending)
                    ? EXCHANGE_XGBOOST_UBJ
                    : (enum exchange_format)i;
            return STATUS_OK;
        }
    if (name.size > 0 || file.size == 0)
        fail(err, STATUS_INVALID, "there is no format \"%.*s\"",
             SLICE_FORMAT(slice_prefix(name, 40)));
    else
        fail(err, STATUS_INVALID, "the name of the file does not show its format");
    return error_hint(err,
                      "Formats are xgboost (.json), xgboost_ubj (.ubj), lightgbm (.txt) and onnx "
                      "(.onnx).");
}

enum status exchange_export(const struct model *model, enum exchange_format format,
                            const struct stop *stop, struct text *out, struct error *err)
{
    struct linear_weights linear;

    if (format == EXCHANGE_ONNX)
        return fail(err, STATUS_UNSUPPORTED, "formulas are written as ONNX (formula_print.h)");
    if (model->kind != &trees_kind) {
        fail(err, STATUS_UNSUPPORTED,
             model->kind->leaf_count ? "the trees of %.*s are not those of XGBoost and LightGBM"
                                     : "%.*s has no trees that could be exported",
             SLICE_FORMAT(model->estimator));
        if (model->kind->linear && model->kind->linear(model, &linear))
            return error_hint(
                err, "FORMAT sql and FORMAT c write it as a program, FORMAT onnx as a graph. Its "
                     "weights are rows: SELECT name, value FROM model WHERE part = 'weight'.");
        return error_hint(err,
                          "FORMAT sql and FORMAT c write it as a program, FORMAT onnx as a graph; "
                          "files of XGBoost and LightGBM can hold boosted trees and forests.");
    }
    if (model->final.calibration != CALIBRATION_NONE)
        return fail(err, STATUS_UNSUPPORTED,
                    "model %.*s is calibrated, and such a file would give other probabilities",
                    SLICE_FORMAT(model->estimator)),
               error_hint(err, "FORMAT sql and FORMAT c have the calibration.");
    if (format == EXCHANGE_LIGHTGBM)
        return lightgbm_write(model, stop, out, err);
    return xgboost_write(model, format == EXCHANGE_XGBOOST_UBJ, stop, out, err);
}

/* ----- a model of a forest ----- */

static enum status check_name(struct slice name, uint32_t feature, struct error *err)
{
    size_t more = name.size > 0;

    for (size_t at = 0; at < name.size && more > 0; at += more) {
        more = utf8_sequence(name.data + at, name.size - at);
        if (name.data[at] == '\0')
            more = 0;
    }
    if (more > 0 && name.size <= EXCHANGE_NAME_MAX)
        return STATUS_OK;
    return fail(err, STATUS_CORRUPT, "the name of feature %u is no text of 1 to %d bytes", feature,
                EXCHANGE_NAME_MAX);
}

static enum status fill_inputs(const struct forest *forest, struct arena *arena,
                               struct transform *transform, struct error *err)
{
    transform->input_count = forest->feature_count;
    transform->inputs = ARENA_NEW(arena, struct transform_input, forest->feature_count);
    if (!transform->inputs)
        return fail_no_memory(err);
    for (uint32_t i = 0; i < forest->feature_count; i++) {
        const struct forest_feature *feature = &forest->features[i];
        struct transform_input *input = &transform->inputs[i];

        TRY(check_name(feature->name, i, err));
        input->spec.name = feature->name;
        input->has_nulls = true;
        input->mean = forest->origins[i];
        input->scale = 1;
        if (!feature->words)
            continue;
        input->spec.type = INPUT_CATEGORY;
        input->words = feature->words;
        input->word_count = feature->word_count;
    }
    return transform_finish(transform, arena, err);
}

static enum status fill_labels(const struct forest *forest, struct arena *arena,
                               struct labels *labels, struct error *err)
{
    *labels = (struct labels){.type = LABEL_REAL};
    if (forest->classes == 0)
        return STATUS_OK;
    labels->type = LABEL_INTEGER;
    labels->count = forest->classes;
    labels->values = ARENA_NEW(arena, struct cell, forest->classes);
    if (!labels->values)
        return fail_no_memory(err);
    for (uint32_t i = 0; i < forest->classes; i++)
        labels->values[i] = (struct cell){.type = CELL_INTEGER, .integer = i};
    return STATUS_OK;
}

static void hash_update(void *hash, const void *bytes, size_t size)
{
    sha256_update(hash, bytes, size);
}

static void hash_model(struct model *model, char digest[2 * SHA256_BYTES + 1])
{
    struct sha256 hash;
    uint8_t bytes[SHA256_BYTES];

    sha256_init(&hash);
    model_feed_bytes(model, hash_update, &hash);
    sha256_final(&hash, bytes);
    for (size_t i = 0; i < SHA256_BYTES; i++)
        snprintf(digest + 2 * i, 3, "%02x", bytes[i]);
    model->digest = slice_of(digest);
}

/* Written and read as a table would be: whatever is checked of a stored model is checked of this
 * one. */
static enum status store_and_read(const struct model *built, struct arena *arena,
                                  struct model *model, struct error *err)
{
    const struct kind *const kinds_read[] = {built->kind, NULL};
    struct model_reader *reader;
    enum status status;

    TRY(model_reader_new(kinds_read, arena, &reader, err));
    status = model_write(built, model_reader_take, reader, err);
    if (status == STATUS_OK)
        status = model_reader_finish(reader, model, err);
    model_reader_free(reader);
    return status;
}

static enum status build(struct forest *forest, struct slice statement, struct arena *arena,
                         struct model *model, struct error *err)
{
    struct trees_model trees = {0};
    char digest[2 * SHA256_BYTES + 1];
    struct model built = {.format = MODEL_FORMAT_LANES,
                          .estimator = slice_of(forest->estimator),
                          .kind = &trees_kind,
                          .task = forest->task,
                          .label = SLICE(EXCHANGE_LABEL),
                          .statement = statement,
                          .label_scale = 1,
                          .content = &trees};

    built.transform.keeps_numbers = built.kind->keeps_numbers;
    if (forest->quantile_count > 0) {
        built.aim =
            (struct aim_facts){.aim = AIM_QUANTILES, .quantile_count = forest->quantile_count};
        memcpy(built.aim.quantiles, forest->quantiles, sizeof built.aim.quantiles);
    }
    TRY(forest_finish(forest, arena, &trees, err));
    TRY(fill_inputs(forest, arena, &built.transform, err));
    TRY(fill_labels(forest, arena, &built.labels, err));
    built.label_mean = forest->label_origin;
    if (built.label_mean != 0 || transform_has_origins(&built.transform))
        built.format = MODEL_FORMAT_ORIGINS;
    built.notices = &forest->notices;
    hash_model(&built, digest);
    return store_and_read(&built, arena, model, err);
}

bool exchange_begins(struct slice bytes, enum exchange_format format)
{
    if (format == EXCHANGE_LIGHTGBM)
        return bytes.size >= 4 && memcmp(bytes.data, "tree", 4) == 0;
    if (format == EXCHANGE_ONNX)
        return onnx_begins(bytes);
    return bytes.size > 0 && bytes.data[0] == '{';
}

static enum status check_size(struct slice bytes, struct error *err)
{
    return bytes.size > EXCHANGE_BYTES_MAX
               ? fail(err, STATUS_LIMIT, "a file of %zu bytes, where at most %zu are read",
                      bytes.size, EXCHANGE_BYTES_MAX)
               : STATUS_OK;
}

/* Is it what XGBoost's dump_model writes, as JSON or as text? */
static bool is_dump(struct slice bytes)
{
    static const char text[] = "booster[";

    return bytes.size >= sizeof text &&
           (bytes.data[0] == '[' || memcmp(bytes.data, text, sizeof text - 1) == 0);
}

static enum status read_file(struct slice bytes, struct arena *arena, struct forest *forest,
                             struct error *err)
{
    TRY(check_size(bytes, err));
    if (exchange_begins(bytes, EXCHANGE_XGBOOST))
        return xgboost_read(bytes, arena, forest, err);
    if (exchange_begins(bytes, EXCHANGE_LIGHTGBM))
        return lightgbm_read(bytes, arena, forest, err);
    if (is_dump(bytes))
        fail(err, STATUS_UNSUPPORTED,
             "XGBoost's dump_model wrote it, which leaves out the objective and the value that "
             "predictions begin with");
    else
        fail(err, STATUS_CORRUPT, "it is not a model of XGBoost, LightGBM or ONNX");
    return error_hint(err,
                      "XGBoost's save_model writes .json and .ubj, LightGBM's save_model .txt.");
}

/* Makes a text of a file fit for a terminal, and for databases that take nothing but UTF-8: each
 * byte that is not part of it, or controls something, becomes a question mark. */
static void make_printable(char *text)
{
    size_t left = strlen(text);

    while (left > 0) {
        size_t size = utf8_sequence(text, left);

        if (size == 0 || (unsigned char)*text < ' ' || *text == 0x7f) {
            *text = '?';
            size = 1;
        }
        text += size;
        left -= size;
    }
}

static enum status build_network(struct slice bytes, struct slice statement, struct arena *arena,
                                 struct model *model, struct error *err)
{
    struct model built = {.statement = statement};
    char digest[2 * SHA256_BYTES + 1];

    TRY(check_size(bytes, err));
    TRY(onnx_import(bytes, arena, &built, err));
    for (uint32_t i = 0; i < built.transform.input_count; i++)
        TRY(check_name(built.transform.inputs[i].spec.name, i, err));
    hash_model(&built, digest);
    return store_and_read(&built, arena, model, err);
}

static enum status import_trees(struct slice bytes, struct slice statement, const struct stop *stop,
                                struct arena *arena, struct model *model, struct error *err)
{
    struct forest forest;
    enum status status;

    forest_init(&forest);
    forest.stop = stop;
    status = read_file(bytes, arena, &forest, err);
    if (status == STATUS_OK)
        status = stop_ask(stop, err);
    if (status == STATUS_OK)
        status = build(&forest, statement, arena, model, err);
    forest_deinit(&forest);
    return status;
}

enum status exchange_import(struct slice bytes, struct slice statement, const struct stop *stop,
                            struct arena *arena, struct model *model, struct error *err)
{
    enum status status = onnx_begins(bytes)
                             ? build_network(bytes, statement, arena, model, err)
                             : import_trees(bytes, statement, stop, arena, model, err);

    if (status == STATUS_OK)
        status = stop_ask(stop, err);
    if (status != STATUS_OK && err) {
        make_printable(err->message);
        make_printable(err->hint);
    }
    return status;
}
