/* SPDX-License-Identifier: Apache-2.0
 * Products of matrices, Einsum, and recurrent layers. */
#include "engine/debug/sonde-dependency-private.h"

#include <string.h>

#include "engine/ops/math/sonde-einsum-private.h"

/* Batch dimensions of @tensor, which has @own others behind them, broadcast to the output's, which
 * has @others. */
static void
narrow_batch (const SondeReachContext *context, SondeReach *reach, int own, int others)
{
  const int n = reach->rank - own, batch = context->shape->rank - others;

  for (int d = 0; d < n; d++)
    {
      const int at = d + batch - n;

      if (at >= 0 && reach->count[d] > 1 && context->shape->dims[at] == reach->count[d])
        sonde_reach_at (reach, d, context->index[at]);
    }
}

gboolean
sonde_reach_matmul (SondeReachContext *context)
{
  const SondeTensor *a = sonde_reach_input (context, 0), *b = sonde_reach_input (context, 1);
  SondeReach reach;
  int rows, columns;

  if (!g_str_equal (context->node->op, "MatMul"))
    {
      for (guint k = 0; k < context->n_inputs; k++)
        sonde_reach_add_whole (context, k); /* of integer products only the scales */
      return TRUE;
    }
  if (a == NULL || b == NULL || a->shape.rank < 1 || b->shape.rank < 1)
    return FALSE;
  rows = a->shape.rank > 1;
  columns = b->shape.rank > 1;
  if (context->shape->rank < rows + columns)
    return FALSE;
  reach = sonde_reach_whole (a, 0);
  narrow_batch (context, &reach, MIN (reach.rank, 2), rows + columns);
  if (rows)
    sonde_reach_at (&reach, reach.rank - 2, context->index[context->shape->rank - columns - 1]);
  sonde_reach_add (context, &reach);
  reach = sonde_reach_whole (b, 1);
  narrow_batch (context, &reach, MIN (reach.rank, 2), rows + columns);
  if (columns)
    sonde_reach_at (&reach, reach.rank - 1, context->index[context->shape->rank - 1]);
  sonde_reach_add (context, &reach);
  return TRUE;
}

gboolean
sonde_reach_gemm (SondeReachContext *context)
{
  const SondeTensor *a = sonde_reach_input (context, 0), *b = sonde_reach_input (context, 1);
  SondeReach reach;

  if (a == NULL || b == NULL || a->shape.rank != 2 || b->shape.rank != 2
      || context->shape->rank != 2)
    return FALSE;
  reach = sonde_reach_whole (a, 0);
  sonde_reach_at (&reach, sonde_node_get_int (context->node, "transA", 0) != 0, context->index[0]);
  sonde_reach_add (context, &reach);
  reach = sonde_reach_whole (b, 1);
  sonde_reach_at (&reach, sonde_node_get_int (context->node, "transB", 0) == 0, context->index[1]);
  sonde_reach_add (context, &reach);
  if (sonde_node_get_float (context->node, "beta", 1) != 0)
    sonde_reach_add_broadcast (context, 2);
  return TRUE;
}

gboolean
sonde_reach_einsum (SondeReachContext *context)
{
  g_auto (SondeEinsum) einsum = { 0 };
  g_autofree int *ranks = g_new0 (int, context->n_inputs + 1);

  for (guint k = 0; k < context->n_inputs; k++)
    {
      if (context->inputs[k] == NULL)
        return FALSE;
      ranks[k] = context->inputs[k]->shape.rank;
    }
  if (!sonde_einsum_read (&einsum, sonde_node_get_string (context->node, "equation", ""), ranks,
                          context->n_inputs, NULL)
      || einsum.output.n != context->shape->rank)
    return FALSE;
  for (guint k = 0; k < context->n_inputs; k++)
    {
      SondeReach reach = sonde_reach_whole (context->inputs[k], k);

      for (int d = 0; d < reach.rank && d < einsum.terms[k].n; d++)
        for (int o = 0; o < einsum.output.n; o++)
          if (einsum.output.labels[o] == einsum.terms[k].labels[d] && reach.count[d] > 1)
            sonde_reach_at (&reach, d, context->index[o]);
      sonde_reach_add (context, &reach);
    }
  return TRUE;
}

/* (a, packed weights, scales, …): the row of a, all scales. */
gboolean
sonde_reach_matmul_bits (SondeReachContext *context)
{
  const SondeTensor *a = sonde_reach_input (context, 0);

  if (a != NULL)
    {
      SondeReach reach = sonde_reach_whole (a, 0);

      for (int d = 0; d < reach.rank - 1 && d < context->shape->rank - 1; d++)
        sonde_reach_at (&reach, d, context->index[d]);
      sonde_reach_add (context, &reach);
    }
  for (guint k = 1; k < context->n_inputs; k++)
    sonde_reach_add_whole (context, k);
  return TRUE;
}

/* ---- recurrent layers ---------------------------------------------------- */

/* Inputs X, W, R, B, lengths, initial H (and C), peepholes; Y is [time, direction, batch, hidden],
 * with layout 1 [batch, time, direction, hidden]; the last states lack the time. */
gboolean
sonde_reach_recurrent (SondeReachContext *context)
{
  const gboolean batch_first = sonde_node_get_int (context->node, "layout", 0) != 0;
  const gboolean whole = context->output == 0 && context->shape->rank == 4;
  const char *way = sonde_node_get_string (context->node, "direction", "forward");
  const SondeTensor *x = sonde_reach_input (context, 0);
  const int shift = whole ? 1 : 0;
  gint64 batch, direction, time;
  SondeReach reach;

  if (x == NULL || x->shape.rank != 3 || context->shape->rank != 3 + shift)
    return FALSE;
  batch = context->index[batch_first ? 0 : 1 + shift];
  direction = context->index[batch_first ? 1 + shift : shift];
  time = whole ? context->index[batch_first ? 1 : 0] : -1;
  reach = sonde_reach_whole (x, 0);
  sonde_reach_at (&reach, batch_first ? 0 : 1, batch);
  if (time >= 0 && (direction == 1 || g_str_equal (way, "reverse")))
    sonde_reach_range (&reach, batch_first ? 1 : 0, time, G_MAXINT64);
  else if (time >= 0)
    sonde_reach_range (&reach, batch_first ? 1 : 0, 0, time + 1);
  sonde_reach_add (context, &reach);
  for (guint k = 1; k < context->n_inputs; k++)
    {
      const SondeTensor *tensor = sonde_reach_input (context, k);

      if (tensor == NULL)
        continue;
      reach = sonde_reach_whole (tensor, k);
      if (k == 5 || k == 6)
        {
          sonde_reach_at (&reach, batch_first ? 0 : 1, batch);
          sonde_reach_at (&reach, batch_first ? 1 : 0, direction);
        }
      else
        sonde_reach_at (&reach, 0, direction);
      sonde_reach_add (context, &reach);
    }
  return TRUE;
}
