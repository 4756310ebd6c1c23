/* SPDX-License-Identifier: Apache-2.0
 * What the samples of one selection have in common: a sentence, the mean map, groups of like maps
 * with the sample that stands for each. It stands above their gallery. */
#pragma once

#include <adwaita.h>

#include "app/explain/browser/sonde-thumbnail-loader.h"

G_BEGIN_DECLS

#define SONDE_TYPE_GALLERY_HEADER (sonde_gallery_header_get_type ())
G_DECLARE_FINAL_TYPE (SondeGalleryHeader, sonde_gallery_header, SONDE, GALLERY_HEADER, AdwBin)

/* Signals: "group-chosen" (int index): of the clusters given, or -1: all of them again. */
GtkWidget *sonde_gallery_header_new (void);

void sonde_gallery_header_set_words (SondeGalleryHeader *cell, const char *title,
                                     const char *sentence);

/**
 * sonde_gallery_header_set_clusters:
 * @clusters: (nullable) (element-type SondeErrorCluster): of this cell; none: no maps are shown.
 * Lent for the call
 * @medoids: (element-type SondeExplainItem): the sample that stands for each; may hold NULL
 * @thumbnails: (nullable): whom to ask for them
 */
void sonde_gallery_header_set_clusters (SondeGalleryHeader *cell, GPtrArray *clusters,
                                        GPtrArray *medoids, SondeThumbnailLoader *thumbnails);

/* Mean of the clusters' means by their members: of all errors of the cell. (transfer full)
 * (nullable) */
SondeTensor *sonde_explain_mean_map (GPtrArray *clusters);

G_END_DECLS
