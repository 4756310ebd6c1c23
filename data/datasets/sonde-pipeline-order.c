/* SPDX-License-Identifier: Apache-2.0
 * Stages that change the order: shuffle, and an order given as an array. */
#include "data/datasets/sonde-pipeline-private.h"

#include "data/base/sonde-error.h"
#include "data/base/sonde-random.h"
#include "data/datasets/sonde-stage-meter.h"

/* ---- shuffle ------------------------------------------------------------- */

/* Threads ask for at most two epochs at a time: the one at its end and the next. */
#define N_ORDERS 2

typedef struct
{
  gint64 epoch; /* -1: none */
  guint *positions;
} Order;

typedef struct
{
  SondeStage base;
  guint64 seed;
  GMutex lock;
  Order orders[N_ORDERS];
  guint oldest;
} Shuffle;

static char *
shuffle_describe (const SondeStage *stage)
{
  return g_strdup_printf ("shuffle seed=%" PRIu64, ((const Shuffle *) stage)->seed);
}

/* Fisher and Yates: each position changes places with one of those not yet dealt. */
static void
deal (Order *order, guint64 seed, guint64 epoch, guint n)
{
  guint64 stream = sonde_random_stream ("shuffle") + epoch;

  for (guint i = 0; i < n; i++)
    order->positions[i] = i;
  for (guint i = n; i-- > 1;)
    {
      guint64 bits = sonde_random_bits (seed, stream, i) >> 32;
      guint other = (guint) ((bits * (i + 1)) >> 32);
      guint kept = order->positions[i];

      order->positions[i] = order->positions[other];
      order->positions[other] = kept;
    }
  order->epoch = (gint64) epoch;
}

static guint
position_of (Shuffle *shuffle, SondePipelinePlace place)
{
  Order *order = NULL;
  guint position;

  g_mutex_lock (&shuffle->lock);
  for (guint i = 0; i < N_ORDERS; i++)
    if (shuffle->orders[i].epoch == (gint64) place.epoch)
      order = &shuffle->orders[i];
  if (order == NULL)
    {
      order = &shuffle->orders[shuffle->oldest];
      shuffle->oldest = (shuffle->oldest + 1) % N_ORDERS;
      deal (order, shuffle->seed, place.epoch, shuffle->base.n);
    }
  position = order->positions[place.index];
  g_mutex_unlock (&shuffle->lock);
  return position;
}

static gboolean
shuffle_fill (SondeStage *stage, SondePipelinePlace place, SondePipelineSlot *slot, GError **error)
{
  place.index = position_of ((Shuffle *) stage, place);
  if (G_UNLIKELY (slot->meter != NULL)) /* not the time of the stage it asks */
    sonde_stage_meter_mark (slot->meter, stage);
  return sonde_stage_fill (stage->before, place, slot, error);
}

static void
shuffle_free (SondeStage *stage)
{
  Shuffle *shuffle = (Shuffle *) stage;

  g_mutex_clear (&shuffle->lock);
  for (guint i = 0; i < N_ORDERS; i++)
    g_free (shuffle->orders[i].positions);
  g_free (shuffle);
}

static const SondeStageClass shuffle_class = {
  .name = "shuffle",
  .describe = shuffle_describe,
  .fill = shuffle_fill,
  .free = shuffle_free,
};

SondeStage *
sonde_stage_shuffle_new (SondeStage *before, guint64 seed)
{
  Shuffle *shuffle = g_new0 (Shuffle, 1);

  sonde_stage_follow (&shuffle->base, &shuffle_class, before);
  shuffle->seed = seed;
  g_mutex_init (&shuffle->lock);
  for (guint i = 0; i < N_ORDERS; i++)
    shuffle->orders[i] = (Order){ -1, g_new (guint, MAX (before->n, 1)) };
  return &shuffle->base;
}

/* ---- a given order ------------------------------------------------------- */

typedef struct
{
  SondeStage base;
  SondeTensor *order; /* owned reference */
} Given;

static char *
given_describe (const SondeStage *stage)
{
  return g_strdup_printf ("order epochs=%" PRIi64, ((const Given *) stage)->order->shape.dims[0]);
}

static gboolean
given_fill (SondeStage *stage, SondePipelinePlace place, SondePipelineSlot *slot, GError **error)
{
  const SondeTensor *order = ((Given *) stage)->order;
  gint64 row = (gint64) (place.epoch % (guint64) order->shape.dims[0]);

  place.index = (guint) sonde_tensor_get_int (order, row * stage->n + place.index);
  return sonde_stage_fill (stage->before, place, slot, error);
}

static void
given_free (SondeStage *stage)
{
  sonde_tensor_unref (((Given *) stage)->order);
  g_free (stage);
}

static const SondeStageClass given_class = {
  .name = "order",
  .describe = given_describe,
  .fill = given_fill,
  .free = given_free,
};

static gboolean
check_order (const SondeTensor *order, guint n_samples, GError **error)
{
  gint64 n = sonde_tensor_n_elements (order);

  if (!sonde_dtype_is_integer (order->dtype) || order->shape.rank != 2 || order->shape.dims[0] < 1
      || order->shape.dims[1] != n_samples)
    {
      g_autofree char *shape = sonde_shape_to_string (&order->shape);

      sonde_set_error (
          error, SONDE_DATA_ERROR, SONDE_DATA_ERROR_INVALID,
          "the order of the samples is %s of %s; integers of [epochs, %u] are needed, one for each "
          "training sample",
          shape, sonde_dtype_name (order->dtype), n_samples);
      return FALSE;
    }
  for (gint64 i = 0; i < n; i++)
    {
      gint64 position = sonde_tensor_get_int (order, i);

      if (position < 0 || position >= n_samples)
        {
          sonde_set_error (error, SONDE_DATA_ERROR, SONDE_DATA_ERROR_INVALID,
                           "the order of the samples, epoch %" PRIi64 ", position %" PRIi64
                           ", names sample %" PRIi64 "; there are %u",
                           i / n_samples, i % n_samples, position, n_samples);
          return FALSE;
        }
    }
  return TRUE;
}

SondeStage *
sonde_stage_order_new (SondeStage *before, SondeTensor *order, GError **error)
{
  Given *given;

  if (!check_order (order, before->n, error))
    {
      sonde_stage_free (before);
      return NULL;
    }
  given = g_new0 (Given, 1);
  sonde_stage_follow (&given->base, &given_class, before);
  given->order = sonde_tensor_ref (order);
  return &given->base;
}
