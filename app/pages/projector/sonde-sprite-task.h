/* SPDX-License-Identifier: Apache-2.0
 * The pictures of an embedding, decoded in the helper process from a thread. */
#pragma once

#include "viewers/scatter/sonde-scatter-view.h"

G_BEGIN_DECLS

/* Gives @view the tiles in @encoded (PNG or JPEG) when they are decoded, unless @cancellable is cancelled
 * before; what cannot be decoded gives none. @done: (nullable): it has them, or will not
 * @program: path of `sonde` */
void sonde_sprite_task_start (SondeScatterView *view, const char *program, GBytes *encoded,
                              int tile_width, int tile_height, GCancellable *cancellable,
                              GFunc done, void *user_data);

G_END_DECLS
