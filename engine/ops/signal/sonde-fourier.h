/* SPDX-License-Identifier: Apache-2.0
 * The discrete Fourier transform of any length in O(n log n), in double. */
#pragma once

#include <glib.h>

G_BEGIN_DECLS

#define SONDE_FOURIER_MAX_LENGTH (G_GINT64_CONSTANT (1) << 28)

/* As many transforms are made side by side; what one of them gives does not depend on the
 * others. */
#define SONDE_FOURIER_LANES 4

/* One element of all of them; lane l is re[l] + i·im[l]. */
typedef double SondeFourierLanes
    __attribute__ ((vector_size (SONDE_FOURIER_LANES * sizeof (double)), aligned (8)));
typedef struct
{
  SondeFourierLanes re, im;
} SondeFourierElement;

/* A transform of one length; may be used by several threads at once. */
typedef struct _SondeFourier SondeFourier;

/**
 * sonde_fourier_new:
 * @n: from 1 to SONDE_FOURIER_MAX_LENGTH
 *
 * Mixed radix in the order of Stockham where the prime factors are small, else Bluestein's
 * convolution with a chirp over a power of two.
 * Source: Stockham, "High-speed convolution and correlation" (1966); Bluestein, "A linear filtering
 * approach to the computation of the discrete Fourier transform" (1970).
 */
SondeFourier *sonde_fourier_new (gint64 n);
void sonde_fourier_free (SondeFourier *fourier);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (SondeFourier, sonde_fourier_free)

/* Elements of working memory that sonde_fourier_run() needs. */
gint64 sonde_fourier_get_work (const SondeFourier *fourier);

/**
 * sonde_fourier_run:
 * @x: (inout): n elements
 * @inverse: with exp (+2πi kn/N); not divided by N
 * @work: room for sonde_fourier_get_work() elements
 *
 * X[k] = Σ x[n] exp (−2πi kn/N)
 */
void sonde_fourier_run (const SondeFourier *fourier, SondeFourierElement *x, gboolean inverse,
                        SondeFourierElement *work);

G_END_DECLS
