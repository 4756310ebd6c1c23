/* SPDX-License-Identifier: Apache-2.0
 * Which stroke is what: strokes and names in lines. */
#pragma once

#include "viewers/paint/sonde-theme.h"

G_BEGIN_DECLS

/* @label: not owned. @label_width: of sonde_legend_measure_label(); 0: it is measured each time */
typedef struct
{
  const char *label;
  SondeStroke stroke;
  double label_width;
} SondeLegendEntry;

/* Px; for those whose entries stay while they are drawn again and again. */
double sonde_legend_measure_label (const char *label);

/* Px that the entries take in lines of @width px, @max_lines at most; 0 without entries.
 * @n_shown: (out) (optional): entries that have room. */
double sonde_legend_measure (const SondeLegendEntry *entries, gsize n_entries, double width,
                             guint max_lines, gsize *n_shown);

/* From (@x, @y) on, the left upper corner; says how many have no room. */
void sonde_paint_legend (cairo_t *cr, const SondeTheme *theme, const SondeLegendEntry *entries,
                         gsize n_entries, double x, double y, double width, guint max_lines);

G_END_DECLS
