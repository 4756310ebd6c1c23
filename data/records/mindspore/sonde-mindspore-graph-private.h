/* SPDX-License-Identifier: Apache-2.0
 * Values and types of MindSpore's anf_ir graphs. */
#pragma once

#include "data/records/mindspore/sonde-mindspore-private.h"

G_BEGIN_DECLS

/* @message: a ValueProto. Errors: DAMAGED. Returns: (transfer full) */
SondeAttribute *sonde_mindspore_attribute (const char *name, const SondeWireItem *message,
                                           GError **error);

/* @message: a TypeProto; a scalar is a tensor of rank 0, a tuple a sequence. */
gboolean sonde_mindspore_type (const SondeWireItem *message, SondeType *type, GError **error);

/* "float32", "Tuple"; NULL for an unknown number. */
const char *sonde_mindspore_type_name (gint64 data_type);

G_END_DECLS
