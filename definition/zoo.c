#include "definition/zoo.h"

/* clang-format off: texts as they are shown. */
const struct zoo_definition zoo_definitions[] = {
    {"zoo/logistic", "A linear model: one layer over numbers and words.",
     "DEFINE MODEL zoo/logistic AS '\n"
     "  return dense(numbers, words, outputs)\n"
     "'"},
    {"zoo/mlp", "Layers over numbers and embedded words.",
     "DEFINE MODEL zoo/mlp (hidden = [64, 32], dim = 8, dropout = 0.0) AS '\n"
     "  parts = [numbers];\n"
     "  for c in categories { parts = parts + [embedding(c, dim)] }\n"
     "  h = concat(parts);\n"
     "  for n in hidden { h = dropout(relu(dense(h, n)), dropout) }\n"
     "  return dense(h, outputs)\n"
     "'"},
    {"zoo/shared_bottom",
     "Layers that several labels share, and a head for each (Caruana 1997, Multitask Learning).",
     "DEFINE MODEL zoo/shared_bottom (hidden = [64, 32], dim = 8, dropout = 0.0) AS '\n"
     "  parts = [numbers];\n"
     "  for c in categories { parts = parts + [embedding(c, dim)] }\n"
     "  h = concat(parts);\n"
     "  for n in hidden { h = dropout(relu(dense(h, n)), dropout) }\n"
     "  heads = [];\n"
     "  for l in labels { heads = heads + [dense(h, outputs(l))] }\n"
     "  return heads\n"
     "'"},
    {"zoo/wide_deep",
     "A linear model beside layers over embeddings (Cheng and others 2016, Wide & Deep Learning "
     "for "
     "Recommender Systems).",
     "DEFINE MODEL zoo/wide_deep (hidden = [64, 32], dim = 8, dropout = 0.0) AS '\n"
     "  parts = [numbers];\n"
     "  for c in categories { parts = parts + [embedding(c, dim)] }\n"
     "  h = concat(parts);\n"
     "  for n in hidden { h = dropout(relu(dense(h, n)), dropout) }\n"
     "  return dense(numbers, words, outputs) + dense(h, outputs)\n"
     "'"},
    {"zoo/two_towers",
     "Layers over a user, an item, their product and numbers (Covington and others 2016, Deep "
     "Neural "
     "Networks for YouTube Recommendations, has such towers).",
     "DEFINE MODEL zoo/two_towers (dim = 16, hidden = [64, 32], dropout = 0.1,\n"
     "                             user = 'user_id', item = 'item_id') AS '\n"
     "  u = embedding(column(user), dim);\n"
     "  i = embedding(column(item), dim);\n"
     "  h = concat(u, i, u * i, numbers);\n"
     "  for n in hidden { h = dropout(relu(dense(h, n)), dropout) }\n"
     "  return dense(h, outputs)\n"
     "'"},
    {"zoo/deepfm",
     "A linear model, a factorisation machine and layers over the same embeddings, of two classes "
     "or "
     "numbers (Guo and others 2017, DeepFM).",
     "DEFINE MODEL zoo/deepfm (hidden = [64, 32], dim = 8, dropout = 0.0) AS '\n"
     "  parts = [numbers];\n"
     "  total = 0;\n"
     "  squares = 0;\n"
     "  for c in categories {\n"
     "    e = embedding(c, dim);\n"
     "    total = total + e;\n"
     "    squares = squares + e * e;\n"
     "    parts = parts + [e]\n"
     "  }\n"
     "  h = concat(parts);\n"
     "  for n in hidden { h = dropout(relu(dense(h, n)), dropout) }\n"
     "  pairs = sum(total * total - squares) * 0.5;\n"
     "  return dense(numbers, words, outputs) + dense(h, outputs) + pairs\n"
     "'"},
    {"zoo/mnist_cnn",
     "Convolutions over pictures whose pixels are the columns, row by row (as ElasticDL's "
     "mnist_functional_api).",
     "DEFINE MODEL zoo/mnist_cnn (shape = [8, 8, 1], filters = [16, 32], units = 64, dropout = "
     "0.25) AS '\n"
     "  h = reshape(numbers, shape);\n"
     "  for f in filters { h = max_pool(relu(conv2d(h, f, 3, padding = same)), 2) }\n"
     "  h = dropout(relu(dense(flatten(h), units)), dropout);\n"
     "  return dense(h, outputs)\n"
     "'"},
    {"zoo/gru",
     "A gated recurrent unit over the numbers of COLUMN SEQUENCE(series, n) (Cho and others 2014).",
     "DEFINE MODEL zoo/gru (series = 'series', units = 32) AS '\n"
     "  return dense(gru(sequence(series), units), outputs)\n"
     "'"},
    {"zoo/dcn_v2",
     "Cross layers beside layers over the same embeddings (Wang and others 2021, DCN "
     "V2).",
     "DEFINE MODEL zoo/dcn_v2 (hidden = [64, 32], dim = 8, cross_layers = 2, dropout = 0.0) AS '\n"
     "  parts = [numbers];\n"
     "  for c in categories { parts = parts + [embedding(c, dim)] }\n"
     "  x = concat(parts);\n"
     "  crossed = x;\n"
     "  for i in range(cross_layers) { crossed = x * dense(crossed, width(x)) + crossed }\n"
     "  h = x;\n"
     "  for n in hidden { h = dropout(relu(dense(h, n)), dropout) }\n"
     "  return dense(concat(crossed, h), outputs)\n"
     "'"},
    {"zoo/resnet_small",
     "Convolutions with what they took added to what they give, over pictures whose "
     "pixels are the columns (He and others 2016).",
     "DEFINE MODEL zoo/resnet_small (shape = [8, 8, 1], filters = [16, 32], blocks = 1,\n"
     "                               dropout = 0.2) AS '\n"
     "  function twice(x, f) {\n"
     "    y = relu(batch_norm(conv2d(x, f, 3, padding = same)));\n"
     "    return batch_norm(conv2d(y, f, 3, padding = same))\n"
     "  }\n"
     "  h = relu(batch_norm(conv2d(reshape(numbers, shape), filters[0], 3, padding = same)));\n"
     "  for f in filters {\n"
     "    h = relu(twice(h, f) + conv2d(h, f, 1));\n"
     "    for i in range(blocks - 1) { h = relu(twice(h, f) + h) }\n"
     "    h = max_pool(h, 2)\n"
     "  }\n"
     "  return dense(dropout(flatten(h), dropout), outputs)\n"
     "'"},
    {"zoo/lstm",
     "Long short-term memory over the numbers of COLUMN SEQUENCE(series, n) "
     "(Hochreiter and Schmidhuber 1997).",
     "DEFINE MODEL zoo/lstm (series = 'series', units = 32) AS '\n"
     "  return dense(lstm(sequence(series), units), outputs)\n"
     "'"},
    {"zoo/bilstm_stacked",
     "Layers of LSTM both ways over sequences (SQLFlow's StackedBiLSTMClassifier).",
     "DEFINE MODEL zoo/bilstm_stacked (stack_units = [32], hidden_size = 64, dim = 32) AS '\n"
     "  parts = number_sequences;\n"
     "  for s in word_sequences { parts = parts + [embedding(s, dim)] }\n"
     "  h = concat(parts);\n"
     "  for i in range(length(stack_units) - 1) { h = lstm(h, stack_units[i], 1, both) }\n"
     "  h = lstm(h, stack_units[-1], direction = both);\n"
     "  return dense(relu(dense(h, hidden_size)), outputs)\n"
     "'"},
    {"zoo/rnn_stacked",
     "Recurrent layers over sequences: rnn, gru or lstm (SQLFlow's "
     "StackedRNNClassifier).",
     "DEFINE MODEL zoo/rnn_stacked (stack_units = [32], hidden_size = 64, model_type = 'rnn',\n"
     "                              bidirectional = 0, dim = 32) AS '\n"
     "  parts = number_sequences;\n"
     "  for s in word_sequences { parts = parts + [embedding(s, dim)] }\n"
     "  h = concat(parts);\n"
     "  ways = [''forward'', ''both''];\n"
     "  way = ways[bidirectional];\n"
     "  for i in range(length(stack_units) - 1) {\n"
     "    h = apply(model_type, h, stack_units[i], 1, direction = way)\n"
     "  }\n"
     "  h = apply(model_type, h, stack_units[-1], direction = way);\n"
     "  return dense(relu(dense(h, hidden_size)), outputs)\n"
     "'"},
    {"zoo/rnn_time_series",
     "Recurrent layers over columns that are steps, the oldest first (SQLFlow's "
     "RNNBasedTimeSeriesModel).",
     "DEFINE MODEL zoo/rnn_time_series (stack_units = [500, 500], n_in = 7, n_out = 1,\n"
     "                                  n_features = 1, model_type = 'rnn') AS '\n"
     "  h = reshape(numbers, [n_in, n_features]);\n"
     "  for i in range(length(stack_units) - 1) { h = apply(model_type, h, stack_units[i], 1) }\n"
     "  h = dropout(apply(model_type, h, stack_units[-1]), 0.2);\n"
     "  return dense(h, n_out)\n"
     "'"},
    {"zoo/text_cnn",
     "Convolutions over words in order, and the greatest number of each filter (Kim "
     "2014).",
     "DEFINE MODEL zoo/text_cnn (dim = 64, filters = 64, sizes = [3, 4, 5], dropout = 0.5) AS '\n"
     "  parts = number_sequences;\n"
     "  for s in word_sequences { parts = parts + [embedding(s, dim)] }\n"
     "  x = concat(parts);\n"
     "  found = [];\n"
     "  for n in sizes { found = found + [max(relu(conv1d(x, filters, n, padding = same)), 0)] }\n"
     "  return dense(dropout(concat(found), dropout), outputs)\n"
     "'"},
    {"zoo/transformer_small", "Layers of attention over sequences (Vaswani and others 2017).",
     "DEFINE MODEL zoo/transformer_small (dim = 32, heads = 4, layers = 2, hidden = 64,\n"
     "                                    dropout = 0.1) AS '\n"
     "  function block(x) {\n"
     "    a = attention(dense(x, dim), dense(x, dim), dense(x, dim), heads);\n"
     "    x = layer_norm(x + dropout(dense(a, dim), dropout));\n"
     "    h = dense(gelu(dense(x, hidden)), dim);\n"
     "    return layer_norm(x + dropout(h, dropout))\n"
     "  }\n"
     "  parts = number_sequences;\n"
     "  for s in word_sequences { parts = parts + [embedding(s, dim)] }\n"
     "  h = positions(dense(concat(parts), dim));\n"
     "  for i in range(layers) { h = block(h) }\n"
     "  return dense(steps_mean(h), outputs)\n"
     "'"},
    {"zoo/tabular_transformer",
     "Layers of attention over columns, each of which is a vector (Gorishniy and "
     "others 2021, FT-Transformer).",
     "DEFINE MODEL zoo/tabular_transformer (dim = 16, heads = 4, layers = 2, hidden = 32,\n"
     "                                      dropout = 0.1) AS '\n"
     "  function block(x) {\n"
     "    a = attention(dense(x, dim), dense(x, dim), dense(x, dim), heads);\n"
     "    x = layer_norm(x + dropout(dense(a, dim), dropout));\n"
     "    h = dense(gelu(dense(x, hidden)), dim);\n"
     "    return layer_norm(x + dropout(h, dropout))\n"
     "  }\n"
     "  parts = [];\n"
     "  for x in numbers { parts = parts + [dense_each(x, dim)] }\n"
     "  for c in categories { parts = parts + [reshape(embedding(c, dim), [1, dim])] }\n"
     "  h = positions(concat(parts, axis = 0));\n"
     "  for i in range(layers) { h = block(h) }\n"
     "  return dense(mean(h, 0), outputs)\n"
     "'"},
    {"zoo/tcn",
     "Convolutions that look back ever farther, over sequences of numbers (Bai and "
     "others 2018).",
     "DEFINE MODEL zoo/tcn (filters = 32, size = 3, levels = 4, dropout = 0.1) AS '\n"
     "  function back(x, d) {\n"
     "    return dropout(relu(conv1d(x, filters, size, padding = causal, dilation = d)), dropout)\n"
     "  }\n"
     "  h = concat(number_sequences);\n"
     "  d = 1;\n"
     "  for i in range(levels) {\n"
     "    h = relu(back(back(h, d), d) + conv1d(h, filters, 1));\n"
     "    d = 2 * d\n"
     "  }\n"
     "  return dense(flatten(gather(h, -1, axis = 0)), outputs)\n"
     "'"},
    {"zoo/nbeats",
     "Blocks that each take what they explain of the last values away (Oreshkin and "
     "others 2020, N-BEATS).",
     "DEFINE MODEL zoo/nbeats (units = 64, layers = 3, blocks = 3) AS '\n"
     "  x = numbers;\n"
     "  forecast = 0;\n"
     "  for b in range(blocks) {\n"
     "    h = x;\n"
     "    for i in range(layers) { h = relu(dense(h, units)) }\n"
     "    forecast = forecast + dense(h, outputs);\n"
     "    x = x - dense(h, width(x))\n"
     "  }\n"
     "  return forecast\n"
     "'"},
    {"zoo/autoencoder",
     "Layers that make a short code of a row, and the row of the code: what they cannot give back "
     "is unusual.",
     "DEFINE MODEL zoo/autoencoder (code = 2, hidden = [32]) AS '\n"
     "  parts = [];\n"
     "  for n in numbers { parts = parts + [n] }\n"
     "  for w in words { parts = parts + [one_hot(w)] }\n"
     "  x = concat(parts);\n"
     "  h = x;\n"
     "  for n in hidden { h = relu(dense(h, n)) }\n"
     "  z = dense(h, code);\n"
     "  h = z;\n"
     "  for n in reverse(hidden) { h = relu(dense(h, n)) }\n"
     "  lost = x - dense(h, width(x));\n"
     "  loss = mean(lost * lost);\n"
     "  return z\n"
     "'"},
    {NULL, NULL, NULL},
};
/* clang-format on */

const struct zoo_definition *zoo_find(struct slice name)
{
    for (const struct zoo_definition *at = zoo_definitions; at->name; at++)
        if (slice_is(name, at->name))
            return at;
    return NULL;
}

/* Models of SQLFlow that are definitions here. */
static const struct {
    const char *name, *definition;
} namesakes[] = {
    {"StackedBiLSTMClassifier", "zoo/bilstm_stacked"},
    {"StackedRNNClassifier", "zoo/rnn_stacked"},
    {"RNNBasedTimeSeriesModel", "zoo/rnn_time_series"},
    {"TextCNN", "zoo/text_cnn"},
};

/* The definition that a model of SQLFlow's is, whose name may stand behind its package's; NULL:
 * none. */
const char *zoo_namesake(struct slice name)
{
    static const char package[] = "sqlflow_models.";
    const size_t size = sizeof package - 1;

    if (name.size > size && slice_is_fold((struct slice){name.data, size}, package))
        name = (struct slice){name.data + size, name.size - size};
    for (size_t i = 0; i < sizeof namesakes / sizeof *namesakes; i++)
        if (slice_is_fold(name, namesakes[i].name))
            return namesakes[i].definition;
    return NULL;
}
