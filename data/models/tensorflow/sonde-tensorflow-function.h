/* SPDX-License-Identifier: Apache-2.0
 * Functions of the library: what they are called with, and their nodes in place of a call. */
#pragma once

#include "data/models/tensorflow/sonde-tensorflow-lower.h"

G_BEGIN_DECLS

/* The function of that name, with @n_arguments, that does not call itself; NULL after a failure. */
const SondeTensorflowBody *sonde_tensorflow_get_function (SondeTensorflowLower *lower,
                                                          const char *name, guint n_arguments);

/* The node that makes result @k, as the function says it. (nullable) */
const char *sonde_tensorflow_find_result (const SondeTensorflowBody *function, guint k);

/**
 * sonde_tensorflow_inline:
 * @prefix: in front of the names of its nodes, ends with a slash
 * @n: (out): how many results it has
 *
 * Emits the nodes of @function into the current graph.
 * Returns: (transfer container): its results: free with g_free()
 */
SondeGraphValue **sonde_tensorflow_inline (SondeTensorflowLower *lower,
                                           const SondeTensorflowBody *function,
                                           SondeGraphValue *const *arguments, const char *prefix,
                                           guint *n);

G_END_DECLS
