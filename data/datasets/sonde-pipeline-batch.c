/* SPDX-License-Identifier: Apache-2.0
 * Stages that make batches out of samples, and ready ones. */
#include "data/datasets/sonde-pipeline-private.h"

#include "data/base/sonde-error.h"
#include "data/datasets/sonde-stage-meter.h"

#include <string.h>

/* ---- blocks -------------------------------------------------------------- */

#define ALIGNMENT 64
#define MAX_IDLE 8

/* Blocks of one size, lent to tensors and given back by them; lives as long as the last of
 * those. */
typedef struct
{
  _Atomic guint ref_count;
  GMutex lock;
  gsize size;
  void *idle[MAX_IDLE];
  guint n_idle;
} Pool;

/* In front of the elements, so that they find their way back. */
typedef struct
{
  Pool *pool;
} Head;

static Pool *
pool_new (gsize size)
{
  Pool *pool = g_new0 (Pool, 1);

  pool->ref_count = 1;
  pool->size = size;
  g_mutex_init (&pool->lock);
  return pool;
}

static void
pool_unref (Pool *pool)
{
  if (atomic_fetch_sub (&pool->ref_count, 1) > 1)
    return;
  for (guint i = 0; i < pool->n_idle; i++)
    g_aligned_free (pool->idle[i]);
  g_mutex_clear (&pool->lock);
  g_free (pool);
}

static guint8 *
pool_take (Pool *pool)
{
  guint8 *block = NULL;

  g_mutex_lock (&pool->lock);
  if (pool->n_idle > 0)
    block = pool->idle[--pool->n_idle];
  g_mutex_unlock (&pool->lock);
  if (block == NULL)
    block = g_aligned_alloc (1, ALIGNMENT + pool->size, ALIGNMENT);
  ((Head *) (void *) block)->pool = pool;
  atomic_fetch_add (&pool->ref_count, 1);
  return block + ALIGNMENT;
}

static void
pool_give_back (void *elements)
{
  guint8 *block = (guint8 *) elements - ALIGNMENT;
  Pool *pool = ((Head *) (void *) block)->pool;

  g_mutex_lock (&pool->lock);
  if (pool->n_idle < MAX_IDLE)
    {
      pool->idle[pool->n_idle++] = block;
      block = NULL;
    }
  g_mutex_unlock (&pool->lock);
  if (block != NULL)
    g_aligned_free (block);
  pool_unref (pool);
}

/* ---- batch --------------------------------------------------------------- */

typedef struct
{
  SondeStage base;
  guint size;
  Pool *inputs, *labels, *rooms;
} Batch;

static char *
batch_describe (const SondeStage *stage)
{
  return g_strdup_printf ("batch size=%u", ((const Batch *) stage)->size);
}

static SondeTensor *
new_tensor (Pool *pool, SondeDtype dtype, const SondeShape *sample, guint n)
{
  SondeShape shape = { sample->rank + 1, { n } };
  void *elements = pool_take (pool);

  memcpy (shape.dims + 1, sample->dims, (gsize) sample->rank * sizeof *shape.dims);
  return sonde_tensor_new_take (dtype, &shape, elements, pool_give_back, elements);
}

static gboolean
fill_batch (Batch *stage, SondePipelinePlace place, const _Atomic int *cancelled, SondeBatch *batch,
            guint8 *room, SondeStageMeter *meter, GError **error)
{
  SondeStage *before = stage->base.before;
  gsize x_bytes = sonde_stage_sample_bytes (before), y_bytes = sonde_stage_label_bytes (before);

  for (guint i = 0; i < batch->n; i++)
    {
      SondePipelinePlace at = { place.epoch, place.index * stage->size + i };
      SondePipelineSlot slot = {
        batch->inputs->data + i * x_bytes, batch->labels->data + i * y_bytes, room, 0, 0, meter
      };

      if (cancelled != NULL && atomic_load_explicit (cancelled, memory_order_relaxed) != 0)
        {
          sonde_set_error (error, SONDE_DATA_ERROR, SONDE_DATA_ERROR_CANCELLED,
                           "loading was stopped");
          return FALSE;
        }
      if (!sonde_stage_fill (before, at, &slot, error))
        return FALSE;
      batch->samples[i] = slot.sample;
    }
  return TRUE;
}

static gboolean
batch_load (SondeStage *base, SondePipelinePlace place, const _Atomic int *cancelled,
            SondeBatch *batch, GError **error)
{
  Batch *stage = (Batch *) base;
  const SondeStage *before = base->before;
  guint8 *room = pool_take (stage->rooms);
  SondeStageMeter meter;
  gboolean filled;

  sonde_stage_meter_begin (&meter, base);
  batch->n = MIN (stage->size, before->n - place.index * stage->size);
  batch->inputs = new_tensor (stage->inputs, before->dtype, &before->shape, batch->n);
  batch->labels = new_tensor (stage->labels, before->label_dtype, &before->label_shape, batch->n);
  batch->samples = g_new (guint, batch->n);
  filled = fill_batch (stage, place, cancelled, batch, room, meter.ring != NULL ? &meter : NULL,
                       error);
  sonde_stage_meter_end (&meter, base, filled ? batch->n : 0);
  pool_give_back (room);
  if (!filled)
    sonde_batch_clear (batch);
  return filled;
}

static void
batch_free (SondeStage *base)
{
  Batch *stage = (Batch *) base;

  pool_unref (stage->inputs);
  pool_unref (stage->labels);
  pool_unref (stage->rooms);
  g_free (stage);
}

static const SondeStageClass batch_class = {
  .name = "batch",
  .describe = batch_describe,
  .load = batch_load,
  .free = batch_free,
};

SondeStage *
sonde_stage_batch_new (SondeStage *before, guint size)
{
  Batch *stage;

  g_return_val_if_fail (size > 0, before);

  stage = g_new0 (Batch, 1);
  sonde_stage_follow (&stage->base, &batch_class, before);
  size = MIN (size, MAX (before->n, 1)); /* no memory for what is never there */
  stage->size = size;
  stage->base.n = before->n / size + (before->n % size != 0);
  stage->inputs = pool_new (sonde_stage_sample_bytes (before) * size);
  stage->labels = pool_new (sonde_stage_label_bytes (before) * size);
  stage->rooms = pool_new (before->room);
  return &stage->base;
}

/* ---- ready batches ------------------------------------------------------- */

typedef struct
{
  SondeStage base;
  SondeDataset *dataset; /* lent */
  guint size;
} Ready;

static char *
ready_describe (const SondeStage *stage)
{
  return g_strdup_printf ("source %s batches=%u", ((const Ready *) stage)->dataset->klass->name,
                          stage->n);
}

static gboolean
ready_load (SondeStage *base, SondePipelinePlace place, const _Atomic int *cancelled,
            SondeBatch *batch, GError **error)
{
  SondeDataset *dataset = ((Ready *) base)->dataset;
  SondeTensor *first_x, *x, *y;
  SondeStageMeter meter;
  guint first;

  sonde_stage_meter_begin (&meter, base);
  dataset->klass->get_ready (dataset, 0, &first_x, &y);
  dataset->klass->get_ready (dataset, place.index, &x, &y);
  first = place.index * (guint) first_x->shape.dims[0]; /* all but the last are of one size */
  batch->n = MIN (((Ready *) base)->size, (guint) x->shape.dims[0]);
  batch->samples = g_new (guint, batch->n);
  for (guint i = 0; i < batch->n; i++)
    batch->samples[i] = first + i;
  batch->inputs = sonde_tensor_ref (x);
  batch->labels = sonde_tensor_ref (y);
  sonde_stage_meter_end (&meter, base, batch->n);
  return TRUE;
}

static void
ready_free (SondeStage *stage)
{
  g_free (stage);
}

static const SondeStageClass ready_class = {
  .name = "ready",
  .describe = ready_describe,
  .load = ready_load,
  .free = ready_free,
};

SondeStage *
sonde_stage_ready_new (SondeDataset *dataset, guint size)
{
  Ready *ready = g_new0 (Ready, 1);

  ready->base.klass = &ready_class;
  ready->base.n = dataset->klass->get_n_ready (dataset);
  ready->dataset = dataset;
  ready->size = size;
  return &ready->base;
}
