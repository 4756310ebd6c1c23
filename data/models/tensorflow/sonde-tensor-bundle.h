/* SPDX-License-Identifier: Apache-2.0
 * TensorFlow's checkpoints: NAME.index, a sorted table of entries, and NAME.data-K-of-N with the bytes of
 * all tensors. What does not live here: which variable has which key. */
#pragma once

#include "data/base/sonde-io.h"
#include "data/values/sonde-tensor.h"

G_BEGIN_DECLS

typedef struct _SondeTensorBundle SondeTensorBundle;

/**
 * sonde_tensor_bundle_open:
 * @folder: the only one that is read from
 * @prefix: of the files, relative to it: "variables/variables"
 *
 * Reads the index. Errors: of files; DAMAGED, UNSUPPORTED (big-endian).
 */
SondeTensorBundle *sonde_tensor_bundle_open (const SondeIo *io, const char *folder,
                                             const char *prefix, GError **error);
void sonde_tensor_bundle_free (SondeTensorBundle *bundle); /* (nullable) */
G_DEFINE_AUTOPTR_CLEANUP_FUNC (SondeTensorBundle, sonde_tensor_bundle_free)

/* Keys of all tensors, in the file's order; lent. */
guint sonde_tensor_bundle_get_size (const SondeTensorBundle *bundle);
const char *sonde_tensor_bundle_get_key (const SondeTensorBundle *bundle, guint index);
/* Are its elements texts? FALSE where there is no such key. */
gboolean sonde_tensor_bundle_is_text (const SondeTensorBundle *bundle, const char *key);

/**
 * sonde_tensor_bundle_read:
 * @budget: (nullable)
 *
 * The tensor of @key; its checksum is checked.
 * Returns: (transfer full)
 * Errors: NOT_FOUND; DAMAGED, UNSUPPORTED (texts, slices of partitioned variables), LIMIT: with the key
 */
SondeTensor *sonde_tensor_bundle_read (SondeTensorBundle *bundle, const char *key,
                                       SondeBudget *budget, GError **error);

G_END_DECLS
