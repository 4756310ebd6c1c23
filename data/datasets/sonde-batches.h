/* SPDX-License-Identifier: Apache-2.0
 * Batches: the order of samples in each epoch and their tensors. */
#pragma once

#include "data/datasets/sonde-dataset.h"

G_BEGIN_DECLS

typedef struct _SondeBatches SondeBatches;

/**
 * SondeBatchesOptions: zero-initialise
 * @samples: (array length=n): sample numbers of this part; copied
 * @batch: samples a batch; the last may be smaller
 * @shuffle: a new order each epoch, a function of (seed, epoch) alone
 * @order: (nullable): integers [epochs, n]: positions among @samples; goes before @shuffle; epochs past its
 *   end begin again at its first row
 */
typedef struct
{
  const guint *samples;
  guint n;
  guint batch;
  gboolean shuffle;
  guint64 seed;
  SondeTensor *order;
} SondeBatchesOptions;

/* @dataset: lent, outlives the batches. Errors: INVALID for an order that is no [epochs, n] of positions. */
SondeBatches *sonde_batches_new (SondeDataset              *dataset,
                                 const SondeBatchesOptions *options,
                                 GError                   **error);
void sonde_batches_free (SondeBatches *batches);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (SondeBatches, sonde_batches_free)

guint sonde_batches_get_count (const SondeBatches *batches); /* batches an epoch */

/**
 * sonde_batches_load:
 * @inputs: (out) (transfer full): float32 [n, C, H, W]; @labels: (out) (transfer full): int64 [n]; of a source
 *   with ready batches what it holds, whatever its shape and dtype
 * @samples: (nullable) (out caller-allocates): sample numbers, room for the batch size; of a ready batch that is
 *   larger only so many
 * Samples are decoded once and kept while they fit 1 GiB. One thread at a time.
 */
gboolean sonde_batches_load (SondeBatches  *batches,
                             guint          epoch,
                             guint          batch,
                             SondeTensor  **inputs,
                             SondeTensor  **labels,
                             guint         *samples,
                             GError       **error);

G_END_DECLS
