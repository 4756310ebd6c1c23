/* SPDX-License-Identifier: Apache-2.0
 * A GraphDef as it was read: nodes and functions by name, attributes, constants. What does not live
 * here: what operators mean. */
#pragma once

#include "data/base/sonde-io.h"
#include "data/graph/sonde-graph.h"
#include "data/models/tensorflow/sonde-tensor-bundle.h"
#include "data/models/tensorflow/sonde-tensorflow-type.h"
#include "data/models/tensorflow/tensorflow.pb-c.h"
#include "data/wire/sonde-wire-arena.h"

G_BEGIN_DECLS

/**
 * SondeTensorflowBody: nodes that see each other by name
 * @function: (nullable): NULL of the graph itself
 * @index: name -> number of the node + 1
 * All lent but @index.
 */
typedef struct
{
  const char *name;
  const Tensorflow__FunctionDef *function;
  Tensorflow__NodeDef *const *nodes;
  gsize n_nodes;
  GHashTable *index;
} SondeTensorflowBody;

/**
 * SondeTensorflowFile:
 * @graph: of the file, lent from @arena and @bytes
 * @functions: name -> SondeTensorflowBody
 * @budget: of the constants
 * @meta: (nullable): of a SavedModel: what stands around @graph
 * @variables: (nullable): of a SavedModel; @keys: name of a variable's node in @graph -> its key there
 */
typedef struct
{
  GBytes *bytes;
  SondeWireArena arena;
  const Tensorflow__GraphDef *graph;
  SondeTensorflowBody main;
  GHashTable *functions;
  SondeBudget budget;
  const Tensorflow__MetaGraphDef *meta;
  SondeTensorBundle *variables;
  GHashTable *keys;
} SondeTensorflowFile;

/* @bytes: of a GraphDef; @path: for messages */
SondeTensorflowFile *sonde_tensorflow_file_parse (GBytes *bytes, const char *path, GError **error);
/* @bytes: of a SavedModel, of whose graphs the one to serve with is taken. Its variables are not looked
 * for. */
SondeTensorflowFile *sonde_tensorflow_file_parse_saved (GBytes *bytes, const char *path,
                                                        GError **error);
void sonde_tensorflow_file_free (SondeTensorflowFile *file); /* (nullable) */
G_DEFINE_AUTOPTR_CLEANUP_FUNC (SondeTensorflowFile, sonde_tensorflow_file_free)

/* (nullable) */
const SondeTensorflowBody *sonde_tensorflow_file_find_function (const SondeTensorflowFile *file,
                                                                const char *name);
/* Which argument of a function is called @name; −1: none */
int sonde_tensorflow_body_find_argument (const SondeTensorflowBody *body, const char *name);
/* (nullable) */
const Tensorflow__NodeDef *sonde_tensorflow_body_find (const SondeTensorflowBody *body,
                                                       const char *name, guint *number);

/**
 * SondeTensorflowReference: an input of a node, or a result of a function, taken apart
 * @control: only the order of nodes matters
 * @name: of a node, or of an argument of the function; owned
 * @port: (nullable): of the node's operator; inside of @name's memory
 */
typedef struct
{
  gboolean control;
  char *name;
  const char *port;
  guint index;
} SondeTensorflowReference;

/* FALSE: it is none */
gboolean sonde_tensorflow_reference_init (SondeTensorflowReference *reference, const char *text);
void sonde_tensorflow_reference_clear (SondeTensorflowReference *reference);
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC (SondeTensorflowReference, sonde_tensorflow_reference_clear)

/* ---- attributes ---------------------------------------------------------- */

/* (nullable) */
const Tensorflow__AttrValue *sonde_tensorflow_attr (const Tensorflow__NodeDef *node,
                                                    const char *name);
gint64 sonde_tensorflow_attr_int (const Tensorflow__NodeDef *node, const char *name,
                                  gint64 fallback);
double sonde_tensorflow_attr_float (const Tensorflow__NodeDef *node, const char *name,
                                    double fallback);
gboolean sonde_tensorflow_attr_bool (const Tensorflow__NodeDef *node, const char *name,
                                     gboolean fallback);
/* @text: is it exactly this one? An absent attribute is "". */
gboolean sonde_tensorflow_attr_is (const Tensorflow__NodeDef *node, const char *name,
                                   const char *text);
/* (transfer full): "" when absent */
char *sonde_tensorflow_attr_dup_string (const Tensorflow__NodeDef *node, const char *name);
/* How many there are; NULL and 0 when absent. */
gsize sonde_tensorflow_attr_ints (const Tensorflow__NodeDef *node, const char *name,
                                  const gint64 **ints);
/* (nullable) */
const char *sonde_tensorflow_attr_function (const Tensorflow__NodeDef *node, const char *name);

/* ---- types and tensors --------------------------------------------------- */

SondeDtype sonde_tensorflow_attr_dtype (const Tensorflow__NodeDef *node, const char *name);
/* What a Placeholder says of itself. */
SondeType sonde_tensorflow_type_of_placeholder (const Tensorflow__NodeDef *node);

/* (transfer full): @what: for messages: "constant “w”" */
SondeTensor *sonde_tensorflow_read_tensor (SondeTensorflowFile *file,
                                           const Tensorflow__TensorProto *proto, const char *what,
                                           GError **error);

G_END_DECLS
