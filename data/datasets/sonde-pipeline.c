/* SPDX-License-Identifier: Apache-2.0
 * What all stages share, and the stages that make samples: source, cache, repeat, map. */
#include "data/datasets/sonde-pipeline-private.h"

#include <string.h>

#include "data/base/sonde-error.h"
#include "data/datasets/sonde-dataset-faults.h"
#include "data/datasets/sonde-stage-meter.h"
#include "data/datasets/sonde-transforms.h"

void
sonde_batch_clear (SondeBatch *batch)
{
  g_clear_pointer (&batch->inputs, sonde_tensor_unref);
  g_clear_pointer (&batch->labels, sonde_tensor_unref);
  g_clear_pointer (&batch->samples, g_free);
  batch->n = 0;
}

void
sonde_stage_free (SondeStage *stage)
{
  while (stage != NULL)
    {
      SondeStage *before = stage->before;

      stage->klass->free (stage);
      stage = before;
    }
}

gboolean
sonde_stage_fill (SondeStage *stage, SondePipelinePlace place, SondePipelineSlot *slot,
                  GError **error)
{
  if (!stage->klass->fill (stage, place, slot, error))
    return FALSE;
  if (G_UNLIKELY (slot->meter != NULL))
    sonde_stage_meter_mark (slot->meter, stage);
  return TRUE;
}

gboolean
sonde_stage_load (SondeStage *stage, SondePipelinePlace place, const _Atomic int *cancelled,
                  SondeBatch *batch, GError **error)
{
  return stage->klass->load (stage, place, cancelled, batch, error);
}

char *
sonde_stage_describe (const SondeStage *stage)
{
  g_autoptr (GString) text = g_string_new (NULL);

  for (; stage != NULL; stage = stage->before)
    {
      g_autofree char *line = stage->klass->describe (stage);

      if (text->len > 0)
        g_string_prepend_c (text, '\n');
      g_string_prepend (text, line);
    }
  return g_string_free (g_steal_pointer (&text), FALSE);
}

void
sonde_stage_follow (SondeStage *stage, const SondeStageClass *klass, SondeStage *before)
{
  *stage = *before;
  stage->klass = klass;
  stage->before = before;
}

gsize
sonde_stage_sample_bytes (const SondeStage *stage)
{
  return (gsize) sonde_shape_n_elements (&stage->shape) * sonde_dtype_size (stage->dtype);
}

gsize
sonde_stage_label_bytes (const SondeStage *stage)
{
  return (gsize) sonde_shape_n_elements (&stage->label_shape)
         * sonde_dtype_size (stage->label_dtype);
}

/* ---- source -------------------------------------------------------------- */

#define LEAST_FAULTS 16

typedef struct
{
  SondeStage base;
  SondeDataset *dataset; /* lent; without transforms */
  guint *samples;        /* owned */
} Source;

static char *
source_describe (const SondeStage *stage)
{
  return g_strdup_printf ("source %s samples=%u", ((const Source *) stage)->dataset->klass->name,
                          stage->n);
}

static gboolean
too_many_faults (const Source *source, GError **error)
{
  SondeFaults *faults = source->dataset->faults;
  guint n = sonde_faults_get_n_samples (faults);
  SondeMessage *message;

  if (n <= MAX (LEAST_FAULTS, source->dataset->n / 10) && n < source->base.n)
    return FALSE;
  message = sonde_faults_dup (faults, 0);
  sonde_message_prepend (
      message, "%u of %u samples cannot be read, too many to go on without them; the first is ", n,
      source->dataset->n);
  sonde_set_error_message (error, SONDE_DATA_ERROR, SONDE_DATA_ERROR_DAMAGED, message);
  return TRUE;
}

/* The sample itself or, when it cannot be read, the next one that can. */
static gboolean
source_fill (SondeStage *stage, SondePipelinePlace place, SondePipelineSlot *slot, GError **error)
{
  Source *source = (Source *) stage;
  SondeFaults *faults = source->dataset->faults;

  for (guint i = 0; i < stage->n; i++)
    {
      g_autoptr (GError) reason = NULL;
      guint sample = source->samples[(place.index + (guint64) i) % stage->n];

      if (faults != NULL && sonde_faults_contain (faults, sample))
        continue;
      if (sonde_dataset_fill (source->dataset, sample, slot->x, &reason))
        {
          sonde_dataset_fill_label (source->dataset, sample, slot->y);
          slot->sample = sample;
          slot->epoch = place.epoch;
          return TRUE;
        }
      if (faults == NULL || !sonde_faults_contain (faults, sample))
        {
          g_propagate_error (error, g_steal_pointer (&reason));
          return FALSE;
        }
      if (too_many_faults (source, error))
        return FALSE;
    }
  sonde_set_error (error, SONDE_DATA_ERROR, SONDE_DATA_ERROR_DAMAGED,
                   "none of the %u samples can be read", stage->n);
  return FALSE;
}

static void
source_free (SondeStage *stage)
{
  g_free (((Source *) stage)->samples);
  g_free (stage);
}

static const SondeStageClass source_class = {
  .name = "source",
  .describe = source_describe,
  .fill = source_fill,
  .free = source_free,
};

SondeStage *
sonde_stage_source_new (SondeDataset *dataset, const guint *samples, guint n)
{
  Source *source = g_new0 (Source, 1);

  source->dataset = dataset->inner != NULL ? dataset->inner : dataset;
  source->samples = g_new (guint, MAX (n, 1));
  memcpy (source->samples, samples, n * sizeof *samples);
  source->base.klass = &source_class;
  source->base.n = n;
  source->base.dtype = source->dataset->dtype;
  source->base.shape = source->dataset->shape;
  source->base.label_dtype = source->dataset->label_dtype;
  source->base.label_shape = source->dataset->label_shape;
  return &source->base;
}

/* ---- cache --------------------------------------------------------------- */

typedef enum
{
  EMPTY,
  BUSY, /* some thread is making it; others make their own */
  THERE,
} CacheState;

typedef struct
{
  SondeStage base;
  gsize sample_bytes, label_bytes;
  guint8 *samples; /* [n, sample_bytes] */
  guint8 *labels;  /* [n, label_bytes] */
  guint *numbers;  /* [n] */
  _Atomic guint8 *states;
} Cache;

static char *
cache_describe (const SondeStage *stage)
{
  return g_strdup_printf ("cache bytes=%zu", ((const Cache *) stage)->sample_bytes * stage->n);
}

static gboolean
cache_fill (SondeStage *stage, SondePipelinePlace place, SondePipelineSlot *slot, GError **error)
{
  Cache *cache = (Cache *) stage;
  guint8 *x = cache->samples + place.index * cache->sample_bytes;
  guint8 *y = cache->labels + place.index * cache->label_bytes;
  guint8 state = EMPTY;

  if (atomic_load_explicit (&cache->states[place.index], memory_order_acquire) == THERE)
    {
      memcpy (slot->x, x, cache->sample_bytes);
      memcpy (slot->y, y, cache->label_bytes);
      slot->sample = cache->numbers[place.index];
      slot->epoch = place.epoch;
      return TRUE;
    }
  if (!sonde_stage_fill (stage->before, place, slot, error))
    return FALSE;
  if (atomic_compare_exchange_strong (&cache->states[place.index], &state, BUSY))
    {
      memcpy (x, slot->x, cache->sample_bytes);
      memcpy (y, slot->y, cache->label_bytes);
      cache->numbers[place.index] = slot->sample;
      atomic_store_explicit (&cache->states[place.index], THERE, memory_order_release);
    }
  return TRUE;
}

static void
cache_free (SondeStage *stage)
{
  Cache *cache = (Cache *) stage;

  g_free (cache->samples);
  g_free (cache->labels);
  g_free (cache->numbers);
  g_free ((void *) cache->states);
  g_free (cache);
}

static const SondeStageClass cache_class = {
  .name = "cache",
  .describe = cache_describe,
  .fill = cache_fill,
  .free = cache_free,
};

SondeStage *
sonde_stage_cache_new (SondeStage *before, gsize limit)
{
  gsize sample_bytes = sonde_stage_sample_bytes (before),
        label_bytes = sonde_stage_label_bytes (before);
  gboolean in_memory = before->klass == &source_class && ((Source *) before)->dataset->in_memory;
  guint8 *samples;
  Cache *cache;

  if (in_memory || before->n == 0 || sample_bytes + label_bytes > limit / before->n)
    return before;
  /* No page is touched before its use. */
  samples = g_try_malloc0 (sample_bytes * before->n);
  if (samples == NULL)
    return before;
  cache = g_new0 (Cache, 1);
  sonde_stage_follow (&cache->base, &cache_class, before);
  cache->sample_bytes = sample_bytes;
  cache->label_bytes = label_bytes;
  cache->samples = samples;
  cache->labels = g_malloc0 (label_bytes * before->n);
  cache->numbers = g_new0 (guint, before->n);
  cache->states = g_malloc0 (before->n);
  return &cache->base;
}

/* ---- repeat -------------------------------------------------------------- */

typedef struct
{
  SondeStage base;
  guint times;
} Repeat;

static char *
repeat_describe (const SondeStage *stage)
{
  return g_strdup_printf ("repeat times=%u", ((const Repeat *) stage)->times);
}

static gboolean
repeat_fill (SondeStage *stage, SondePipelinePlace place, SondePipelineSlot *slot, GError **error)
{
  guint n = stage->before->n;
  SondePipelinePlace inner
      = { place.epoch * ((Repeat *) stage)->times + place.index / n, place.index % n };

  return sonde_stage_fill (stage->before, inner, slot, error);
}

static void
repeat_free (SondeStage *stage)
{
  g_free (stage);
}

static const SondeStageClass repeat_class = {
  .name = "repeat",
  .describe = repeat_describe,
  .fill = repeat_fill,
  .free = repeat_free,
};

SondeStage *
sonde_stage_repeat_new (SondeStage *before, guint times)
{
  Repeat *repeat;

  g_return_val_if_fail (times > 0 && (guint64) before->n * times <= G_MAXUINT, before);

  if (times == 1)
    return before;
  repeat = g_new0 (Repeat, 1);
  sonde_stage_follow (&repeat->base, &repeat_class, before);
  repeat->times = times;
  repeat->base.n = before->n * times;
  return &repeat->base;
}

/* ---- map ----------------------------------------------------------------- */

typedef struct
{
  SondeStage base;
  const SondeTransforms *transforms; /* lent */
  gboolean training;
  guint64 seed;
  gsize before_bytes; /* of a sample before, rounded up */
} Map;

static char *
map_describe (const SondeStage *stage)
{
  const Map *map = (const Map *) stage;
  g_autofree char *texts = sonde_transforms_describe (map->transforms);

  if (map->training && sonde_transforms_are_random (map->transforms))
    return g_strdup_printf ("map %s seed=%" PRIu64, texts, map->seed);
  return g_strdup_printf ("map %s", texts);
}

static gboolean
map_fill (SondeStage *stage, SondePipelinePlace place, SondePipelineSlot *slot, GError **error)
{
  const Map *map = (const Map *) stage;
  SondePipelineSlot inner
      = { slot->room, slot->y, slot->room + map->before_bytes, 0, 0, slot->meter };
  SondeDraw draw;

  if (!sonde_stage_fill (stage->before, place, &inner, error))
    return FALSE;
  slot->sample = inner.sample;
  slot->epoch = inner.epoch;
  draw = (SondeDraw){ map->seed, inner.epoch, inner.sample };
  sonde_transforms_apply (map->transforms, map->training ? &draw : NULL,
                          (const float *) (const void *) slot->room, slot->x,
                          slot->room + map->before_bytes);
  return TRUE;
}

static void
map_free (SondeStage *stage)
{
  g_free (stage);
}

static const SondeStageClass map_class = {
  .name = "map",
  .describe = map_describe,
  .fill = map_fill,
  .free = map_free,
};

SondeStage *
sonde_stage_map_new (SondeStage *before, SondeDataset *dataset, gboolean training, guint64 seed)
{
  Map *map;

  if (dataset->transforms == NULL)
    return before;
  map = g_new0 (Map, 1);
  sonde_stage_follow (&map->base, &map_class, before);
  map->transforms = dataset->transforms;
  map->training = training;
  map->seed = seed;
  map->before_bytes = (sonde_stage_sample_bytes (before) + 63) & ~(gsize) 63;
  map->base.room
      = map->before_bytes + MAX (before->room, sonde_transforms_get_room (dataset->transforms));
  map->base.dtype = dataset->dtype;
  map->base.shape = dataset->shape;
  return &map->base;
}
