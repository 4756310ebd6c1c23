/* SPDX-License-Identifier: Apache-2.0
 * One step and rank of a dump of msprobe as text or JSON. */
#pragma once

#include "data/records/msprobe/sonde-msprobe-folder.h"

G_BEGIN_DECLS

/* A table: a line an entry, with the place in the program that called it, then one a tensor. */
void sonde_dump_outline_print (const SondeMsprobePlace *place, const SondeMsprobeDump *dump);
/* One JSON object, indented by four. */
void sonde_dump_outline_append_json (GString *text, const SondeMsprobePlace *place,
                                     const SondeMsprobeDump *dump);

G_END_DECLS
