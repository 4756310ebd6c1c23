/* SPDX-License-Identifier: Apache-2.0
 * MindSpore's record files: what their formats share. One kind of content a file:
 * sonde-mindspore-tensor.c, -value.c, -graph.c, -lineage.c, -explain.c. */
#pragma once

#include "data/records/mindspore/sonde-mindspore-fields-private.h"
#include "data/records/sonde-record-format.h"

G_BEGIN_DECLS

/* ---- sonde-mindspore-names.c --------------------------------------------- */

gboolean sonde_mindspore_is_event_name (const char *file_name);
gboolean sonde_mindspore_is_lineage_name (const char *file_name);
gboolean sonde_mindspore_probe_event (const SondeIo *io, const char *path);

/* ---- sonde-mindspore-decoder.c: tags and times --------------------------- */

/* @base: first; @ids: (nullable): name -> id + 1, made when a tag is first asked for */
typedef struct
{
  SondeRecordDecoder base;
  GHashTable *ids;
  gsize tag_bytes;
} SondeMindsporeDecoder;

SondeRecordDecoder *sonde_mindspore_decoder_new (const SondeRecordTag *tags, gsize n_tags);
void sonde_mindspore_decoder_free (SondeRecordDecoder *base);

/* The id of a tag, a new one where it has none. Errors: SONDE_DATA_ERROR_LIMIT. */
gboolean sonde_mindspore_decoder_tag (SondeRecordDecoder *base, const SondeWireItem *name,
                                      guint32 *id, GError **error);
/* Interned. Errors: LIMIT: too long for a name. */
const char *sonde_mindspore_intern (const SondeWireItem *name, GError **error);

/* Nanoseconds of Python's time.time(); FALSE when it is no time that fits. */
gboolean sonde_mindspore_time (double seconds, gint64 *wall_time_ns);

/* ---- contents: each fills @record, whose kind is set; what fails leaves it to be cleared ---- */

gboolean sonde_mindspore_read_image (const SondeWireItem *message, SondeRecord *record,
                                     GError **error);
gboolean sonde_mindspore_read_histogram (const SondeWireItem *message, SondeRecord *record,
                                         GError **error);
gboolean sonde_mindspore_read_landscape (const SondeWireItem *message, SondeRecord *record,
                                         GError **error);
gboolean sonde_mindspore_read_explanation (const SondeWireItem *message, SondeRecord *record,
                                           GError **error);

/* Which of the two TensorProto: the summary's or the debugger's. */
typedef enum
{
  SONDE_MINDSPORE_TENSOR_SUMMARY,
  SONDE_MINDSPORE_TENSOR_DEBUGGER,
  SONDE_MINDSPORE_TENSOR_GUESS, /* by the wire types of its fields */
} SondeMindsporeNumbering;

/**
 * sonde_mindspore_tensor:
 *
 * MindSpore puts the elements of every type into float_data; they come back in the declared type,
 * and as float32 where that type is unknown. All other data fields are understood, too.
 * Errors: SONDE_DATA_ERROR_DAMAGED (elements and dims disagree), UNSUPPORTED, LIMIT.
 */
SondeTensor *sonde_mindspore_tensor (const SondeWireItem *message,
                                     SondeMindsporeNumbering numbering, GError **error);

/* Of anf_ir's DataType, the containers of a type (DT_TENSOR, DT_TUPLE) and unknown ones are
 * INVALID. */
SondeDtype sonde_mindspore_dtype (gint64 data_type);

/**
 * sonde_mindspore_graph:
 * @message: an anf_ir GraphProto
 *
 * Nodes go by their full names, their outputs by the numbers of the file; inputs that nothing makes
 * are values of their own. A control edge is an input whose value is named "^" and the name of what
 * comes before.
 */
SondeGraph *sonde_mindspore_graph (const SondeWireItem *message, GError **error);

G_END_DECLS
