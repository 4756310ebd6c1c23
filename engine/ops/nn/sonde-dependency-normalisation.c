/* SPDX-License-Identifier: Apache-2.0
 * Dependency rules of normalisations and losses. */
#include "engine/ops/sonde-op-dependency-rules.h"

/* ---- normalisations ------------------------------------------------------ */

/* Per channel: [C] */
static void
add_channel (SondeReachContext *context, guint k, gint64 channel)
{
  const SondeTensor *tensor = sonde_reach_input (context, k);

  if (tensor != NULL)
    sonde_reach_add_element (context, k, channel);
}

/* Of an [N, C, …] input: @sample (-1: all) and channels @begin to before @end. */
static void
add_channels (SondeReachContext *context, guint k, gint64 sample, gint64 begin, gint64 end)
{
  const SondeTensor *x = sonde_reach_input (context, k);
  SondeReach reach;

  if (x == NULL)
    return;
  reach = sonde_reach_whole (x, k);
  if (sample >= 0 && reach.rank > 0)
    sonde_reach_at (&reach, 0, sample);
  if (reach.rank > 1)
    sonde_reach_range (&reach, 1, begin, end);
  sonde_reach_add (context, &reach);
}

static gint64
channel_of (const SondeReachContext *context)
{
  return context->output == 0 ? (context->shape->rank > 1 ? context->index[1] : 0)
                              : context->index[0];
}

gboolean
sonde_reach_batch_norm (SondeReachContext *context)
{
  const gint64 channel = channel_of (context);

  if (context->output == 0 && sonde_node_get_int (context->node, "training_mode", 0) == 0)
    sonde_reach_add_element (context, 0, context->element);
  else
    add_channels (context, 0, -1, channel, channel + 1);
  for (guint k = 1; k < context->n_inputs; k++)
    add_channel (context, k, channel);
  return TRUE;
}

gboolean
sonde_reach_batch_norm_grad (SondeReachContext *context)
{
  const gint64 channel = channel_of (context);
  const gboolean apart
      = context->output == 0 && sonde_node_get_int (context->node, "training_mode", 0) == 0;

  for (guint k = 0; k < 2; k++)
    if (apart)
      sonde_reach_add_element (context, k, context->element);
    else
      add_channels (context, k, -1, channel, channel + 1);
  for (guint k = 2; k < context->n_inputs; k++)
    add_channel (context, k, channel);
  return TRUE;
}

/* Of input @k what has the same first @axis indices. */
static void
add_row (SondeReachContext *context, guint k, int axis)
{
  const SondeTensor *x = sonde_reach_input (context, k);
  SondeReach reach;

  if (x == NULL)
    return;
  reach = sonde_reach_whole (x, k);
  for (int d = 0; d < axis && d < reach.rank && d < context->shape->rank; d++)
    sonde_reach_at (&reach, d, context->index[d]);
  sonde_reach_add (context, &reach);
}

gboolean
sonde_reach_layer_norm (SondeReachContext *context)
{
  const SondeTensor *x = sonde_reach_input (context, 0);

  if (x == NULL)
    return FALSE;
  add_row (context, 0, sonde_reach_axis (context, x->shape.rank, -1));
  for (guint k = 1; k < context->n_inputs && context->output == 0; k++)
    sonde_reach_add_broadcast (context, k);
  return TRUE;
}

gboolean
sonde_reach_layer_norm_grad (SondeReachContext *context)
{
  const SondeTensor *x = sonde_reach_input (context, 1);
  int axis;

  if (x == NULL)
    return FALSE;
  axis = sonde_reach_axis (context, x->shape.rank, -1);
  for (guint k = 0; k < context->n_inputs; k++)
    if (context->output == 0 && k != 2)
      add_row (context, k, axis);
    else if (context->output == 0 || k > 2)
      sonde_reach_add_whole (context, k);
    else if (k < 2 && sonde_reach_input (context, k) != NULL)
      {
        SondeReach reach = sonde_reach_whole (sonde_reach_input (context, k), k);
        const int shift = reach.rank - context->shape->rank;

        for (int d = 0; d < context->shape->rank; d++)
          if (d + shift >= axis && context->shape->dims[d] == reach.count[d + shift])
            sonde_reach_at (&reach, d + shift, context->index[d]);
        sonde_reach_add (context, &reach);
      }
  return TRUE;
}

gboolean
sonde_reach_channel_norm (SondeReachContext *context)
{
  const gint64 channel = channel_of (context);

  add_channels (context, 0, context->index[0], channel, channel + 1);
  add_channel (context, 1, channel);
  add_channel (context, 2, channel);
  return TRUE;
}

gboolean
sonde_reach_group_norm (SondeReachContext *context)
{
  const gint64 groups = sonde_node_get_int (context->node, "num_groups", 1);
  const gint64 channels = context->shape->rank > 1 ? context->shape->dims[1] : 1;
  const gint64 channel = channel_of (context),
               each = groups > 0 ? MAX (channels / groups, 1) : channels;
  const gint64 group = channel / each;

  add_channels (context, 0, context->index[0], group * each, (group + 1) * each);
  for (guint k = 1; k < context->n_inputs; k++)
    if (context->inputs[k] != NULL)
      add_channel (context, k,
                   sonde_tensor_n_elements (context->inputs[k]) == channels ? channel : group);
  return TRUE;
}

gboolean
sonde_reach_lrn (SondeReachContext *context)
{
  const gint64 size = sonde_node_get_int (context->node, "size", 1), channel = channel_of (context);
  const SondeTensor *x = sonde_reach_input (context, 0);
  SondeReach reach;

  if (x == NULL || context->shape->rank != x->shape.rank || x->shape.rank < 2)
    return FALSE;
  reach = sonde_reach_whole (x, 0);
  sonde_reach_narrow_but (context, &reach, 1);
  sonde_reach_range (&reach, 1, channel - (size - 1) / 2, channel + size / 2 + 1);
  sonde_reach_add (context, &reach);
  return TRUE;
}

/* ---- losses -------------------------------------------------------------- */

/* Scores are [N, C, …], labels and single losses [N, …]; one loss alone is made of everything. */
gboolean
sonde_reach_scores (SondeReachContext *context)
{
  const gboolean pairs = g_str_has_prefix (context->node->op, "Mse");
  const int rank = context->shape->rank;

  for (guint k = 0; k < context->n_inputs; k++)
    {
      const SondeTensor *tensor = sonde_reach_input (context, k);
      SondeReach reach;

      if (tensor == NULL)
        continue;
      reach = sonde_reach_whole (tensor, k);
      if (reach.rank == rank && pairs)
        sonde_reach_narrow_but (context, &reach, -1);
      else if (reach.rank == rank && rank > 1)
        sonde_reach_narrow_but (context, &reach, 1);
      else if (reach.rank == rank + 1 && rank > 0)
        sonde_reach_narrow_but (context, &reach, 1);
      else if (reach.rank + 1 == rank && reach.rank > 0
               && reach.count[0] == context->shape->dims[0])
        for (int d = 0; d < reach.rank; d++)
          sonde_reach_at (&reach, d, context->index[d == 0 ? 0 : d + 1]);
      sonde_reach_add (context, &reach);
    }
  return TRUE;
}
