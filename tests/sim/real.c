#include "sim/real.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "data/spool.h"

#define COLUMNS_MAX    64
#define LINE_MAX_BYTES 4096

struct real {
    struct jobspec spec;
    struct dataset dataset;
    struct spec_input inputs[COLUMNS_MAX];
    char header[LINE_MAX_BYTES];
    char folder[32];
};

static void check(enum status status, const struct error *err)
{
    if (status == STATUS_OK)
        return;
    fprintf(stderr, "sim: %s\n", err->message);
    exit(1);
}

static size_t split(char *line, struct slice *cells)
{
    size_t count = 0;
    char *at = line;

    line[strcspn(line, "\r\n")] = '\0';
    while (count < COLUMNS_MAX) {
        size_t size = strcspn(at, ",");

        cells[count++] = (struct slice){at, size};
        if (!at[size])
            break;
        at += size + 1;
    }
    return count;
}

static void put_row(struct spool_writer *writer, const struct slice *cells, size_t count,
                    struct error *err)
{
    for (size_t i = 0; i + 1 < count; i++) {
        double value = 0;

        slice_to_real(cells[i], &value);
        check(spool_put_real(writer, value, err), err);
    }
    check(spool_put_text(writer, cells[count - 1], err), err);
    check(spool_end_row(writer, err), err);
}

static void spool_csv(struct real *real, const char *csv, struct error *err)
{
    struct spool_column columns[COLUMNS_MAX];
    struct slice cells[COLUMNS_MAX];
    struct spool_writer *writer;
    char path[64], line[LINE_MAX_BYTES];
    FILE *file = fopen(csv, "r");
    size_t count;

    if (!file || !fgets(real->header, sizeof real->header, file)) {
        fprintf(stderr, "sim: cannot read %s\n", csv);
        exit(1);
    }
    count = split(real->header, cells);
    for (size_t i = 0; i < count; i++) {
        bool is_label = i + 1 == count;

        columns[i] = (struct spool_column){cells[i], is_label ? SPOOL_TEXT : SPOOL_REAL};
        real->inputs[i] = (struct spec_input){.name = cells[i], .kind = SPEC_NUMERIC};
    }
    real->spec.input_count = count - 1;
    real->spec.label = cells[count - 1];
    snprintf(path, sizeof path, "%s/train.spool", real->folder);
    check(spool_writer_open(path, columns, count, 0, &writer, err), err);
    while (fgets(line, sizeof line, file))
        if (split(line, cells) == count)
            put_row(writer, cells, count, err);
    check(spool_writer_close(writer, err), err);
    fclose(file);
}

static void fill_spec(struct real *real)
{
    struct jobspec *spec = &real->spec;

    spec->statement = SLICE("simulated");
    spec->estimator = SLICE("DNNClassifier");
    spec->family = SLICE("network");
    spec->model_name = SLICE("m");
    spec->task = SPEC_CLASSIFICATION;
    spec->inputs = real->inputs;
    spec->label_type = SPEC_LABEL_TEXT;
    spec->hidden_units[0] = 8;
    spec->hidden_layers = 1;
    spec->activation = SPEC_RELU;
    spec->standardize = true;
    spec->batch_size = 32;
    spec->epochs = 6;
    spec->seed = 1;
    spec->shuffle = true;
    spec->test_size = 0.2;
    spec->metrics[0] = SLICE("Accuracy");
    spec->metric_count = 1;
    spec->optimizer = SPEC_ADAM;
    spec->learning_rate = 0.01;
    spec->beta1 = 0.9;
    spec->beta2 = 0.999;
    spec->epsilon = 1e-8;
    spec->schedule = SPEC_CONSTANT;
    spec->lanes = 6;
    spec->min_workers = 1;
    spec->max_workers = 5;
}

static struct learning open_learner(void *context)
{
    struct real *real = context;
    struct learner *learner;
    struct error err;

    error_clear(&err);
    check(learner_open(&real->spec, &real->dataset, &learner, &err), &err);
    return learning_of(learner);
}

static void close_learner(void *context, struct learning learning)
{
    (void)context;
    learner_close(learning.self);
}

struct subject real_subject_open(const char *csv)
{
    struct real *real = calloc(1, sizeof *real);
    struct error err;
    char path[64];

    if (!real)
        abort();
    error_clear(&err);
    snprintf(real->folder, sizeof real->folder, "/tmp/totrain-sim.XXXXXX");
    if (!mkdtemp(real->folder)) {
        perror("sim: mkdtemp");
        exit(1);
    }
    fill_spec(real);
    spool_csv(real, csv, &err);
    check(dataset_open(real->folder, &real->spec, &real->dataset, &err), &err);
    snprintf(path, sizeof path, "%s/train.spool", real->folder);
    unlink(path);
    rmdir(real->folder);
    return (struct subject){.context = real, .open = open_learner, .close = close_learner};
}

void real_subject_close(struct subject *subject)
{
    struct real *real = subject->context;

    dataset_close(&real->dataset);
    free(real);
}
