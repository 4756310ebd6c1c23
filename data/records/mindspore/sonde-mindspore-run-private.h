/* SPDX-License-Identifier: Apache-2.0
 * Which run a file of MindSpore belongs to. */
#pragma once

#include <glib.h>

G_BEGIN_DECLS

/* The folder that names the run of a file in @folder: the rank of a dump, what a profile,
 * checkpoints and exported tensors lie beside; NULL: the folder itself. Returns: (transfer full) */
char *sonde_mindspore_dup_run (const char *folder);

G_END_DECLS
