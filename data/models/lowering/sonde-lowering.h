/* SPDX-License-Identifier: Apache-2.0
 * From the operators of another format to those of ONNX: what every reader of data/models uses to
 * build its graph. It keeps the provenance of each node, the names and layouts of the source's
 * values, and the report.
 *
 *   sonde_lowering_begin (l, "conv1", "CONV_2D", NULL);
 *   x = sonde_lowering_channels_first (l, input);
 *   y = sonde_lowering_op (l, "Conv", SONDE_VALUES (x, weights, bias));
 *   sonde_node_set_ints (y->producer, "strides", strides, 2);
 *   y = sonde_lowering_name (l, sonde_lowering_channels_last (l, y), "conv1/output");
 *   sonde_lowering_end (l);
 *
 * A failure stays: after sonde_lowering_fail() everything else still returns values that may be
 * passed on, and sonde_lowering_finish() returns the first error. So rows of operators need no error
 * paths; they must check what they index with before they do.
 * What does not live here: any format's structures, files. */
#pragma once

#include "data/base/sonde-error.h"
#include "data/models/lowering/sonde-conversion.h"
#include "data/models/lowering/sonde-model-options.h"

G_BEGIN_DECLS

#define SONDE_LOWERING_OPSET 21 /* of ai.onnx, whose operators are emitted */

typedef struct _SondeLowering SondeLowering;

/* @path: of the model, for messages; @format: as SondeConversion has it; @options: (nullable),
 * borrowed */
SondeLowering *sonde_lowering_new (const char *format, const char *path,
                                   const SondeModelOptions *options);
void sonde_lowering_free (SondeLowering *lowering); /* (nullable) */
G_DEFINE_AUTOPTR_CLEANUP_FUNC (SondeLowering, sonde_lowering_free)

const SondeModelOptions *sonde_lowering_get_options (const SondeLowering *lowering);
const char *sonde_lowering_get_path (const SondeLowering *lowering);
SondeConversion *sonde_lowering_get_conversion (SondeLowering *lowering); /* lent, to fill in */

/* ---- the graph ----------------------------------------------------------- */

/* Nodes and values go into this one: the root, or the subgraph pushed last. Lent. */
SondeGraph *sonde_lowering_get_graph (SondeLowering *lowering);
/* A subgraph (a branch of If, a body of Loop) of the current graph. pop() returns it, for
 * sonde_node_take_graph(). Values of enclosing graphs may be used in it: they are captured. */
void sonde_lowering_push_graph (SondeLowering *lowering, const char *name);
SondeGraph *sonde_lowering_pop_graph (SondeLowering *lowering);

/**
 * sonde_lowering_add_input:
 * @type: as in the file; sizes that options.shapes fix for @name replace unknown ones, another size
 *   than a known one is an error
 */
SondeGraphValue *sonde_lowering_add_input (SondeLowering *lowering, const char *name,
                                           const SondeType *type);
/* The output is called @name: an Identity is added where @value cannot be renamed. */
void sonde_lowering_add_output (SondeLowering *lowering, SondeGraphValue *value, const char *name);

/* ---- nodes of the source ------------------------------------------------- */

/**
 * sonde_lowering_begin:
 * @name: of the source's node; where a format has none, the name of what it makes
 * @op: in the source's words: "CONV_2D", "aten.conv2d.default"
 * @place: (nullable): where the user wrote it: "train.py:17"
 *
 * Until sonde_lowering_end() all nodes that are emitted stand for this one: the first is called
 * @name, the others NAME.OP. Nests: nodes of subgraphs. How it went follows from what was emitted
 * (nothing: folded; one node: direct; several: decomposed), unless sonde_lowering_mark() said.
 */
void sonde_lowering_begin (SondeLowering *lowering, const char *name, const char *op,
                           const char *place);
void sonde_lowering_end (SondeLowering *lowering);
void sonde_lowering_mark (SondeLowering *lowering, SondeLoweredHow how);

/* Where the open node stands in the source: "encoder/layer0"; at first what its name says. */
void sonde_lowering_set_scope (SondeLowering *lowering, const char *scope);

/* A note on the node of the source that is open. @what, @advice: (transfer full); @advice:
 * (nullable) */
void sonde_lowering_note (SondeLowering *lowering, SondeNoteSeverity severity, SondeMessage *what,
                          SondeMessage *advice);

/**
 * sonde_lowering_refuse:
 * @inputs: @n_outputs: of the node, so that it can be shown
 * @what: (transfer full): why: "the padding mode 7 is not known"
 * @advice: (transfer full) (nullable): what to do
 *
 * The open node of the source does not fit. The rest of the model goes on: all that is missing is
 * told at once.
 * Returns: (transfer none): a node in SONDE_DOMAIN_UNCONVERTED, to which attributes may be added
 */
SondeNode *sonde_lowering_refuse (SondeLowering *lowering, SondeGraphValue *const *inputs,
                                  guint n_inputs, guint n_outputs, SondeMessage *what,
                                  SondeMessage *advice);

/* The file contradicts itself; "“PATH”: " and the open node's name stand before the message. The
 * first failure counts. */
void sonde_lowering_fail (SondeLowering *lowering, SondeDataError code, const char *format, ...)
    G_GNUC_PRINTF (3, 4);
void sonde_lowering_take_error (SondeLowering *lowering, GError *error); /* (transfer full) */
gboolean sonde_lowering_has_failed (const SondeLowering *lowering);

/* ---- emitting ------------------------------------------------------------ */

/* Values as an array and its length, for the two functions below; NULL is an absent input. */
#define SONDE_VALUES(...)                                                                          \
  (SondeGraphValue *const[]){ __VA_ARGS__ },                                                       \
      (guint) (sizeof ((SondeGraphValue *const[]){ __VA_ARGS__ }) / sizeof (SondeGraphValue *))

/* A node of ai.onnx with one output, which is returned; its node is the value's @producer. */
SondeGraphValue *sonde_lowering_op (SondeLowering *lowering, const char *op,
                                    SondeGraphValue *const *inputs, guint n_inputs);
/* Any domain, any number of outputs. */
SondeNode *sonde_lowering_node (SondeLowering *lowering, const char *domain, const char *op,
                                SondeGraphValue *const *inputs, guint n_inputs, guint n_outputs);

/* Weights and other constants of the source. @name: (nullable): the source's. @tensor: a reference
 * is taken, no copy made. Whether training moves it follows from who reads it. */
SondeGraphValue *sonde_lowering_constant (SondeLowering *lowering, const char *name,
                                          SondeTensor *tensor);
/* Constants that conversion needs: int64 of rank 1, of rank 0; a number of @dtype of rank 0. */
SondeGraphValue *sonde_lowering_ints (SondeLowering *lowering, const gint64 *values, gsize n);
SondeGraphValue *sonde_lowering_int (SondeLowering *lowering, gint64 value);
SondeGraphValue *sonde_lowering_number (SondeLowering *lowering, SondeDtype dtype, double value);

/* (nullable): the tensor of a value that is a constant. Lent. */
const SondeTensor *sonde_lowering_get_constant (const SondeGraphValue *value);

/**
 * sonde_lowering_name:
 *
 * @value is what the source calls @name. An input, a constant and a value that already stands for
 * another value of the source keep their name; an Identity then carries @name.
 * Returns: the value to go on with
 */
SondeGraphValue *sonde_lowering_name (SondeLowering *lowering, SondeGraphValue *value,
                                      const char *name);

/* ---- layouts ------------------------------------------------------------- */

/* Values of formats with channels last have a twin with channels first ([N,D1,…,C] ↔ [N,C,D1,…];
 * rank ≥ 3, of a value whose type knows its rank). Both ways the twin is made once, by a Transpose
 * that is marked inserted, and found again: of two changes of layout in a row nothing is left. */
SondeGraphValue *sonde_lowering_channels_first (SondeLowering *lowering, SondeGraphValue *value);
SondeGraphValue *sonde_lowering_channels_last (SondeLowering *lowering, SondeGraphValue *value);
/* (nullable): the twin if there is one, for operators that can work in either layout. */
SondeGraphValue *sonde_lowering_find_channels_first (SondeLowering *lowering,
                                                     SondeGraphValue *value);

/* ---- end ----------------------------------------------------------------- */

/**
 * sonde_lowering_finish:
 * @conversion: (out) (optional) (transfer full): the report; also set when operators did not fit
 *
 * Returns: (transfer full) (nullable): the graph
 * Errors: the first sonde_lowering_fail(); SONDE_DATA_ERROR_UNSUPPORTED for all operators that did
 * not fit, unless options.partial.
 */
SondeGraph *sonde_lowering_finish (SondeLowering *lowering, SondeConversion **conversion,
                                   GError **error);

G_END_DECLS
