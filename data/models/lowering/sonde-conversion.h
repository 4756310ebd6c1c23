/* SPDX-License-Identifier: Apache-2.0
 * What became of a model of another format: each of its nodes, what was given up, its signatures. The
 * report of `sonde convert` and of the window is written from it. */
#pragma once

#include "data/base/sonde-message.h"
#include "data/graph/sonde-graph.h"

G_BEGIN_DECLS

/* What became of a node. The order is that of the report, worst first. */
typedef enum
{
  SONDE_LOWERED_UNSUPPORTED, /* nothing: the conversion is incomplete */
  SONDE_LOWERED_APPROXIMATE, /* other numbers, within what a note says */
  SONDE_LOWERED_DECOMPOSED,  /* several nodes */
  SONDE_LOWERED_DIRECT,      /* one node */
  SONDE_LOWERED_FOLDED,      /* a constant, or part of another node */
  SONDE_LOWERED_DROPPED,     /* nothing: it has no effect in inference */
} SondeLoweredHow;

const char *sonde_lowered_how_name (SondeLoweredHow how); /* "unsupported", … as in JSON */

/**
 * SondeConvertedNode: a node of the source
 * @name: as the source calls it, or a name made from what it makes
 * @op: as the source calls it
 * @to: (element-type SondeNode): what stands for it, in order, without inserted changes of layout;
 *   lent by the graph that was made, valid as long as that graph has them
 */
typedef struct
{
  char *name, *op;
  SondeLoweredHow how;
  GPtrArray *to;
} SondeConvertedNode;

typedef enum
{
  SONDE_NOTE_INFORMATION,
  SONDE_NOTE_WARNING,
  SONDE_NOTE_ERROR,
} SondeNoteSeverity;

/**
 * SondeConversionNote:
 * @where: node, tensor or place in the file
 * @op: (nullable)
 * @advice: (nullable): what to do
 */
typedef struct
{
  SondeNoteSeverity severity;
  char *where, *op;
  SondeMessage *what, *advice;
} SondeConversionNote;

/**
 * SondeConversionPort: what the source knows of an input or output beside its type
 * @name: that of the graph's input or output
 * @layout: (nullable): static text, "NHWC"
 * @scales: @zero_points: (nullable): of a quantised tensor, @n_scales of each
 */
typedef struct
{
  char *name;
  const char *layout;
  double *scales;
  gint64 *zero_points;
  gsize n_scales;
} SondeConversionPort;

/**
 * SondeConversion:
 * @format: static: "tflite", "savedmodel", "graphdef", "caffe", "keras", "pt2", "mindir", "onnx"
 * @format_version: @producer: (nullable): as the file says
 * @signature: (nullable): the one that was read; @signatures: all there are, in the file's order
 * @nodes: (element-type SondeConvertedNode): in the source's order
 * @notes: (element-type SondeConversionNote)
 * @inputs: @outputs: (element-type SondeConversionPort): those with something to say
 */
typedef struct
{
  const char *format;
  char *format_version, *producer, *signature;
  GPtrArray *signatures;
  GPtrArray *nodes, *notes, *inputs, *outputs;
} SondeConversion;

SondeConversion *sonde_conversion_new (const char *format);
void sonde_conversion_free (SondeConversion *conversion); /* (nullable) */
G_DEFINE_AUTOPTR_CLEANUP_FUNC (SondeConversion, sonde_conversion_free)

gboolean sonde_conversion_is_complete (const SondeConversion *conversion);

/**
 * sonde_conversion_set_unsupported_error:
 * @path: the model's
 *
 * One error for all operators that did not fit: each with its count, its first node and the advice
 * of its first note.
 * Errors: SONDE_DATA_ERROR_UNSUPPORTED
 */
void sonde_conversion_set_unsupported_error (const SondeConversion *conversion, const char *path,
                                             GError **error);

G_END_DECLS
