/* SPDX-License-Identifier: Apache-2.0
 * What the files of this folder share: how a source is opened, and bytes to normalised numbers. */
#pragma once

#include "data/datasets/sonde-dataset.h"

/**
 * SondeDatasetRequest: a source as its opener sees it
 * @argument: behind the colon: a path, or the settings of glyphs; "" when there is none
 * @decoder: (transfer full): an opener that needs it takes it and leaves NULL
 * @size: pictures are brought to size × size; 0: as they are
 * @channels: 1, 3, or 0: as they are
 * @n_normalise: numbers in @mean and @deviation: 0: the source's own, 1: for all channels
 */
typedef struct
{
  const SondeDatasetOptions *options;
  const char *argument;
  SondeImageDecoder *decoder;
  int size, channels;
  int n_normalise;
  float mean[4], deviation[4];
} SondeDatasetRequest;

SondeDataset *sonde_dataset_glyphs_open (SondeDatasetRequest *request, GError **error);
SondeDataset *sonde_dataset_mnist_open (SondeDatasetRequest *request, GError **error);
SondeDataset *sonde_dataset_images_open (SondeDatasetRequest *request, GError **error);
SondeDataset *sonde_dataset_cifar10_open (SondeDatasetRequest *request, GError **error);
SondeDataset *sonde_dataset_npz_open (SondeDatasetRequest *request, GError **error);

gboolean sonde_dataset_is_mnist_folder (const char *path);

/**
 * SondePixelTable: (v / 255 − mean) / deviation in float32 for each channel and byte.
 */
typedef struct
{
  float numbers[4][256];
} SondePixelTable;

/* Writes mean and deviation of @dataset, from @request or else @mean and @deviation, one a channel, and
 * the table made of them. Errors: INVALID when the request has another number of channels. */
gboolean sonde_pixel_table_init (SondePixelTable           *table,
                                 SondeDataset              *dataset,
                                 const SondeDatasetRequest *request,
                                 const float               *mean,
                                 const float               *deviation,
                                 GError                   **error);

/* Interleaved pixels [n, channels] -> planes [channels, n]. */
void sonde_pixel_table_apply (const SondePixelTable *table,
                              const guint8          *pixels,
                              gsize                  n,
                              int                    channels,
                              float                 *into);

/* @image scaled to cover size × size, by averages when it shrinks, and cut around the middle; a new
 * picture also when nothing changes. @channels: 1 (luma, Rec. 601) or 3. */
SondeImage *sonde_image_fitted (const SondeImage *image,
                                int               size,
                                int               channels);
