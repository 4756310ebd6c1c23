/* SPDX-License-Identifier: Apache-2.0
 * The meshes of one step: all parts of the mesh that one chosen record belongs to, one image for
 * each of a batch. */
#pragma once

#include <adwaita.h>

#include "data/runs/sonde-run-store.h"

G_BEGIN_DECLS

#define SONDE_TYPE_MESH_LIST (sonde_mesh_list_get_type ())
G_DECLARE_FINAL_TYPE (SondeMeshList, sonde_mesh_list, SONDE, MESH_LIST, GtkBox)

/* Signal "state-changed" (): sonde_mesh_list_is_busy() or the facts may answer otherwise. */

/* @record: (nullable): any part of the mesh; the others are read in the background. */
void sonde_mesh_list_take (SondeMeshList *list, SondeRun *run, const SondeRecord *record);
gboolean sonde_mesh_list_is_busy (SondeMeshList *list);
/* An image is at most so many px high, and as wide as there is room; 0: as its number lets it be. */
void sonde_mesh_list_set_max_size (SondeMeshList *list, int size);
/* "2 meshes of 8 vertices, 12 faces, with colours"; (nullable) */
const char *sonde_mesh_list_get_facts (SondeMeshList *list);

G_END_DECLS
