/* SPDX-License-Identifier: Apache-2.0
 * Operators that join values and part them. */
#include "data/models/lowering/sonde-lowering-shapes.h"
#include "data/models/tflite/sonde-tflite-builders.h"

/* Where @axis of a value of @rank is with channels first. */
static gint64
first_axis (gint64 axis, int rank)
{
  return axis == 0 ? 0 : axis == rank - 1 ? 1 : axis + 1;
}

void
sonde_tflite_build_concatenation (SondeTfliteLower *lower)
{
  guint n = lower->op->n_inputs;
  int rank = sonde_tflite_in_rank (lower, 0);
  gint64 axis = sonde_tflite_option (lower, 0, 0);
  g_autofree SondeGraphValue **inputs = g_new (SondeGraphValue *, n);
  SondeGraphValue *value;

  for (guint k = 0; k < n; k++)
    if (sonde_tflite_in_rank (lower, k) != rank || sonde_tflite_in_tensor (lower, k) == NULL)
      {
        sonde_lowering_fail (lower->to, SONDE_DATA_ERROR_DAMAGED,
                             "input %u has %d dimensions, the first has %d", k,
                             sonde_tflite_in_rank (lower, k), rank);
        return;
      }
  if (!sonde_tflite_check_axis (lower, &axis, rank))
    return;
  sonde_tflite_choose_layout (lower, n);
  for (guint k = 0; k < n; k++)
    inputs[k] = lower->first ? sonde_tflite_in_first (lower, k) : sonde_tflite_in (lower, k);
  value
      = sonde_lowering_concat (lower->to, inputs, n, lower->first ? first_axis (axis, rank) : axis);
  sonde_tflite_out_any (lower, 0,
                        sonde_tflite_activate (lower, value, sonde_tflite_option8 (lower, 1)));
}

void
sonde_tflite_build_pack (SondeTfliteLower *lower)
{
  guint n = lower->op->n_inputs;
  gint64 axis = sonde_tflite_option (lower, 1, 0);
  g_autofree SondeGraphValue **inputs = g_new (SondeGraphValue *, n);

  if (!sonde_tflite_check_axis (lower, &axis, sonde_tflite_in_rank (lower, 0) + 1))
    return;
  for (guint k = 0; k < n; k++)
    {
      inputs[k] = sonde_tflite_in (lower, k);
      if (inputs[k] == NULL)
        {
          sonde_lowering_fail (lower->to, SONDE_DATA_ERROR_DAMAGED, "input %u is absent", k);
          return;
        }
      inputs[k] = sonde_lowering_unsqueeze (lower->to, inputs[k], axis);
    }
  sonde_tflite_out (lower, 0, sonde_lowering_concat (lower->to, inputs, n, axis));
}

static SondeNode *
emit_split (SondeTfliteLower *lower, guint x, gint64 axis, SondeGraphValue *sizes)
{
  guint n = lower->op->n_outputs;
  SondeGraphValue *inputs[] = { sonde_tflite_in (lower, x), sizes };
  SondeNode *node = sonde_lowering_node (lower->to, "", "Split", inputs, sizes != NULL ? 2 : 1, n);

  sonde_node_set_int (node, "axis", axis);
  if (sizes == NULL)
    sonde_node_set_int (node, "num_outputs", n);
  return node;
}

void
sonde_tflite_build_unpack (SondeTfliteLower *lower)
{
  gint64 axis = sonde_tflite_option (lower, 1, 0);
  SondeNode *node;

  if (!sonde_tflite_check_axis (lower, &axis, sonde_tflite_in_rank (lower, 0)))
    return;
  node = emit_split (lower, 0, axis, NULL);
  for (guint k = 0; k < lower->op->n_outputs; k++)
    sonde_tflite_out (lower, k,
                      sonde_lowering_squeeze (lower->to, sonde_node_get_output (node, k), axis));
}

/* SPLIT has the axis first, SPLIT_V the sizes second and the axis last. */
void
sonde_tflite_build_split (SondeTfliteLower *lower)
{
  enum
  {
    SPLIT = 49
  };
  gboolean equal = lower->op->code == SPLIT;
  guint x = equal ? 1 : 0;
  gint64 axis = 0;
  guint n = 0;
  g_autofree gint64 *sizes = NULL;
  SondeNode *node;

  if (!sonde_tflite_need_int (lower, equal ? 0 : 2, N_ ("the axis"), &axis)
      || !sonde_tflite_check_axis (lower, &axis, sonde_tflite_in_rank (lower, x)))
    return;
  if (!equal)
    {
      gint64 whole = sonde_tflite_in_tensor (lower, 0)->signature.dims[axis], sum = 0;

      sizes = sonde_tflite_need_ints (lower, 1, N_ ("the sizes of the parts"), &n);
      if (sizes == NULL)
        return;
      for (guint i = 0; i < n; i++)
        sum += MAX (sizes[i], 0);
      for (guint i = 0; i < n; i++)
        sizes[i] = sizes[i] < 0 ? whole - sum : sizes[i];
      if (n != lower->op->n_outputs)
        {
          sonde_lowering_fail (lower->to, SONDE_DATA_ERROR_DAMAGED,
                               "it has %u sizes and %u outputs", n, lower->op->n_outputs);
          return;
        }
    }
  node = emit_split (lower, x, axis, equal ? NULL : sonde_lowering_ints (lower->to, sizes, n));
  for (guint k = 0; k < lower->op->n_outputs; k++)
    sonde_tflite_out (lower, k, sonde_node_get_output (node, k));
}
