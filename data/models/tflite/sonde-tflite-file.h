/* SPDX-License-Identifier: Apache-2.0
 * A .tflite file as structs of our own: every index inside its table, every constant as long as its
 * shape says. What does not live here: what operators mean (sonde-tflite-lower.h). */
#pragma once

#include "data/models/tflite/sonde-flat-buffer.h"
#include "data/values/sonde-tensor.h"

G_BEGIN_DECLS

/* Numbers of the schema that more than one file of this folder asks for. */
enum
{
  SONDE_TFLITE_STRING = 5,
  SONDE_TFLITE_RESOURCE = 13,
  SONDE_TFLITE_VARIANT = 14,
  SONDE_TFLITE_CUSTOM = 32,
};

#define SONDE_TFLITE_ABSENT (-1) /* the index of an operator's optional input */

/**
 * SondeTfliteQuantisation: real = scale · (q − zero point)
 * @n: scales, and as many zero points: 0 (not quantised), 1, or the size of dimension @dimension
 */
typedef struct
{
  guint n;
  float *scales;
  gint64 *zero_points;
  int dimension;
} SondeTfliteQuantisation;

/**
 * SondeTfliteTensor:
 * @name: may be empty or not unique; owned
 * @type: number of the schema's TensorType; @dtype: INVALID for types that have no tensor of ours
 *   (resources, variants, complex numbers)
 * @shape: as the file's inputs have it; @signature: the same with −1 for unknown sizes
 * @has_shape: a shape or a flag says the rank
 * @data: (nullable): of a constant, as the file packs it; lent by the file
 * @sparse: only the elements that are not 0 are stored
 */
typedef struct
{
  char *name;
  int type;
  SondeDtype dtype;
  gboolean has_shape;
  SondeShape shape, signature;
  const guint8 *data;
  gsize n_bytes;
  gboolean is_variable;
  gboolean sparse;
  SondeTfliteQuantisation quantisation;
} SondeTfliteTensor;

/**
 * SondeTfliteOperator:
 * @code: number of the schema's BuiltinOperator; @custom: (nullable): name of a custom one; owned
 * @inputs: tensors, or SONDE_TFLITE_ABSENT; @outputs: tensors
 * @options: slots by operator, absent where the file has none; @options_type: number of the
 *   schema's BuiltinOptions. Operators of newer files have theirs in a second place, which is taken
 *   where the first is empty
 * @custom_options: (nullable): lent by the file
 */
typedef struct
{
  int code;
  char *custom;
  int version;
  guint n_inputs, n_outputs;
  gint32 *inputs, *outputs;
  guint options_type;
  SondeFlatTable options;
  const guint8 *custom_options;
  gsize n_custom_options;
} SondeTfliteOperator;

typedef struct
{
  char *name;
  guint n_tensors, n_inputs, n_outputs, n_operators;
  SondeTfliteTensor *tensors;
  gint32 *inputs, *outputs;
  SondeTfliteOperator *operators; /* in the order in which they run */
} SondeTfliteSubgraph;

/* A name that a signature gives to a tensor. */
typedef struct
{
  char *name;
  guint tensor;
} SondeTfliteArgument;

typedef struct
{
  char *key;
  guint subgraph;
  guint n_inputs, n_outputs;
  SondeTfliteArgument *inputs, *outputs;
} SondeTfliteSignature;

/**
 * SondeTfliteFile:
 * @bytes: the file; constants lie in them
 * @buffer: what options are read with
 */
typedef struct
{
  GBytes *bytes;
  SondeFlatBuffer buffer;
  guint version;
  char *description;
  guint n_subgraphs, n_signatures;
  SondeTfliteSubgraph *subgraphs;
  SondeTfliteSignature *signatures;
} SondeTfliteFile;

/**
 * sonde_tflite_file_new:
 * @bytes: the whole file; a reference is kept
 * @name: for messages; outlives the result
 *
 * Returns: (transfer full)
 * Errors: SONDE_DATA_ERROR_DAMAGED with file, place and numbers; LIMIT; UNSUPPORTED (a version).
 */
SondeTfliteFile *sonde_tflite_file_new (GBytes *bytes, const char *name, GError **error);
void sonde_tflite_file_free (SondeTfliteFile *file);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (SondeTfliteFile, sonde_tflite_file_free)

/* "CONV_2D"; of a custom operator its name; "operator 300" is no name: NULL. (transfer none) */
const char *sonde_tflite_operator_name (const SondeTfliteOperator *op);

/**
 * sonde_tflite_file_dup_constant:
 * @tensor: one with data
 *
 * The file's bytes lent to a tensor, which keeps them; a copy only of what is packed, unaligned or
 * text. Returns: (transfer full). Errors: DAMAGED, LIMIT, UNSUPPORTED, naming the tensor.
 */
SondeTensor *sonde_tflite_file_dup_constant (SondeTfliteFile *file, const SondeTfliteTensor *tensor,
                                             GError **error);

G_END_DECLS
