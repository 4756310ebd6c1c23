/* SPDX-License-Identifier: Apache-2.0
 * Where linked points lie by the eigenvectors of their normalised Laplacian. Pure, any thread. */
#pragma once

#include "viewers/projection/sonde-links.h"

G_BEGIN_DECLS

/**
 * sonde_umap_find_spectrum:
 * @links: connected
 * @places: (out caller-allocates): [n, @dims]: entries of the eigenvectors of I − D^-½ W D^-½ for the
 *   smallest eigenvalues but 0, each vector of length 1
 *
 * Lanczos' method with full orthogonalisation, to a residual of 1e-4 or at most 300 products: this is
 * where something else begins. Errors: CANCELLED, those of sonde-lapack.h.
 */
gboolean sonde_umap_find_spectrum (const SondeLinks *links, int dims, float *places,
                                   SondeWorkTeam *team, SondeProjectionWatch *watch,
                                   GError **error);

G_END_DECLS
