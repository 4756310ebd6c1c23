/* SPDX-License-Identifier: Apache-2.0
 * Files that a debugged run is compared with. */
#pragma once

#include "engine/session/server/sonde-session-host.h"

G_BEGIN_DECLS

/**
 * sonde_worker_read_tensors:
 * @path: what sonde_weights_read() reads, or a folder: all .npy files in it and below, by their
 *   names without folder and ending. Names as MindSpore's dumps have them
 *   ("Op.node.task.stream.time.output.0.format.npy") stand for the node, or "node:k" of a later
 *   output; inputs are left out. Of a dump of msprobe modules by their paths
 *
 * Returns: (transfer full): name -> SondeTensor. Errors: INVALID, NOT_FOUND for a folder without
 * any.
 */
GHashTable *sonde_worker_read_tensors (const char *path, GError **error);

/* A model file as an inference of it is executed. Returns: (transfer full) */
SondeGraph *sonde_worker_load_graph (const char *path, GError **error);

G_END_DECLS
