/* SPDX-License-Identifier: Apache-2.0
 * The usual pipeline: source, cache, order, repeat, transforms, batches, prefetch. */
#include "data/datasets/sonde-batches.h"

#include "data/base/sonde-error.h"

#include <string.h>

#define CACHE_BYTES ((gsize) 1 << 30)
#define DEFAULT_PREFETCH 2

struct _SondeBatches
{
  SondeStage *last; /* owned */
};

static SondeStage *
make_samples (SondeDataset *dataset, const SondeBatchesOptions *options, GError **error)
{
  SondeStage *stage = sonde_stage_source_new (dataset, options->samples, options->n);

  stage = sonde_stage_cache_new (stage, CACHE_BYTES);
  if (options->order != NULL)
    stage = sonde_stage_order_new (stage, options->order, error);
  else if (options->shuffle)
    stage = sonde_stage_shuffle_new (stage, options->seed);
  if (stage == NULL)
    return NULL;
  stage = sonde_stage_repeat_new (stage, MAX (options->repeat, 1));
  return sonde_stage_map_new (stage, dataset, options->training, options->seed);
}

SondeBatches *
sonde_batches_new (SondeDataset *dataset, const SondeBatchesOptions *options, GError **error)
{
  /* To hand a batch over between threads costs more than to copy it out of memory. */
  guint workers = dataset->in_memory && dataset->transforms == NULL ? 0 : options->workers;
  SondeBatches *batches;
  SondeStage *stage;

  g_return_val_if_fail (options->batch > 0, NULL);

  if ((guint64) options->n * MAX (options->repeat, 1) > G_MAXINT)
    {
      sonde_set_error (error, SONDE_DATA_ERROR, SONDE_DATA_ERROR_INVALID,
                       "%u samples repeated %u times are too many for an epoch", options->n,
                       options->repeat);
      return NULL;
    }
  if (dataset->klass->get_n_ready != NULL)
    stage = sonde_stage_ready_new (dataset, options->batch);
  else
    {
      stage = make_samples (dataset, options, error);
      if (stage == NULL)
        return NULL;
      stage = sonde_stage_batch_new (stage, options->batch);
      stage = sonde_stage_prefetch_new (
          stage, options->prefetch > 0 ? options->prefetch : DEFAULT_PREFETCH, workers);
    }
  batches = g_new0 (SondeBatches, 1);
  batches->last = stage;
  return batches;
}

void
sonde_batches_free (SondeBatches *batches)
{
  if (batches == NULL)
    return;
  sonde_stage_free (batches->last);
  g_free (batches);
}

guint
sonde_batches_get_count (const SondeBatches *batches)
{
  return batches->last->n;
}

void
sonde_batches_set_spans (SondeBatches *batches, SondeSpanLog *log)
{
  sonde_stage_set_spans (batches->last, log);
}

char *
sonde_batches_describe (const SondeBatches *batches)
{
  return sonde_stage_describe (batches->last);
}

gboolean
sonde_batches_load (SondeBatches *batches, guint epoch, guint batch, SondeTensor **inputs,
                    SondeTensor **labels, guint *samples, GError **error)
{
  SondeBatch loaded = { 0 };

  g_return_val_if_fail (batch < sonde_batches_get_count (batches), FALSE);

  if (!sonde_stage_load (batches->last, (SondePipelinePlace){ epoch, batch }, NULL, &loaded, error))
    return FALSE;
  *inputs = g_steal_pointer (&loaded.inputs);
  *labels = g_steal_pointer (&loaded.labels);
  if (samples != NULL)
    memcpy (samples, loaded.samples, loaded.n * sizeof *samples);
  sonde_batch_clear (&loaded);
  return TRUE;
}
