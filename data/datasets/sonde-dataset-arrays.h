/* SPDX-License-Identifier: Apache-2.0
 * Datasets of arrays in memory. */
#pragma once

#include "data/arrays/sonde-npz.h"
#include "data/datasets/sonde-dataset-request.h"

G_BEGIN_DECLS

/* Samples and labels in arrays of their own: x and y, or x_train, y_train, x_test, y_test. @arrays:
 * (transfer full). Errors: NOT_FOUND when no such names are there. */
SondeDataset *sonde_dataset_arrays_new (SondeDatasetRequest *request, SondeNamedTensors *arrays,
                                        const char *path, GError **error);

G_END_DECLS
