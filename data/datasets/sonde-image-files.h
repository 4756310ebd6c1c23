/* SPDX-License-Identifier: Apache-2.0
 * Datasets of image files, in class folders or as a list. */
#pragma once

#include "data/datasets/sonde-dataset-request.h"

G_BEGIN_DECLS

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

/* Class folders of images. @mean, @std: three numbers each. */
SondeDataset *sonde_dataset_folder_open (SondeDatasetRequest *request, const float *mean,
                                         const float *std, GError **error);

G_END_DECLS
