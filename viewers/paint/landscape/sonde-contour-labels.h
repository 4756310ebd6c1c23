/* SPDX-License-Identifier: Apache-2.0
 * Values along the lines of a contour map: where they have room, turned with their line. */
#pragma once

#include "viewers/layout/sonde-contour-lines.h"
#include "viewers/paint/sonde-theme.h"

G_BEGIN_DECLS

/* @x, @y: middle; @angle: of the baseline; px and radians. @text: owned; @width: of it; @level: the caller's number */
typedef struct
{
  double x, y, angle, width;
  char *text;
  int level;
} SondeContourLabel;

/* (element-type SondeContourLabel) */
GArray *sonde_contour_labels_new (void);

/**
 * sonde_contour_labels_add:
 * @lines: of one level, in px
 * @area: where labels may lie
 * @avoided: (array length=n_avoided): points that no label covers
 *
 * One or more a line, as far as it is long and straight enough and no other label is near.
 */
void sonde_contour_labels_add (GArray *labels, const SondeContourLines *lines, const char *text,
                               int level, const cairo_rectangle_t *area,
                               const SondeContourPoint *avoided, gsize n_avoided);

/* Adds the boxes of the labels to the path, for a clip that leaves them out. */
void sonde_contour_labels_path (const GArray *labels, cairo_t *cr);
/* With the source colour of @cr. */
void sonde_contour_label_paint (const SondeContourLabel *label, cairo_t *cr);

G_END_DECLS
