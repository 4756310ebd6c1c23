/* SPDX-License-Identifier: Apache-2.0
 * What follows a convolution or a matrix product and is done to each result before it is stored. */
#pragma once

#include "engine/devices/cpu/sonde-cpu-kernel.h"

G_BEGIN_DECLS

/**
 * SondeCpuEpilogue:
 * @posts: in order; operand k is @operands[k], NULL for a function
 * @n_exact: posts before the first function that may lose NaN
 * @zero_at_minus_infinity: the last post, computed there as a product, would make NaN
 */
typedef struct
{
  SondeDnnlPost posts[SONDE_DNNL_MAX_POSTS];
  SondeGraphValue *operands[SONDE_DNNL_MAX_POSTS];
  guint n_posts, n_exact;
  gboolean zero_at_minus_infinity;
} SondeCpuEpilogue;

/**
 * sonde_cpu_read_epilogue:
 * @nodes: a group in order of execution; those from @first on follow the node that makes @value
 * @channels_last: @value lies channels-last, else plain
 *
 * Returns: all of them are understood, and nothing but their last result is read outside.
 */
gboolean sonde_cpu_read_epilogue (SondeNode *const *nodes, guint n_nodes, guint first,
                                  SondeGraphValue *value, gboolean channels_last,
                                  SondeCpuEpilogue *epilogue);

/* BatchNormalization of inference, with nothing but its first output. */
gboolean sonde_cpu_is_plain_normalisation (const SondeNode *node);
/* One number for each of @channels beside a result [N, C, spatial…]. */
gboolean sonde_cpu_is_by_channel (const SondeDnnlPost *post, gint64 channels);

/* One number that no run changes. */
gboolean sonde_cpu_read_scalar (const SondeGraphValue *value, float *number);

/**
 * SondeCpuGuarded: a primitive with posts that lose NaN. The processor notes when that happens:
 * then the result is computed again without them, and its NaN are put back.
 * @guarded: there are such posts
 * @exact: (nullable): made when it is first needed
 * @zero_at_minus_infinity: what the last post makes of -infinity
 * @bytes: of the result, which is dense; @dtype: float32 (INVALID too) or bfloat16
 * @clear_first: what ran before has set the processor's flag although no NaN was there
 */
typedef struct
{
  SondeDnnlPrimitive *primitive;
  SondeDnnlPrimitive *_Atomic exact;
  gboolean guarded, zero_at_minus_infinity;
  gsize bytes;
  SondeDtype dtype;
  _Atomic gboolean clear_first;
} SondeCpuGuarded;

typedef SondeDnnlPrimitive *(*SondeCpuMakeExact) (SondeCpuDevice *device, gpointer data);

/* @make_exact: the same primitive with only the exact posts, weights lying as they do. Errors:
 * DEVICE, MEMORY */
gboolean sonde_cpu_guarded_run (SondeCpuDevice *device, SondeCpuGuarded *guarded,
                                void *const memory[SONDE_DNNL_N_ARGUMENTS], void *workspace,
                                SondeCpuMakeExact make_exact, gpointer data, GError **error);
void sonde_cpu_guarded_clear (SondeCpuGuarded *guarded);

/* Whether the result @x in float32, just made, is finite and lost no NaN. All threads look,
 * once. */
gboolean sonde_cpu_is_clean (const SondeCpuGuarded *guarded, const float *x);

/* Whether this processor notes lost NaN at all; else no post may lose them. */
gboolean sonde_cpu_can_guard (void);

G_END_DECLS
