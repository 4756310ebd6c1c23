/* SPDX-License-Identifier: Apache-2.0
 * TfIdfVectorizer: how often each n-gram of a pool occurs in a row of words or numbers. An n-gram
 * may skip up to max_skip_count items between its own; single items are counted once, whatever is
 * skipped. With c the count:
 * TF: y = c; IDF: y = w·min (c, 1); TFIDF: y = w·c. Source: the operator text of ONNX. */
#include "engine/ops/text/sonde-string-private.h"
#include "engine/ops/sonde-op-dependency-rules.h"

#include <string.h>

#define MOST_COLUMNS ((gint64) 1 << 31)

/**
 * Pool: the n-grams as a tree of items
 * @words: text -> number + 1, of string pools
 * @numbers: the same of integers
 * @next: place in the tree << 32 | item -> next place
 * @gram_of: by place: number of the n-gram that ends there, -1
 */
typedef struct
{
  GHashTable *words;
  GHashTable *numbers;
  GHashTable *next;
  GArray *gram_of;
} Pool;

static void
pool_clear (Pool *pool)
{
  g_clear_pointer (&pool->words, g_hash_table_unref);
  g_clear_pointer (&pool->numbers, g_hash_table_unref);
  g_clear_pointer (&pool->next, g_hash_table_unref);
  g_clear_pointer (&pool->gram_of, g_array_unref);
}
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC (Pool, pool_clear)

static guint
hash_step (gconstpointer key)
{
  guint64 bits = GPOINTER_TO_SIZE (key) * G_GUINT64_CONSTANT (0x9e3779b97f4a7c15);

  return (guint) (bits >> 32);
}

/* ---- attributes ---------------------------------------------------------- */

static const SondeAttribute *
list_of (const SondeNode *node, const char *name, SondeAttributeKind kind)
{
  const SondeAttribute *attribute = sonde_node_find_attribute (node, name);

  return attribute != NULL && attribute->kind == kind && attribute->n > 0 ? attribute : NULL;
}

static const SondeAttribute *
pool_items (const SondeNode *node)
{
  const SondeAttribute *words = list_of (node, "pool_strings", SONDE_ATTRIBUTE_STRINGS);

  return words ? words : list_of (node, "pool_int64s", SONDE_ATTRIBUTE_INTS);
}

/* First item of the grams of @length, and the one after the last. */
static void
gram_range (const SondeNode *node, gsize length, gint64 *first, gint64 *end)
{
  gsize n = 0;
  const gint64 *starts = sonde_node_get_ints (node, "ngram_counts", &n);

  *first = starts[length - 1];
  *end = length < n ? starts[length] : (gint64) pool_items (node)->n;
}

/* Every n-gram of the pool, whole, and one index for each. */
static gboolean
check_pool (const SondeNode *node, GError **error)
{
  gsize n_lengths = 0, n_indexes = 0;
  const gint64 *indexes = sonde_node_get_ints (node, "ngram_indexes", &n_indexes);
  const SondeAttribute *items = pool_items (node),
                       *weights = list_of (node, "weights", SONDE_ATTRIBUTE_FLOATS);
  gint64 grams = 0;

  (void) sonde_node_get_ints (node, "ngram_counts", &n_lengths);
  if (items == NULL || n_lengths == 0 || n_lengths > G_MAXINT || n_indexes == 0)
    return sonde_infer_fail (error, "needs a pool, ngram_counts and ngram_indexes");
  for (gsize length = 1; length <= n_lengths; length++)
    {
      gint64 first = 0, end = 0;

      gram_range (node, length, &first, &end);
      if (first < 0 || end < first || end > (gint64) items->n
          || (end - first) % (gint64) length != 0)
        return sonde_infer_fail (error,
                                 "the %zu-grams from %" PRIi64 " to %" PRIi64
                                 " do not lie whole in the pool of %zu",
                                 length, first, end, items->n);
      grams += (end - first) / (gint64) length;
    }
  if (grams != (gint64) n_indexes || (weights != NULL && weights->n != n_indexes))
    return sonde_infer_fail (
        error, "the pool has %" PRIi64 " n-grams, but there are %zu indexes and %zu weights", grams,
        n_indexes, weights ? weights->n : n_indexes);
  for (gsize i = 0; i < n_indexes; i++)
    if (indexes[i] < 0 || indexes[i] >= MOST_COLUMNS)
      return sonde_infer_fail (error, "ngram_indexes has %" PRIi64, indexes[i]);
  if (sonde_node_get_int (node, "min_gram_length", 1)
          > sonde_node_get_int (node, "max_gram_length", 1)
      || sonde_node_get_int (node, "max_gram_length", 1) > (gint64) n_lengths)
    return sonde_infer_fail (
        error,
        "n-grams of the lengths from min_gram_length to max_gram_length are not all in the pool");
  return TRUE;
}

static gint64
n_columns (const SondeNode *node)
{
  gsize n = 0;
  const gint64 *indexes = sonde_node_get_ints (node, "ngram_indexes", &n);
  gint64 most = 0;

  for (gsize i = 0; i < n; i++)
    most = MAX (most, indexes[i]);
  return most + 1;
}

static gboolean
infer_vectorizer (SondeInferContext *context, GError **error)
{
  const SondeType *x = &context->inputs[0];

  if (!check_pool (context->node, error))
    return FALSE;
  if (x->dtype != SONDE_DTYPE_INVALID
      && (pool_items (context->node)->kind == SONDE_ATTRIBUTE_STRINGS
              ? x->dtype != SONDE_DTYPE_STRING
              : !sonde_dtype_is_integer (x->dtype)))
    return sonde_infer_fail (error, "input 0 is %s, but the pool is not",
                             sonde_dtype_name (x->dtype));
  if (!sonde_infer_ready (context, 1))
    return TRUE;
  if (x->rank < 1 || x->rank > 2)
    return sonde_infer_fail (error, "input 0 must be a list, or a matrix of rows");
  context->outputs[0] = sonde_infer_type (SONDE_DTYPE_F32, x->rank);
  context->outputs[0].dims[0] = x->dims[0];
  context->outputs[0].dims[x->rank - 1] = sonde_dimension (n_columns (context->node));
  return TRUE;
}

/* ---- the pool ------------------------------------------------------------ */

/* Numbers items as they come; 0: not in the pool (when it is not @add). */
static guint
item_number (Pool *pool, const SondeAttribute *items, gsize i, gboolean words)
{
  GHashTable *table = words ? pool->words : pool->numbers;
  gconstpointer key
      = words ? (gconstpointer) items->u.strings[i] : (gconstpointer) &items->u.ints[i];
  guint number = GPOINTER_TO_UINT (g_hash_table_lookup (table, key));

  if (number == 0)
    {
      number = g_hash_table_size (table) + 1;
      g_hash_table_insert (table, (gpointer) key, GUINT_TO_POINTER (number));
    }
  return number;
}

static guint
next_place (const Pool *pool, guint place, guint item)
{
  guint64 step = (guint64) place << 32 | item;

  return item == 0 ? 0
                   : GPOINTER_TO_UINT (g_hash_table_lookup (pool->next, GSIZE_TO_POINTER (step)));
}

static void
add_gram (Pool *pool, const SondeAttribute *items, gsize first, gsize length, gint64 gram)
{
  gboolean words = items->kind == SONDE_ATTRIBUTE_STRINGS;
  guint place = 0;

  for (gsize i = 0; i < length; i++)
    {
      guint item = item_number (pool, items, first + i, words);
      guint next = next_place (pool, place, item);

      if (next == 0)
        {
          next = pool->gram_of->len;
          g_array_append_vals (pool->gram_of, &(gint64){ -1 }, 1);
          g_hash_table_insert (pool->next, GSIZE_TO_POINTER ((guint64) place << 32 | item),
                               GUINT_TO_POINTER (next));
        }
      place = next;
    }
  g_array_index (pool->gram_of, gint64, place) = gram;
}

static void
pool_init (Pool *pool, const SondeNode *node)
{
  const SondeAttribute *items = pool_items (node);
  gsize n_lengths = 0, least = (gsize) sonde_node_get_int (node, "min_gram_length", 1);
  gsize most = (gsize) sonde_node_get_int (node, "max_gram_length", 1);
  gint64 gram = 0;

  *pool = (Pool){
    .words = g_hash_table_new (g_str_hash, g_str_equal),
    .numbers = g_hash_table_new (g_int64_hash, g_int64_equal),
    .next = g_hash_table_new (hash_step, NULL),
    .gram_of = g_array_new (FALSE, FALSE, sizeof (gint64)),
  };
  g_array_append_vals (pool->gram_of, &(gint64){ -1 }, 1);
  (void) sonde_node_get_ints (node, "ngram_counts", &n_lengths);
  for (gsize length = 1; length <= n_lengths; length++)
    {
      gint64 first = 0, end = 0;

      gram_range (node, length, &first, &end);
      for (; first < end; first += (gint64) length, gram++)
        if (length >= least && length <= most)
          add_gram (pool, items, (gsize) first, length, gram);
    }
}

/* ---- counting ------------------------------------------------------------ */

static guint *
number_row (const Pool *pool, const SondeTensor *x, gint64 first, gint64 n)
{
  guint *numbers = g_new (guint, n + 1);

  for (gint64 i = 0; i < n; i++)
    {
      gint64 number = x->dtype == SONDE_DTYPE_STRING ? 0 : sonde_tensor_get_int (x, first + i);

      numbers[i]
          = GPOINTER_TO_UINT (x->dtype == SONDE_DTYPE_STRING
                                  ? g_hash_table_lookup (pool->words, sonde_text_at (x, first + i))
                                  : g_hash_table_lookup (pool->numbers, &number));
    }
  return numbers;
}

/* All n-grams that start at @at with @step from item to item. */
static void
count_from (const Pool *pool, const guint *items, gint64 n, gint64 at, gint64 step,
            float *counts) /* by n-gram */
{
  guint place = 0;

  for (gint64 length = 1; at < n; at += step, length++)
    {
      gint64 gram;

      place = next_place (pool, place, items[at]);
      if (place == 0)
        return;
      gram = g_array_index (pool->gram_of, gint64, place);
      if (gram >= 0 && (length > 1 || step == 1))
        counts[gram] += 1;
      if (step > n)
        return;
    }
}

/* N-grams of one column are added up. */
static void
give_row (const SondeNode *node, const float *counts, float *row)
{
  const char *mode = sonde_node_get_string (node, "mode", "TF");
  gboolean plain = strcmp (mode, "TF") == 0, inverse = strcmp (mode, "IDF") == 0;
  const SondeAttribute *weights = plain ? NULL : list_of (node, "weights", SONDE_ATTRIBUTE_FLOATS);
  gsize n = 0;
  const gint64 *indexes = sonde_node_get_ints (node, "ngram_indexes", &n);

  for (gsize i = 0; i < n; i++)
    row[indexes[i]] += (inverse ? MIN (counts[i], 1) : counts[i])
                       * (weights ? (float) weights->u.floats[i] : 1);
}

static void
compute_vectorizer (const SondeKernelContext *context)
{
  SondeTensor *x = context->inputs[0], *y = context->outputs[0];
  gint64 columns = y->shape.dims[y->shape.rank - 1], n = x->shape.dims[x->shape.rank - 1];
  gint64 rows = x->shape.rank == 2 ? x->shape.dims[0] : 1;
  gint64 most_skipped = MIN (sonde_node_get_int (context->node, "max_skip_count", 0), n);
  g_auto (Pool) pool = { 0 };
  g_autofree float *counts = NULL;
  gsize n_grams = 0;

  pool_init (&pool, context->node);
  (void) sonde_node_get_ints (context->node, "ngram_indexes", &n_grams);
  counts = g_new (float, n_grams + 1);
  memset (y->data, 0, sonde_tensor_n_bytes (y));
  for (gint64 r = 0; r < rows; r++)
    {
      g_autofree guint *items = number_row (&pool, x, r * n, n);

      memset (counts, 0, n_grams * sizeof *counts);
      for (gint64 step = 1; step <= most_skipped + 1; step++)
        for (gint64 at = 0; at < n; at++)
          count_from (&pool, items, n, at, step, counts);
      give_row (context->node, counts, (float *) (void *) y->data + r * columns);
    }
}

static const char *const modes[] = { "TF", "IDF", "TFIDF", NULL };
static const SondeAttributeRule vectorizer_rules[] = {
  { "max_gram_length", SONDE_ATTRIBUTE_INT, TRUE, 1, G_MAXINT },
  { "max_skip_count", SONDE_ATTRIBUTE_INT, TRUE, 0, G_MAXINT },
  { "min_gram_length", SONDE_ATTRIBUTE_INT, TRUE, 1, G_MAXINT },
  { "mode", SONDE_ATTRIBUTE_STRING, TRUE, 0, 0, modes },
  { "ngram_counts", SONDE_ATTRIBUTE_INTS, TRUE },
  { "ngram_indexes", SONDE_ATTRIBUTE_INTS, TRUE },
  { "pool_int64s", SONDE_ATTRIBUTE_INTS },
  { "pool_strings", SONDE_ATTRIBUTE_STRINGS },
  { "weights", SONDE_ATTRIBUTE_FLOATS },
  { NULL },
};

const SondeOpClass sonde_ops_tfidf_vectorizer[] = {
  {
      .domain = "",
      .name = "TfIdfVectorizer",
      .since = 9,
      .min_inputs = 1,
      .max_inputs = 1,
      .min_outputs = 1,
      .max_outputs = 1,
      .family = SONDE_FAMILY_DATA,
      .attributes = vectorizer_rules,
      .infer = infer_vectorizer,
      .compute = compute_vectorizer,
      .reach = { sonde_reach_everything, 0 },
      .typing = SONDE_TYPING_OWN,
  },
  { .name = NULL },
};
