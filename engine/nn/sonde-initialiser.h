/* SPDX-License-Identifier: Apache-2.0
 * Initial values of parameters, by name. Counter-based random numbers: an element's value depends
 * on the seed, the parameter's name and the element's place alone, on every thread count and
 * device. */
#pragma once

#include "data/values/sonde-tensor.h"
#include "engine/ops/sonde-engine-error.h"

G_BEGIN_DECLS

/**
 * sonde_initialiser_make:
 * @text: one of
 *   "zeros", "ones", "constant:value=C"
 *   "normal:mean=0;std=1", "truncated-normal:mean=0;std=1" (redrawn beyond 2
 *   std) "uniform:low=0;high=1", "torch" (uniform ±1/√fan_in: PyTorch's default for weights
 *   and biases) "xavier-uniform:gain=1" (±gain·√(6/(fan_in + fan_out))), "xavier-normal:gain=1"
 *   (Glorot and Bengio 2010) "he-uniform:gain=1.4142" (±gain·√(3/fan_in)), "he-normal:gain=1.4142"
 *   (std gain/√fan_in; He et al. 2015); with fan-out=1 they count fan_out "orthogonal:gain=1"
 *   (rows or columns orthonormal, whichever are fewer; Saxe et al. 2014; Q of a QR of a normal
 *   matrix, signs of R's diagonal made positive); the tensor is taken as [d0, d1·…·dn]
 * @shape: of a weight: [out, in / groups, kernel…] as Conv and PyTorch's Linear have it
 * @fan_in, @fan_out: 0: from @shape: fan_in = dims[1]·kernel, fan_out = dims[0]·kernel; of one
 * dimension its size
 * @name: the parameter's, part of the random stream
 *
 * Returns: (transfer full): F32 or F64 of @dtype. Errors: INVALID naming the initialisers there
 * are, or the setting; SHAPE
 */
SondeTensor *sonde_initialiser_make (const char *text, SondeDtype dtype, const SondeShape *shape,
                                     gint64 fan_in, gint64 fan_out, guint64 seed, const char *name,
                                     GError **error);
char *sonde_initialiser_list (void); /* "zeros, ones, …". Returns: (transfer full) */

G_END_DECLS
