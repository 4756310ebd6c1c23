/* SPDX-License-Identifier: Apache-2.0
 * Functions of a model that its nodes call. */
#pragma once

#include "engine/passes/sonde-passes.h"

G_BEGIN_DECLS

/* What @graph comes to once its calls are replaced. Errors: INVALID: a function calls itself
 * (naming the cycle), calls lie more than 100 deep in each other, graphs more than 32, or it has
 * more than 200,000 nodes. (sonde-functions.c) */
gboolean sonde_functions_measure (GHashTable *functions, const SondeGraph *graph, GError **error);

G_END_DECLS
