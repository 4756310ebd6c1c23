/* SPDX-License-Identifier: Apache-2.0
 * A mesh or a cloud of points that can be turned: drag, arrow keys; the wheel goes nearer. */
#pragma once

#include "data/values/sonde-tensor.h"
#include "viewers/sonde-view.h"

G_BEGIN_DECLS

#define SONDE_TYPE_MESH_VIEW (sonde_mesh_view_get_type ())
G_DECLARE_FINAL_TYPE (SondeMeshView, sonde_mesh_view, SONDE, MESH_VIEW, SondeView)

GtkWidget *sonde_mesh_view_new (void);

/**
 * sonde_mesh_view_set_mesh:
 * @vertices: (nullable): [B, N, 3] float32
 * @faces: (nullable): [B, M, 3] int32
 * @colors: (nullable): [B, N, 3] uint8; of another N they are left out
 * @index: which of B; of parts that have fewer the last
 *
 * Where it was turned to stays.
 */
void sonde_mesh_view_set_mesh (SondeMeshView *view, SondeTensor *vertices, SondeTensor *faces,
                               SondeTensor *colors, gint64 index);
void sonde_mesh_view_turn (SondeMeshView *view, double yaw, double pitch); /* degrees more */

G_END_DECLS
