/* SPDX-License-Identifier: Apache-2.0
 * A MindIR file as it is: functions, their nodes, constants and parameters, by name. What the
 * primitives mean does not live here. */
#pragma once

#include "data/base/sonde-io.h"
#include "data/graph/sonde-graph.h"

G_BEGIN_DECLS

typedef enum
{
  SONDE_MINDIR_NONE,
  SONDE_MINDIR_INT, /* of any width; a boolean too */
  SONDE_MINDIR_FLOAT,
  SONDE_MINDIR_STRING,
  SONDE_MINDIR_TENSOR,
  SONDE_MINDIR_SEQUENCE,
  SONDE_MINDIR_MONAD, /* orders side effects; has no value */
  SONDE_MINDIR_OTHER, /* a class, a map tensor: nothing an operator of inference reads */
} SondeMindirKind;

/**
 * SondeMindirValue: an attribute, a constant, or the description of an output
 * @name: (nullable): of an attribute
 * @is_bool: of an INT
 * @tensor: (nullable): of a TENSOR; NULL in a description, which has only @type
 * @items: the first @n, of a SEQUENCE
 */
typedef struct _SondeMindirValue SondeMindirValue;
struct _SondeMindirValue
{
  const char *name;
  SondeMindirKind kind;
  gboolean is_bool;
  gint64 i;
  double f;
  const char *string;
  SondeTensor *tensor;
  SondeType type;
  SondeMindirValue *items;
  guint n;
};

/**
 * SondeMindirNode:
 * @name: whole, as others name it
 * @label: behind the first colon, for people
 * @primitive: (nullable): operator; NULL when the node calls @callee
 * @callee: (nullable): a function, or a node whose value is a function
 * @attributes: of the node and of the primitive
 * @output: (nullable): description of what it gives
 */
typedef struct
{
  const char *name, *label;
  const char *primitive, *callee, *scope;
  const char **inputs;
  guint n_inputs;
  SondeMindirValue *attributes;
  guint n_attributes;
  const SondeMindirValue *output;
} SondeMindirNode;

typedef struct
{
  const char *name, *label;
  SondeType type;
  gboolean monad;
} SondeMindirInput;

/**
 * SondeMindirFunction:
 * @id: index in the file; 0 is the net itself
 * @result: name of what it returns
 */
typedef struct
{
  guint id;
  const char *name, *result;
  SondeMindirInput *inputs;
  guint n_inputs;
  SondeMindirNode *nodes; /* without constants */
  guint n_nodes;
  GHashTable *index; /* name -> SondeMindirNode */
} SondeMindirFunction;

typedef struct
{
  const char *name, *label;
  SondeTensor *tensor;
} SondeMindirParameter;

/**
 * SondeMindirFile:
 * @functions: (element-type SondeMindirFunction)
 * @constants: name -> SondeMindirValue; of all functions
 * @parameters: (element-type SondeMindirParameter)
 */
typedef struct
{
  const char *version, *producer, *producer_version, *path;
  GPtrArray *functions;
  GHashTable *function_names;
  GHashTable *constants;
  GArray *parameters;
  struct _SondeMindirMemory *memory;
} SondeMindirFile;

/**
 * sonde_mindir_file_read:
 * @path: weights beside it are read through the path gate of its folder
 *
 * Returns: (transfer full)
 * Errors: SONDE_DATA_ERROR_DAMAGED, LIMIT, FORBIDDEN, UNSUPPORTED, NOT_FOUND, IO
 */
SondeMindirFile *sonde_mindir_file_read (const SondeIo *io, const char *path, GError **error);
/* The same from memory, which is borrowed until the file is freed; @name is for errors. Weights in other
 * files are refused. */
SondeMindirFile *sonde_mindir_file_parse (const guint8 *data, gsize length, const char *name,
                                          GError **error);
void sonde_mindir_file_free (SondeMindirFile *file);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (SondeMindirFile, sonde_mindir_file_free)

/* (nullable) */
SondeMindirFunction *sonde_mindir_file_find (const SondeMindirFile *file, const char *name);
/* Behind the first colon, for people. */
const char *sonde_mindir_label (const char *name);
/* (nullable) */
const SondeMindirValue *sonde_mindir_node_attribute (const SondeMindirNode *node, const char *name);

G_END_DECLS
