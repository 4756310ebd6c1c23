/* SPDX-License-Identifier: Apache-2.0
 * A flame graph that hangs from its root: each name below what called it, as wide as its share. */
#pragma once

#include "viewers/layout/trace/sonde-flame-difference.h"
#include "viewers/paint/trace/sonde-trace-paint.h"

G_BEGIN_DECLS

#define SONDE_FLAME_ROW 20

/**
 * SondeFlamePicture: nothing is owned
 * @left, @right: places of the tree (SondeFlameNode.start) at the edges; right > left
 * @scroll: px above the top
 * @found: (nullable): case-folded text; what does not hold it is drawn pale
 * @labels: (nullable)
 * @difference: (nullable): whose tree it is: blue is faster, red slower, strong what differs beyond noise
 */
typedef struct
{
  const SondeFlameTree *tree;
  double left, right, scroll;
  const char *found;
  SondeLabelCache *labels;
  const SondeFlameDifference *difference;
} SondeFlamePicture;

void sonde_paint_flame (cairo_t *cr, const SondeTheme *theme, const SondeFlamePicture *picture,
                        int width, int height);
/* The outlines of nodes that are pointed at and chosen; SONDE_TRACE_NONE: none. */
void sonde_paint_flame_marks (cairo_t *cr, const SondeTheme *theme,
                              const SondeFlamePicture *picture, guint32 selected, guint32 hovered,
                              int width, int height);

/* The node at a place, or SONDE_TRACE_NONE. */
guint32 sonde_flame_hit (const SondeFlamePicture *picture, int width, int height, double x,
                         double y);
void sonde_flame_get_box (const SondeFlamePicture *picture, guint32 node, int width,
                          cairo_rectangle_t *box);

/* Px of all rows. */
double sonde_flame_get_height (const SondeFlameTree *tree);
/* What stands on it. (transfer none) */
const char *sonde_flame_get_name (const SondeFlameTree *tree, guint32 node);

G_END_DECLS
