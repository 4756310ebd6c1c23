/* SPDX-License-Identifier: Apache-2.0
 * The openers of all sources, for the table in sonde-dataset-open.c. */
#pragma once

#include "data/datasets/sonde-dataset-request.h"

G_BEGIN_DECLS

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

/* Does the folder hold IDX files by their usual names? */
gboolean sonde_dataset_is_mnist_folder (const char *path);

G_END_DECLS
