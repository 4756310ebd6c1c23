/* SPDX-License-Identifier: Apache-2.0
 * The options of a model as assignments of a recipe, in which form a session is asked to open it. */
#pragma once

#include <glib.h>

G_BEGIN_DECLS

/**
 * sonde_model_keys_add:
 * @sets: (nullable) (transfer full): "key=value" that there are
 * @signature, @weights: (nullable)
 * @shapes: (nullable) (array zero-terminated=1): "NAME=D,D,…"
 *
 * Returns: (transfer full) (nullable): the same with model.signature, model.weights and model.shapes
 * behind; NULL: nothing at all
 */
char **sonde_model_keys_add (char **sets, const char *signature, const char *weights,
                             char *const *shapes);

G_END_DECLS
