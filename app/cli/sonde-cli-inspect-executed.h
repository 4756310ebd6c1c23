/* SPDX-License-Identifier: Apache-2.0
 * `sonde inspect`: which nodes of a model are executed otherwise than they stand in the file. */
#pragma once

#include <json-glib/json-glib.h>

#include "data/graph/sonde-graph.h"

G_BEGIN_DECLS

/* {"nodes","changes":[{"node","op","version","how","executed"}]}, or {"problem"} when @model cannot
 * be executed. */
JsonObject *sonde_inspect_make_executed (SondeGraph *model);
/* @converted: @model was made of a file of another format */
void sonde_inspect_print_executed (SondeGraph *model, gboolean converted);

G_END_DECLS
