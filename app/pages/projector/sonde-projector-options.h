/* SPDX-License-Identifier: Apache-2.0
 * How points are projected: method, plane or space, and the numbers of the method behind a button. */
#pragma once

#include "viewers/projection/sonde-projection.h"

#include <gtk/gtk.h>

G_BEGIN_DECLS

#define SONDE_TYPE_PROJECTOR_OPTIONS (sonde_projector_options_get_type ())
G_DECLARE_FINAL_TYPE (SondeProjectorOptions, sonde_projector_options, SONDE, PROJECTOR_OPTIONS,
                      GtkBox)

/* Signals: "changed" (): another projection is wanted: numbers are told when their popover closes;
 * "shown-changed" (): only which components or names are shown. */
GtkWidget *sonde_projector_options_new (void);

void sonde_projector_options_get (SondeProjectorOptions *options,
                                  SondeProjectionSettings *settings);
/* “pca”, “tsne” or “umap”, or one of them with “-3d” behind it. FALSE: @name is none of them */
gboolean sonde_projector_options_parse (const char *name, SondeProjectionMethod *method,
                                        gboolean *space);
void sonde_projector_options_choose (SondeProjectorOptions *options, SondeProjectionMethod method,
                                     gboolean space);
/* Component of PCA, from 0, that stands along @axis, 0 … 2. */
int sonde_projector_options_get_component (SondeProjectorOptions *options, int axis);
/* Columns whose text may stand beside points, in place of those before. @names: (nullable) (array
 * zero-terminated=1) */
void sonde_projector_options_set_columns (SondeProjectorOptions *options, const char *const *names);
int sonde_projector_options_get_name_column (SondeProjectorOptions *options); /* -1: none */

/* Whether there are pictures of points to be shown, and whether they shall be. */
void sonde_projector_options_set_has_pictures (SondeProjectorOptions *options, gboolean has);
gboolean sonde_projector_options_get_pictures (SondeProjectorOptions *options);
void sonde_projector_options_set_pictures (SondeProjectorOptions *options, gboolean shown);

G_END_DECLS
