#include "runtime/data/columns/weightless_classes.h"

#include "jobspec/jobspec_sections.h"
#include "runtime/data/columns/class_names.h"
#include "runtime/data/spool/column_counts.h"

#define CLASSES_NAMED 3

/* Why a class weighs nothing. */
enum weightless { WEIGHS, WEIGHS_NO_ROW, WEIGHS_NO_CLASS };

static enum weightless weight_of(const struct column_counts *weighed, const struct dataset *dataset,
                                 uint32_t class)
{
    uint32_t entry;

    if (!(dataset->class_weights[class] > 0))
        return WEIGHS_NO_CLASS;
    if (!weighed || dataset->class_counts[class] == 0)
        return WEIGHS;
    entry = word_table_find(&weighed->table, class_word(&dataset->labels.values[class]));
    return entry != WORD_TABLE_NONE && weighed->table.entries[entry].count > 0 ? WEIGHS
                                                                               : WEIGHS_NO_ROW;
}

/* The first of those that weigh nothing for that reason, and their rows. */
static uint32_t list_classes(const struct column_counts *weighed, const struct dataset *dataset,
                             enum weightless why, uint64_t *rows, struct text *list)
{
    uint32_t count = 0;

    *rows = 0;
    for (uint32_t class = 0; class < dataset->labels.count; class ++) {
        if (weight_of(weighed, dataset, class) != why)
            continue;
        *rows += dataset->class_counts[class];
        if (++count <= CLASSES_NAMED) {
            text_append_string(list, count > 1 ? ", " : "");
            class_name_append(&dataset->labels, class, list);
        }
    }
    if (count > CLASSES_NAMED)
        text_printf(list, " and %u more", count - CLASSES_NAMED);
    return count;
}

/* Why these classes weigh nothing, as a notice or an error says it. */
static void print_reason(const struct column_statistics *statistics, enum weightless why,
                         uint32_t count, uint64_t rows, const char *classes, struct text *out)
{
    const struct jobspec *spec = statistics->spec;

    if (why == WEIGHS_NO_ROW)
        text_printf(out, "weight column \"%.*s\" is 0",
                    SLICE_FORMAT(statistics->columns[statistics->weight].name));
    else
        text_append_string(out, "train.class_weight is 0");
    text_printf(out, " in all %llu training rows of class%s %s of \"%.*s\"",
                (unsigned long long)rows, count == 1 ? "" : "es", classes,
                SLICE_FORMAT(spec->label));
}

static enum status refuse(const struct column_statistics *statistics, enum weightless why,
                          const char *reason, struct error *err)
{
    fail(err, STATUS_INVALID, "%s, and the model needs a weight of each class", reason);
    if (why == WEIGHS_NO_CLASS)
        return error_hint(err, "Leave the rows of such classes out of the SELECT.");
    return error_hint(err, "WHERE %s > 0 in the SELECT leaves rows without weight out.",
                      SQL_NAME(statistics->columns[statistics->weight].name));
}

static void note(const struct column_statistics *statistics, enum weightless why,
                 const char *reason, const struct dataset *dataset)
{
    struct notice_list *notices = dataset->notices;

    notice_add(notices, NOTICE_RARE_CLASS, "%s: nothing is learned of them%s", reason,
               dataset->old_model ? "" : ", and none is predicted");
    if (why == WEIGHS_NO_ROW)
        notice_hint(notices,
                    "Give these rows a weight above 0, or leave them out of the SELECT: "
                    "WHERE %s > 0.",
                    SQL_NAME(statistics->columns[statistics->weight].name));
    else
        notice_hint(notices, "Metrics count these rows: leave them out of the SELECT if they "
                             "should not count.");
}

static enum status tell(const struct column_statistics *statistics, enum weightless why,
                        struct dataset *dataset, struct error *err)
{
    struct text classes, reason;
    uint64_t rows;
    uint32_t count;
    enum status status = STATUS_OK;

    text_init(&classes, NOTICE_BYTES_MAX);
    text_init(&reason, NOTICE_BYTES_MAX);
    count = list_classes(weighed_labels(statistics), dataset, why, &rows, &classes);
    dataset->weightless_classes += count;
    print_reason(statistics, why, count, rows, text_string(&classes), &reason);
    if (count > 0 && kind_of(statistics->spec)->weighs_each_class)
        status = refuse(statistics, why, text_string(&reason), err);
    else if (count > 0)
        note(statistics, why, text_string(&reason), dataset);
    text_deinit(&classes);
    text_deinit(&reason);
    return status;
}

enum status weightless_classes(const struct column_statistics *statistics, struct dataset *dataset,
                               struct error *err)
{
    dataset->weightless_classes = 0;
    TRY(tell(statistics, WEIGHS_NO_CLASS, dataset, err));
    return tell(statistics, WEIGHS_NO_ROW, dataset, err);
}
