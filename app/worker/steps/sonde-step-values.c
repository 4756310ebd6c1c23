/* SPDX-License-Identifier: Apache-2.0
 * Values of two runs side by side. */
#include "app/worker/steps/sonde-step-values.h"

#include <math.h>

#include "app/worker/sonde-weights.h"
#include "app/worker/sonde-worker-files.h"
#include "data/base/sonde-error.h"
#include "engine/debug/searches/sonde-diverge-measure.h"
#include "engine/debug/searches/sonde-diverge.h"
#include "engine/ops/sonde-engine-error.h"

static SondeDivergedValue *
judge (const char *name, SondeTensor *tensor, SondeTensor *reference, double rtol)
{
  g_autoptr (SondeValue) a = sonde_value_new_tensor (tensor),
                         b = sonde_value_new_tensor (reference);
  SondeComparison comparison;
  SondeDivergedValue *value = g_new0 (SondeDivergedValue, 1);

  value->node = g_strdup (name);
  value->op = g_strdup ("");
  value->value = g_strdup (name);
  value->phase = g_str_has_prefix (name, "grad(") ? SONDE_PHASE_BACKWARD : SONDE_PHASE_FORWARD;
  value->own_error = NAN;
  value->inherited_error = sonde_diverge_measure (a, b, &comparison);
  value->largest = comparison.max_reference;
  value->tolerance = rtol * value->largest;
  value->over = !(value->inherited_error <= value->tolerance);
  value->n_fused = value->n_nodes = 1;
  value->index = comparison.index;
  value->shape = reference->shape;
  value->number = comparison.a;
  value->wanted = comparison.b;
  return value;
}

static void
add (SondeDivergence *found, const SondeStepComparisonRequest *asked, const char *name,
     SondeTensor *tensor, SondeTensor *reference)
{
  double rtol = asked->has_rtol ? asked->rtol
                                : sonde_diverge_default_rtol (reference->dtype, tensor->dtype);
  SondeDivergedValue *value = judge (name, tensor, reference, rtol);

  if (found->first < 0 && value->over)
    found->first = (int) found->values->len;
  g_ptr_array_add (found->values, value);
}

static void
list_unused (SondeDivergence *found, GHashTable *references, const SondeNamedTensors *values)
{
  GHashTableIter iter;
  gpointer name;

  g_hash_table_iter_init (&iter, references);
  while (g_hash_table_iter_next (&iter, &name, NULL))
    if (sonde_named_tensors_lookup (values, name) == NULL)
      g_ptr_array_add (found->unused, g_strdup (name));
}

SondeDivergence *
sonde_step_values_compare (const SondeStepComparisonRequest *asked, GError **error)
{
  g_autoptr (SondeNamedTensors) values = sonde_weights_read (NULL, asked->values_path, error);
  g_autoptr (GHashTable) references
      = values != NULL ? sonde_worker_read_tensors (asked->reference_path, error) : NULL;
  g_autoptr (SondeDivergence) found = sonde_divergence_new ();

  if (references == NULL)
    return NULL;
  found->is_step = TRUE;
  for (gsize i = 0; asked->order != NULL && asked->order[i] != NULL; i++)
    {
      const char *name = asked->order[i];
      SondeTensor *tensor = sonde_named_tensors_lookup (values, name),
                  *reference = g_hash_table_lookup (references, name);

      if (tensor == NULL
          || (asked->pattern != NULL && !g_pattern_match_simple (asked->pattern, name)))
        continue;
      if (reference != NULL)
        add (found, asked, name, tensor, reference);
      else
        g_ptr_array_add (found->unmatched, g_strdup (name));
    }
  list_unused (found, references, values);
  if (found->values->len > 0 || asked->pattern != NULL)
    return g_steal_pointer (&found);
  sonde_set_error (error, SONDE_ENGINE_ERROR, SONDE_ENGINE_ERROR_NOT_FOUND,
                   "“%s” has no value of this step; its names are others, as “%s”.",
                   asked->reference_path,
                   found->unused->len > 0 ? (const char *) found->unused->pdata[0] : "");
  return NULL;
}
