/* SPDX-License-Identifier: Apache-2.0
 * AttrValue -> SondeAttribute. */
#pragma once

#include "data/records/tensorboard.pb-c.h"
#include "data/records/tensorboard/sonde-graph-def-private.h"

G_BEGIN_DECLS

/**
 * sonde_graph_def_make_attribute:
 * @value: (nullable): as one that holds nothing
 * @name: of the attribute
 * @n_bytes: of @value in its file
 * @budget: what it takes is taken from this, before
 *
 * What has no kind of its own becomes text: types "float32", shapes "[?, 3]", functions their name; a
 * flag is 0 or 1.
 * Returns: (transfer full) (nullable): NULL with @error
 * Errors: SONDE_DATA_ERROR_DAMAGED, LIMIT, UNSUPPORTED (types of tensors)
 */
SondeAttribute *sonde_graph_def_make_attribute (const Tensorboard__AttrValue *value,
                                                const char *name, gsize n_bytes,
                                                SondeBudget *budget, GError **error);

G_END_DECLS
