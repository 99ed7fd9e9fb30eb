/*
 * gemm ROWS BATCH WIDTH WIDTH...: what the matrix products cost that one epoch
 * of a dense network needs, and nothing else: for each layer forward
 * (n,k)(k,m), the weights' gradient (k,n)(n,m), and the inputs' gradient
 * (n,m)(m,k) except in the first. One thread, the kernels that OpenBLAS picks
 * or OPENBLAS_CORETYPE names. Prints JSON: seconds for ROWS rows, the rate and
 * the kernels' name.
 */
#include <cblas.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#define WIDTHS_MAX       64
#define WIDTH_MAX        65536
#define BATCH_MAX        65536
#define SECONDS_AT_LEAST 0.5

struct network {
    int batch, count, widths[WIDTHS_MAX];
    float *values[WIDTHS_MAX];    /* (batch, width) of each layer: activations, then deltas */
    float *weights[WIDTHS_MAX];   /* (width, next width) */
    float *gradients[WIDTHS_MAX]; /* likewise */
};

static double seconds_now(void)
{
    struct timespec now;

    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + (double)now.tv_nsec / 1e9;
}

static long number(const char *text, long most)
{
    char *end;
    long value = strtol(text, &end, 10);

    if (*end || value < 1 || value > most) {
        fprintf(stderr, "gemm: expected 1 to %ld, not %s\n", most, text);
        exit(2);
    }
    return value;
}

/* Small numbers that differ: denormals or zeros would be timed otherwise. */
static float *matrix(int rows, int columns)
{
    size_t count = (size_t)rows * (size_t)columns;
    float *values = malloc(count * sizeof *values);

    if (!values) {
        fprintf(stderr, "gemm: out of memory\n");
        exit(1);
    }
    for (size_t i = 0; i < count; i++)
        values[i] = (float)(i * 2654435761u % 1000) / 1000 - 0.5f;
    return values;
}

static double multiplications_a_row(const struct network *network)
{
    double sum = 0;

    for (int l = 0; l + 1 < network->count; l++)
        sum += (l ? 3.0 : 2.0) * network->widths[l] * network->widths[l + 1];
    return sum;
}

static void forward(const struct network *network, int l)
{
    const int n = network->batch, k = network->widths[l], m = network->widths[l + 1];

    cblas_sgemm(CblasRowMajor, CblasNoTrans, CblasNoTrans, n, m, k, 1, network->values[l], k,
                network->weights[l], m, 0, network->values[l + 1], m);
}

static void backward(const struct network *network, int l)
{
    const int n = network->batch, k = network->widths[l], m = network->widths[l + 1];

    cblas_sgemm(CblasRowMajor, CblasTrans, CblasNoTrans, k, m, n, 1, network->values[l], k,
                network->values[l + 1], m, 0, network->gradients[l], m);
    if (l > 0)
        cblas_sgemm(CblasRowMajor, CblasNoTrans, CblasTrans, n, k, m, 1, network->values[l + 1], m,
                    network->weights[l], m, 0, network->values[l], k);
}

static void batch(const struct network *network)
{
    for (int l = 0; l + 1 < network->count; l++)
        forward(network, l);
    for (int l = network->count - 1; l-- > 0;)
        backward(network, l);
}

/* Seconds of one batch, over enough of them. */
static double measure(const struct network *network)
{
    long batches = 0;
    double started, seconds;

    for (int i = 0; i < 10; i++)
        batch(network);
    started = seconds_now();
    do {
        for (int i = 0; i < 10; i++)
            batch(network);
        batches += 10;
        seconds = seconds_now() - started;
    } while (seconds < SECONDS_AT_LEAST);
    return seconds / (double)batches;
}

int main(int count, char **arguments)
{
    struct network network = {.count = count - 3};
    double rows, seconds;

    if (network.count < 2 || network.count > WIDTHS_MAX) {
        fprintf(stderr, "usage: gemm ROWS BATCH WIDTH WIDTH...\n");
        return 2;
    }
    rows = (double)number(arguments[1], 1000000000);
    network.batch = (int)number(arguments[2], BATCH_MAX);
    for (int l = 0; l < network.count; l++) {
        network.widths[l] = (int)number(arguments[l + 3], WIDTH_MAX);
        network.values[l] = matrix(network.batch, network.widths[l]);
    }
    for (int l = 0; l + 1 < network.count; l++) {
        network.weights[l] = matrix(network.widths[l], network.widths[l + 1]);
        network.gradients[l] = matrix(network.widths[l], network.widths[l + 1]);
    }
    openblas_set_num_threads(1);
    seconds = measure(&network) / network.batch * rows;
    printf("{\"seconds\": %.6f, \"gflops\": %.1f, \"kernels\": \"%s\", \"openblas\": \"%s\"}\n",
           seconds, 2 * multiplications_a_row(&network) * rows / seconds / 1e9,
           openblas_get_corename(), openblas_get_config());
    return 0;
}
