/* SPDX-License-Identifier: Apache-2.0
 * The page Projector: an embedding in a plane or in space, by PCA, t-SNE or UMAP. A projection is
 * computed by threads; until it is there, the one before stays. */
#pragma once

#include "app/pages/sonde-record-page.h"

G_BEGIN_DECLS

#define SONDE_TYPE_PROJECTOR_PAGE (sonde_projector_page_get_type ())
G_DECLARE_FINAL_TYPE (SondeProjectorPage, sonde_projector_page, SONDE, PROJECTOR_PAGE,
                      SondeRecordPage)

G_END_DECLS
