/* SPDX-License-Identifier: Apache-2.0
 * Writing MindIR: nodes, constants and functions as bytes, and what the rows of operators use. A value is
 * a name here; names live as long as the writer. */
#pragma once

#include "data/graph/sonde-graph.h"

G_BEGIN_DECLS

typedef struct _SondeMindirWriter SondeMindirWriter;

/* One ONNX operator; @text, @number: for @write. Outputs are set with sonde_mindir_set(). */
typedef struct
{
  const char *op;
  void (*write) (SondeMindirWriter *w, const SondeNode *node);
  const char *text;
  int number;
} SondeMindirWriteRow;

extern const SondeMindirWriteRow sonde_mindir_write_basic_rows[];
extern const SondeMindirWriteRow sonde_mindir_write_layer_rows[];
extern const SondeMindirWriteRow sonde_mindir_write_shape_rows[];
extern const SondeMindirWriteRow sonde_mindir_write_flow_rows[];
extern const SondeMindirWriteRow sonde_mindir_write_recurrent_rows[];
extern const SondeMindirWriteRow sonde_mindir_write_value_rows[];
extern const SondeMindirWriteRow sonde_mindir_write_window_rows[];
extern const SondeMindirWriteRow sonde_mindir_write_einsum_rows[];

/* The row that is at work. */
const SondeMindirWriteRow *sonde_mindir_writer_row (const SondeMindirWriter *w);

/* ---- values -------------------------------------------------------------- */

/* What input @index is called; NULL when it is absent. */
const char *sonde_mindir_in (SondeMindirWriter *w, const SondeNode *node, guint index);
void sonde_mindir_set (SondeMindirWriter *w, const SondeNode *node, guint index, const char *name);
/* What the node @name gives, where it is no output of the model's own nodes. Once. */
void sonde_mindir_set_type (SondeMindirWriter *w, const char *name, const SondeType *type);
/* What @value is called: a constant of the function at work where it is one. */
const char *sonde_mindir_name (SondeMindirWriter *w, SondeGraphValue *value);
void sonde_mindir_set_name (SondeMindirWriter *w, SondeGraphValue *value, const char *name);
/* (nullable): a constant input */
SondeTensor *sonde_mindir_known (const SondeNode *node, guint index);
/* Numbers of a constant input, or of the attribute @name. NULL when there are none. (transfer full) */
GArray *sonde_mindir_known_ints (const SondeNode *node, guint index, const char *name);
/* Sizes of @value; NULL when some are not known. (transfer full) */
GArray *sonde_mindir_sizes (const SondeGraphValue *value);

/* ---- constants ----------------------------------------------------------- */

const char *sonde_mindir_write_none (SondeMindirWriter *w);
const char *sonde_mindir_write_int (SondeMindirWriter *w, gint64 value);
const char *sonde_mindir_write_bool (SondeMindirWriter *w, gboolean value);
const char *sonde_mindir_write_float (SondeMindirWriter *w, double value);
const char *sonde_mindir_write_ints (SondeMindirWriter *w, const gint64 *values, gsize n);
const char *sonde_mindir_write_tensor (SondeMindirWriter *w, const SondeTensor *tensor);
/* A tensor of one number, of the type of @like. */
const char *sonde_mindir_write_number (SondeMindirWriter *w, double value,
                                       const SondeGraphValue *like);

/* ---- nodes --------------------------------------------------------------- */

/* Inputs as an array and its length. */
#define SONDE_NAMES(...)                                                                           \
  (const char *const[]){ __VA_ARGS__ },                                                            \
      (guint) (sizeof ((const char *const[]){ __VA_ARGS__ }) / sizeof (const char *))

/* A node of a primitive whose arguments are all inputs. Returns its name. */
const char *sonde_mindir_call (SondeMindirWriter *w, const char *primitive,
                               const char *const *inputs, guint n);
/* One whose arguments are attributes, which sonde_mindir_attribute_…() said before. */
const char *sonde_mindir_call_old (SondeMindirWriter *w, const char *primitive,
                                   const char *const *inputs, guint n);
void sonde_mindir_attribute_int (SondeMindirWriter *w, const char *name, gint64 value);
void sonde_mindir_attribute_bool (SondeMindirWriter *w, const char *name, gboolean value);
void sonde_mindir_attribute_float (SondeMindirWriter *w, const char *name, double value);
void sonde_mindir_attribute_text (SondeMindirWriter *w, const char *name, const char *value);
void sonde_mindir_attribute_ints (SondeMindirWriter *w, const char *name, const gint64 *values,
                                  gsize n);
const char *sonde_mindir_item (SondeMindirWriter *w, const char *tuple, gint64 index);
const char *sonde_mindir_tuple (SondeMindirWriter *w, const char *const *names, guint n);

/* ---- functions ----------------------------------------------------------- */

/* A name for a function, which may be called before it is written. */
const char *sonde_mindir_function_new (SondeMindirWriter *w, const char *label);
/* What follows belongs to the function @name, until sonde_mindir_function_end(). Names of the functions
 * around do not count in it: all that it reads are its inputs. */
void sonde_mindir_function_begin (SondeMindirWriter *w, const char *name);
/* Its next input. @type: (nullable) */
const char *sonde_mindir_function_input (SondeMindirWriter *w, const SondeType *type);
/* It returns one value, or a tuple of several. */
void sonde_mindir_function_end (SondeMindirWriter *w, const char *const *results, guint n);
/* Nodes of a subgraph, whose inputs and captures have names. */
void sonde_mindir_write_body (SondeMindirWriter *w, SondeGraph *body);
/* @callee: a function, or a value that is one */
const char *sonde_mindir_call_function (SondeMindirWriter *w, const char *callee,
                                        const char *const *inputs, guint n);
/* The function with these arguments, as a value. */
const char *sonde_mindir_partial (SondeMindirWriter *w, const char *function,
                                  const char *const *inputs, guint n);

/* The node cannot be written. @why: message id */
void sonde_mindir_cannot (SondeMindirWriter *w, const SondeNode *node, const char *why);

G_END_DECLS
