/* SPDX-License-Identifier: Apache-2.0
 * Batches: the order of an epoch, and a cache of decoded samples. */
#include "data/datasets/sonde-batches.h"

#include "data/base/sonde-error.h"
#include "data/base/sonde-random.h"

#include <string.h>

#define CACHE_BYTES ((gsize) 1 << 30)

struct _SondeBatches
{
  SondeDataset *dataset; /* lent */
  guint *samples; /* owned */
  guint n;
  guint batch;
  gboolean shuffle;
  guint64 seed;
  SondeTensor *order; /* (nullable) owned reference */
  guint *positions; /* of the epoch at hand, into samples; owned */
  gint64 epoch; /* that positions are for; -1: none */
  gsize sample_elements;
  float *cache; /* (nullable) [n, sample_elements], in the order of samples; owned */
  guint8 *cached; /* [n]: whether that sample is there; owned */
};

static gboolean
check_order (const SondeBatchesOptions *options,
             GError                   **error)
{
  const SondeTensor *order = options->order;
  gint64 n = sonde_tensor_n_elements (order);

  if (!sonde_dtype_is_integer (order->dtype) || order->shape.rank != 2 || order->shape.dims[0] < 1
      || order->shape.dims[1] != options->n)
    {
      g_autofree char *shape = sonde_shape_to_string (&order->shape);

      g_set_error (error, SONDE_DATA_ERROR, SONDE_DATA_ERROR_INVALID,
                   "the order of the samples is %s of %s; integers of [epochs, %u] are needed, one for each "
                   "training sample",
                   shape, sonde_dtype_name (order->dtype), options->n);
      return FALSE;
    }
  for (gint64 i = 0; i < n; i++)
    {
      gint64 position = sonde_tensor_get_int (order, i);

      if (position < 0 || position >= options->n)
        {
          g_set_error (error, SONDE_DATA_ERROR, SONDE_DATA_ERROR_INVALID,
                       "the order of the samples, epoch %" G_GINT64_FORMAT ", position %" G_GINT64_FORMAT
                       ", names sample %" G_GINT64_FORMAT "; there are %u",
                       i / options->n, i % options->n, position, options->n);
          return FALSE;
        }
    }
  return TRUE;
}

/* Without room the samples are made anew each time. calloc() touches no page before its use. */
static void
make_cache (SondeBatches *batches)
{
  const SondeDataset *dataset = batches->dataset;
  gsize sample_bytes;

  batches->sample_elements = (gsize) dataset->channels * (gsize) dataset->height * (gsize) dataset->width;
  sample_bytes = batches->sample_elements * sizeof (float);
  if (dataset->klass->get_n_ready != NULL || batches->n == 0 || sample_bytes > CACHE_BYTES / batches->n)
    return;
  batches->cache = g_try_malloc0 (sample_bytes * batches->n);
  batches->cached = g_malloc0 (batches->n);
}

SondeBatches *
sonde_batches_new (SondeDataset              *dataset,
                   const SondeBatchesOptions *options,
                   GError                   **error)
{
  SondeBatches *batches;

  g_return_val_if_fail (options->batch > 0, NULL);

  if (options->order != NULL && !check_order (options, error))
    return NULL;
  batches = g_new0 (SondeBatches, 1);
  batches->dataset = dataset;
  batches->n = options->n;
  batches->samples = g_new0 (guint, MAX (options->n, 1));
  memcpy (batches->samples, options->samples, options->n * sizeof (guint));
  batches->positions = g_new0 (guint, MAX (options->n, 1));
  batches->epoch = -1;
  batches->batch = options->batch;
  batches->shuffle = options->shuffle;
  batches->seed = options->seed;
  batches->order = options->order != NULL ? sonde_tensor_ref (options->order) : NULL;
  make_cache (batches);
  return batches;
}

void
sonde_batches_free (SondeBatches *batches)
{
  if (batches == NULL)
    return;
  sonde_tensor_unref (batches->order);
  g_free (batches->samples);
  g_free (batches->positions);
  g_free (batches->cache);
  g_free (batches->cached);
  g_free (batches);
}

guint
sonde_batches_get_count (const SondeBatches *batches)
{
  if (batches->dataset->klass->get_n_ready != NULL)
    return batches->dataset->klass->get_n_ready (batches->dataset);
  return batches->n / batches->batch + (batches->n % batches->batch != 0);
}

/* Fisher and Yates: each position changes places with one of those not yet dealt. */
static void
shuffle (SondeBatches *batches,
         guint         epoch)
{
  guint64 stream = sonde_random_stream ("shuffle") + epoch;

  for (guint i = batches->n; i-- > 1;)
    {
      guint64 bits = sonde_random_bits (batches->seed, stream, i) >> 32;
      guint other = (guint) ((bits * (i + 1)) >> 32);
      guint kept = batches->positions[i];

      batches->positions[i] = batches->positions[other];
      batches->positions[other] = kept;
    }
}

static void
begin_epoch (SondeBatches *batches,
             guint         epoch)
{
  gint64 row = batches->order != NULL ? epoch % batches->order->shape.dims[0] : 0;

  if (batches->epoch == epoch)
    return;
  for (guint i = 0; i < batches->n; i++)
    batches->positions[i] = batches->order != NULL
                              ? (guint) sonde_tensor_get_int (batches->order, row * batches->n + i)
                              : i;
  if (batches->order == NULL && batches->shuffle)
    shuffle (batches, epoch);
  batches->epoch = epoch;
}

static gboolean
fill_sample (SondeBatches *batches,
             guint         position,
             float        *into,
             GError      **error)
{
  gsize n = batches->sample_elements;
  float *kept;

  if (batches->cache == NULL)
    return sonde_dataset_fill (batches->dataset, batches->samples[position], into, error);

  kept = batches->cache + position * n;
  if (!batches->cached[position]
      && !sonde_dataset_fill (batches->dataset, batches->samples[position], kept, error))
    return FALSE;
  batches->cached[position] = TRUE;
  memcpy (into, kept, n * sizeof (float));
  return TRUE;
}

static gboolean
load_ready (SondeBatches *batches,
            guint         batch,
            SondeTensor **inputs,
            SondeTensor **labels,
            guint        *samples)
{
  guint first = 0;

  for (guint i = 0; i <= batch; i++)
    {
      batches->dataset->klass->get_ready (batches->dataset, i, inputs, labels);
      if (i < batch)
        first += (guint) (*inputs)->shape.dims[0];
    }
  for (guint i = 0; samples != NULL && i < MIN (batches->batch, (guint) (*inputs)->shape.dims[0]); i++)
    samples[i] = first + i;
  sonde_tensor_ref (*inputs);
  sonde_tensor_ref (*labels);
  return TRUE;
}

gboolean
sonde_batches_load (SondeBatches  *batches,
                    guint          epoch,
                    guint          batch,
                    SondeTensor  **inputs,
                    SondeTensor  **labels,
                    guint         *samples,
                    GError       **error)
{
  const SondeDataset *dataset = batches->dataset;
  g_autoptr (SondeTensor) x = NULL, y = NULL;
  SondeShape x_shape, y_shape;
  guint first, n;

  g_return_val_if_fail (batch < sonde_batches_get_count (batches), FALSE);

  if (dataset->klass->get_n_ready != NULL)
    return load_ready (batches, batch, inputs, labels, samples);

  begin_epoch (batches, epoch);
  first = batch * batches->batch;
  n = MIN (batches->batch, batches->n - first);
  x_shape = sonde_shape_make (4, n, dataset->channels, dataset->height, dataset->width);
  y_shape = sonde_shape_make (1, n);
  x = sonde_tensor_new (SONDE_DTYPE_F32, &x_shape);
  y = sonde_tensor_new (SONDE_DTYPE_I64, &y_shape);
  for (guint i = 0; i < n; i++)
    {
      guint position = batches->positions[first + i];
      guint sample = batches->samples[position];

      if (!fill_sample (batches, position, (float *) (void *) x->data + i * batches->sample_elements, error))
        return FALSE;
      ((gint64 *) (void *) y->data)[i] = sonde_dataset_get_label (batches->dataset, sample);
      if (samples != NULL)
        samples[i] = sample;
    }
  *inputs = g_steal_pointer (&x);
  *labels = g_steal_pointer (&y);
  return TRUE;
}
