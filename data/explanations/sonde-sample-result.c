/* SPDX-License-Identifier: Apache-2.0 */
#include "data/explanations/sonde-sample-result.h"

#include <math.h>

#include "data/base/sonde-text.h"

SondeSampleResult *
sonde_sample_result_new (guint sample, const char *name)
{
  SondeSampleResult *result = g_new0 (SondeSampleResult, 1);

  result->sample = sample;
  result->name = g_strdup (name);
  result->label = result->predicted = -1;
  result->p_label = result->p_predicted = result->margin = NAN;
  result->category = SONDE_N_CATEGORIES;
  return result;
}

SondeSampleResult *
sonde_sample_result_copy (const SondeSampleResult *result)
{
  SondeSampleResult *copy = g_new0 (SondeSampleResult, 1);

  *copy = *result;
  copy->name = g_strdup (result->name);
  copy->label_name = g_strdup (result->label_name);
  copy->predicted_name = g_strdup (result->predicted_name);
  copy->evidence = sonde_message_copy (result->evidence);
  copy->probabilities = g_memdup2 (result->probabilities, result->n_classes * sizeof (float));
  copy->logits = g_memdup2 (result->logits, result->n_classes * sizeof (float));
  copy->features = g_memdup2 (result->features, result->n_features * sizeof (float));
  return copy;
}

void
sonde_sample_result_free (SondeSampleResult *result)
{
  if (result == NULL)
    return;
  g_free (result->name);
  g_free (result->label_name);
  g_free (result->predicted_name);
  sonde_message_free (result->evidence);
  g_free (result->probabilities);
  g_free (result->logits);
  g_free (result->features);
  g_free (result);
}

double
sonde_sample_result_get_probability (const SondeSampleResult *result, gint64 c)
{
  return c >= 0 && c < result->n_classes ? result->probabilities[c] : NAN;
}

void
sonde_sample_result_measure (SondeSampleResult *result)
{
  double other = 0.0;

  for (guint c = 0; c < result->n_classes; c++)
    if (c != result->predicted)
      other = fmax (other, result->probabilities[c]);
  result->p_label = sonde_sample_result_get_probability (result, result->label);
  result->p_predicted = sonde_sample_result_get_probability (result, result->predicted);
  result->margin = result->p_predicted - other;
}

gboolean
sonde_sample_result_is_error (const SondeSampleResult *result)
{
  return result->label >= 0 && result->label != result->predicted;
}

char *
sonde_class_dup_text (const char *name, gint64 class)
{
  if (name != NULL && *name != '\0')
    return g_strdup (name);
  return class >= 0 ? g_strdup_printf (_ ("class %" PRIi64), class) : g_strdup (_ ("unknown"));
}
