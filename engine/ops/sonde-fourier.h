/* SPDX-License-Identifier: Apache-2.0
 * The discrete Fourier transform of any length in O(n log n), in double. */
#pragma once

#include <glib.h>

G_BEGIN_DECLS

#define SONDE_FOURIER_MAX_LENGTH (G_GINT64_CONSTANT (1) << 28)

/* A transform of one length; may be used by several threads at once. */
typedef struct _SondeFourier SondeFourier;

/**
 * sonde_fourier_new:
 * @n: from 1 to SONDE_FOURIER_MAX_LENGTH
 *
 * Mixed radix in the order of Stockham where the prime factors are small, else Bluestein's convolution with a
 * chirp over a power of two.
 * Source: Stockham, "High-speed convolution and correlation" (1966); Bluestein, "A linear filtering approach to the
 * computation of the discrete Fourier transform" (1970).
 */
SondeFourier *sonde_fourier_new (gint64 n);
void sonde_fourier_free (SondeFourier *fourier);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (SondeFourier, sonde_fourier_free)

/* Numbers of working memory that sonde_fourier_run() needs. */
gint64 sonde_fourier_get_work (const SondeFourier *fourier);

/**
 * sonde_fourier_run:
 * @x: (inout): 2·n numbers, real and imaginary parts in turn
 * @inverse: with exp (+2πi kn/N); not divided by N
 * @work: room for sonde_fourier_get_work() numbers
 *
 * X[k] = Σ x[n] exp (−2πi kn/N)
 */
void sonde_fourier_run (const SondeFourier *fourier,
                        double             *x,
                        gboolean            inverse,
                        double             *work);

G_END_DECLS
