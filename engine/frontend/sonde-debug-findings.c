/* SPDX-License-Identifier: Apache-2.0 */
#include "engine/frontend/sonde-debug-findings.h"

#include <math.h>

void
sonde_debug_findings_clear (SondeDebugFindings *findings)
{
  g_clear_pointer (&findings->errors, g_hash_table_unref);
  g_clear_pointer (&findings->kept, g_hash_table_unref);
}

double
sonde_debug_findings_scale (double error, double tolerance)
{
  if (isnan (error) || error == 0)
    return error;
  return tolerance > 0 ? error / tolerance : INFINITY;
}

/* What cannot be said gives way. */
static gboolean
is_worse (const SondeNodeError *a, const SondeNodeError *b)
{
  double mine = sonde_debug_findings_scale (a->own, a->tolerance),
         other = sonde_debug_findings_scale (b->own, b->tolerance);

  return isnan (other) || mine > other;
}

void
sonde_debug_findings_take_divergence (SondeDebugFindings *findings,
                                      const SondeDivergence *divergence)
{
  g_clear_pointer (&findings->errors, g_hash_table_unref);
  findings->errors = g_hash_table_new_full (g_str_hash, g_str_equal, g_free, g_free);
  for (guint i = 0; i < divergence->values->len; i++)
    {
      const SondeDivergedValue *value = g_ptr_array_index (divergence->values, i);
      const SondeNodeError error = { value->own_error, value->inherited_error, value->tolerance };
      const SondeNodeError *known
          = value->node != NULL ? g_hash_table_lookup (findings->errors, value->node) : NULL;

      if (value->node != NULL && (known == NULL || is_worse (&error, known)))
        g_hash_table_insert (findings->errors, g_strdup (value->node),
                             g_memdup2 (&error, sizeof error));
    }
}

void
sonde_debug_findings_take_precision (SondeDebugFindings *findings, const SondePrecisionFound *found)
{
  g_clear_pointer (&findings->kept, g_hash_table_unref);
  findings->kept = g_hash_table_new_full (g_str_hash, g_str_equal, g_free, NULL);
  findings->precision = found->precision;
  for (guint i = 0; i < found->kept->len; i++)
    g_hash_table_add (findings->kept, g_strdup (g_ptr_array_index (found->kept, i)));
}
