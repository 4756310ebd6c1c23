/* SPDX-License-Identifier: Apache-2.0
 * The domain ai.onnx.ml: what prepares features. Scaler: (x − offset)·scale; Normalizer: x / max x,
 * x / Σ|x|, x / √Σx², rows with a divisor of 0 stay; the others as their names say. Source: the
 * operator texts; what they leave open is ONNX Runtime's. */
#include "engine/ops/ml/sonde-machine-learning-private.h"
#include "engine/ops/sonde-op-dependency-rules.h"

#include "data/base/sonde-checked.h"

#include <math.h>
#include <string.h>

static gboolean
need_numbers (const SondeInferContext *context, guint k, GError **error)
{
  SondeDtype dtype = context->inputs[k].dtype;

  if (dtype == SONDE_DTYPE_INVALID || sonde_dtype_is_float (dtype)
      || sonde_dtype_is_integer (dtype))
    return TRUE;
  return sonde_infer_fail (error, "input %u is %s, but must be of numbers", k,
                           sonde_dtype_name (dtype));
}

/* As input 0, in float32. */
static gboolean
infer_float_like (SondeInferContext *context, GError **error)
{
  context->outputs[0] = context->inputs[0];
  if (context->inputs[0].kind == SONDE_VALUE_TENSOR)
    context->outputs[0].dtype = SONDE_DTYPE_F32;
  return need_numbers (context, 0, error);
}

/* A list of one number, or of one for each column. */
static gboolean
check_per_column (const SondeInferContext *context, const char *name, gsize n, GError **error)
{
  const SondeType *x = &context->inputs[0];
  gint64 columns = x->kind == SONDE_VALUE_TENSOR && x->rank > 0 ? x->dims[x->rank - 1].size : -1;

  if (n == 1 || (n > 0 && (columns < 0 || (gint64) n == columns)))
    return TRUE;
  return sonde_infer_fail (error, "%s has %zu numbers for %" PRIi64 " columns", name, n, columns);
}

static gint64
last_size (const SondeTensor *x)
{
  return x->shape.rank > 0 ? x->shape.dims[x->shape.rank - 1] : 1;
}

/* ---- ArrayFeatureExtractor ----------------------------------------------- */

/* Columns chosen by index; a list of numbers counts as one row. */
static gboolean
infer_extract (SondeInferContext *context, GError **error)
{
  const SondeType *x = &context->inputs[0];
  gint64 n;

  if (!sonde_infer_need_integer (context, 1, error))
    return FALSE;
  if (!sonde_infer_ready (context, 2))
    return TRUE;
  if (x->rank < 1)
    return sonde_infer_fail (error, "input 0 must have a dimension to choose from");
  n = sonde_type_product (&context->inputs[1], 0, context->inputs[1].rank);
  context->outputs[0] = *x;
  if (x->rank == 1)
    {
      context->outputs[0].rank = 2;
      context->outputs[0].dims[0] = sonde_dimension (1);
    }
  context->outputs[0].dims[context->outputs[0].rank - 1] = (SondeDimension){ .size = n };
  return TRUE;
}

static gboolean
check_extract (const SondeKernelContext *context, GError **error)
{
  gint64 columns = last_size (context->inputs[0]);
  gsize n = 0;
  g_autofree gint64 *indices = sonde_kernel_ints (context, 1, &n);

  for (gsize i = 0; i < n; i++)
    if (indices[i] < 0 || indices[i] >= columns)
      {
        sonde_set_error (error, SONDE_ENGINE_ERROR, SONDE_ENGINE_ERROR_INVALID,
                         "column %" PRIi64 " of %" PRIi64 " is not there", indices[i], columns);
        return FALSE;
      }
  return TRUE;
}

static void
compute_extract (const SondeKernelContext *context)
{
  SondeTensor *x = context->inputs[0], *y = context->outputs[0];
  gsize n = 0, size = sonde_dtype_size (x->dtype);
  g_autofree gint64 *indices = sonde_kernel_ints (context, 1, &n);
  gint64 columns = last_size (x), rows = columns > 0 ? sonde_tensor_n_elements (x) / columns : 0;
  guint8 *to = y->data;

  for (gint64 r = 0; r < rows; r++)
    for (gsize i = 0; i < n; i++, to += size)
      memcpy (to, x->data + (gsize) (r * columns + indices[i]) * size, size);
  sonde_kernel_own_strings (y);
}

/* ---- Binarizer ----------------------------------------------------------- */

static gboolean
infer_numbers_like (SondeInferContext *context, GError **error)
{
  context->outputs[0] = context->inputs[0];
  return need_numbers (context, 0, error);
}

static void
compute_binarize (const SondeKernelContext *context)
{
  SondeTensor *x = context->inputs[0], *y = context->outputs[0];
  double threshold = sonde_node_get_float (context->node, "threshold", 0);
  gint64 n = sonde_tensor_n_elements (x);

  for (gint64 i = 0; i < n; i++)
    sonde_tensor_set_double (y, i, sonde_tensor_get_double (x, i) > threshold);
}

/* ---- Scaler -------------------------------------------------------------- */

static gboolean
infer_scale (SondeInferContext *context, GError **error)
{
  gsize n_offsets = 0, n_scales = 0;

  (void) sonde_ml_floats (context->node, "offset", &n_offsets);
  (void) sonde_ml_floats (context->node, "scale", &n_scales);
  return infer_float_like (context, error) && check_per_column (context, "offset", n_offsets, error)
         && check_per_column (context, "scale", n_scales, error);
}

static void
compute_scale (const SondeKernelContext *context)
{
  SondeTensor *x = context->inputs[0];
  float *y = (float *) (void *) context->outputs[0]->data;
  gsize n_offsets = 0, n_scales = 0;
  const double *offsets = sonde_ml_floats (context->node, "offset", &n_offsets);
  const double *scales = sonde_ml_floats (context->node, "scale", &n_scales);
  gint64 columns = last_size (x), n = sonde_tensor_n_elements (x);

  for (gint64 i = 0; i < n; i++)
    {
      gint64 c = i % columns;

      y[i] = (float) ((sonde_tensor_get_double (x, i) - offsets[n_offsets == 1 ? 0 : c])
                      * scales[n_scales == 1 ? 0 : c]);
    }
}

/* ---- Normalizer ---------------------------------------------------------- */

static gboolean
infer_normalize (SondeInferContext *context, GError **error)
{
  return sonde_ml_need_rows (context, error) && infer_float_like (context, error);
}

static double
divisor (const char *norm, const double *row, gint64 n)
{
  gboolean squares = strcmp (norm, "L2") == 0, most = strcmp (norm, "MAX") == 0;
  double sum = most && n > 0 ? row[0] : 0;

  for (gint64 i = 0; i < n; i++)
    sum = most ? MAX (sum, row[i]) : sum + (squares ? row[i] * row[i] : fabs (row[i]));
  return squares ? sqrt (sum) : sum;
}

static void
compute_normalize (const SondeKernelContext *context)
{
  const char *norm = sonde_node_get_string (context->node, "norm", "MAX");
  SondeTensor *x = context->inputs[0];
  float *y = (float *) (void *) context->outputs[0]->data;
  gint64 rows = 0, columns = 0;
  g_autofree double *row = NULL;

  sonde_ml_rows_of (x, &rows, &columns);
  row = g_new (double, columns + 1);
  for (gint64 r = 0; r < rows; r++, y += columns)
    {
      double by;

      sonde_ml_read_row (x, r, row);
      by = divisor (norm, row, columns);
      for (gint64 c = 0; c < columns; c++)
        y[c] = (float) (by == 0 ? row[c] : row[c] / by);
    }
}

/* ---- Imputer ------------------------------------------------------------- */

static gboolean
infer_impute (SondeInferContext *context, GError **error)
{
  gsize n = 0;
  SondeDtype dtype = context->inputs[0].dtype;
  gboolean integers = sonde_dtype_is_integer (dtype);

  context->outputs[0] = context->inputs[0];
  if (dtype == SONDE_DTYPE_INVALID)
    return TRUE;
  if (!need_numbers (context, 0, error))
    return FALSE;
  if (integers)
    (void) sonde_node_get_ints (context->node, "imputed_value_int64s", &n);
  else
    (void) sonde_ml_floats (context->node, "imputed_value_floats", &n);
  return check_per_column (context, integers ? "imputed_value_int64s" : "imputed_value_floats", n,
                           error);
}

static void
compute_impute (const SondeKernelContext *context)
{
  SondeTensor *x = context->inputs[0], *y = context->outputs[0];
  gboolean integers = sonde_dtype_is_integer (x->dtype);
  gsize n_values = 0;
  const gint64 *ints = sonde_node_get_ints (context->node, "imputed_value_int64s", &n_values);
  const double *floats
      = integers ? NULL : sonde_ml_floats (context->node, "imputed_value_floats", &n_values);
  gint64 old_int = sonde_node_get_int (context->node, "replaced_value_int64", 0);
  double old = sonde_node_get_float (context->node, "replaced_value_float", 0);
  gint64 columns = last_size (x), n = sonde_tensor_n_elements (x);

  sonde_kernel_copy (x, y);
  for (gint64 i = 0; i < n; i++)
    {
      gint64 at = n_values == 1 ? 0 : i % columns;

      if (integers)
        {
          if (sonde_tensor_get_int (x, i) == old_int)
            sonde_dtype_convert (SONDE_DTYPE_I64, &ints[at], y->dtype,
                                 y->data + (gsize) i * sonde_dtype_size (y->dtype), 1);
        }
      else if (sonde_tensor_get_double (x, i) == old
               || (isnan (old) && isnan (sonde_tensor_get_double (x, i))))
        sonde_tensor_set_double (y, i, floats[at]);
    }
}

/* ---- FeatureVectorizer --------------------------------------------------- */

/* Columns of all inputs side by side; inputdimensions says how many of each: further ones are left
 * out, missing ones are 0. A list is one row. */
static gboolean
infer_vectorize (SondeInferContext *context, GError **error)
{
  gsize n = 0;
  const gint64 *widths = sonde_node_get_ints (context->node, "inputdimensions", &n);
  SondeDimension rows = { .size = -1 };
  gint64 columns = 0;

  if (n != 0 && n != context->n_inputs)
    return sonde_infer_fail (error, "inputdimensions has %zu numbers for %u inputs", n,
                             context->n_inputs);
  for (guint k = 0; k < context->n_inputs; k++)
    {
      const SondeType *x = &context->inputs[k];
      SondeDimension here = x->rank == 2 ? x->dims[0] : sonde_dimension (1);
      gint64 width = n > 0 ? widths[k] : x->rank > 0 ? x->dims[x->rank - 1].size : -1;

      if (!need_numbers (context, k, error))
        return FALSE;
      if (!sonde_infer_ready (context, context->n_inputs))
        return TRUE;
      if (x->rank < 1 || x->rank > 2 || (n > 0 && width < 0)
          || !sonde_dimension_unify (&rows, &here, &rows))
        return sonde_infer_fail (error, "input %u does not fit the others as rows of columns", k);
      if (width < 0)
        columns = -1;
      else if (columns >= 0 && !sonde_checked_add (&columns, columns, width))
        return sonde_infer_fail (error, "there would be too many columns");
    }
  context->outputs[0] = sonde_infer_type (SONDE_DTYPE_F32, 2);
  context->outputs[0].dims[0] = rows;
  context->outputs[0].dims[1] = (SondeDimension){ .size = columns };
  return TRUE;
}

static void
compute_vectorize (const SondeKernelContext *context)
{
  SondeTensor *y = context->outputs[0];
  gsize n = 0;
  const gint64 *widths = sonde_node_get_ints (context->node, "inputdimensions", &n);
  gint64 all = y->shape.dims[1], start = 0;

  memset (y->data, 0, sonde_tensor_n_bytes (y));
  for (guint k = 0; k < context->n_inputs; k++)
    {
      const SondeTensor *x = context->inputs[k];
      gint64 rows = 0, columns = 0, width;

      sonde_ml_rows_of (x, &rows, &columns);
      width = n > 0 ? widths[k] : columns;
      for (gint64 r = 0; r < rows; r++)
        sonde_dtype_convert (x->dtype,
                             x->data + (gsize) (r * columns) * sonde_dtype_size (x->dtype),
                             SONDE_DTYPE_F32, (float *) (void *) y->data + r * all + start,
                             (gsize) MIN (width, columns));
      start += width;
    }
}

/* ---- OneHotEncoder ------------------------------------------------------- */

static gboolean
infer_one_hot (SondeInferContext *context, GError **error)
{
  const SondeType *x = &context->inputs[0];
  SondeMlLabels categories;

  if (!sonde_ml_find_labels (context->node, "cats_int64s", "cats_strings", &categories, error))
    return FALSE;
  if (x->dtype != SONDE_DTYPE_INVALID
      && (x->dtype == SONDE_DTYPE_STRING) != (categories.strings != NULL))
    return sonde_infer_fail (error, "input 0 is %s, but the categories are not",
                             sonde_dtype_name (x->dtype));
  if (!sonde_infer_ready (context, 1))
    return TRUE;
  if (x->rank >= SONDE_MAX_RANK)
    return sonde_infer_fail (error, "the result would have more than %d dimensions",
                             SONDE_MAX_RANK);
  context->outputs[0] = *x;
  context->outputs[0].dtype = SONDE_DTYPE_F32;
  context->outputs[0].dims[context->outputs[0].rank++] = sonde_dimension ((gint64) categories.n);
  return TRUE;
}

/* Which category element @i is; -1: none. Fractions are cut off. */
static gssize
category_of (const SondeMlLabels *categories, const SondeTensor *x, gint64 i)
{
  double number = categories->strings || !sonde_dtype_is_float (x->dtype)
                      ? 0
                      : trunc (sonde_tensor_get_double (x, i));

  for (gsize c = 0; c < categories->n; c++)
    if (categories->strings != NULL ? strcmp (categories->strings[c], sonde_text_at (x, i)) == 0
        : sonde_dtype_is_float (x->dtype) ? (double) categories->ints[c] == number
                                          : categories->ints[c] == sonde_tensor_get_int (x, i))
      return (gssize) c;
  return -1;
}

static gboolean
check_one_hot (const SondeKernelContext *context, GError **error)
{
  SondeMlLabels categories;
  gint64 n = sonde_tensor_n_elements (context->inputs[0]);

  if (sonde_node_get_int (context->node, "zeros", 1) != 0)
    return TRUE;
  if (!sonde_ml_find_labels (context->node, "cats_int64s", "cats_strings", &categories, error))
    return FALSE;
  for (gint64 i = 0; i < n; i++)
    if (category_of (&categories, context->inputs[0], i) < 0)
      {
        sonde_set_error (error, SONDE_ENGINE_ERROR, SONDE_ENGINE_ERROR_INVALID,
                         "element %" PRIi64
                         " is in none of the categories, and zeros = 0 does not allow that",
                         i);
        return FALSE;
      }
  return TRUE;
}

static void
compute_one_hot (const SondeKernelContext *context)
{
  SondeTensor *x = context->inputs[0], *y = context->outputs[0];
  gint64 n = sonde_tensor_n_elements (x);
  SondeMlLabels categories;

  memset (y->data, 0, sonde_tensor_n_bytes (y));
  if (!sonde_ml_find_labels (context->node, "cats_int64s", "cats_strings", &categories, NULL))
    return;
  for (gint64 i = 0; i < n; i++)
    {
      gssize c = category_of (&categories, x, i);

      if (c >= 0)
        ((float *) (void *) y->data)[i * (gint64) categories.n + c] = 1;
    }
}

/* ---- rows ---------------------------------------------------------------- */

static const char *const norms[] = { "MAX", "L1", "L2", NULL };
static const SondeAttributeRule binarize_rules[]
    = { { "threshold", SONDE_ATTRIBUTE_FLOAT }, { NULL } };
static const SondeAttributeRule impute_rules[] = {
  { "imputed_value_floats", SONDE_ATTRIBUTE_FLOATS },
  { "imputed_value_int64s", SONDE_ATTRIBUTE_INTS },
  { "replaced_value_float", SONDE_ATTRIBUTE_FLOAT },
  { "replaced_value_int64", SONDE_ATTRIBUTE_INT },
  { NULL },
};
static const SondeAttributeRule normalize_rules[]
    = { { "norm", SONDE_ATTRIBUTE_STRING, FALSE, 0, 0, norms }, { NULL } };
static const SondeAttributeRule one_hot_rules[] = {
  { "cats_int64s", SONDE_ATTRIBUTE_INTS },
  { "cats_strings", SONDE_ATTRIBUTE_STRINGS },
  { "zeros", SONDE_ATTRIBUTE_INT },
  { NULL },
};
static const SondeAttributeRule scale_rules[] = {
  { "offset", SONDE_ATTRIBUTE_FLOATS },
  { "scale", SONDE_ATTRIBUTE_FLOATS },
  { NULL },
};
static const SondeAttributeRule vectorize_rules[]
    = { { "inputdimensions", SONDE_ATTRIBUTE_INTS }, { NULL } };

#define FEATURES(onnx, most, rules, rule, kernel, checker)                                         \
  {                                                                                                \
    .domain = SONDE_ML_DOMAIN, .name = onnx, .since = 1, .min_inputs = most == 2 ? 2 : 1,          \
    .max_inputs = most, .min_outputs = 1, .max_outputs = 1, .family = SONDE_FAMILY_DATA,           \
    .attributes = rules, .infer = rule, .compute = kernel, .check = checker,                       \
    .reach = { sonde_reach_everything, 0 }, .typing = SONDE_TYPING_OWN,                            \
  }

const SondeOpClass sonde_ops_feature_preparation[] = {
  FEATURES ("ArrayFeatureExtractor", 2, NULL, infer_extract, compute_extract, check_extract),
  FEATURES ("Binarizer", 1, binarize_rules, infer_numbers_like, compute_binarize, NULL),
  FEATURES ("FeatureVectorizer", -1, vectorize_rules, infer_vectorize, compute_vectorize, NULL),
  FEATURES ("Imputer", 1, impute_rules, infer_impute, compute_impute, NULL),
  FEATURES ("Normalizer", 1, normalize_rules, infer_normalize, compute_normalize, NULL),
  FEATURES ("OneHotEncoder", 1, one_hot_rules, infer_one_hot, compute_one_hot, check_one_hot),
  FEATURES ("Scaler", 1, scale_rules, infer_scale, compute_scale, NULL),
  { .name = NULL },
};
