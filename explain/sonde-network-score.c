/* SPDX-License-Identifier: Apache-2.0
 * Scores of a network, in batches. */
#include "explain/sonde-network-score.h"

#include <math.h>
#include <string.h>

#include "explain/sonde-probabilities.h"

/* Planning a size costs some twenty rows of a small network, and from here on a row costs no
 * less. */
#define MOST_ROWS 8

static gboolean
check_class (gint64 target, gint64 classes, GError **error)
{
  if (target >= 0 && target < classes)
    return TRUE;
  sonde_set_error (error, SONDE_ENGINE_ERROR, SONDE_ENGINE_ERROR_INVALID,
                   "Target class %" PRIi64 " is outside the model's %" PRIi64 " classes.", target,
                   classes);
  return FALSE;
}

/* In double; stored as float32 by the caller, so that equal images compare equal on every device.
 * @p: [classes] */
static double
score_row (const SondeNetworkScore *network, SondeLink link, const float *z, gint64 classes,
           double *p)
{
  double rival = -INFINITY;

  if (network->kind == SONDE_NETWORK_LOGIT)
    return z[network->target];
  if (network->kind == SONDE_NETWORK_CONTRAST)
    return (double) z[network->target] - z[network->other];
  for (gint64 c = 0; c < classes; c++)
    if (isnan (z[c]))
      return NAN;
  sonde_probabilities_of_row (link, z, classes, p);
  if (network->kind == SONDE_NETWORK_PROBABILITY)
    return p[network->target];
  for (gint64 c = 0; c < classes; c++)
    rival = c != network->target ? fmax (rival, p[c]) : rival;
  return p[network->target] - fmax (rival, 0.0);
}

static gboolean
score_logits (const SondeNetworkScore *network, SondeTensor *logits, double *scores, GError **error)
{
  gint64 n = logits->shape.dims[0], classes = logits->shape.dims[1];
  const float *z = (const float *) (const void *) logits->data;
  SondeLink link = sonde_explainer_get_link (network->explainer);
  g_autofree double *p = g_new (double, classes);

  if (!check_class (network->target, classes, error)
      || (network->kind == SONDE_NETWORK_CONTRAST && !check_class (network->other, classes, error)))
    return FALSE;
  for (gint64 i = 0; i < n; i++)
    scores[i] = (float) score_row (network, link, z + i * classes, classes, p);
  return TRUE;
}

static guint
largest_power_of_two (guint n)
{
  guint power = 1;

  while (power <= n / 2)
    power *= 2;
  return power;
}

/* A power of two, so that no rest is left over of it. */
static guint
choose_batch (SondeExplainer *explainer, SondeTensor *images)
{
  return largest_power_of_two (
      (guint) MIN (sonde_explainer_get_batch (explainer, images, FALSE), MOST_ROWS));
}

static SondeTensor *
view_rows (SondeTensor *tensor, gint64 first, gint64 n)
{
  SondeShape shape = tensor->shape;

  shape.dims[0] = n;
  return sonde_tensor_view (tensor, &shape, tensor->strides, first * tensor->strides[0]);
}

/* Scores of images that the memo does not know; it knows them then. @keys: (nullable) (array
 * length=total) */
static gboolean
score_new (SondeNetworkScore *network, SondeTensor *images, const SondeImageKey *keys,
           double *scores, GError **error)
{
  gint64 total = images->shape.dims[0];

  for (gint64 done = 0; done < total;)
    {
      guint left = (guint) MIN (total - done, (gint64) network->batch);
      guint n = left == network->batch ? left : largest_power_of_two (left);
      g_autoptr (SondeTensor) part = view_rows (images, done, n);
      g_autoptr (SondeTensor) logits = sonde_explainer_forward (network->explainer, part, error);

      network->n_calls++;
      network->n_rows += n;
      if (logits == NULL || !score_logits (network, logits, scores + done, error))
        return FALSE;
      for (guint i = 0; keys != NULL && i < n; i++)
        sonde_logit_memo_add (network->memo, keys[done + i],
                              (const float *) (const void *) logits->data
                                  + i * logits->shape.dims[1],
                              (guint) logits->shape.dims[1]);
      done += n;
    }
  return TRUE;
}

/* What the memo knows is taken from there, the rest is asked for together. */
static gboolean
score_by_memo (SondeNetworkScore *network, SondeTensor *images, double *scores, GError **error)
{
  gint64 total = images->shape.dims[0],
         classes = sonde_explainer_get_n_classes (network->explainer, images, error), n = 0;
  gsize size = sonde_tensor_n_bytes (images) / (gsize) MAX (total, 1);
  g_autofree SondeImageKey *keys = g_new (SondeImageKey, MAX (total, 1));
  g_autofree gint64 *rows = g_new (gint64, MAX (total, 1));
  g_autofree double *values = g_new (double, MAX (total, 1));
  g_autoptr (SondeTensor) left = sonde_tensor_new (SONDE_DTYPE_F32, &images->shape), some = NULL;
  SondeShape one = sonde_shape_make (2, 1, (int) classes);

  for (gint64 i = 0; classes > 0 && i < total; i++)
    {
      const guint8 *image = images->data + (gsize) i * size;
      SondeImageKey key = sonde_image_key (image, size);
      const float *known = sonde_logit_memo_find (network->memo, key);

      if (known != NULL)
        {
          g_autoptr (SondeTensor) logits
              = sonde_tensor_new_from_data (SONDE_DTYPE_F32, &one, known);

          if (!score_logits (network, logits, scores + i, error))
            return FALSE;
          continue;
        }
      memcpy (left->data + (gsize) n * size, image, size);
      keys[n] = key;
      rows[n++] = i;
    }
  if (classes <= 0)
    return FALSE;
  some = view_rows (left, 0, n);
  if (!score_new (network, some, keys, values, error))
    return FALSE;
  for (gint64 i = 0; i < n; i++)
    scores[rows[i]] = values[i];
  return TRUE;
}

gboolean
sonde_network_score (SondeTensor *images, double *scores, gpointer data, GError **error)
{
  SondeNetworkScore *network = data;

  if (network->batch == 0)
    network->batch = choose_batch (network->explainer, images);
  return network->memo != NULL ? score_by_memo (network, images, scores, error)
                               : score_new (network, images, NULL, scores, error);
}
