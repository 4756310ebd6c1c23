/* SPDX-License-Identifier: Apache-2.0
 * What the opener of a source is asked for, and what openers share. */
#pragma once

#include "data/datasets/sonde-dataset.h"

G_BEGIN_DECLS

/**
 * SondeDatasetRequest: a source as its opener sees it
 * @argument: behind the colon: a path, or the settings of glyphs; "" when there is none
 * @decoder: (transfer full): an opener that needs it takes it and leaves NULL
 * @width, @height: images are brought to this size; 0: as they are
 * @channels: 1, 3, or 0: as they are
 * @n_normalise: numbers in @mean and @std: 0: the source's own, 1: for all channels
 * @labels_follow: set by the opener: labels at pixels are scaled as the images
 * @takes: set by the opener: which of the three above it follows itself; the others, and what
 *   stands behind them in the list, are done to its samples
 */
typedef enum
{
  SONDE_TAKES_SIZE = 1 << 0,
  SONDE_TAKES_CHANNELS = 1 << 1,
  SONDE_TAKES_NORMALISE = 1 << 2,
  SONDE_TAKES_ALL = 7,
} SondeDatasetTakes;

typedef struct
{
  const SondeDatasetOptions *options;
  const char *argument;
  SondeImageDecoder *decoder;
  int width, height, channels;
  int n_normalise;
  float mean[4], std[4];
  SondeDatasetTakes takes;
  gboolean labels_follow;
} SondeDatasetRequest;

/* "0", "1" … as classes. */
void sonde_dataset_number_classes (SondeDataset *dataset, guint n);

/* The image as far as the numbers tell: normalisation undone, cut to what a byte can show. */
SondeImage *sonde_dataset_image_of_numbers (SondeDataset *dataset, guint sample, GError **error);

G_END_DECLS
