/* SPDX-License-Identifier: Apache-2.0
 * Window geometry: formulas of the ONNX operators Conv, ConvTranspose, MaxPool, AveragePool. */
#include "engine/ops/nn/sonde-window-geometry.h"

#include <string.h>

#define LARGEST G_MAXINT32  /* of any size here, so that products of two fit easily */
#define MOST_TAPS (1 << 20) /* elements of a window; kernels keep a table of them */

#define fail(error, ...)                                                                           \
  (sonde_set_error ((error), SONDE_ENGINE_ERROR, SONDE_ENGINE_ERROR_SHAPE, __VA_ARGS__), FALSE)

static gboolean
read_list (const SondeNode *node, const char *name, int n, gint64 fallback, gint64 least,
           gint64 *values, GError **error)
{
  gsize length = 0;
  const gint64 *given = sonde_node_get_ints (node, name, &length);

  if (given != NULL && length != (gsize) n)
    return fail (error, "%s has %zu entries, but there are %d spatial dimensions", name, length, n);
  for (int d = 0; d < n; d++)
    {
      values[d] = given ? given[d] : fallback;
      if (values[d] < least || values[d] > LARGEST)
        return fail (error, "%s has an impossible entry %" PRIi64, name, values[d]);
    }
  return TRUE;
}

static gboolean
read_kernel (const SondeNode *node, const gint64 *kernel, SondeWindowGeometry *window,
             GError **error)
{
  gint64 taps = 1;

  if (kernel == NULL && sonde_node_find_attribute (node, "kernel_shape") == NULL)
    return fail (error, "lacks kernel_shape");
  if (!read_list (node, "kernel_shape", window->n, 1, 1, window->kernel, error))
    return FALSE;
  for (int d = 0; d < window->n && kernel != NULL; d++)
    {
      gboolean given = sonde_node_find_attribute (node, "kernel_shape") != NULL;

      if (given && kernel[d] >= 0 && kernel[d] != window->kernel[d])
        return fail (error, "kernel_shape says %" PRIi64 ", but the weight has size %" PRIi64,
                     window->kernel[d], kernel[d]);
      if (kernel[d] > LARGEST || (kernel[d] == 0))
        return fail (error, "the weight has an impossible size %" PRIi64, kernel[d]);
      if (!given)
        window->kernel[d] = kernel[d];
    }
  for (int d = 0; d < window->n; d++)
    taps *= MIN (MAX (window->kernel[d], 1), MOST_TAPS + 1);
  if (taps > MOST_TAPS)
    return fail (error, "the window has more than %d elements", MOST_TAPS);
  return TRUE;
}

static gboolean
read_pads (const SondeNode *node, SondeWindowGeometry *window, GError **error)
{
  gint64 pads[2 * SONDE_WINDOW_DIMS];
  gsize length = 0;

  (void) sonde_node_get_ints (node, "pads", &length);
  if (length != 0 && length != 2 * (gsize) window->n)
    return fail (error, "pads has %zu entries, but needs two for each of %d spatial dimensions",
                 length, window->n);
  if (!read_list (node, "pads", 2 * window->n, 0, -LARGEST, pads, error))
    return FALSE;
  for (int d = 0; d < window->n; d++)
    {
      window->before[d] = pads[d];
      window->after[d] = pads[d + window->n];
    }
  return TRUE;
}

static gboolean
read_attributes (const SondeNode *node, int n, const gint64 *sizes, const gint64 *kernel,
                 SondeWindowGeometry *window, GError **error)
{
  memset (window, 0, sizeof *window);
  if (n < 1 || n > SONDE_WINDOW_DIMS)
    return fail (error, "%d spatial dimensions are not implemented, only 1 to %d", n,
                 SONDE_WINDOW_DIMS);
  window->n = n;
  window->group = sonde_node_get_int (node, "group", 1);
  if (window->group < 1 || window->group > LARGEST)
    return fail (error, "group %" PRIi64 " makes no sense", window->group);
  for (int d = 0; d < n; d++)
    if (sizes[d] > LARGEST)
      return fail (error, "size %" PRIi64 " is too big", sizes[d]);
  return read_kernel (node, kernel, window, error)
         && read_list (node, "strides", n, 1, 1, window->stride, error)
         && read_list (node, "dilations", n, 1, 1, window->dilation, error)
         && read_pads (node, window, error);
}

static gint64
extent (const SondeWindowGeometry *window, int d)
{
  return (window->kernel[d] - 1) * window->dilation[d] + 1;
}

/* SAME: out = ⌈in / stride⌉, the padding shared by both sides, an odd one after (UPPER) or
 * before. */
static void
pad_same (SondeWindowGeometry *window, int d, gboolean upper)
{
  gint64 out = (window->in[d] + window->stride[d] - 1) / window->stride[d];
  gint64 total = MAX ((out - 1) * window->stride[d] + extent (window, d) - window->in[d], 0);

  window->before[d] = upper ? total / 2 : total - total / 2;
  window->after[d] = total - window->before[d];
  window->out[d] = out;
}

/* With ceil_mode a last window may reach past the end, but not start in the padding there. */
static void
count_windows (SondeWindowGeometry *window, int d, gboolean round_up)
{
  gint64 space = window->in[d] + window->before[d] + window->after[d] - extent (window, d);
  gint64 stride = window->stride[d];

  if (space < 0)
    window->out[d] = round_up && space > -stride && window->in[d] + window->before[d] > 0;
  else
    window->out[d] = space / stride + 1;
  if (!round_up || space < 0 || space % stride == 0)
    return;
  if (window->out[d] * stride < window->in[d] + window->before[d])
    window->out[d]++;
}

gboolean
sonde_window_read (const SondeNode *node, int n, const gint64 *in, const gint64 *kernel,
                   SondeWindowGeometry *window, GError **error)
{
  const char *automatic = sonde_node_get_string (node, "auto_pad", "NOTSET");
  gboolean same = g_str_has_prefix (automatic, "SAME_");
  gboolean round_up = sonde_node_get_int (node, "ceil_mode", 0) != 0;

  if (!read_attributes (node, n, in, kernel, window, error))
    return FALSE;
  for (int d = 0; d < n; d++)
    {
      window->in[d] = in[d];
      window->out[d] = -1;
      if (strcmp (automatic, "VALID") == 0)
        window->before[d] = window->after[d] = 0;
      if (in[d] < 0 || window->kernel[d] < 0)
        continue;
      if (same)
        pad_same (window, d, strcmp (automatic, "SAME_UPPER") == 0);
      else
        count_windows (window, d, round_up);
      if (window->out[d] <= 0 && in[d] > 0)
        return fail (error,
                     "a window of %" PRIi64 " does not fit size %" PRIi64 " with padding %" PRIi64
                     " and %" PRIi64,
                     extent (window, d), in[d], window->before[d], window->after[d]);
      window->declared_after[d] = window->after[d];
      window->after[d] = (window->out[d] - 1) * window->stride[d] + extent (window, d) - in[d]
                         - window->before[d];
    }
  return TRUE;
}

/* out = stride·(small − 1) + extra + extent − before − after; output_shape or SAME give the padding
 * instead. */
gboolean
sonde_window_read_transposed (const SondeNode *node, int n, const gint64 *small,
                              const gint64 *kernel, SondeWindowGeometry *window, GError **error)
{
  const char *automatic = sonde_node_get_string (node, "auto_pad", "NOTSET");
  gboolean same = g_str_has_prefix (automatic, "SAME_");
  gboolean given = sonde_node_find_attribute (node, "output_shape") != NULL;
  gint64 extra[SONDE_WINDOW_DIMS], wanted[SONDE_WINDOW_DIMS];

  if (!read_attributes (node, n, small, kernel, window, error)
      || !read_list (node, "output_padding", n, 0, 0, extra, error)
      || !read_list (node, "output_shape", n, 1, 1, wanted, error))
    return FALSE;
  for (int d = 0; d < n; d++)
    {
      gint64 full = 0, total = 0;

      window->out[d] = small[d];
      window->in[d] = -1;
      if (strcmp (automatic, "VALID") == 0)
        window->before[d] = window->after[d] = 0;
      if (small[d] < 0 || window->kernel[d] < 0)
        continue;
      full = window->stride[d] * (small[d] - 1) + extra[d] + extent (window, d);
      window->in[d] = full - window->before[d] - window->after[d];
      if (given || same)
        {
          window->in[d] = given ? wanted[d] : small[d] * window->stride[d];
          total = MAX (full - window->in[d], 0);
          window->before[d] = strcmp (automatic, "SAME_UPPER") == 0 ? total / 2 : total - total / 2;
        }
      if (window->in[d] < 0 || window->in[d] > LARGEST)
        return fail (error, "the result would have size %" PRIi64, window->in[d]);
      window->after[d] = (small[d] - 1) * window->stride[d] + extent (window, d) - window->in[d]
                         - window->before[d];
    }
  return TRUE;
}
