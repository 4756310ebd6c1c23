/* SPDX-License-Identifier: Apache-2.0
 * Dependency rules of operators that work along dimensions: reductions, softmax, running sums. */
#include "engine/ops/sonde-op-dependency-rules.h"

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
      sonde_reach_narrow_but (context, &reach,
                              sonde_reach_axis (context, reach.rank, argument ? 0 : -1));
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
      sonde_reach_narrow_but (context, &reach, along);
      if (reverse)
        sonde_reach_range (&reach, along, context->index[along], reach.count[along]);
      else
        sonde_reach_range (&reach, along, 0, context->index[along] + 1);
      sonde_reach_add (context, &reach);
    }
  return TRUE;
}
