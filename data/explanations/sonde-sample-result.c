/* SPDX-License-Identifier: Apache-2.0 */
#include "data/explanations/sonde-sample-result.h"

SondeSampleResult *
sonde_sample_result_copy (const SondeSampleResult *result)
{
  SondeSampleResult *copy = g_new0 (SondeSampleResult, 1);

  *copy = *result;
  copy->name = g_strdup (result->name);
  copy->evidence = g_strdup (result->evidence);
  copy->probabilities = g_memdup2 (result->probabilities, result->n_classes * sizeof (float));
  return copy;
}

void
sonde_sample_result_free (SondeSampleResult *result)
{
  if (result == NULL)
    return;
  g_free (result->name);
  g_free (result->evidence);
  g_free (result->probabilities);
  g_free (result);
}

gboolean
sonde_sample_result_is_error (const SondeSampleResult *result)
{
  return result->label >= 0 && result->label != result->predicted;
}
