/* SPDX-License-Identifier: Apache-2.0
 * Softmax and Sigmoid of rows of logits, and their derivatives. */
#include "explain/sonde-probabilities.h"

#include <math.h>

static void
softmax_row (const float *z, gint64 classes, double *p)
{
  double largest = -INFINITY, sum = 0.0;

  for (gint64 c = 0; c < classes; c++)
    largest = fmax (largest, z[c]);
  for (gint64 c = 0; c < classes; c++)
    sum += p[c] = exp (z[c] - largest);
  for (gint64 c = 0; c < classes; c++)
    p[c] /= sum;
}

void
sonde_probabilities_of_row (SondeLink link, const float *z, gint64 classes, double *p)
{
  if (link == SONDE_LINK_SOFTMAX)
    {
      softmax_row (z, classes, p);
      return;
    }
  for (gint64 c = 0; c < classes; c++)
    p[c] = 1.0 / (1.0 + exp (-(double) z[c]));
}

SondeTensor *
sonde_explainer_probabilities (SondeExplainer *explainer, SondeTensor *logits)
{
  SondeLink link = sonde_explainer_get_link (explainer);
  gint64 n = logits->shape.dims[0], classes = logits->shape.dims[1];
  g_autoptr (SondeTensor) rows = sonde_tensor_contiguous (logits);
  SondeTensor *result = sonde_tensor_new (SONDE_DTYPE_F32, &logits->shape);
  g_autofree double *p = g_new (double, classes);
  float *to = (float *) (void *) result->data;

  for (gint64 i = 0; i < n; i++)
    {
      sonde_probabilities_of_row (link, (const float *) (const void *) rows->data + i * classes,
                                  classes, p);
      for (gint64 c = 0; c < classes; c++)
        *to++ = (float) p[c];
    }
  return result;
}

/* Of softmax p (s − Σ s p), of Sigmoid p (1 − p) s. */
SondeTensor *
sonde_explainer_probability_seeds (SondeExplainer *explainer, SondeTensor *logits,
                                   SondeTensor *seeds)
{
  SondeLink link = sonde_explainer_get_link (explainer);
  gint64 n = logits->shape.dims[0], classes = logits->shape.dims[1];
  g_autoptr (SondeTensor) rows = sonde_tensor_contiguous (logits),
                          wanted = sonde_tensor_contiguous (seeds);
  SondeTensor *result = sonde_tensor_new (SONDE_DTYPE_F32, &logits->shape);
  g_autofree double *p = g_new (double, classes);
  const float *s = (const float *) (const void *) wanted->data;
  float *to = (float *) (void *) result->data;

  for (gint64 i = 0; i < n; i++, s += classes)
    {
      double mean = 0.0;

      sonde_probabilities_of_row (link, (const float *) (const void *) rows->data + i * classes,
                                  classes, p);
      for (gint64 c = 0; c < classes; c++)
        mean += s[c] * p[c];
      for (gint64 c = 0; c < classes; c++)
        *to++ = (float) (p[c] * (link == SONDE_LINK_SOFTMAX ? s[c] - mean : s[c] * (1.0 - p[c])));
    }
  return result;
}
