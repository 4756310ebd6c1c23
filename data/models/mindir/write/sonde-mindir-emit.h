/* SPDX-License-Identifier: Apache-2.0
 * The messages that MindIR files are made of, as bytes: attributes, tensors, types. @field: the number in
 * the message around. What does not live here: which there are (sonde-mindir-writer.c). */
#pragma once

#include "data/arrays/sonde-tensor-blob.h"
#include "data/graph/sonde-graph.h"

G_BEGIN_DECLS

void sonde_mindir_emit_int (GByteArray *out, guint field, const char *name, gint64 value);
void sonde_mindir_emit_bool (GByteArray *out, guint field, const char *name, gboolean value);
/* A tuple. */
void sonde_mindir_emit_ints (GByteArray *out, guint field, const char *name, const gint64 *values,
                             gsize n);
void sonde_mindir_emit_float (GByteArray *out, guint field, const char *name, double value);
void sonde_mindir_emit_string (GByteArray *out, guint field, const char *name, const char *value);
void sonde_mindir_emit_none (GByteArray *out, guint field, const char *name);
/* An attribute that is a tensor, or what a tensor is. */
void sonde_mindir_emit_tensor_attribute (GByteArray *out, guint field, const char *name,
                                         const SondeTensor *tensor);
void sonde_mindir_emit_type_attribute (GByteArray *out, guint field, const char *name,
                                       const SondeType *type);
/* A TensorProto. @name: (nullable) */
void sonde_mindir_emit_tensor (GByteArray *out, guint field, const char *name,
                               const SondeTensor *tensor);
/* The same, its elements in @blob (nullable) where that takes them. */
void sonde_mindir_emit_parameter (GByteArray *out, guint field, const char *name,
                                  const SondeTensor *tensor, SondeTensorBlob *blob);
/* A ValueInfoProto: input or output of a function. @type: (nullable) */
void sonde_mindir_emit_port (GByteArray *out, guint field, const char *name, const SondeType *type);

G_END_DECLS
