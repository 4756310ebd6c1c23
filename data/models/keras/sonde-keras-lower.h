/* SPDX-License-Identifier: Apache-2.0
 * Layers of Keras -> operators of ONNX: what the rows share. Values have the rank of the source's, and
 * its sizes where they are known (-1 elsewhere); weights keep the names and layout of the file. */
#pragma once

#include "data/models/keras/sonde-keras-net.h"
#include "data/models/lowering/sonde-lowering-shapes.h"

G_BEGIN_DECLS

#define SONDE_KERAS_MAX_COMPONENTS 8

/**
 * SondeKerasPlace: where weights are looked for
 * @path: in a .keras file the group of the layer; in an .h5 file that of the outermost layer
 * @name: what their names in the graph begin with: "bi/forward_lstm"
 * @components: in an .h5 file, what the path of a weight must have: "query", or the beginning of it:
 *   "forward_"; lent; the first @n_models, names of models around, may be missing
 */
typedef struct
{
  char *path, *name;
  const char *components[SONDE_KERAS_MAX_COMPONENTS];
  guint n_components, n_models;
} SondeKerasPlace;

/**
 * SondeKerasPart: a layer inside of a layer
 * @path: in a .keras file; @component: (nullable): in an .h5 file; @name: in the graph
 */
typedef struct
{
  const char *path, *component, *name;
} SondeKerasPart;

/**
 * SondeKerasLowering:
 * @version: of Keras, the major number
 * @masks: SondeGraphValue -> SondeGraphValue: which steps of a sequence count, bool [batch, steps]
 * @constants: name -> SondeGraphValue: weights that are there already
 * @made: of the open net: what its calls gave, see sonde_keras_recall()
 * @scope: what the names of its values begin with: "" or "encoder/"
 * @layer: @call: the open ones; @config: that of the layer, or of the one that it wraps
 * @place: where the weights of that lie
 * @inputs: (element-type SondeGraphValue): tensors that the call reads, in order
 * @outputs: (element-type SondeGraphValue): what the row says they are
 * @is_first: those of this row, which is SONDE_KERAS_ANYWHERE, have channels first
 */
typedef struct
{
  SondeLowering *out;
  SondeKerasFile *file;
  int version;
  GHashTable *masks, *constants, *made;
  const char *scope;
  const SondeKerasLayer *layer;
  const SondeKerasCall *call;
  JsonObject *config;
  SondeKerasPlace place;
  GPtrArray *inputs, *outputs;
  gboolean is_first;
} SondeKerasLowering;

/* What is true of a class of layers. */
typedef enum
{
  SONDE_KERAS_PLAIN = 0,
  SONDE_KERAS_KEEPS_MASK = 1 << 0, /* which steps count stays known */
  SONDE_KERAS_ANYWHERE = 1 << 1,   /* element by element: any layout does */
} SondeKerasTraits;

/**
 * SondeKerasRow: a class of layers
 * @least: tensors that it reads at least
 * @op: (nullable): for rows that share a function
 */
typedef struct
{
  const char *class_name;
  guint least;
  SondeKerasTraits traits;
  void (*lower) (SondeKerasLowering *self, const char *op);
  const char *op;
} SondeKerasRow;

extern const SondeKerasRow sonde_keras_activation_rows[]; /* each list ends with a class of NULL */
extern const SondeKerasRow sonde_keras_attention_rows[];
extern const SondeKerasRow sonde_keras_dense_rows[];
extern const SondeKerasRow sonde_keras_merge_rows[];
extern const SondeKerasRow sonde_keras_norm_rows[];
extern const SondeKerasRow sonde_keras_pool_rows[];
extern const SondeKerasRow sonde_keras_recurrent_rows[];
extern const SondeKerasRow sonde_keras_shape_rows[];
extern const SondeKerasRow sonde_keras_window_rows[];
extern const SondeKerasRow sonde_keras_wrap_rows[];

const SondeKerasRow *sonde_keras_find_row (const char *class_name); /* (nullable) */

/* ---- calls --------------------------------------------------------------- */

/* @value is what @call gave as its tensor @tensor. */
void sonde_keras_remember (SondeKerasLowering *self, const SondeKerasCall *call, guint tensor,
                           SondeGraphValue *value);
/* Of a layer that does not fit the first tensor stands for all. (nullable) with a failure */
SondeGraphValue *sonde_keras_recall (SondeKerasLowering *self, const SondeKerasRef *ref);

/* All layers of @net, called with @inputs (element-type SondeGraphValue). (transfer full)
 * (element-type SondeGraphValue): its outputs, fewer after a failure */
GPtrArray *sonde_keras_run_net (SondeKerasLowering *self, const SondeKerasNet *net,
                                GPtrArray *inputs);
/* The open layer is @layer, which another one wraps: its row reads self->inputs and sets
 * self->outputs. */
void sonde_keras_run_wrapped (SondeKerasLowering *self, const SondeKerasLayer *layer);

/* ---- the layer ----------------------------------------------------------- */

SondeGraphValue *sonde_keras_in (SondeKerasLowering *self, guint index); /* index < @least */
void sonde_keras_set_out (SondeKerasLowering *self, guint index, SondeGraphValue *value);
/* This layer does not fit. @what, @advice: (transfer full); @advice: (nullable) */
void sonde_keras_refuse (SondeKerasLowering *self, SondeMessage *what, SondeMessage *advice);
/* Input @index has between @least and @most dimensions; FALSE: it has not, which was said. */
gboolean sonde_keras_check_rank (SondeKerasLowering *self, guint index, int least, int most);

/* ---- the configuration --------------------------------------------------- */

gint64 sonde_keras_int (SondeKerasLowering *self, const char *name, gint64 fallback);
double sonde_keras_number (SondeKerasLowering *self, const char *name, double fallback);
gboolean sonde_keras_bool (SondeKerasLowering *self, const char *name, gboolean fallback);
const char *sonde_keras_text (SondeKerasLowering *self, const char *name, const char *fallback);
gboolean sonde_keras_has (SondeKerasLowering *self, const char *name); /* and it is not null */
/* A list of integers, or one for all: exactly @n, each within 0 … 2³⁰. A wrong one is a failure; a
 * missing one is @fallback. */
void sonde_keras_ints (SondeKerasLowering *self, const char *name, int n, gint64 fallback,
                       gint64 *values);
/* Whether channels come last; the default of Keras. */
gboolean sonde_keras_is_last (SondeKerasLowering *self);
/* Argument @name of the call, or that at @position (-1: by name only). (nullable) */
JsonNode *sonde_keras_arg (SondeKerasLowering *self, int position, const char *name);
/* A tensor, by the same; (nullable) */
SondeGraphValue *sonde_keras_arg_tensor (SondeKerasLowering *self, int position, const char *name);

/* ---- weights ------------------------------------------------------------- */

/**
 * sonde_keras_weight:
 * @part: (nullable)
 * @what: as Keras calls it: "kernel"; @index: among the layer's
 * @shape: -1 for sizes that only the file knows
 *
 * A missing one, or one of another shape, is a failure. (transfer none): of @shape then
 */
SondeGraphValue *sonde_keras_weight (SondeKerasLowering *self, const SondeKerasPart *part,
                                     const char *what, guint index, const SondeShape *shape);
/* Weights of what @part wraps from here on; sonde_keras_leave() ends it. (transfer full) */
SondeKerasPlace sonde_keras_enter (SondeKerasLowering *self, const SondeKerasPart *part);
void sonde_keras_leave (SondeKerasLowering *self, SondeKerasPlace *before); /* (transfer full) */

/* ---- emitting ------------------------------------------------------------ */

SondeShape sonde_keras_shape_of (const SondeGraphValue *value);
/* @value has @shape, and the type of @like. Returns @value. */
SondeGraphValue *sonde_keras_shaped (SondeGraphValue *value, const SondeGraphValue *like,
                                     const SondeShape *shape);
/* Operators that keep the shape, or broadcast two. */
SondeGraphValue *sonde_keras_op1 (SondeKerasLowering *self, const char *op, SondeGraphValue *a);
SondeGraphValue *sonde_keras_op2 (SondeKerasLowering *self, const char *op, SondeGraphValue *a,
                                  SondeGraphValue *b);
/* A number of @like's type. */
SondeGraphValue *sonde_keras_scalar (SondeKerasLowering *self, const SondeGraphValue *like,
                                     double number);
/* Axis counted from the front; a wrong one is a failure and 0. */
int sonde_keras_axis (SondeKerasLowering *self, gint64 axis, int rank);
/* Spatial layers compute with channels first; both return what they are given where the layer's channels
 * are first already. */
SondeGraphValue *sonde_keras_to_first (SondeKerasLowering *self, SondeGraphValue *value);
SondeGraphValue *sonde_keras_from_first (SondeKerasLowering *self, SondeGraphValue *value);
/* The activation that member @name of the configuration says; none where it is absent. */
SondeGraphValue *sonde_keras_activate (SondeKerasLowering *self, SondeGraphValue *value,
                                       const char *name);
/* The activation that Keras calls @name, one that there is. */
SondeGraphValue *sonde_keras_apply (SondeKerasLowering *self, const char *name,
                                    SondeGraphValue *value);

G_END_DECLS
