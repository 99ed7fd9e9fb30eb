#include <math.h>
#include <string.h>

#include "scoring/tables/model_bytes.h"
#include "scoring/tables/model_meta.h"
#include "scoring/tables/model_write.h"
#include "tests/check.h"
#include "tests/unit/scoring_fixture.h"

static void collect(void *context, const void *bytes, size_t size)
{
    text_append(context, (struct slice){bytes, size});
}

static struct text feed_of(const struct model *model)
{
    struct text text;

    text_init(&text, TEXT_MAXIMUM);
    model_feed_bytes(model, collect, &text);
    CHECK(!text.failed);
    return text;
}

static void check_same_digest(const struct model *a, const struct model *b)
{
    struct text first = feed_of(a), second = feed_of(b);

    CHECK(slice_equal(text_slice(&first), text_slice(&second)));
    text_deinit(&first);
    text_deinit(&second);
}

/* Read the fixture's rows; backwards when asked, which puts meta last. */
static enum status read_rows(const struct fixture *fixture, bool backwards, struct arena *arena,
                             struct model *model, struct error *err)
{
    struct model_reader *reader;
    enum status status = STATUS_OK;

    CHECK_INT(model_reader_new(kinds, arena, &reader, err), STATUS_OK);
    for (size_t i = 0; status == STATUS_OK && i < fixture->row_count; i++)
        status = model_reader_add(reader,
                                  &fixture->rows[backwards ? fixture->row_count - 1 - i : i], err);
    if (status == STATUS_OK)
        status = model_reader_finish(reader, model, err);
    model_reader_free(reader);
    return status;
}

static struct model_row *find_row(struct fixture *fixture, const char *part, const char *name,
                                  int64_t position)
{
    for (size_t i = 0; i < fixture->row_count; i++) {
        struct model_row *row = &fixture->rows[i];
        if (slice_is(row->part, part) && slice_is(row->name, name) && row->position == position)
            return row;
    }
    check_failed("no row %s %s %d", part, name, (int)position);
    return NULL;
}

static void check_round_trip(struct fixture *fixture)
{
    struct model read;
    struct arena arena;
    struct error err;

    fixture_write(fixture);
    for (int backwards = 0; backwards < 2; backwards++) {
        arena_init(&arena, ARENA_MAXIMUM);
        CHECK_OK(read_rows(fixture, backwards, &arena, &read, &err));
        check_same_digest(&fixture->model, &read);
        CHECK(slice_equal(read.statement, fixture->model.statement));
        CHECK(slice_equal(read.id, fixture->model.id));
        CHECK(slice_equal(read.label, fixture->model.label));
        CHECK(slice_equal(read.metrics_json, fixture->model.metrics_json));
        CHECK(notice_list_equal(read.notices, fixture->model.notices));
        CHECK_INT(read.format, fixture->model.format);
        CHECK(read.version == 3 && read.rows == 150 && read.task == fixture->model.task);
        arena_deinit(&arena);
    }
}

static void models_of_older_formats_are_read(void **state)
{
    static const uint32_t widths[] = {4, 1};
    (void)state;

    for (uint32_t format = 1; format <= MODEL_FORMAT_VERSION; format++) {
        struct fixture fixture;

        fixture_init(&fixture, 0);
        fixture_layers(&fixture, widths, 2);
        fixture.model.format = format;
        check_round_trip(&fixture);
        fixture_deinit(&fixture);
    }
}

static void an_input_keeps_its_limit(void **state)
{
    static const uint32_t widths[] = {4, 1};
    struct fixture fixture;
    struct transform_input *input;
    struct error err;
    (void)state;

    fixture_init(&fixture, 0);
    fixture_layers(&fixture, widths, 2);
    input = &fixture.model.transform.inputs[0];
    fixture.model.format = MODEL_FORMAT_LIMITS;
    input->limit = 5;
    CHECK_OK(transform_finish_numbers(&fixture.model.transform, &fixture.arena, &err));
    CHECK(transform_is_limited(&fixture.model.transform));
    CHECK(transform_number(input, 1e300) == 5 && transform_number(input, -1e300) == -5);
    check_round_trip(&fixture);
    fixture_deinit(&fixture);
}

static void an_input_may_be_a_text(void **state)
{
    static const uint32_t deep[] = {4, 1}, linear[] = {1};
    struct fixture fixture;
    (void)state;

    for (int layers = 1; layers <= 2; layers++) {
        fixture_init(&fixture, 0);
        fixture_text(&fixture);
        fixture_layers(&fixture, layers == 1 ? linear : deep, (uint32_t)layers);
        check_round_trip(&fixture);
        /* intercept, age, is null, height, three words and five buckets of the others, 7 of note */
        CHECK_INT(model_weight_rows(&fixture.model), layers == 1 ? 1 + 2 + 1 + 7 + 2 : 0);
        fixture_deinit(&fixture);
    }
}

static void an_input_keeps_its_code(void **state)
{
    static const uint32_t widths[] = {4, 1};
    struct fixture fixture;
    struct transform_input *input;
    (void)state;

    fixture_init(&fixture, 0);
    fixture_layers(&fixture, widths, 2);
    input = &fixture.model.transform.inputs[0];
    CHECK(input->has_nulls && !transform_has_codes(&fixture.model.transform));
    fixture.model.format = MODEL_FORMAT_CODES;
    input->has_code = true;
    input->code = -999;
    CHECK(transform_has_codes(&fixture.model.transform));
    check_round_trip(&fixture);
    fixture_deinit(&fixture);
}

static void a_model_comes_back_as_it_was_written_in_any_order_of_rows(void **state)
{
    static const uint32_t deep[] = {16, 5}, linear[] = {1};
    struct fixture fixture;
    (void)state;

    fixture_init(&fixture, 5);
    fixture_layers(&fixture, deep, 2);
    check_round_trip(&fixture);
    fixture_deinit(&fixture);

    fixture_init(&fixture, 2);
    fixture_layers(&fixture, linear, 1);
    check_round_trip(&fixture);
    fixture_deinit(&fixture);

    fixture_init(&fixture, 0);
    fixture_layers(&fixture, linear, 1);
    check_round_trip(&fixture);
    fixture_deinit(&fixture);
}

static void parts_of_a_column_come_back(void **state)
{
    static const uint32_t linear[] = {1};
    struct fixture fixture;
    (void)state;

    fixture_init(&fixture, 2);
    fixture_dates(&fixture);
    fixture_layers(&fixture, linear, 1);
    check_round_trip(&fixture);
    fixture_write(&fixture);
    CHECK(find_row(&fixture, "weight", "signup.weekday=Sat", 1));
    fixture_deinit(&fixture);
}

static void large_tensors_travel_in_chunks(void **state)
{
    static const uint32_t widths[] = {20000, 3};
    struct fixture fixture;
    (void)state;

    fixture_init(&fixture, 3);
    fixture_layers(&fixture, widths, 2); /* 12 rows of 20000: 960,000 bytes */
    check_round_trip(&fixture);
    CHECK(find_row(&fixture, "tensor", "layer0/weights", 3)->data.size ==
          8 + 960000 - 3 * MODEL_CHUNK_BYTES);
    fixture_deinit(&fixture);
}

static bool is_same_row(const struct model_row *a, const struct model_row *b)
{
    return slice_equal(a->part, b->part) && slice_equal(a->name, b->name) &&
           a->position == b->position && a->has_value == b->has_value &&
           (!a->has_value || memcmp(&a->value, &b->value, sizeof a->value) == 0) &&
           a->has_data == b->has_data && a->data_is_text == b->data_is_text &&
           slice_equal(a->data, b->data);
}

/* Row by row, and so many bytes at a time. */
static void check_pieces(struct fixture *whole, size_t bytes_max)
{
    struct fixture pieces = {.model = whole->model};
    bool is_at_end = false;
    uint64_t next = 0;
    struct error err;

    arena_init(&pieces.arena, 1 << 26);
    while (!is_at_end) {
        const size_t before = pieces.row_count;

        CHECK_OK(model_write_some(&whole->model, &next, bytes_max, &is_at_end, fixture_keep,
                                  &pieces, &err));
        CHECK(next == pieces.row_count);
        CHECK(pieces.row_count > before || is_at_end);
        CHECK(bytes_max > 1 || pieces.row_count - before <= 1);
    }
    CHECK_INT(pieces.row_count, whole->row_count);
    for (size_t i = 0; i < whole->row_count; i++)
        CHECK(is_same_row(&pieces.rows[i], &whole->rows[i]));
    free(pieces.rows);
    arena_deinit(&pieces.arena);
}

static void a_model_can_be_written_by_pieces_of_any_size(void **state)
{
    static const uint32_t linear[] = {3}, deep[] = {20000, 3};
    static const size_t bytes[] = {1, 200, 3000, 300000, SIZE_MAX};
    (void)state;

    for (int is_deep = 0; is_deep < 2; is_deep++) {
        struct fixture fixture;

        fixture_init(&fixture, 3);
        fixture_layers(&fixture, is_deep ? deep : linear, is_deep ? 2 : 1);
        fixture_write(&fixture);
        for (size_t i = 0; i < sizeof bytes / sizeof *bytes; i++)
            check_pieces(&fixture, bytes[i]);
        fixture_deinit(&fixture);
    }
}

static void labels_of_every_type_come_back(void **state)
{
    struct cell integers[] = {{.type = CELL_INTEGER, .integer = INT64_MIN},
                              {.type = CELL_INTEGER, .integer = ((int64_t)1 << 53) + 1},
                              {.type = CELL_INTEGER, .integer = INT64_MAX}};
    struct cell reals[] = {{.type = CELL_REAL, .real = -1e300},
                           {.type = CELL_REAL, .real = 0},
                           {.type = CELL_REAL, .real = 1e16}};
    struct cell texts[] = {{.type = CELL_TEXT, .text = SLICE("")},
                           {.type = CELL_TEXT, .text = SLICE("a \"quoted\"\nline")},
                           {.type = CELL_TEXT, .text = SLICE("\xc3\xa4")}};
    struct cell *const values[] = {integers, reals, texts};
    const uint32_t width = 3;
    (void)state;

    for (int type = LABEL_INTEGER; type <= LABEL_TEXT; type++) {
        struct fixture fixture;

        fixture_init(&fixture, 3);
        fixture_layers(&fixture, &width, 1);
        fixture.model.labels.type = (enum label_type)type;
        fixture.model.labels.values = values[type];
        check_round_trip(&fixture);
        fixture_deinit(&fixture);
    }
}

/* intercept + sum(weight * x) over the numeric columns, as SQL would do it. */
static double sum_of_weights(struct fixture *fixture, int64_t position, double age, double height)
{
    return find_row(fixture, "weight", "(intercept)", position)->value +
           find_row(fixture, "weight", "age", position)->value * age +
           find_row(fixture, "weight", "height", position)->value * height +
           find_row(fixture, "weight", "colour=it's", position)->value +
           find_row(fixture, "weight", "size=red", position)->value;
}

/* With a link they add up to the logarithm of the prediction. */
static void check_weights(uint32_t classes, uint32_t width, enum label_link link)
{
    struct fixture fixture;
    struct scorer scorer;
    struct error err;

    fixture_init(&fixture, classes);
    fixture_layers(&fixture, &width, 1);
    fixture.model.link = link;
    if (link == LABEL_LINK_EXP)
        fixture.model.label_mean = 0;
    fixture_write(&fixture);
    CHECK_OK(scorer_init(&scorer, &fixture.model, 1, &err));
    for (int age = 0; age < 100; age += 9) {
        double height = 171 + age * 0.013;
        struct cell cells[] = {{.type = CELL_INTEGER, .integer = age},
                               {.type = CELL_REAL, .real = height},
                               {.type = CELL_TEXT, .text = SLICE("it's")},
                               {.type = CELL_TEXT, .text = SLICE("red")}};

        CHECK_OK(scorer_transform(&scorer, 0, cells, &err));
        scorer_score(&scorer, 1);
        for (uint32_t j = 0; j < width; j++) {
            double expected = classes ? (double)scorer.outputs[j] : scorer_value(&scorer);
            double found = sum_of_weights(&fixture, classes == 2 ? 1 : j, age, height);

            if (link == LABEL_LINK_EXP)
                expected = log(expected);
            CHECK(fabs(found - expected) < 1e-4);
        }
    }
    /* A cell that is neither a word nor a number has a row, too. */
    find_row(&fixture, "weight", "age is null", classes == 2);
    find_row(&fixture, "weight", "colour is null", classes == 2);
    find_row(&fixture, "weight", "colour in bucket 1", classes == 2);
    scorer_deinit(&scorer);
    fixture_deinit(&fixture);
}

static void weights_in_raw_units_add_up_to_the_prediction(void **state)
{
    (void)state;
    check_weights(0, 1, LABEL_LINK_NONE);
    check_weights(0, 1, LABEL_LINK_EXP);
    check_weights(2, 1, LABEL_LINK_NONE);
    check_weights(4, 4, LABEL_LINK_NONE);
}

static void a_deep_model_has_no_weights_to_read(void **state)
{
    static const uint32_t widths[] = {4, 3};
    struct fixture fixture;
    (void)state;

    fixture_init(&fixture, 3);
    fixture_layers(&fixture, widths, 2);
    fixture_write(&fixture);
    for (size_t i = 0; i < fixture.row_count; i++)
        CHECK(!slice_is(fixture.rows[i].part, "weight"));
    fixture_deinit(&fixture);
}

static void the_vocabulary_shows_words_and_counts(void **state)
{
    const uint32_t width = 1;
    struct fixture fixture;
    struct model_row *row;
    (void)state;

    fixture_init(&fixture, 2);
    fixture_layers(&fixture, &width, 1);
    fixture.model.transform.inputs[3].words[1] = SLICE("gr\xfc"
                                                       "n"); /* Latin-1, no UTF-8 */
    fixture_write(&fixture);
    row = find_row(&fixture, "vocabulary", "colour", 2);
    CHECK(row->has_value && row->value == 10 && row->data_is_text);
    CHECK_SLICE(row->data, "it's");
    CHECK(!find_row(&fixture, "vocabulary", "size", 1)->data_is_text);
    fixture.model.transform.inputs[3].words[1] = SLICE("green");
    fixture_deinit(&fixture);
}

static void the_meta_row_alone_tells_what_the_planner_needs(void **state)
{
    const uint32_t width = 3;
    struct fixture fixture;
    struct model model;
    struct error err;
    (void)state;

    fixture_init(&fixture, 3);
    fixture_layers(&fixture, &width, 1);
    fixture_write(&fixture);
    CHECK_OK(model_read_meta(find_row(&fixture, "meta", "meta", 0)->data, kinds, &fixture.arena,
                             &model, &err));
    CHECK_SLICE(model.estimator, "DNNClassifier");
    CHECK_SLICE(model.label, "class");
    CHECK_INT(model.transform.input_count, 4);
    CHECK_SLICE(model.transform.inputs[2].spec.name, "colour");
    CHECK(!model.content && !model.transform.inputs[2].words);
    fixture_deinit(&fixture);
}

/* Which decides who scores: nobody loads a model for it. */
static void the_meta_row_tells_how_large_the_model_is_and_what_a_row_costs(void **state)
{
    const uint32_t widths[] = {5, 3};
    const size_t rows = 3 + 1 + 2 + 3 + 3; /* numbers and a "was NULL"; words, buckets, others */
    struct fixture fixture;
    struct model model;
    struct error err;
    (void)state;

    fixture_init(&fixture, 3);
    fixture_layers(&fixture, widths, 2);
    fixture_write(&fixture);
    CHECK_OK(model_read_meta(find_row(&fixture, "meta", "meta", 0)->data, kinds, &fixture.arena,
                             &model, &err));
    CHECK_INT(fixture.network.layers[0].rows, rows);
    CHECK_INT(model.memory, (rows * 5 + 5 + 5 * 3 + 3) * sizeof(float) + 5 * 64 /* words */);
    CHECK(model.multiplications == model_cost(&fixture.model).multiplications);
    CHECK(model.multiplications > 0);
    fixture_deinit(&fixture);
}

static void the_digest_sees_every_part_that_predicts_and_no_other(void **state)
{
    const uint32_t widths[] = {2, 3};
    struct fixture fixture;
    struct text before, after;
    struct model *model = &fixture.model;
    (void)state;

    fixture_init(&fixture, 3);
    fixture_layers(&fixture, widths, 2);
    before = feed_of(model);
#define CHANGES(place, value)                                                                      \
    do {                                                                                           \
        __typeof__(place) kept = (place);                                                          \
        (place) = (value);                                                                         \
        after = feed_of(model);                                                                    \
        CHECK(!slice_equal(text_slice(&before), text_slice(&after)));                              \
        text_deinit(&after);                                                                       \
        (place) = kept;                                                                            \
    } while (0)
    CHANGES(model->format, 1);
    CHANGES(model->transform.inputs[0].spec.name, SLICE("agf"));
    CHANGES(model->transform.inputs[0].mean, 40.2);
    CHANGES(model->transform.inputs[0].scale, 9.8);
    CHANGES(model->transform.inputs[0].has_nulls, false);
    CHANGES(model->transform.inputs[0].null_value, 1);
    CHANGES(model->transform.inputs[2].words[1], SLICE("greem"));
    CHANGES(model->transform.inputs[2].hash_buckets, 3);
    CHANGES(model->labels.values[2].integer, 21);
    CHANGES(model->label_mean, 1);
    CHANGES(model->format, MODEL_FORMAT_LINKS);
    CHANGES(fixture.network.activation, ACTIVATION_TANH);
    CHANGES(fixture.network.layers[1].bias, fixture.network.layers[0].weights);
#undef CHANGES
    model->version = 9;
    model->rows = 1;
    model->statement = model->id = model->created_at = SLICE("");
    after = feed_of(model);
    CHECK(slice_equal(text_slice(&before), text_slice(&after)));
    text_deinit(&before);
    text_deinit(&after);
    model->format = MODEL_FORMAT_LINKS;
    before = feed_of(model);
    model->link = LABEL_LINK_MARGIN;
    after = feed_of(model);
    CHECK(!slice_equal(text_slice(&before), text_slice(&after)));
    text_deinit(&before);
    text_deinit(&after);
    fixture_deinit(&fixture);
}

/* One row changed by `spoil` makes the whole table unreadable. */
static void check_refused(void (*spoil)(struct fixture *fixture), enum status status,
                          const char *message)
{
    static const uint32_t widths[] = {4, 3};
    struct fixture fixture;
    struct model model;
    struct arena arena;
    struct error err;

    for (int backwards = 0; backwards < 2; backwards++) {
        fixture_init(&fixture, 3);
        fixture_layers(&fixture, widths, 2);
        fixture_write(&fixture);
        spoil(&fixture);
        arena_init(&arena, (size_t)1 << 20);
        CHECK_FAILS(read_rows(&fixture, backwards, &arena, &model, &err), status, message);
        arena_deinit(&arena);
        fixture_deinit(&fixture);
    }
}

static void drop_meta(struct fixture *fixture)
{
    fixture->rows[0] = fixture->rows[--fixture->row_count];
}

/* The weight part is not read back: a row that becomes one is gone. */
static void drop_bias(struct fixture *fixture)
{
    find_row(fixture, "tensor", "layer0/bias", 0)->part = SLICE("weight");
}

static void drop_word(struct fixture *fixture)
{
    find_row(fixture, "vocabulary", "colour", 1)->part = SLICE("weight");
}

static void repeat_word(struct fixture *fixture)
{
    find_row(fixture, "vocabulary", "colour", 1)->data =
        find_row(fixture, "vocabulary", "colour", 0)->data;
}

static void repeat_position(struct fixture *fixture)
{
    find_row(fixture, "vocabulary", "colour", 1)->position = 0;
}

static void move_chunk(struct fixture *fixture)
{
    find_row(fixture, "tensor", "layer1/bias", 0)->position = 1;
}

static void negative_chunk(struct fixture *fixture)
{
    find_row(fixture, "tensor", "layer1/bias", 0)->position = -1;
}

static void flip_bit(struct fixture *fixture)
{
    ((char *)find_row(fixture, "tensor", "layer1/bias", 0)->data.data)[9] ^= 1;
}

static void cut_chunk(struct fixture *fixture)
{
    find_row(fixture, "tensor", "layer0/weights", 0)->data.size -= 4;
}

static void empty_chunk(struct fixture *fixture)
{
    find_row(fixture, "tensor", "layer0/weights", 0)->data.size = 0;
}

static void unknown_part(struct fixture *fixture)
{
    fixture->rows[fixture->row_count - 1].part = SLICE("code");
}

static void not_finite(struct fixture *fixture)
{
    static float bias[] = {0, NAN, 0};

    fixture->network.layers[1].bias = bias;
    fixture_write(fixture);
}

/* Replace in the meta row's JSON. */
static void replace(struct fixture *fixture, const char *old, const char *new)
{
    struct model_row *row = find_row(fixture, "meta", "meta", 0);
    const char *at = strstr(row->data.data, old);

    CHECK(at);
    row->data = arena_printf(&fixture->arena, "%.*s%s%s", (int)(at - row->data.data),
                             row->data.data, new, at + strlen(old));
}

static void huge_layer(struct fixture *fixture)
{
    replace(fixture, "\"width\":4", "\"width\":65536");
    replace(fixture, "{\"rows\":4,", "{\"rows\":65536,");
}

static void wrong_chain(struct fixture *fixture)
{
    replace(fixture, "\"width\":4", "\"width\":5");
}

static void wrong_outputs(struct fixture *fixture)
{
    replace(fixture, "\"width\":3", "\"width\":2");
}

static void wrong_vocabulary(struct fixture *fixture)
{
    replace(fixture, "\"words\":3", "\"words\":10000000");
}

static void wrong_scale(struct fixture *fixture)
{
    replace(fixture, "\"scale\":9.7", "\"scale\":0");
}

static void other_scale(struct fixture *fixture)
{
    replace(fixture, "\"scale\":9.7", "\"scale\":1.7");
}

static void other_label(struct fixture *fixture)
{
    replace(fixture, "[0,10,20]", "[0,10,21]");
}

static void wrong_order_of_labels(struct fixture *fixture)
{
    replace(fixture, "[0,10,20]", "[0,20,10]");
}

static void wrong_digest(struct fixture *fixture)
{
    replace(fixture, "\"digest\":\"0", "\"digest\":\"/");
}

static void newer_format(struct fixture *fixture)
{
    replace(fixture, "\"format\":2", "\"format\":99");
}

static void other_family(struct fixture *fixture)
{
    replace(fixture, "\"family\":\"network\"", "\"family\":\"forest\"");
}

static void a_table_that_was_tampered_with_is_refused(void **state)
{
    (void)state;
    check_refused(drop_meta, STATUS_CORRUPT, "no meta row");
    check_refused(drop_bias, STATUS_CORRUPT, "layer0/bias lacks 1 of 1 chunks");
    check_refused(drop_word, STATUS_CORRUPT, "1 words of its vocabularies are missing");
    check_refused(repeat_word, STATUS_CORRUPT, "repeats \"red\"");
    check_refused(repeat_position, STATUS_CORRUPT, "is there twice");
    check_refused(move_chunk, STATUS_CORRUPT, "does not belong");
    check_refused(negative_chunk, STATUS_CORRUPT, "does not belong");
    check_refused(flip_bit, STATUS_CORRUPT, "checksum");
    check_refused(cut_chunk, STATUS_CORRUPT, "another size");
    check_refused(empty_chunk, STATUS_CORRUPT, "another size");
    check_refused(unknown_part, STATUS_CORRUPT, "no known part");
    check_refused(not_finite, STATUS_CORRUPT, "layer1/bias has a number that is not finite");
    check_refused(wrong_chain, STATUS_CORRUPT, "layer 1 has 4 rows, where 5 belong");
    check_refused(wrong_outputs, STATUS_CORRUPT, "2 outputs, where 3 belong");
    check_refused(wrong_vocabulary, STATUS_CORRUPT, "layer 0 has");
    check_refused(wrong_scale, STATUS_CORRUPT, "scale");
    check_refused(wrong_order_of_labels, STATUS_CORRUPT, "ascending");
    check_refused(wrong_digest, STATUS_CORRUPT, "digest");
    check_refused(other_scale, STATUS_CORRUPT, "it was changed after training");
    check_refused(other_label, STATUS_CORRUPT, "it was changed after training");
    check_refused(newer_format, STATUS_UNSUPPORTED, "format 99");
    check_refused(other_family, STATUS_UNSUPPORTED, "forest");
}

static void sizes_beyond_the_arena_are_refused_before_they_are_taken(void **state)
{
    (void)state;
    check_refused(huge_layer, STATUS_NO_MEMORY, "layer0/weights of the model: 3145728 bytes");
}

static void a_text_that_json_would_cut_is_not_written(void **state)
{
    const uint32_t width = 1;
    struct fixture fixture;
    struct error err;
    (void)state;

    fixture_init(&fixture, 2);
    fixture_layers(&fixture, &width, 1);
    fixture.model.label = (struct slice){"a\0b", 3};
    CHECK_FAILS(model_write(&fixture.model, fixture_keep, &fixture, &err), STATUS_INVALID,
                "zero byte");
    fixture_deinit(&fixture);
}

static void write_nothing(const struct model *model, cJSON *object)
{
    (void)model;
    (void)object;
}

static enum status read_nothing(const cJSON *object, struct arena *arena, struct model *model,
                                struct error *err)
{
    (void)object;
    (void)arena;
    (void)err;
    model->content = "";
    return STATUS_OK;
}

static bool has_no_number(const struct model *model, uint32_t i, uint64_t *number)
{
    (void)model;
    (void)i;
    (void)number;
    return false;
}

static bool has_no_array(const struct model *model, uint32_t i, struct model_array *array)
{
    (void)model;
    (void)i;
    (void)array;
    return false;
}

static void a_model_without_a_label_says_so_and_reads_back(void **state)
{
    static const struct kind dots = {.name = "dots",
                                     .write_content = write_nothing,
                                     .read_content = read_nothing,
                                     .number = has_no_number,
                                     .array = has_no_array};
    const struct kind *const dots_alone[] = {&dots, NULL};
    struct fixture fixture;
    struct model model;
    struct text meta;
    struct error err;
    (void)state;

    fixture_init(&fixture, 0);
    text_init(&meta, TEXT_MAXIMUM);
    fixture.model.kind = &dots;
    fixture.model.task = TASK_CLUSTERING;
    fixture.model.label = SLICE("");
    fixture.model.labels = (struct labels){.type = LABEL_NONE};
    CHECK_OK(model_meta_write(&fixture.model, &meta, &err));
    CHECK(strstr(text_string(&meta), "\"labels\":{\"type\":\"none\"}"));
    CHECK_OK(model_meta_read(text_slice(&meta), dots_alone, &fixture.arena, &model, &err));
    CHECK_INT(model.task, TASK_CLUSTERING);
    CHECK_INT(model.labels.type, LABEL_NONE);
    CHECK_INT(model.label.size, 0);
    CHECK(model.labels.count == 0 && model.label_scale == 1);

    fixture.model.labels.type = LABEL_REAL; /* no clusters have such labels */
    text_clear(&meta);
    CHECK_OK(model_meta_write(&fixture.model, &meta, &err));
    CHECK_FAILS(model_meta_read(text_slice(&meta), dots_alone, &fixture.arena, &model, &err),
                STATUS_CORRUPT, "a model of clusters with labels of type \"real\"");
    fixture.model.task = TASK_REGRESSION; /* and no regressor is without */
    fixture.model.labels.type = LABEL_NONE;
    text_clear(&meta);
    CHECK_OK(model_meta_write(&fixture.model, &meta, &err));
    CHECK_FAILS(model_meta_read(text_slice(&meta), dots_alone, &fixture.arena, &model, &err),
                STATUS_CORRUPT, "a regressor with labels of type \"none\"");
    text_deinit(&meta);
    fixture_deinit(&fixture);
}

static void a_label_may_have_the_longest_type_that_a_job_takes(void **state)
{
    const uint32_t width = 3;
    char type[TYPE_BYTES_MAX + 1];
    struct fixture fixture;
    struct model model;
    struct text meta;
    struct error err;
    (void)state;

    memset(type, 't', sizeof type);
    fixture_init(&fixture, 3);
    fixture_layers(&fixture, &width, 1);
    text_init(&meta, TEXT_MAXIMUM);
    fixture.model.label_declared = (struct slice){type, TYPE_BYTES_MAX};
    CHECK_OK(model_meta_write(&fixture.model, &meta, &err));
    CHECK_OK(model_meta_read(text_slice(&meta), kinds, &fixture.arena, &model, &err));
    CHECK(slice_equal(model.label_declared, fixture.model.label_declared));
    fixture.model.label_declared.size++;
    text_clear(&meta);
    CHECK_OK(model_meta_write(&fixture.model, &meta, &err));
    CHECK_FAILS(model_meta_read(text_slice(&meta), kinds, &fixture.arena, &model, &err),
                STATUS_CORRUPT, "\"label_declared\" has 1001 bytes, where at most 1000 are read");
    text_deinit(&meta);
    fixture_deinit(&fixture);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(models_of_older_formats_are_read),
        cmocka_unit_test(an_input_keeps_its_limit),
        cmocka_unit_test(an_input_may_be_a_text),
        cmocka_unit_test(an_input_keeps_its_code),
        cmocka_unit_test(a_model_comes_back_as_it_was_written_in_any_order_of_rows),
        cmocka_unit_test(parts_of_a_column_come_back),
        cmocka_unit_test(large_tensors_travel_in_chunks),
        cmocka_unit_test(a_model_can_be_written_by_pieces_of_any_size),
        cmocka_unit_test(labels_of_every_type_come_back),
        cmocka_unit_test(weights_in_raw_units_add_up_to_the_prediction),
        cmocka_unit_test(a_deep_model_has_no_weights_to_read),
        cmocka_unit_test(the_vocabulary_shows_words_and_counts),
        cmocka_unit_test(the_meta_row_alone_tells_what_the_planner_needs),
        cmocka_unit_test(the_meta_row_tells_how_large_the_model_is_and_what_a_row_costs),
        cmocka_unit_test(the_digest_sees_every_part_that_predicts_and_no_other),
        cmocka_unit_test(a_table_that_was_tampered_with_is_refused),
        cmocka_unit_test(sizes_beyond_the_arena_are_refused_before_they_are_taken),
        cmocka_unit_test(a_text_that_json_would_cut_is_not_written),
        cmocka_unit_test(a_model_without_a_label_says_so_and_reads_back),
        cmocka_unit_test(a_label_may_have_the_longest_type_that_a_job_takes),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
