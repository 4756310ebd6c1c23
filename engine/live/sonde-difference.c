/* SPDX-License-Identifier: Apache-2.0 */
#include "engine/live/sonde-difference.h"

#include "data/base/sonde-error.h"

SondeDifference *
sonde_difference_new (const char *value, const char *node, const char *op, SondeTensor *a,
                      SondeTensor *b)
{
  SondeDifference *difference = g_new0 (SondeDifference, 1);
  g_autoptr (GError) error = NULL;

  difference->value = g_strdup (value);
  difference->node = g_strdup (node);
  difference->op = g_strdup (op);
  difference->dtype = a->dtype;
  difference->shape = a->shape;
  difference->comparison.index = -1;
  sonde_statistics_compute (a, &difference->a);
  sonde_statistics_compute (b, &difference->b);
  if (!sonde_compare_tensors (a, b, &difference->comparison, &error))
    difference->problem = sonde_error_dup_message (error);
  else if (difference->comparison.index >= 0)
    difference->place = sonde_compare_format_index (&a->shape, difference->comparison.index);
  return difference;
}
