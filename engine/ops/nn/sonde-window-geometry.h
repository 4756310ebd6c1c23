/* SPDX-License-Identifier: Apache-2.0
 * Geometry of convolution and pooling: a node's window attributes with defaults filled in and
 * auto_pad resolved. For shape rules, kernels and devices alike. */
#pragma once

#include "engine/ops/sonde-op.h"

G_BEGIN_DECLS

#define SONDE_WINDOW_DIMS 3

/**
 * SondeWindowGeometry: all sizes in elements, spatial dimensions outermost first
 * @n: number of spatial dimensions, 1 to 3
 * @in, @out: sizes of the side that the window slides over and of the other; -1 unknown. For
 * ConvTranspose
 *   @in is the result's size, since it is the convolution backwards
 * @kernel, @stride, @dilation: of the window
 * @before, @after: padding that makes the windows come out even; @after may be larger than the
 *   attribute where ceil_mode makes a last window reach past the end, smaller (negative) where the
 *   stride leaves elements over
 * @declared_after: padding after the end as the attribute says (or auto_pad)
 * @group: groups of channels
 */
typedef struct
{
  int n;
  gint64 in[SONDE_WINDOW_DIMS], out[SONDE_WINDOW_DIMS];
  gint64 kernel[SONDE_WINDOW_DIMS], stride[SONDE_WINDOW_DIMS], dilation[SONDE_WINDOW_DIMS];
  gint64 before[SONDE_WINDOW_DIMS], after[SONDE_WINDOW_DIMS], declared_after[SONDE_WINDOW_DIMS];
  gint64 group;
} SondeWindowGeometry;

/**
 * sonde_window_read:
 * @node: Conv, a pooling operator, or a gradient of one (same attributes)
 * @in: @n sizes of the side that the window slides over, -1 unknown
 * @kernel: (nullable): @n sizes of the weight; NULL: attribute kernel_shape
 *
 * Errors: SHAPE, one sentence without the node's name.
 */
gboolean sonde_window_read (const SondeNode *node, int n, const gint64 *in, const gint64 *kernel,
                            SondeWindowGeometry *window, GError **error);

/* The same for ConvTranspose: @small are the input's sizes, window->in becomes the result's. */
gboolean sonde_window_read_transposed (const SondeNode *node, int n, const gint64 *small,
                                       const gint64 *kernel, SondeWindowGeometry *window,
                                       GError **error);

G_END_DECLS
