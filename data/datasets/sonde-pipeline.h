/* SPDX-License-Identifier: Apache-2.0
 * The way of samples from a source to batches as a graph of stages: source → cache → shuffle →
 * repeat → map → batch → prefetch. A stage asks the one before it for an item by its place (epoch,
 * index), never for “the next one”: what comes is a function of seed and place alone, whatever was
 * asked before and whichever threads ask, so that a run resumed in the middle sees the same
 * data. */
#pragma once

#include "data/base/sonde-span-log.h"
#include "data/datasets/sonde-dataset.h"

G_BEGIN_DECLS

typedef struct _SondeStage SondeStage;
typedef struct _SondeStageClass SondeStageClass;

/* A place in the data: item @index of pass @epoch. */
typedef struct
{
  guint64 epoch;
  guint index;
} SondePipelinePlace;

/**
 * SondePipelineSlot: where one sample goes
 * @x, @y: memory for a sample and its label; lent by the caller, of the stage's dtypes and shapes
 * @room: working memory of the size that sonde_stage_get_room() says, aligned to 64 bytes
 * @sample: (out): its number in the dataset
 * @epoch: (out): the pass it is of, counted before repeat
 * @meter: (nullable): where stages say how long they worked on it
 */
typedef struct
{
  void *x, *y;
  guint8 *room;
  guint sample;
  guint64 epoch;
  struct _SondeStageMeter *meter;
} SondePipelineSlot;

/**
 * SondeBatch: zero-initialise, then clear
 * @samples: numbers of its samples; owned
 */
typedef struct
{
  SondeTensor *inputs, *labels;
  guint *samples;
  guint n;
} SondeBatch;

void sonde_batch_clear (SondeBatch *batch);

/**
 * SondeStageClass: one of @fill (stages of samples) and @load (stages of batches) is there
 * @describe: one line for people and for lineage: "shuffle seed=1"; (transfer full)
 * @fill, @load: any thread, several at a time; @cancelled: (nullable): looked at now and then; when
 *   it is not 0, FALSE with CANCELLED
 * @free: what is its own; not the stage before it
 */
struct _SondeStageClass
{
  const char *name;
  char *(*describe) (const SondeStage *stage);
  gboolean (*fill) (SondeStage *stage, SondePipelinePlace place, SondePipelineSlot *slot,
                    GError **error);
  gboolean (*load) (SondeStage *stage, SondePipelinePlace place, const _Atomic int *cancelled,
                    SondeBatch *batch, GError **error);
  void (*free) (SondeStage *stage);
};

/**
 * SondeStage: first member of every stage; read-only once made
 * @before: (nullable): the stage it asks; owned
 * @n: items an epoch
 * @room: bytes of working memory that this stage and those before it need
 * @spans, @span_label, @depth: of sonde_stage_set_spans(); @depth: of the source 0
 */
struct _SondeStage
{
  const SondeStageClass *klass;
  SondeStage *before;
  guint n;
  gsize room;
  SondeDtype dtype, label_dtype;
  SondeShape shape, label_shape;
  SondeSpanLog *spans;
  guint32 span_label;
  guint depth;
};

/* Frees the stages before it too. */
void sonde_stage_free (SondeStage *stage);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (SondeStage, sonde_stage_free)

gboolean sonde_stage_fill (SondeStage *stage, SondePipelinePlace place, SondePipelineSlot *slot,
                           GError **error);
gboolean sonde_stage_load (SondeStage *stage, SondePipelinePlace place,
                           const _Atomic int *cancelled, SondeBatch *batch, GError **error);

/* @log: (nullable): lent, outlives the stages: while it records, it gets what each stage of each batch takes,
 * the waiting for batches, and how many are found ready (SONDE_SPAN_READY). Before the first batch. */
void sonde_stage_set_spans (SondeStage *stage, SondeSpanLog *log);

/* All stages from the source on, a line each, without a newline at the end. Returns: (transfer
 * full) */
char *sonde_stage_describe (const SondeStage *stage);

/* ---- stages; @before: (transfer full) ------------------------------------ */

/**
 * sonde_stage_source_new:
 * @dataset: lent; of one with transforms the samples before those
 * @samples: (array length=n): copied
 *
 * A sample that cannot be read is noted with the dataset's faults, and the next one of @samples
 * that can be read stands in its place, number and label too. FALSE when more than a tenth (and 16)
 * cannot.
 */
SondeStage *sonde_stage_source_new (SondeDataset *dataset, const guint *samples, guint n);

/* Keeps samples where all of them fit @limit bytes; else, and for a dataset in memory, @before
 * itself. */
SondeStage *sonde_stage_cache_new (SondeStage *before, gsize limit);

/* A new order each epoch, a function of (seed, epoch) alone. */
SondeStage *sonde_stage_shuffle_new (SondeStage *before, guint64 seed);

/* @order: integers [epochs, n] of positions; epochs past its end begin again at its first row.
 * Errors: INVALID;
 * @before is freed. */
SondeStage *sonde_stage_order_new (SondeStage *before, SondeTensor *order, GError **error);

/* @times passes make one epoch. */
SondeStage *sonde_stage_repeat_new (SondeStage *before, guint times);

/* @dataset: lent, outlives the stage: its transforms; random ones where @training. @before itself
 * when it has none. */
SondeStage *sonde_stage_map_new (SondeStage *before, SondeDataset *dataset, gboolean training,
                                 guint64 seed);

/* @size samples make a batch, the last one of an epoch what is left. Tensors come from a few blocks
 * of memory that are used again. */
SondeStage *sonde_stage_batch_new (SondeStage *before, guint size);

/* Ready batches of @dataset, lent; @size: as many sample numbers are told. */
SondeStage *sonde_stage_ready_new (SondeDataset *dataset, guint size);

/**
 * sonde_stage_prefetch_new:
 * @depth: batches made ahead, ≥ 1; with the one in use they bound the memory
 * @workers: threads, started by the first batch asked for
 *
 * Makes the batches that follow the one asked for last, over the end of an epoch too; another one
 * asked for (after a test, a resume) begins there anew. An error comes in the place of its batch.
 * One thread may ask.
 */
SondeStage *sonde_stage_prefetch_new (SondeStage *before, guint depth, guint workers);

G_END_DECLS
