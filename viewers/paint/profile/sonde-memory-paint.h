/* SPDX-License-Identifier: Apache-2.0
 * Memory over the steps of a plan: stacked by kind, or every value as a block of steps × bytes where
 * it lies. Above the picture stands which colour is which kind, in the order of the stack. */
#pragma once

#include "data/profiles/sonde-profile-facts.h"
#include "viewers/paint/sonde-axis.h"

G_BEGIN_DECLS

typedef enum
{
  SONDE_MEMORY_STACK,  /* y: bytes of each kind, one on the other, up to what is allocated */
  SONDE_MEMORY_BLOCKS, /* y: place in memory */
} SondeMemoryPlotKind;

/**
 * SondeMemoryPlot: nothing is owned
 * @timeline: (nullable)
 * @low, @high: x: steps at the ends of the axis; step k reaches from k to k + 1
 * @bottom, @top: y: bytes at the ends
 * @selected: index of a lifetime, outlined in blocks; -1: none
 * @marked: 1 + the step with a line through it; 0: none
 * @instead: bytes at the peak after a change that is looked at; 0: none
 * @message: (nullable): a sentence in place of the picture
 */
typedef struct
{
  SondeMemoryPlotKind kind;
  const SondeMemoryTimeline *timeline;
  double low, high, bottom, top;
  gint64 selected;
  guint marked;
  guint64 instead;
  const char *message;
} SondeMemoryPlot;

/* "weights", translated. */
const char *sonde_memory_kind_get_label (SondeMemoryKind kind);

/* Everything: all steps, and the highest byte with room for the mark of the peak. */
void sonde_memory_plot_fit (SondeMemoryPlot *plot);

void sonde_memory_plot_get_area (int width, int height, cairo_rectangle_t *area);
void sonde_paint_memory_plot (cairo_t *cr, const SondeTheme *theme, const SondeMemoryPlot *plot,
                              int width, int height);

/**
 * sonde_memory_plot_pick:
 * @width, @height: of the whole drawing; @x, @y: in it
 * @block: (out) (optional): px: of a stack what the value takes in that one step
 *
 * In a stack values of a kind lie in the order of the timeline. Returns: index of the lifetime; -1:
 * none
 */
gint64 sonde_memory_plot_pick (const SondeMemoryPlot *plot, int width, int height, double x,
                               double y, cairo_rectangle_t *block);

/* Px of the whole lifetime @index in blocks; FALSE when it has no bytes. */
gboolean sonde_memory_plot_get_block (const SondeMemoryPlot *plot, int width, int height,
                                      guint index, cairo_rectangle_t *block);

G_END_DECLS
