/* SPDX-License-Identifier: Apache-2.0
 * What the operators of ai.onnx.ml share. */
#include "engine/ops/ml/sonde-machine-learning-private.h"

#include <math.h>
#include <string.h>

/* ---- rows of features ---------------------------------------------------- */

gboolean
sonde_ml_need_rows (const SondeInferContext *context, GError **error)
{
  const SondeType *x = &context->inputs[0];

  if (x->dtype != SONDE_DTYPE_INVALID && !sonde_dtype_is_float (x->dtype)
      && !sonde_dtype_is_integer (x->dtype))
    return sonde_infer_fail (error, "input 0 is %s, but must be of numbers",
                             sonde_dtype_name (x->dtype));
  if (x->kind == SONDE_VALUE_TENSOR && x->rank >= 0 && (x->rank < 1 || x->rank > 2))
    return sonde_infer_fail (error, "input 0 must be rows of features [N, C], or one row [C]");
  return TRUE;
}

gboolean
sonde_ml_get_rows (const SondeInferContext *context, SondeDimension *rows, gint64 *columns)
{
  const SondeType *x = &context->inputs[0];

  if (!sonde_infer_ready (context, 1))
    return FALSE;
  *rows = x->rank == 2 ? x->dims[0] : sonde_dimension (1);
  *columns = x->dims[x->rank - 1].size;
  return TRUE;
}

void
sonde_ml_rows_of (const SondeTensor *x, gint64 *rows, gint64 *columns)
{
  *rows = x->shape.rank == 2 ? x->shape.dims[0] : 1;
  *columns = x->shape.dims[x->shape.rank - 1];
}

void
sonde_ml_read_row (const SondeTensor *x, gint64 row, double *features)
{
  gsize columns = (gsize) x->shape.dims[x->shape.rank - 1];
  const guint8 *from = x->data + (gsize) row * columns * sonde_dtype_size (x->dtype);

  sonde_dtype_convert (x->dtype, from, SONDE_DTYPE_F64, features, columns);
}

const double *
sonde_ml_floats (const SondeNode *node, const char *name, gsize *n)
{
  const SondeAttribute *attribute = sonde_node_find_attribute (node, name);
  gboolean there = attribute != NULL && attribute->kind == SONDE_ATTRIBUTE_FLOATS;

  *n = there ? attribute->n : 0;
  return there ? attribute->u.floats : NULL;
}

/* ---- class labels -------------------------------------------------------- */

gboolean
sonde_ml_find_labels (const SondeNode *node, const char *ints, const char *strings,
                      SondeMlLabels *labels, GError **error)
{
  const SondeAttribute *words = sonde_node_find_attribute (node, strings);
  gsize n_words = words && words->kind == SONDE_ATTRIBUTE_STRINGS ? words->n : 0, n_ints = 0;
  const gint64 *numbers = sonde_node_get_ints (node, ints, &n_ints);

  *labels = (SondeMlLabels){ .n = n_words > 0 ? n_words : n_ints };
  if ((n_words > 0) == (n_ints > 0))
    return sonde_infer_fail (error, "needs one of %s and %s", ints, strings);
  if (n_words > 0)
    labels->strings = words->u.strings;
  else
    labels->ints = numbers;
  return TRUE;
}

void
sonde_ml_infer_classes (SondeInferContext *context, const SondeMlLabels *labels,
                        SondeDimension rows, gint64 columns)
{
  context->outputs[0]
      = sonde_infer_type (labels->strings ? SONDE_DTYPE_STRING : SONDE_DTYPE_I64, 1);
  context->outputs[0].dims[0] = rows;
  if (context->n_outputs < 2)
    return;
  context->outputs[1] = sonde_infer_type (SONDE_DTYPE_F32, 2);
  context->outputs[1].dims[0] = rows;
  context->outputs[1].dims[1] = sonde_dimension (columns);
}

void
sonde_ml_give_label (const SondeKernelContext *context, const SondeMlLabels *labels, gint64 row,
                     gsize class)
{
  SondeTensor *y = sonde_kernel_output (context, 0);

  if (y == NULL)
    return;
  if (labels->strings != NULL)
    sonde_text_take (y, row, g_strdup (labels->strings[class]));
  else
    ((gint64 *) (void *) y->data)[row] = labels->ints[class];
}

void
sonde_ml_give_scores (const SondeKernelContext *context, guint k, gint64 row, const double *scores,
                      gsize n)
{
  SondeTensor *z = k < context->n_outputs ? sonde_kernel_output (context, k) : NULL;

  if (z != NULL)
    sonde_dtype_convert (SONDE_DTYPE_F64, scores, z->dtype,
                         z->data + (gsize) row * n * sonde_dtype_size (z->dtype), n);
}

gsize
sonde_ml_argmax (const double *scores, gsize n)
{
  gsize best = 0;

  for (gsize i = 1; i < n; i++)
    if (scores[i] > scores[best] || (isnan (scores[best]) && !isnan (scores[i])))
      best = i;
  return best;
}

/* ---- what is done to scores ---------------------------------------------- */

const char *const sonde_post_transform_names[] = {
  "NONE", "SOFTMAX", "LOGISTIC", "SOFTMAX_ZERO", "PROBIT", NULL,
};

SondePostTransform
sonde_post_transform_of (const SondeNode *node)
{
  const char *name = sonde_node_get_string (node, "post_transform", "NONE");

  for (int i = 0; sonde_post_transform_names[i] != NULL; i++)
    if (strcmp (sonde_post_transform_names[i], name) == 0)
      return (SondePostTransform) i;
  return SONDE_POST_NONE;
}

static double
logistic (double score)
{
  double part = 1 / (1 + exp (-fabs (score)));

  return score < 0 ? 1 - part : part;
}

static double
probit (double score)
{
  double x = 2 * score - 1;
  double log_part = log ((1 - x) * (1 + x));
  double a = 2 / (G_PI * 0.147) + 0.5 * log_part, b = log_part / 0.147;

  return copysign (G_SQRT2 * sqrt (-a + sqrt (a * a - b)), x);
}

static void
softmax (double *scores, gsize n, gboolean keep_zeros)
{
  double most = scores[sonde_ml_argmax (scores, n)], sum = 0;

  for (gsize i = 0; i < n; i++)
    {
      gboolean zero = keep_zeros && fabs (scores[i]) <= 1e-7;

      scores[i] = zero ? scores[i] * exp (-most) : exp (scores[i] - most);
      sum += scores[i];
    }
  for (gsize i = 0; i < n; i++)
    scores[i] = sum == 0 ? 0.5 : scores[i] / sum;
}

void
sonde_post_transform (SondePostTransform transform, double *scores, gsize n)
{
  if (n == 0 || transform == SONDE_POST_NONE || (n == 1 && transform != SONDE_POST_PROBIT))
    return;
  if (transform == SONDE_POST_SOFTMAX || transform == SONDE_POST_SOFTMAX_ZERO)
    {
      softmax (scores, n, transform == SONDE_POST_SOFTMAX_ZERO);
      return;
    }
  for (gsize i = 0; i < n; i++)
    scores[i] = transform == SONDE_POST_LOGISTIC ? logistic (scores[i]) : probit (scores[i]);
}

void
sonde_post_transform_binary (SondePostTransform transform, double score, gboolean complement,
                             double *scores)
{
  gboolean each = transform == SONDE_POST_LOGISTIC || transform == SONDE_POST_PROBIT;

  scores[0] = (transform == SONDE_POST_PROBIT || complement) && transform != SONDE_POST_LOGISTIC
                  ? 1 - score
                  : -score;
  scores[1] = score;
  if (each)
    sonde_post_transform (transform, scores, 2);
}
