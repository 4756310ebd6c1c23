/* SPDX-License-Identifier: Apache-2.0
 * Scores of images that differ in rectangles, each different image asked for once. */
#pragma once

#include "explain/counterfactual/sonde-hierarchical-occlusion.h"

G_BEGIN_DECLS

typedef struct _SondeOcclusionScores SondeOcclusionScores;

/* @like: float32 [C, H, W]: form of the images. @batch: most images of one call. Errors:
 * NO_MEMORY. */
SondeOcclusionScores *sonde_occlusion_scores_new (SondeTensor *like, guint batch,
                                                  SondeScoreFunction score, gpointer data,
                                                  GError **error);
void sonde_occlusion_scores_free (SondeOcclusionScores *scores);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (SondeOcclusionScores, sonde_occlusion_scores_free)

guint64 sonde_occlusion_scores_get_n_asked (SondeOcclusionScores *scores);

/* The rectangle of @to becomes that of @from; both float32 [C, H, W], contiguous. */
void sonde_occlusion_edit (SondeTensor *to, SondeTensor *from, const SondeBox *box);

/**
 * sonde_occlusion_scores_get:
 * @work, @from: float32 [C, H, W]
 * @boxes: (array length=n): candidate i is @work with boxes[i] taken from @from; NULL and n = 1:
 * @work itself
 * @out: (out) (array length=n)
 */
gboolean sonde_occlusion_scores_get (SondeOcclusionScores *scores, SondeTensor *work,
                                     SondeTensor *from, const SondeBox *boxes, guint n, double *out,
                                     GError **error);

G_END_DECLS
