/* SPDX-License-Identifier: Apache-2.0
 * Operators with windows: convolutions, pools, their gradients, Resize. */
#include "engine/ops/sonde-op-dependency-rules.h"

#include <string.h>

#include "engine/ops/nn/sonde-window-geometry.h"

/* Spatial sizes of a tensor [N, C, …]; FALSE when there are none or too many. */
static gboolean
spatial (const SondeShape *shape, int *n, const gint64 **dims)
{
  *n = shape->rank - 2;
  *dims = shape->dims + 2;
  return *n >= 1 && *n <= SONDE_WINDOW_DIMS;
}

/* Narrows to the positions that the window number @index looks at, padding left out. */
static void
narrow_window (SondeReach *reach, int dimension, const SondeWindowGeometry *window, int s,
               gint64 index)
{
  const gint64 first = index * window->stride[s] - window->before[s],
               step = MAX (window->dilation[s], 1);
  const gint64 size = reach->count[dimension];
  const gint64 skip = first < 0 ? (-first + step - 1) / step : 0;
  const gint64 begin = first + skip * step;
  const gint64 left = window->kernel[s] - skip;
  const gint64 fit = begin < size ? (size - 1 - begin) / step + 1 : 0;

  reach->begin[dimension] = MIN (begin, MAX (size - 1, 0));
  reach->step[dimension] = step;
  reach->count[dimension] = CLAMP (left, 0, fit);
}

/* Narrows the weight to the taps of window number @index that do not lie in the padding. */
static void
narrow_taps (SondeReach *reach, int dimension, const SondeWindowGeometry *window, int s,
             gint64 index, gint64 size)
{
  const gint64 first = index * window->stride[s] - window->before[s],
               step = MAX (window->dilation[s], 1);

  sonde_reach_range (reach, dimension, first < 0 ? (-first + step - 1) / step : 0,
                     first < size ? (size - 1 - first) / step + 1 : 0);
}

/* Narrows to the windows that position @position lies in. */
static void
narrow_windows (SondeReach *reach, int dimension, const SondeWindowGeometry *window, int s,
                gint64 position)
{
  const gint64 at = position + window->before[s],
               span = (window->kernel[s] - 1) * window->dilation[s];
  const gint64 stride = MAX (window->stride[s], 1);
  const gint64 first = at - span > 0 ? (at - span + stride - 1) / stride : 0;

  sonde_reach_range (reach, dimension, first, at >= 0 ? at / stride + 1 : 0);
}

/* Everything but the inputs of the rule: scales. */
static void
add_rest (SondeReachContext *context, guint a, guint b)
{
  for (guint k = 0; k < context->n_inputs; k++)
    if (k != a && k != b)
      sonde_reach_add_whole (context, k);
}

/* Channels of one side that belong to the group of channel @channel of the other. */
static void
narrow_group (SondeReach *reach, int dimension, gint64 groups, gint64 channel, gint64 channels)
{
  const gint64 size = reach->count[dimension], each = groups > 0 ? size / groups : size;
  const gint64 group = groups > 0 && channels >= groups ? channel / (channels / groups) : 0;

  sonde_reach_range (reach, dimension, group * each, (group + 1) * each);
}

gboolean
sonde_reach_conv (SondeReachContext *context)
{
  const gboolean quantised = g_str_equal (context->node->op, "QLinearConv");
  const guint weight = quantised ? 3 : 1;
  const SondeTensor *x = sonde_reach_input (context, 0), *w = sonde_reach_input (context, weight);
  SondeReach reach;
  SondeWindowGeometry window;
  const gint64 *in;
  int n;

  if (context->n_inputs <= weight || x == NULL || w == NULL)
    return quantised ? (add_rest (context, 0, weight), TRUE) : FALSE;
  if (!spatial (&x->shape, &n, &in) || w->shape.rank != n + 2 || context->shape->rank != n + 2
      || !sonde_window_read (context->node, n, in, w->shape.dims + 2, &window, NULL))
    return FALSE;
  reach = sonde_reach_whole (x, 0);
  sonde_reach_at (&reach, 0, context->index[0]);
  narrow_group (&reach, 1, window.group, context->index[1], context->shape->dims[1]);
  for (int s = 0; s < n; s++)
    narrow_window (&reach, s + 2, &window, s, context->index[s + 2]);
  sonde_reach_add (context, &reach);
  reach = sonde_reach_whole (w, weight);
  sonde_reach_at (&reach, 0, context->index[1]);
  for (int s = 0; s < n; s++)
    narrow_taps (&reach, s + 2, &window, s, context->index[s + 2], in[s]);
  sonde_reach_add (context, &reach);
  sonde_reach_add_element (context, 2, context->index[1]);
  return TRUE;
}

gboolean
sonde_reach_conv_transposed (SondeReachContext *context)
{
  const SondeTensor *x = sonde_reach_input (context, 0), *w = sonde_reach_input (context, 1);
  SondeReach reach;
  SondeWindowGeometry window;
  const gint64 *in;
  gint64 each;
  int n;

  if (x == NULL || w == NULL || !spatial (&x->shape, &n, &in) || w->shape.rank != n + 2
      || context->shape->rank != n + 2
      || !sonde_window_read_transposed (context->node, n, in, w->shape.dims + 2, &window, NULL))
    return FALSE;
  each = MAX (w->shape.dims[1], 1); /* results of a group */
  reach = sonde_reach_whole (x, 0);
  sonde_reach_at (&reach, 0, context->index[0]);
  narrow_group (&reach, 1, window.group, context->index[1], context->shape->dims[1]);
  for (int s = 0; s < n; s++)
    narrow_windows (&reach, s + 2, &window, s, context->index[s + 2]);
  sonde_reach_add (context, &reach);
  reach = sonde_reach_whole (w, 1);
  narrow_group (&reach, 0, window.group, context->index[1], context->shape->dims[1]);
  sonde_reach_at (&reach, 1, context->index[1] % each);
  sonde_reach_add (context, &reach);
  sonde_reach_add_element (context, 2, context->index[1]);
  return TRUE;
}

/* ConvGradInput (dy, w, like x) */
gboolean
sonde_reach_conv_input (SondeReachContext *context)
{
  const SondeTensor *dy = sonde_reach_input (context, 0), *w = sonde_reach_input (context, 1);
  SondeReach reach;
  SondeWindowGeometry window;
  const gint64 *in;
  int n;

  if (dy == NULL || w == NULL || !spatial (context->shape, &n, &in) || w->shape.rank != n + 2
      || dy->shape.rank != n + 2
      || !sonde_window_read (context->node, n, in, w->shape.dims + 2, &window, NULL))
    return FALSE;
  reach = sonde_reach_whole (dy, 0);
  sonde_reach_at (&reach, 0, context->index[0]);
  narrow_group (&reach, 1, window.group, context->index[1], context->shape->dims[1]);
  for (int s = 0; s < n; s++)
    narrow_windows (&reach, s + 2, &window, s, context->index[s + 2]);
  sonde_reach_add (context, &reach);
  reach = sonde_reach_whole (w, 1);
  narrow_group (&reach, 0, window.group, context->index[1], context->shape->dims[1]);
  sonde_reach_at (&reach, 1, context->index[1] % MAX (w->shape.dims[1], 1));
  sonde_reach_add (context, &reach);
  return TRUE;
}

/* ConvGradWeight (dy, x, like w) */
gboolean
sonde_reach_conv_weight (SondeReachContext *context)
{
  const SondeTensor *dy = sonde_reach_input (context, 0), *x = sonde_reach_input (context, 1);
  SondeReach reach;
  SondeWindowGeometry window;
  const gint64 *in;
  gint64 each, group;
  int n;

  if (dy == NULL || x == NULL || !spatial (&x->shape, &n, &in) || context->shape->rank != n + 2
      || dy->shape.rank != n + 2
      || !sonde_window_read (context->node, n, in, context->shape->dims + 2, &window, NULL))
    return FALSE;
  reach = sonde_reach_whole (dy, 0);
  sonde_reach_at (&reach, 1, context->index[0]);
  sonde_reach_add (context, &reach);
  reach = sonde_reach_whole (x, 1);
  each = MAX (context->shape->dims[1], 1);
  group
      = window.group > 0 ? context->index[0] / MAX (context->shape->dims[0] / window.group, 1) : 0;
  sonde_reach_at (&reach, 1, group * each + context->index[1]);
  for (int s = 0; s < n; s++)
    {
      /* one tap of all windows: windows of one element, a stride apart */
      SondeWindowGeometry tap = window;

      tap.before[s] = window.before[s] - context->index[s + 2] * window.dilation[s];
      tap.kernel[s] = dy->shape.dims[s + 2];
      tap.dilation[s] = window.stride[s];
      narrow_window (&reach, s + 2, &tap, s, 0);
    }
  sonde_reach_add (context, &reach);
  return TRUE;
}

gboolean
sonde_reach_pool (SondeReachContext *context)
{
  const SondeTensor *x = sonde_reach_input (context, 0);
  SondeReach reach;
  SondeWindowGeometry window;
  const gint64 *in;
  int n;

  if (x == NULL || !spatial (&x->shape, &n, &in) || context->shape->rank != n + 2
      || !sonde_window_read (context->node, n, in, NULL, &window, NULL))
    return FALSE;
  reach = sonde_reach_whole (x, 0);
  sonde_reach_at (&reach, 0, context->index[0]);
  sonde_reach_at (&reach, 1, context->index[1]);
  for (int s = 0; s < n; s++)
    narrow_window (&reach, s + 2, &window, s, context->index[s + 2]);
  sonde_reach_add (context, &reach);
  return TRUE;
}

/* dx of a pool: dy where its windows reach; x, where it is looked at, in the whole plane. */
gboolean
sonde_reach_pool_back (SondeReachContext *context)
{
  const SondeTensor *dy = sonde_reach_input (context, 0), *x = sonde_reach_input (context, 1);
  SondeReach reach;
  SondeWindowGeometry window;
  const gint64 *in;
  int n;

  if (dy == NULL || !spatial (context->shape, &n, &in) || dy->shape.rank != n + 2
      || !sonde_window_read (context->node, n, in, NULL, &window, NULL))
    return FALSE;
  reach = sonde_reach_whole (dy, 0);
  sonde_reach_at (&reach, 0, context->index[0]);
  sonde_reach_at (&reach, 1, context->index[1]);
  for (int s = 0; s < n; s++)
    narrow_windows (&reach, s + 2, &window, s, context->index[s + 2]);
  sonde_reach_add (context, &reach);
  if (x == NULL)
    return TRUE;
  reach = sonde_reach_whole (x, 1);
  sonde_reach_at (&reach, 0, context->index[0]);
  sonde_reach_at (&reach, 1, context->index[1]);
  sonde_reach_add (context, &reach);
  return TRUE;
}
