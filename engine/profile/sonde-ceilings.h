/* SPDX-License-Identifier: Apache-2.0
 * What this machine can do at best, as measured on it: operations and bytes a second, and the time of
 * the cheapest step. Kept per machine in the user's cache folder. */
#pragma once

#include "data/profiles/sonde-profile-facts.h"
#include "data/values/sonde-dtype.h"

G_BEGIN_DECLS

/**
 * sonde_ceilings_get:
 * @device: as sonde_device_open() takes it: "cpu"
 * @dtype: FLOAT32; BFLOAT16 and INT8 where the device multiplies them faster than float32
 * @n_threads: from 1 on
 * @ceilings: (out): no NaN. @peak_gflops: of MatMul [2048, 2048] · [2048, 2048], multiply and add
 *   counting as two (of INT8 integer operations); @peak_gbs: of a = b + s · c in float32, 12 bytes an
 *   element, with plain stores, whose arrays together hold 4 times the last cache, but at most 1 GB;
 *   @overhead_us: of a step on one element
 *
 * From the cache, else measured, in at most 3 s: the best of 20 runs each, of fewer where 20 take
 * longer. The cache holds what was measured on this model of processor with as many cores, this size
 * of cache, and this version of Sonde. What was measured while other programs took more than a tenth of the
 * processors' time is measured again, up to five times, and the better stays; a best that no second run
 * confirms within 5 % is not kept. A cache that cannot be read or written is said as a message.
 * Not while anything else computes on this device.
 * Errors: NOT_FOUND for an unknown device; UNSUPPORTED where the device has no fast product of @dtype.
 */
gboolean sonde_ceilings_get (const char *device, SondeDtype dtype, guint n_threads,
                             SondeCeilings *ceilings, GError **error);

/**
 * SondeCeilingsUse: of what is in the cache
 * @KEPT: what is missing or doubtful is measured
 * @AGAIN: everything is measured, and the better counts
 * @FORGOTTEN: everything is measured, and what was kept is forgotten
 */
typedef enum
{
  SONDE_CEILINGS_KEPT,
  SONDE_CEILINGS_AGAIN,
  SONDE_CEILINGS_FORGOTTEN,
} SondeCeilingsUse;

/**
 * SondeCeilingsEntry: of one element type
 */
typedef struct
{
  SondeDtype dtype;
  SondeCeilings ceilings;
} SondeCeilingsEntry;

/**
 * sonde_ceilings_list:
 *
 * The same of every element type that the device multiplies fast, float32 first, measured in at most 3 s
 * in all.
 * Returns: (transfer full) (element-type SondeCeilingsEntry)
 * Errors: as above
 */
GArray *sonde_ceilings_list (const char *device, guint n_threads, SondeCeilingsUse use,
                             GError **error);

G_END_DECLS
