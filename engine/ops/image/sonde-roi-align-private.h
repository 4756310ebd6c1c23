/* SPDX-License-Identifier: Apache-2.0
 * Where RoiAlign and MaxRoiPool read, for the kernels and their gradients. */
#pragma once

#include "engine/ops/sonde-op-implement.h"

G_BEGIN_DECLS

#define SONDE_REGION_SAMPLES 256 /* of a bin, in one direction, at most */

/* Attributes and sizes of one node. */
typedef struct
{
  gint64 batch, channels, height, width, plane;
  gint64 rows, columns; /* of the output */
  gint64 ratio;
  double scale, offset;
  gboolean maximum;
} SondeAlign;

/* A sampled coordinate: the two elements around it and their weights; both 0 outside. */
typedef struct
{
  gint64 at[2];
  double weight[2];
} SondeAlignSample;

typedef struct
{
  gint64 at;
  double weight;
} SondeAlignElement;

/* Start and bins of a box in elements, samples of a bin in each direction. */
typedef struct
{
  double top, left, bin_height, bin_width;
  gint64 down, across;
} SondeAlignBox;

extern const SondeAttributeRule sonde_roi_align_rules[], sonde_max_roi_pool_rules[];

void sonde_align_init (SondeAlign *align, const SondeNode *node, const SondeShape *x,
                       const SondeShape *y);
void sonde_align_box_init (SondeAlignBox *box, const SondeAlign *align, const double *corners);
/* @n samples in the middles of equal parts of the bin that starts at @start. */
void sonde_align_sample_line (SondeAlignSample *samples, gint64 n, double start, double bin,
                              gint64 size);
/* The elements of one bin and their weights: four of each of @down · @across samples. */
void sonde_align_fill_bin (const SondeAlign *align, const SondeAlignSample *rows, gint64 down,
                           const SondeAlignSample *columns, gint64 across,
                           SondeAlignElement *elements);
/* Elements of bin @k of @bins between the rounded ends of a box, cut to the image. */
void sonde_roi_bin_range (double first, double last, gint64 bins, gint64 k, gint64 size,
                          gint64 *begin, gint64 *end);
/* The image that box @i of MaxRoiPool is of; -1: none that can be */
gint64 sonde_roi_image (const SondeTensor *boxes, gint64 i);

gboolean sonde_roi_align_infer (SondeInferContext *context, GError **error);
gboolean sonde_max_roi_pool_infer (SondeInferContext *context, GError **error);

G_END_DECLS
