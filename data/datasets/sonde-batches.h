/* SPDX-License-Identifier: Apache-2.0
 * Batches: the usual pipeline (sonde-pipeline.h) for a part of a dataset, in training or in
 * tests. */
#pragma once

#include "data/datasets/sonde-pipeline.h"

G_BEGIN_DECLS

typedef struct _SondeBatches SondeBatches;

/**
 * SondeBatchesOptions: zero-initialise
 * @samples: (array length=n): sample numbers of this part; copied
 * @batch: samples a batch; the last may be smaller
 * @shuffle: a new order each epoch, a function of (seed, epoch) alone
 * @order: (nullable): integers [epochs, n]: positions among @samples; goes before @shuffle; epochs
 *   past its end begin again at its first row
 * @training: the dataset's random transforms act; they and the shuffle use @seed
 * @repeat: passes over @samples that make an epoch; 0 is 1
 * @workers: threads that make batches ahead; 0: they are made when asked for, and so are those of a
 *   dataset in memory without transforms
 * @prefetch: batches made ahead; 0 is 2
 */
typedef struct
{
  const guint *samples;
  guint n;
  guint batch;
  gboolean shuffle;
  guint64 seed;
  SondeTensor *order;
  gboolean training;
  guint repeat, workers, prefetch;
} SondeBatchesOptions;

/* @dataset: lent, outlives the batches. Errors: INVALID for an order that is no [epochs, n] of
 * positions. */
SondeBatches *sonde_batches_new (SondeDataset *dataset, const SondeBatchesOptions *options,
                                 GError **error);
void sonde_batches_free (SondeBatches *batches);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (SondeBatches, sonde_batches_free)

guint sonde_batches_get_count (const SondeBatches *batches); /* batches an epoch */

/* As sonde_stage_set_spans(). */
void sonde_batches_set_spans (SondeBatches *batches, SondeSpanLog *log);

/* The stages, a line each. Returns: (transfer full) */
char *sonde_batches_describe (const SondeBatches *batches);

/**
 * sonde_batches_load:
 * @inputs: (out) (transfer full): [n, …] of the dataset's dtype and shape; @labels: (out) (transfer
 *   full): [n, …] of its label dtype and shape: int64 [n] for classes; of a source with ready
 *   batches what it holds, whatever its shape and dtype
 * @samples: (nullable) (out caller-allocates): sample numbers, room for the batch size; of a ready
 *   batch that is larger only so many
 * A function of the options' seed, @epoch and @batch alone, whatever was asked before and with
 * however many workers. Samples that cost something are kept while they fit 1 GiB. One thread at a
 * time. A sample that cannot be read is noted with the dataset's faults, and the next that can be
 * read stands in its place.
 */
gboolean sonde_batches_load (SondeBatches *batches, guint epoch, guint batch, SondeTensor **inputs,
                             SondeTensor **labels, guint *samples, GError **error);

G_END_DECLS
