/* SPDX-License-Identifier: Apache-2.0
 * Who is to blame, by trial: the node runs alone with bad elements replaced by good ones, and the
 * element is looked at again. Exact for every operator, also for those whose way depends on their
 * values. */
#include "engine/debug/searches/sonde-origin-private.h"
#include "engine/debug/changes/sonde-rerun.h"

#include <math.h>
#include <string.h>

/**
 * Trial: one question, asked again and again
 * @filler: the good number
 */
typedef struct
{
  SondeOriginFrame *frame;
  SondeNode *node;
  SondeTensor *const *inputs;
  guint n_inputs, output;
  gint64 element;
  double number, filler;
  const GArray *suspects;
} Trial;

static const double fillers[] = { 1, 0, 0.5, -0.5 };

/* The plan's own kernel where the node is a step of its own, else the reference. */
static SondeTensor *
run (const Trial *trial, SondeTensor *const *inputs)
{
  const guint n_outputs = trial->node->outputs->len;
  g_autofree SondeTensor **outputs = g_new0 (SondeTensor *, n_outputs + 1);
  SondeTensor *result;

  if (!sonde_op_run_reference (trial->node, inputs, trial->n_inputs, outputs, n_outputs, NULL))
    return NULL;
  result = g_steal_pointer (&outputs[trial->output]);
  for (guint k = 0; k < n_outputs; k++)
    sonde_tensor_unref (outputs[k]);
  return result;
}

static SondeTensor *
run_in_plan (const Trial *trial, SondeTensor *const *inputs)
{
  SondeExecution *execution = trial->frame->execution;
  SondePlan *plan = execution != NULL ? sonde_execution_get_plan (execution) : NULL;
  const int index = plan != NULL ? sonde_plan_find_step (plan, trial->node) : -1;
  const SondeStep *step = index >= 0 ? sonde_plan_get_step (plan, (guint) index) : NULL;
  g_autoptr (GHashTable) forced = NULL;
  g_autofree SondeValue **outputs = NULL;
  SondeTensor *result = NULL;

  if (step == NULL || step->n_nodes != 1 || sonde_node_has_body (trial->node))
    return NULL;
  forced = g_hash_table_new_full (NULL, NULL, NULL, (GDestroyNotify) sonde_value_unref);
  for (guint k = 0; k < trial->n_inputs; k++)
    {
      SondeGraphValue *value = sonde_node_get_input (trial->node, k);

      if (value != NULL && inputs[k] == NULL)
        return NULL;
      if (value != NULL && value->producer != NULL)
        g_hash_table_insert (forced, value, sonde_value_new_tensor (inputs[k]));
      /* a weight may be known to the kernel in a form of its own, and be another one when a run is
       * over */
      else if (inputs[k] != trial->inputs[k]
               || (value != NULL && value->role != SONDE_ROLE_CONSTANT
                   && !sonde_execution_is_running (execution)))
        return NULL;
    }
  outputs = g_new0 (SondeValue *, step->n_outputs + 1);
  if (!sonde_execution_run_alone (execution, (guint) index, forced, outputs, NULL))
    return NULL;
  for (guint k = 0; k < step->n_outputs; k++)
    {
      SondeTensor *tensor = sonde_value_get_tensor (outputs[k]);

      if (tensor != NULL && step->outputs[k] == sonde_node_get_output (trial->node, trial->output))
        result = sonde_tensor_contiguous (tensor);
      sonde_value_unref (outputs[k]);
    }
  return result;
}

/* What the element becomes when all suspects but @first to before @end are replaced. FALSE: the
 * node cannot run alone. */
static gboolean
ask (const Trial *trial, guint first, guint end, double *number)
{
  g_autoptr (GPtrArray) inputs
      = g_ptr_array_new_with_free_func ((GDestroyNotify) sonde_tensor_unref);
  g_autoptr (SondeTensor) result = NULL;

  for (guint k = 0; k < trial->n_inputs; k++)
    g_ptr_array_add (inputs, trial->inputs[k] != NULL ? sonde_tensor_ref (trial->inputs[k]) : NULL);
  for (guint i = 0; i < trial->suspects->len; i++)
    {
      const SondeOriginSuspect *suspect = &g_array_index (trial->suspects, SondeOriginSuspect, i);
      SondeTensor **input = (SondeTensor **) &inputs->pdata[suspect->input];

      if (i >= first && i < end)
        continue;
      if (*input == trial->inputs[suspect->input])
        {
          SondeTensor *copy = sonde_tensor_copy (*input);

          sonde_tensor_unref (*input);
          *input = copy;
        }
      sonde_tensor_set_double (*input, suspect->element, trial->filler);
    }
  result = run_in_plan (trial, (SondeTensor *const *) inputs->pdata);
  if (result == NULL)
    result = run (trial, (SondeTensor *const *) inputs->pdata);
  if (result == NULL || trial->element >= sonde_tensor_n_elements (result))
    return FALSE;
  *number = sonde_tensor_get_double (result, trial->element);
  return TRUE;
}

/* Bad in the same way as it was. */
static gboolean
is_same (const Trial *trial, guint first, guint end)
{
  double number;

  return ask (trial, first, end, &number) && !isfinite (number)
         && !isnan (number) == !isnan (trial->number);
}

/* Halves the range as long as one half alone is enough. */
static void
narrow (const Trial *trial, guint *first, guint *end)
{
  while (*end - *first > 1)
    {
      const guint middle = *first + (*end - *first) / 2;

      if (is_same (trial, *first, middle))
        *end = middle;
      else if (is_same (trial, middle, *end))
        *first = middle;
      else
        return;
    }
}

/* One of each input. */
static void
take_each_input (const GArray *suspects, guint first, guint end, GArray *culprits)
{
  guint last = G_MAXUINT;

  for (guint i = first; i < end; i++)
    {
      const SondeOriginSuspect *suspect = &g_array_index (suspects, SondeOriginSuspect, i);

      if (suspect->input != last)
        g_array_append_vals (culprits, suspect, 1);
      last = suspect->input;
    }
}

gboolean
sonde_origin_try (SondeOriginFrame *frame, SondeNode *node, SondeTensor *const *inputs,
                  guint output, gint64 element, double number, const GArray *suspects,
                  GArray *culprits)
{
  Trial trial = { .frame = frame,
                  .node = node,
                  .inputs = inputs,
                  .n_inputs = node->inputs->len,
                  .output = output,
                  .element = element,
                  .number = number,
                  .suspects = suspects };
  const guint before = culprits->len;
  gboolean runs = FALSE, good = FALSE;

  for (gsize i = 0; i < G_N_ELEMENTS (fillers) && !good; i++)
    {
      double without;

      trial.filler = fillers[i];
      runs = ask (&trial, 0, 0, &without);
      if (!runs)
        break;
      good = isfinite (without);
    }
  if (runs && !good)
    return FALSE;
  /* suspects are in order of inputs */
  for (guint first = 0, end; runs && first < suspects->len; first = end)
    {
      const SondeOriginSuspect *suspect = &g_array_index (suspects, SondeOriginSuspect, first);
      guint low = first, high;

      for (end = first;
           end < suspects->len
           && g_array_index (suspects, SondeOriginSuspect, end).input == suspect->input;)
        end++;
      high = end;
      if (!is_same (&trial, low, high))
        continue;
      narrow (&trial, &low, &high);
      g_array_append_vals (culprits, &g_array_index (suspects, SondeOriginSuspect, low), 1);
    }
  if (culprits->len == before)
    {
      guint low = 0, high = suspects->len; /* only together: inf - inf */

      if (runs)
        narrow (&trial, &low, &high);
      take_each_input (suspects, low, high, culprits);
    }
  return TRUE;
}
