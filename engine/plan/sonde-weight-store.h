/* SPDX-License-Identifier: Apache-2.0
 * Weights on a device, once for all executions that a store serves: those of one model at different
 * sizes, and those of its bodies. Where the device reads the host's memory and wants the plain
 * layout, a weight is the memory of the graph's own tensor.
 *
 * Executions of one store are made, run and freed by one thread at a time. */
#pragma once

#include "engine/devices/sonde-device.h"

G_BEGIN_DECLS

typedef struct _SondeWeightStore SondeWeightStore;

/**
 * SondeWeight: reference counted
 * @memory: never to be written
 */
typedef struct _SondeWeight SondeWeight;
struct _SondeWeight
{
  guint ref_count;
  void *memory;
  SondeWeightStore *store;
  SondeDevice *device;
  SondeValue *constant;
  SondeLayout *layout;
  gboolean borrowed;
};

SondeWeightStore *sonde_weight_store_new (SondeDevice *device);
SondeWeightStore *sonde_weight_store_ref (SondeWeightStore *store);
void sonde_weight_store_unref (SondeWeightStore *store);

/* @constant, a tensor of @type, in @layout (nullable: plain). Errors: MEMORY. */
SondeWeight *sonde_weight_store_get (SondeWeightStore *store, SondeValue *constant,
                                     const SondeType *type, SondeLayout *layout, GError **error);
void sonde_weight_unref (SondeWeight *weight);

/* The memory of a weight that nobody else uses, to be written and released; the reference is taken.
 * NULL: it is borrowed or others use it, and the reference is still the caller's. */
void *sonde_weight_steal (SondeWeight *weight);

/* Whether a weight of @tensor is its own memory. */
gboolean sonde_weight_is_borrowed (SondeDevice *device, const SondeTensor *tensor,
                                   const SondeLayout *layout);

G_END_DECLS
