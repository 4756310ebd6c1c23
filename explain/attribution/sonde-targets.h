/* SPDX-License-Identifier: Apache-2.0
 * Which rows of a request are the same image with another target: what is computed for all
 * classes at once is computed once. */
#pragma once

#include "explain/attribution/sonde-attribution.h"

G_BEGIN_DECLS

/**
 * SondeTargets:
 * @n: rows of the request
 * @n_images: different images, in the order of their first rows
 * @inputs: (array length=n): owned copy of the request's, contiguous
 * @first: (array length=n_images): a row that is the image
 * @begin: (array length=n_images + 1), @rows: (array length=n): rows of image p are
 * rows[begin[p]] … rows[begin[p + 1] − 1]
 * @classes: (array length=n): target of a row
 * @channels, @height, @width: of an image
 */
typedef struct
{
  gint64 n, n_images;
  SondeTensor *inputs;
  gint64 *first, *begin, *rows, *classes;
  gint64 channels, height, width;
} SondeTargets;

void sonde_targets_init (SondeTargets *targets, const SondeAttributionRequest *request);
void sonde_targets_clear (SondeTargets *targets);
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC (SondeTargets, sonde_targets_clear)

/* The image itself, float32 [C, H, W] in @targets->inputs. */
const float *sonde_targets_get_image (const SondeTargets *targets, gint64 image);
/* Images @from … @from + @n − 1 as float32 [n, C, H, W]. (transfer full) */
SondeTensor *sonde_targets_copy_images (const SondeTargets *targets, gint64 from, gint64 n);

G_END_DECLS
