/* SPDX-License-Identifier: Apache-2.0
 * A dataset with transforms done to its samples. */
#pragma once

#include "data/datasets/sonde-dataset.h"
#include "data/datasets/sonde-transforms.h"

G_BEGIN_DECLS

/* @dataset: (transfer full): with @texts done to its samples; @black_is_zero: a normalise went
 * before them.
 * Returns: (transfer full): @dataset itself when there are none. Errors: INVALID; @dataset is
 * freed. */
SondeDataset *sonde_dataset_transformed_new (SondeDataset *dataset, const char *const *texts,
                                             gboolean black_is_zero, GError **error);

G_END_DECLS
