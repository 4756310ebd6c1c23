/* SPDX-License-Identifier: Apache-2.0
 * Maps: ZipMap makes one of each row of scores, DictVectorizer and CastMap make a list of one.
 * Source: the operator texts of ONNX. */
#include "engine/ops/ml/sonde-machine-learning-private.h"
#include "data/base/sonde-text.h"
#include "engine/ops/sonde-op-dependency-rules.h"
#include "engine/ops/sequence/sonde-sequence-private.h"

#include <string.h>

#define MOST_COLUMNS ((gint64) 1 << 31)

#define invalid(error, ...)                                                                        \
  (sonde_set_error ((error), SONDE_ENGINE_ERROR, SONDE_ENGINE_ERROR_INVALID, __VA_ARGS__), FALSE)

/* Keys and values of input 0. */
static gboolean
read_map (const SondeValueContext *context, SondeTensor **keys, SondeTensor **values,
          GError **error)
{
  if (sonde_value_get_kind (context->inputs[0]) != SONDE_VALUE_MAP)
    return invalid (error, "input 0 is not a map");
  *keys = sonde_value_get_tensor (sonde_value_get_item (context->inputs[0], 0));
  *values = sonde_value_get_tensor (sonde_value_get_item (context->inputs[0], 1));
  if (sonde_tensor_n_elements (*keys) == sonde_tensor_n_elements (*values))
    return TRUE;
  return invalid (error, "the map has %" PRIi64 " keys and %" PRIi64 " values",
                  sonde_tensor_n_elements (*keys), sonde_tensor_n_elements (*values));
}

static gboolean
need_map (const SondeInferContext *context, GError **error)
{
  SondeValueKind kind = context->inputs[0].kind;

  return kind == SONDE_VALUE_MAP || kind == SONDE_VALUE_NONE
         || sonde_infer_fail (error, "input 0 must be a map");
}

/* ---- ZipMap -------------------------------------------------------------- */

static gboolean
infer_zip (SondeInferContext *context, GError **error)
{
  SondeDimension rows;
  gint64 columns = -1;
  SondeMlLabels labels;

  if (!sonde_ml_find_labels (context->node, "classlabels_int64s", "classlabels_strings", &labels,
                             error)
      || !sonde_ml_need_rows (context, error))
    return FALSE;
  if (sonde_ml_get_rows (context, &rows, &columns) && columns >= 0 && columns != (gint64) labels.n)
    return sonde_infer_fail (error, "input 0 has %" PRIi64 " columns for %zu labels", columns,
                             labels.n);
  context->outputs[0] = sonde_sequence_type (context->inputs[0].dtype);
  return TRUE;
}

static gboolean
compute_zip (const SondeValueContext *context, GError **error)
{
  SondeTensor *x = sonde_value_get_tensor (context->inputs[0]);
  g_autoptr (GPtrArray) maps = g_ptr_array_new_with_free_func ((GDestroyNotify) sonde_value_unref);
  g_autoptr (SondeTensor) keys = NULL;
  gint64 rows = 0, columns = 0;
  SondeMlLabels labels;
  SondeShape shape;

  if (!sonde_kernel_infer_values (context, infer_zip, NULL, error))
    return FALSE;
  if (x == NULL
      || !sonde_ml_find_labels (context->node, "classlabels_int64s", "classlabels_strings", &labels,
                                error))
    return x != NULL ? FALSE : invalid (error, "input 0 is not a tensor");
  sonde_ml_rows_of (x, &rows, &columns);
  if (rows > 1000000)
    return invalid (
        error, "%" PRIi64 " rows would make as many maps; at most 1,000,000 are allowed", rows);
  shape = sonde_shape_make (1, columns);
  keys = sonde_tensor_new_from_data (labels.strings ? SONDE_DTYPE_STRING : SONDE_DTYPE_I64, &shape,
                                     labels.strings ? (const void *) labels.strings
                                                    : (const void *) labels.ints);
  for (gint64 r = 0; r < rows; r++)
    {
      const guint8 *row = x->data + (gsize) (r * columns) * sonde_dtype_size (x->dtype);
      g_autoptr (SondeTensor) values = sonde_tensor_new_from_data (x->dtype, &shape, row);

      g_ptr_array_add (maps, sonde_value_new_map (keys, values));
    }
  context->outputs[0] = sonde_value_new_sequence ((SondeValue *const *) maps->pdata, maps->len);
  return TRUE;
}

/* ---- DictVectorizer ------------------------------------------------------ */

static gboolean
infer_vectorize (SondeInferContext *context, GError **error)
{
  SondeMlLabels vocabulary;

  if (!sonde_ml_find_labels (context->node, "int64_vocabulary", "string_vocabulary", &vocabulary,
                             error)
      || !need_map (context, error))
    return FALSE;
  context->outputs[0] = sonde_infer_type (context->inputs[0].dtype, 1);
  context->outputs[0].dims[0] = sonde_dimension ((gint64) vocabulary.n);
  return TRUE;
}

/* Place of key @i in the vocabulary; -1: none. */
static gint64
place_of (const SondeMlLabels *vocabulary, const SondeTensor *keys, gint64 i)
{
  for (gsize p = 0; p < vocabulary->n; p++)
    if (vocabulary->strings != NULL ? strcmp (vocabulary->strings[p], sonde_text_at (keys, i)) == 0
                                    : vocabulary->ints[p] == sonde_tensor_get_int (keys, i))
      return (gint64) p;
  return -1;
}

/* Element @i of @values becomes element @to of @y, as it is. */
static void
put (const SondeTensor *values, gint64 i, SondeTensor *y, gint64 to)
{
  gsize size = sonde_dtype_size (y->dtype);

  if (y->dtype == SONDE_DTYPE_STRING)
    sonde_text_take (y, to, g_strdup (sonde_text_at (values, i)));
  else
    memcpy (y->data + (gsize) to * size, values->data + (gsize) i * size, size);
}

static gboolean
compute_vectorize (const SondeValueContext *context, GError **error)
{
  SondeTensor *keys = NULL, *values = NULL;
  g_autoptr (SondeTensor) plain = NULL, y = NULL;
  SondeMlLabels vocabulary;
  SondeShape shape;

  if (!sonde_ml_find_labels (context->node, "int64_vocabulary", "string_vocabulary", &vocabulary,
                             error)
      || !read_map (context, &keys, &values, error))
    return FALSE;
  if ((keys->dtype == SONDE_DTYPE_STRING) != (vocabulary.strings != NULL))
    return invalid (error, "keys of %s are not in the vocabulary's type",
                    sonde_dtype_name (keys->dtype));
  shape = sonde_shape_make (1, vocabulary.n);
  y = sonde_tensor_new (values->dtype, &shape);
  plain = sonde_tensor_contiguous (values);
  for (gint64 i = 0; i < sonde_tensor_n_elements (keys); i++)
    {
      gint64 to = place_of (&vocabulary, keys, i);
      char *twice
          = to >= 0 && y->dtype == SONDE_DTYPE_STRING ? ((char **) (void *) y->data)[to] : NULL;

      if (to < 0)
        return invalid (error, "a key of the map is not in the vocabulary");
      g_free (twice);
      put (plain, i, y, to);
    }
  sonde_kernel_give (context, 0, y);
  return TRUE;
}

/* ---- CastMap ------------------------------------------------------------- */

static gboolean
infer_cast (SondeInferContext *context, GError **error)
{
  const char *to = sonde_node_get_string (context->node, "cast_to", "TO_FLOAT");
  gboolean sparse
      = strcmp (sonde_node_get_string (context->node, "map_form", "DENSE"), "SPARSE") == 0;

  context->outputs[0] = sonde_infer_type (strcmp (to, "TO_STRING") == 0  ? SONDE_DTYPE_STRING
                                          : strcmp (to, "TO_INT64") == 0 ? SONDE_DTYPE_I64
                                                                         : SONDE_DTYPE_F32,
                                          2);
  context->outputs[0].dims[0] = sonde_dimension (1);
  if (sparse)
    context->outputs[0].dims[1]
        = sonde_dimension (sonde_node_get_int (context->node, "max_map", 1));
  return need_map (context, error);
}

/* Values in the order of their keys: a place for every key up to max_map, or one after the
 * other. */
static gint64 *
places_of (const SondeNode *node, const SondeTensor *keys, gint64 *columns, GError **error)
{
  gint64 n = sonde_tensor_n_elements (keys);
  gboolean sparse = strcmp (sonde_node_get_string (node, "map_form", "DENSE"), "SPARSE") == 0;
  g_autofree gint64 *places = g_new0 (gint64, n + 1);

  *columns = sparse ? sonde_node_get_int (node, "max_map", 1) : n;
  for (gint64 i = 0; i < n; i++)
    {
      gint64 key = sonde_tensor_get_int (keys, i);

      for (gint64 other = 0; other < n && !sparse; other++)
        places[i] += sonde_tensor_get_int (keys, other) < key;
      if (sparse)
        places[i] = key;
      if (places[i] >= 0 && places[i] < *columns)
        continue;
      (void) invalid (error, "key %" PRIi64 " has no place among %" PRIi64, key, *columns);
      return NULL;
    }
  return g_steal_pointer (&places);
}

static gboolean
compute_cast (const SondeValueContext *context, GError **error)
{
  SondeTensor *keys = NULL, *values = NULL;
  g_autofree gint64 *places = NULL;
  g_autoptr (SondeTensor) y = NULL;
  SondeType type = sonde_type_unknown ();
  gint64 columns = 0;
  SondeShape shape;

  if (!sonde_kernel_infer_values (context, infer_cast, &type, error)
      || !read_map (context, &keys, &values, error))
    return FALSE;
  if (!sonde_dtype_is_integer (keys->dtype) || sonde_tensor_n_elements (keys) > 10000)
    return invalid (error, "the map must have integer keys, at most 10,000");
  places = places_of (context->node, keys, &columns, error);
  if (places == NULL)
    return FALSE;
  shape = sonde_shape_make (2, 1, columns);
  y = sonde_tensor_try_new (type.dtype, &shape, NULL, N_ ("the list of the map"), error);
  if (y == NULL)
    return FALSE;
  for (gint64 i = 0; i < sonde_tensor_n_elements (keys); i++)
    {
      g_autofree char *text = sonde_tensor_format_element (values, i);
      gint64 to = places[i];

      if (y->dtype == SONDE_DTYPE_STRING)
        {
          char **strings = (char **) (void *) y->data;

          g_free (strings[to]);
          strings[to] = g_steal_pointer (&text);
        }
      else if (y->dtype == SONDE_DTYPE_I64)
        ((gint64 *) (void *) y->data)[to] = g_ascii_strtoll (text, NULL, 10);
      else
        ((float *) (void *) y->data)[to] = (float) g_ascii_strtod (text, NULL);
    }
  sonde_kernel_give (context, 0, y);
  return TRUE;
}

/* ---- rows ---------------------------------------------------------------- */

static const char *const targets[] = { "TO_FLOAT", "TO_STRING", "TO_INT64", NULL };
static const char *const forms[] = { "DENSE", "SPARSE", NULL };
static const SondeAttributeRule cast_rules[] = {
  { "cast_to", SONDE_ATTRIBUTE_STRING, FALSE, 0, 0, targets },
  { "map_form", SONDE_ATTRIBUTE_STRING, FALSE, 0, 0, forms },
  { "max_map", SONDE_ATTRIBUTE_INT, FALSE, 1, MOST_COLUMNS },
  { NULL },
};
static const SondeAttributeRule vectorize_rules[] = {
  { "int64_vocabulary", SONDE_ATTRIBUTE_INTS },
  { "string_vocabulary", SONDE_ATTRIBUTE_STRINGS },
  { NULL },
};
static const SondeAttributeRule zip_rules[] = {
  { "classlabels_int64s", SONDE_ATTRIBUTE_INTS },
  { "classlabels_strings", SONDE_ATTRIBUTE_STRINGS },
  { NULL },
};

#define MAP(onnx, rules, rule, kernel)                                                             \
  {                                                                                                \
    .domain = SONDE_ML_DOMAIN, .name = onnx, .since = 1, .min_inputs = 1, .max_inputs = 1,         \
    .min_outputs = 1, .max_outputs = 1, .flags = SONDE_OP_DYNAMIC, .family = SONDE_FAMILY_DATA,    \
    .attributes = rules, .infer = rule, .compute_values = kernel,                                  \
    .reach = { sonde_reach_everything, 0 }, .typing = SONDE_TYPING_OWN,                            \
  }

const SondeOpClass sonde_ops_zipmap_dict_vectorizer[] = {
  MAP ("CastMap", cast_rules, infer_cast, compute_cast),
  MAP ("DictVectorizer", vectorize_rules, infer_vectorize, compute_vectorize),
  MAP ("ZipMap", zip_rules, infer_zip, compute_zip),
  { .name = NULL },
};
