/* SPDX-License-Identifier: Apache-2.0
 * MindSpore's record files by their names. */
#pragma once

#include "data/base/sonde-io.h"

G_BEGIN_DECLS

gboolean sonde_mindspore_is_event_name (const char *file_name);
gboolean sonde_mindspore_is_lineage_name (const char *file_name);
gboolean sonde_mindspore_probe_event (const SondeIo *io, const char *path);

G_END_DECLS
