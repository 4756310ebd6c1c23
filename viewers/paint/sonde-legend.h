/* SPDX-License-Identifier: Apache-2.0
 * Which stroke is what: strokes and names in lines. */
#pragma once

#include "viewers/paint/sonde-theme.h"

G_BEGIN_DECLS

/* @label: not owned. @label_width: of sonde_legend_measure_label(); 0: it is measured each time. @is_hidden: struck out:
 * its curve is not drawn. @has_focus: the keys are at it */
typedef struct
{
  const char *label;
  SondeStroke stroke;
  double label_width;
  gboolean is_hidden, has_focus;
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

/* The same from the @first entry on; says which of all they are where that is not the first. */
void sonde_paint_legend_from (cairo_t *cr, const SondeTheme *theme, const SondeLegendEntry *entries,
                              gsize n_entries, guint first, double x, double y, double width,
                              guint max_lines);
/* Entries that have room then. */
guint sonde_legend_count (const SondeLegendEntry *entries, gsize n_entries, guint first,
                          double width, guint max_lines);
/* The one at (@x, @y) px from the left upper corner. FALSE: there is none. */
gboolean sonde_legend_find (const SondeLegendEntry *entries, gsize n_entries, guint first,
                            double width, guint max_lines, double x, double y, guint *entry);

G_END_DECLS
