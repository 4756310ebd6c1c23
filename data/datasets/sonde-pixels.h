/* SPDX-License-Identifier: Apache-2.0
 * Bytes of images -> normalised numbers. */
#pragma once

#include "data/datasets/sonde-dataset-request.h"

G_BEGIN_DECLS

/**
 * SondePixelTable: (v / 255 − mean) / std in float32 for each channel and byte
 * @order: the channel of the bytes that each plane is made of
 */
typedef struct
{
  float numbers[4][256];
  int order[4];
} SondePixelTable;

/* Writes mean and std of @dataset, from @request or else @mean and @std, one a channel,
 * and the table made of them. Errors: INVALID when the request has another number of channels. */
gboolean sonde_pixel_table_init (SondePixelTable *table, SondeDataset *dataset,
                                 const SondeDatasetRequest *request, const float *mean,
                                 const float *std, GError **error);

/* Interleaved pixels [n, channels] -> planes [channels, n]. */
void sonde_pixel_table_apply (const SondePixelTable *table, const guint8 *pixels, gsize n,
                              int channels, float *into);

/**
 * SondePixelReader: bytes in memory to samples
 * @width, @height, @channels: of the bytes; set by the opener, with @planar: [C, H, W], else [H, W,
 * C]
 * @out_width, @out_height: 0: as they are
 */
typedef struct
{
  int width, height, channels;
  gboolean planar;
  int out_width, out_height, out_channels;
  SondePixelTable table;
} SondePixelReader;

/* Does all that @request asks for; sets the shape and the normalisation of @dataset. @mean,
 * @std: one a channel of the bytes. */
gboolean sonde_pixel_reader_init (SondePixelReader *reader, SondeDataset *dataset,
                                  SondeDatasetRequest *request, const float *mean, const float *std,
                                  GError **error);
void sonde_pixel_reader_fill (const SondePixelReader *reader, const guint8 *pixels, float *into);
SondeImage *sonde_pixel_reader_dup_image (const SondePixelReader *reader, const guint8 *pixels);

/* @image scaled to cover width × height (0, 0: as it is), by averages when it shrinks, and cut
 * around the middle; a new image also when nothing changes. @channels: 1 (luma, Rec. 601) or
 * 3. */
SondeImage *sonde_image_fitted (const SondeImage *image, int width, int height, int channels);

G_END_DECLS
