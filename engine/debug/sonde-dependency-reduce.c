/* SPDX-License-Identifier: Apache-2.0
 * Operators that look along dimensions: reductions, running sums, normalisations, losses. */
#include "engine/debug/sonde-dependency-private.h"

#include <string.h>

/* TRUE for the dimensions that @axes name; all without any. */
static void
mark (const gint64 *axes, gsize n, gboolean empty_is_none, int rank, gboolean *marks)
{
  for (int d = 0; d < rank; d++)
    marks[d] = n == 0 && !empty_is_none;
  for (gsize i = 0; i < n; i++)
    {
      const gint64 axis = axes[i] < 0 ? axes[i] + rank : axes[i];

      if (axis >= 0 && axis < rank)
        marks[axis] = TRUE;
    }
}

/* Where dimension @d of the long shape lies in the short one: -1 when it is not there. */
static int
place_after (const gboolean *marks, int d, gboolean keeps)
{
  int place = d;

  if (keeps)
    return d;
  if (marks[d])
    return -1;
  for (int i = 0; i < d; i++)
    place -= marks[i];
  return place;
}

gboolean
sonde_reach_reduced (SondeReachContext *context)
{
  const SondeTensor *x = sonde_reach_input (context, 0);
  gboolean marks[SONDE_MAX_RANK];
  g_autofree gint64 *axes = NULL;
  SondeReach reach;
  gsize n;

  if (x == NULL)
    return TRUE;
  axes = sonde_reach_ints (context, "axes", 1, &n);
  mark (axes, n, sonde_node_get_int (context->node, "noop_with_empty_axes", 0) != 0, x->shape.rank,
        marks);
  reach = sonde_reach_whole (x, 0);
  for (int d = 0; d < reach.rank; d++)
    {
      const int place = place_after (marks, d, context->shape->rank == reach.rank);

      if (!marks[d] && place >= 0 && place < context->shape->rank)
        sonde_reach_at (&reach, d, context->index[place]);
    }
  sonde_reach_add (context, &reach);
  return TRUE;
}

/* dx of a sum or mean: the one element of dy. */
static void
add_reduced (SondeReachContext *context, guint k, const gboolean *marks)
{
  const SondeTensor *dy = sonde_reach_input (context, k);
  SondeReach reach;

  if (dy == NULL)
    return;
  reach = sonde_reach_whole (dy, k);
  for (int d = 0; d < context->shape->rank; d++)
    {
      const int place = place_after (marks, d, reach.rank == context->shape->rank);

      if (place >= 0 && place < reach.rank && !marks[d])
        sonde_reach_at (&reach, place, context->index[d]);
    }
  sonde_reach_add (context, &reach);
}

gboolean
sonde_reach_unreduced (SondeReachContext *context)
{
  gboolean marks[SONDE_MAX_RANK];
  g_autofree gint64 *axes = NULL;
  gsize n;

  axes = sonde_reach_ints (context, "axes", G_MAXUINT, &n);
  mark (axes, n, FALSE, context->shape->rank, marks);
  add_reduced (context, 0, marks);
  return TRUE;
}

gboolean
sonde_reach_extreme (SondeReachContext *context)
{
  const SondeTensor *x = sonde_reach_input (context, 1);
  gboolean marks[SONDE_MAX_RANK];
  g_autofree gint64 *axes = NULL;
  SondeReach reach;
  gsize n;

  if (x == NULL)
    return FALSE;
  axes = sonde_reach_ints (context, "axes", G_MAXUINT, &n);
  mark (axes, n, FALSE, context->shape->rank, marks);
  add_reduced (context, 0, marks);
  add_reduced (context, 2, marks);
  reach = sonde_reach_whole (x, 1);
  for (int d = 0; d < reach.rank && d < context->shape->rank; d++)
    if (!marks[d])
      sonde_reach_at (&reach, d, context->index[d]);
  sonde_reach_add (context, &reach);
  return TRUE;
}

/* Sum over the dimensions along which x was broadcast. */
gboolean
sonde_reach_to_shape (SondeReachContext *context)
{
  const SondeTensor *dy = sonde_reach_input (context, 0);
  SondeReach reach;

  if (dy == NULL)
    return TRUE;
  reach = sonde_reach_whole (dy, 0);
  for (int d = 0; d < context->shape->rank; d++)
    {
      const int at = d + reach.rank - context->shape->rank;

      if (at >= 0 && context->shape->dims[d] == reach.count[at])
        sonde_reach_at (&reach, at, context->index[d]);
    }
  sonde_reach_add (context, &reach);
  return TRUE;
}

/* Narrows to the output's index in all dimensions but @axis, which the output may lack. */
static void
narrow_but (const SondeReachContext *context, SondeReach *reach, int axis)
{
  const gboolean lacks = context->shape->rank == reach->rank - 1;

  for (int d = 0; d < reach->rank; d++)
    {
      const int place = lacks && d > axis ? d - 1 : d;

      if (d != axis && place < context->shape->rank)
        sonde_reach_at (reach, d, context->index[place]);
    }
}

gboolean
sonde_reach_line (SondeReachContext *context)
{
  const gboolean argument = g_str_has_prefix (context->node->op, "Arg");

  for (guint k = 0; k < context->n_inputs; k++)
    {
      const SondeTensor *x = sonde_reach_input (context, k);
      SondeReach reach;

      if (x == NULL || !(context->mask >> k & 1))
        continue;
      reach = sonde_reach_whole (x, k);
      narrow_but (context, &reach, sonde_reach_axis (context, reach.rank, argument ? 0 : -1));
      sonde_reach_add (context, &reach);
    }
  return TRUE;
}

/* Up to the element along the axis that input 1 names, or from it on. */
gboolean
sonde_reach_prefix (SondeReachContext *context)
{
  const gboolean reverse = sonde_node_get_int (context->node, "reverse", 0) != 0;
  g_autofree gint64 *axis = NULL;
  gsize n;

  axis = sonde_reach_ints (context, NULL, 1, &n);
  if (n != 1)
    return FALSE;
  for (guint k = 0; k < context->n_inputs; k++)
    {
      const SondeTensor *x = sonde_reach_input (context, k);
      SondeReach reach;
      int along;

      if (x == NULL || !(context->mask >> k & 1))
        continue;
      reach = sonde_reach_whole (x, k);
      along = (int) (*axis < 0 ? *axis + reach.rank : *axis);
      if (along < 0 || along >= reach.rank || context->shape->rank != reach.rank)
        return FALSE;
      narrow_but (context, &reach, along);
      if (reverse)
        sonde_reach_range (&reach, along, context->index[along], reach.count[along]);
      else
        sonde_reach_range (&reach, along, 0, context->index[along] + 1);
      sonde_reach_add (context, &reach);
    }
  return TRUE;
}

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
  narrow_but (context, &reach, 1);
  sonde_reach_range (&reach, 1, channel - (size - 1) / 2, channel + size / 2 + 1);
  sonde_reach_add (context, &reach);
  return TRUE;
}

gboolean
sonde_reach_quantise (SondeReachContext *context)
{
  const gint64 block = sonde_node_get_int (context->node, "block_size", 0);
  const int axis = sonde_reach_axis (context, context->shape->rank, 1);

  sonde_reach_add_element (context, 0, context->element);
  for (guint k = 1; k < context->n_inputs; k++)
    {
      const SondeTensor *tensor = sonde_reach_input (context, k);
      SondeReach reach;

      if (tensor == NULL)
        continue;
      reach = sonde_reach_whole (tensor, k);
      if (reach.rank == 1 && reach.count[0] > 1 && context->shape->rank > 0)
        sonde_reach_at (&reach, 0, context->index[axis]);
      else if (reach.rank == context->shape->rank && block > 0)
        for (int d = 0; d < reach.rank; d++)
          sonde_reach_at (&reach, d, d == axis ? context->index[d] / block : context->index[d]);
      sonde_reach_add (context, &reach);
    }
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
        narrow_but (context, &reach, -1);
      else if (reach.rank == rank && rank > 1)
        narrow_but (context, &reach, 1);
      else if (reach.rank == rank + 1 && rank > 0)
        narrow_but (context, &reach, 1);
      else if (reach.rank + 1 == rank && reach.rank > 0
               && reach.count[0] == context->shape->dims[0])
        for (int d = 0; d < reach.rank; d++)
          sonde_reach_at (&reach, d, context->index[d == 0 ? 0 : d + 1]);
      sonde_reach_add (context, &reach);
    }
  return TRUE;
}
