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
