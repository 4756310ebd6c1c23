/* SPDX-License-Identifier: Apache-2.0
 * What the files of this folder share: how a source is opened, and bytes to normalised numbers. */
#pragma once

#include "data/arrays/sonde-npz.h"
#include "data/datasets/sonde-dataset.h"
#include "data/datasets/sonde-transforms.h"

/**
 * SondeDatasetRequest: a source as its opener sees it
 * @argument: behind the colon: a path, or the settings of glyphs; "" when there is none
 * @decoder: (transfer full): an opener that needs it takes it and leaves NULL
 * @width, @height: images are brought to this size; 0: as they are
 * @channels: 1, 3, or 0: as they are
 * @n_normalise: numbers in @mean and @deviation: 0: the source's own, 1: for all channels
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
  float mean[4], deviation[4];
  SondeDatasetTakes takes;
  gboolean labels_follow;
} SondeDatasetRequest;

SondeDataset *sonde_dataset_glyphs_open (SondeDatasetRequest *request, GError **error);
SondeDataset *sonde_dataset_mnist_open (SondeDatasetRequest *request, GError **error);
SondeDataset *sonde_dataset_fashion_mnist_open (SondeDatasetRequest *request, GError **error);
SondeDataset *sonde_dataset_images_open (SondeDatasetRequest *request, GError **error);
SondeDataset *sonde_dataset_masks_open (SondeDatasetRequest *request, GError **error);
SondeDataset *sonde_dataset_list_open (SondeDatasetRequest *request, GError **error);
SondeDataset *sonde_dataset_cifar10_open (SondeDatasetRequest *request, GError **error);
SondeDataset *sonde_dataset_cifar100_open (SondeDatasetRequest *request, GError **error);
SondeDataset *sonde_dataset_npz_open (SondeDatasetRequest *request, GError **error);
SondeDataset *sonde_dataset_npy_open (SondeDatasetRequest *request, GError **error);
SondeDataset *sonde_dataset_csv_open (SondeDatasetRequest *request, GError **error);
SondeDataset *sonde_dataset_tokens_open (SondeDatasetRequest *request, GError **error);

/* Samples and labels in arrays of their own: x and y, or x_train, y_train, x_test, y_test. @arrays:
 * (transfer full). Errors: NOT_FOUND when no such names are there. */
SondeDataset *sonde_dataset_arrays_new (SondeDatasetRequest *request, SondeNamedTensors *arrays,
                                        const char *path, GError **error);

/* "0", "1" … as classes. */
void sonde_dataset_number_classes (SondeDataset *dataset, guint n);

/**
 * SondeDatasetSetting: one "key=value" of a source; @allowed: for messages
 */
typedef struct
{
  const char *key;
  const char *allowed;
} SondeDatasetSetting;

/* @values: (array length=n): replaced by those in @text, "key=value;key=value". Errors: INVALID. */
gboolean sonde_dataset_settings_read (const char *source, const char *text,
                                      const SondeDatasetSetting *settings, gsize n, char **values,
                                      GError **error);
/* Sets @error to what there is. Returns: FALSE */
gboolean sonde_dataset_settings_refuse (const char *source, const char *what,
                                        const SondeDatasetSetting *settings, gsize n,
                                        GError **error);

/* @dataset: (transfer full): with @texts done to its samples; @black_is_zero: a normalise went
 * before them.
 * Returns: (transfer full): @dataset itself when there are none. Errors: INVALID; @dataset is
 * freed. */
SondeDataset *sonde_dataset_transformed_new (SondeDataset *dataset, const char *const *texts,
                                             gboolean black_is_zero, GError **error);

/* The image as far as the numbers tell: normalisation undone, cut to what a byte can show. */
SondeImage *sonde_dataset_image_of_numbers (SondeDataset *dataset, guint sample, GError **error);

/* Faults: what cannot be read. */
SondeFaults *sonde_faults_new (void);
void sonde_faults_free (SondeFaults *faults);
guint sonde_faults_get_n (SondeFaults *faults);
guint sonde_faults_get_n_samples (SondeFaults *faults);
/* @sample: -1: of none. Each sample is noted once; the list ends after 1000, the count does not. */
void sonde_faults_add (SondeFaults *faults, gint64 sample, const char *text);
gboolean sonde_faults_contain (SondeFaults *faults, guint sample);
char *sonde_faults_dup (SondeFaults *faults, guint index);

/* One encoded image; @name: a path relative to the source's folder, or absolute; @label: -1
 * unknown; @box: of its object in the file's own pixels, where @has_box */
typedef struct
{
  char *name;
  int label;
  gboolean has_box;
  SondeBox box;
} SondeImageFile;

/* @images: (transfer full) (element-type SondeImageFile); @classes: (transfer full). Images of a
 * list; those that do not begin as an image are faults and left out. */
SondeDataset *sonde_dataset_image_files_open (SondeDatasetRequest *request, const char *folder,
                                              GArray *images, char **classes, GError **error);

/* Of the dataset that sonde_dataset_image_files_open() gave: any image of its folder. */
SondeImage *sonde_dataset_image_files_decode (SondeDataset *dataset, const char *name,
                                              GError **error);
/* @masks: (transfer full): [n, H, W]: the class of each pixel, below @n_classes; they become the
 * labels. */
void sonde_dataset_image_files_take_masks (SondeDataset *dataset, guint8 *masks, guint n_classes);

/* The entries of a folder by the order of their bytes; those with a dot in front are left out. */
GPtrArray *sonde_dataset_list_folder (const char *path, GError **error);
/* By the ending of its name. */
gboolean sonde_dataset_is_image_file (const char *name);

/* Class folders of images. @mean, @deviation: three numbers each. */
SondeDataset *sonde_dataset_folder_open (SondeDatasetRequest *request, const float *mean,
                                         const float *deviation, GError **error);

gboolean sonde_dataset_is_mnist_folder (const char *path);

/**
 * SondePixelTable: (v / 255 − mean) / deviation in float32 for each channel and byte
 * @order: the channel of the bytes that each plane is made of
 */
typedef struct
{
  float numbers[4][256];
  int order[4];
} SondePixelTable;

/* Writes mean and deviation of @dataset, from @request or else @mean and @deviation, one a channel,
 * and the table made of them. Errors: INVALID when the request has another number of channels. */
gboolean sonde_pixel_table_init (SondePixelTable *table, SondeDataset *dataset,
                                 const SondeDatasetRequest *request, const float *mean,
                                 const float *deviation, GError **error);

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
 * @deviation: one a channel of the bytes. */
gboolean sonde_pixel_reader_init (SondePixelReader *reader, SondeDataset *dataset,
                                  SondeDatasetRequest *request, const float *mean,
                                  const float *deviation, GError **error);
void sonde_pixel_reader_fill (const SondePixelReader *reader, const guint8 *pixels, float *into);
SondeImage *sonde_pixel_reader_dup_image (const SondePixelReader *reader, const guint8 *pixels);

/* @image scaled to cover width × height (0, 0: as it is), by averages when it shrinks, and cut
 * around the middle; a new image also when nothing changes. @channels: 1 (luma, Rec. 601) or
 * 3. */
SondeImage *sonde_image_fitted (const SondeImage *image, int width, int height, int channels);
