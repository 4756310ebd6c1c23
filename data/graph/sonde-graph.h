/* SPDX-License-Identifier: Apache-2.0
 * The one intermediate representation: nodes, values, attributes, subgraphs, functions, scopes,
 * provenance. Every loader makes it, every pass rewrites it, every viewer draws it.
 * What does not live here: what an operator means (engine/ops), order of execution in memory
 * (engine/plan), bytes of a file (data/models).
 *
 * Ownership: a graph owns its nodes, values, subgraphs; pointers to them live as long as the graph
 * or until they are removed. One thread at a time may change a graph; a finished graph may be read
 * from many. */
#pragma once

#include "data/values/sonde-value.h"

G_BEGIN_DECLS

typedef struct _SondeGraph SondeGraph;
typedef struct _SondeNode SondeNode;
typedef struct _SondeGraphValue SondeGraphValue;
typedef struct _SondeFunction SondeFunction;

/* ---- types --------------------------------------------------------------- */

/**
 * SondeDimension:
 * @size: ≥ 0 when known, -1 when not
 * @symbol: (nullable): interned name of a symbolic size ("N", "batch"); the same name is the same
 *   number everywhere in the model
 */
typedef struct
{
  gint64 size;
  const char *symbol;
} SondeDimension;

/**
 * SondeType:
 * @kind: what the value is; NONE when unknown
 * @dtype: element type of a tensor (or of a sequence's tensors); INVALID when unknown
 * @rank: ≥ 0, or -1 when even the rank is unknown
 * @dims: the first @rank entries
 */
typedef struct
{
  SondeValueKind kind;
  SondeDtype dtype;
  int rank;
  SondeDimension dims[SONDE_MAX_RANK];
} SondeType;

SondeType sonde_type_unknown (void);
SondeType sonde_type_tensor (SondeDtype dtype, const SondeShape *shape); /* all sizes known */
SondeType sonde_type_of_value (const SondeValue *value);
gboolean sonde_type_get_shape (const SondeType *type,
                               SondeShape *shape); /* FALSE unless every size is known */
/* "float32 N×3×224×224", "int64 scalar", "float32 ?" Returns: (transfer full) */
char *sonde_type_to_string (const SondeType *type);

/* ---- attributes ---------------------------------------------------------- */

typedef enum
{
  SONDE_ATTRIBUTE_INT,
  SONDE_ATTRIBUTE_FLOAT,
  SONDE_ATTRIBUTE_STRING,
  SONDE_ATTRIBUTE_TENSOR,
  SONDE_ATTRIBUTE_GRAPH,
  SONDE_ATTRIBUTE_INTS,
  SONDE_ATTRIBUTE_FLOATS,
  SONDE_ATTRIBUTE_STRINGS,
  SONDE_ATTRIBUTE_TENSORS,
  SONDE_ATTRIBUTE_GRAPHS,
  SONDE_ATTRIBUTE_TYPE,      /* an ONNX TypeProto: .types */
  SONDE_ATTRIBUTE_REFERENCE, /* inside a function body: value of the caller's attribute .string */
} SondeAttributeKind;

/**
 * SondeAttribute:
 * @name: owned
 * @n: number of entries of the list kinds, 1 for the single ones
 * @reference_kind: of a REFERENCE: the kind that the caller's attribute must have
 *
 * The union member of the kind is valid; lists are arrays of @n. All owned.
 */
typedef struct
{
  char *name;
  SondeAttributeKind kind;
  gsize n;
  SondeAttributeKind reference_kind;
  union
  {
    gint64 i;
    double f;
    char *string; /* may hold any bytes; NUL-terminated */
    SondeTensor *tensor;
    SondeGraph *graph;
    gint64 *ints;
    double *floats;
    char **strings;
    SondeTensor **tensors;
    SondeGraph **graphs;
    SondeType *types;
  } u;
} SondeAttribute;

/* ---- values -------------------------------------------------------------- */

/* What a value is to the network; shown to the user, decides what training updates. */
typedef enum
{
  SONDE_ROLE_NORMAL,
  SONDE_ROLE_INPUT,
  SONDE_ROLE_PARAMETER, /* trained */
  SONDE_ROLE_CONSTANT,  /* initialiser that is not trained */
  SONDE_ROLE_STATE,     /* optimiser state, running statistics: kept from step to step */
} SondeValueRole;

/**
 * SondeGraphValue:
 * @id: index in the graph's values; never reused
 * @name: owned, unique in the graph, never empty
 * @producer: (nullable): the node that makes it; NULL for inputs, initialisers, outer values
 * @producer_output: which of its outputs
 * @users: (element-type SondeNode): each node of this graph that reads it, once per input that does
 * @captures: (nullable) (element-type SondeGraphValue): the values of direct subgraphs whose @outer
 *   is this one; reads that @users does not list
 * @constant: (nullable): an initialiser's value (owned reference)
 * @outer: (nullable): for a value captured by a subgraph: the value of the directly enclosing graph
 *   (through several levels each level has its own capture); the local name may differ from its
 *   name
 * @update_of: (nullable): this value replaces that PARAMETER or STATE at the end of a step ("P'")
 * @recorded: nothing computes it: it was written down somewhere else, and whoever has the execution
 *   reads it from there (sonde_execution_set_records())
 * @doc: (nullable): documentation string; owned
 */
struct _SondeGraphValue
{
  guint id;
  char *name;
  SondeType type;
  SondeValueRole role;
  SondeNode *producer;
  guint producer_output;
  GPtrArray *users;
  GPtrArray *captures;
  SondeValue *constant;
  SondeGraphValue *outer;
  guint capture_index; /* private: place in outer->captures */
  SondeGraphValue *update_of;
  gboolean recorded;
  char *doc;
};

/* ---- nodes --------------------------------------------------------------- */

typedef enum
{
  SONDE_PHASE_FORWARD,
  SONDE_PHASE_BACKWARD,
  SONDE_PHASE_OPTIMISER,
} SondePhase;

const char *sonde_phase_name (SondePhase phase); /* "forward", "backward", "optimiser" */

/* Why a node is there that the user did not write. */
typedef enum
{
  SONDE_ORIGIN_SOURCE,     /* from the file or the builder, unchanged */
  SONDE_ORIGIN_LEGALISED,  /* rewritten to the current form of its operator */
  SONDE_ORIGIN_FOLDED,     /* computed once at preparation */
  SONDE_ORIGIN_FUSED,      /* stands for several nodes */
  SONDE_ORIGIN_INSERTED,   /* reorder, copy, cast between steps */
  SONDE_ORIGIN_GRADIENT,   /* gradient of origin node, input @origin_input */
  SONDE_ORIGIN_OPTIMISER,  /* update of a parameter */
  SONDE_ORIGIN_DECOMPOSED, /* from a function body or a decomposition */
  SONDE_ORIGIN_LOSS,       /* added by the training set-up */
} SondeOriginKind;

/**
 * SondeNodeSource: the node of another format that a node was made from
 * @name: as that format or its tool calls it
 * @op: in that format's words: "CONV_2D", "aten.conv2d.default"
 * @place: (nullable): where the user wrote it: "train.py:17"
 */
typedef struct
{
  char *name, *op, *place;
} SondeNodeSource;

/**
 * SondeNode:
 * @id: index in the graph's nodes; never reused
 * @name: owned, unique in the graph, never empty (made from op and outputs when the file has none)
 * @domain: interned; "" is ai.onnx, "sonde" our own
 * @op: interned operator name
 * @overload: (nullable): interned; which function of that domain and name, where a model has
 * several
 * @version: opset version its meaning is taken from
 * @inputs: (element-type SondeGraphValue): NULL entries are absent optional inputs
 * @outputs: (element-type SondeGraphValue): NULL entries are outputs nobody named
 * @attributes: (element-type SondeAttribute)
 * @origins: (element-type utf8): names of the nodes of the ORIGINAL graph it came from; empty for
 *   an untouched node of an original graph
 * @origin_kind: how it came
 * @origin_input: for GRADIENT: which input of the origin node
 * @alias: (nullable): another name that finds it, where nothing is called so; owned; set by
 *   sonde_node_set_alias()
 * @scope: (nullable): interned "encoder/layer0"; NULL is the root; at first that of the name
 * @source: (nullable): owned; of a node of a model that came in another format than ONNX
 * @doc: (nullable): owned
 * @op_class: (nullable): what engine/ops keeps for (domain, op), looked up at the first
 *   sonde_op_of_node(); lent. Nobody else reads or writes it; so @domain and @op change by
 *   sonde_node_set_op() only
 */
struct _SondeNode
{
  guint id;
  char *name;
  const char *domain;
  const char *op;
  const char *overload;
  int version;
  GPtrArray *inputs;
  GPtrArray *outputs;
  GPtrArray *attributes;
  SondePhase phase;
  GPtrArray *origins;
  SondeOriginKind origin_kind;
  int origin_input;
  char *alias;
  const char *scope;
  SondeNodeSource *source;
  char *doc;
  gpointer op_class;
};

/* ---- graph --------------------------------------------------------------- */

/* One opset import: domain -> version. */
typedef struct
{
  const char *domain; /* interned */
  int version;
} SondeOpset;

/* A pair of strings from the file's metadata. Owned. */
typedef struct
{
  char *key, *value;
} SondeMetadata;

/**
 * SondeGraph:
 * @name: (nullable): owned
 * @parent: (nullable): the enclosing graph of a subgraph; lent
 * @nodes: (element-type SondeNode): by id, NULL where one was removed
 * @values: (element-type SondeGraphValue): by id, NULL where one was removed
 * @inputs: @outputs: (element-type SondeGraphValue): in file order
 * @functions: (element-type SondeFunction): of the model; only in a root graph
 * @opsets: (element-type SondeOpset)
 * @metadata: (element-type SondeMetadata)
 * @ir_version: ONNX IR version, 0 when the graph was built by us
 * @producer: (nullable): program that wrote the file, with its version
 * @doc: (nullable)
 */
struct _SondeGraph
{
  _Atomic guint ref_count;
  char *name;
  SondeGraph *parent;
  GPtrArray *nodes;
  GPtrArray *values;
  GPtrArray *inputs;
  GPtrArray *outputs;
  GPtrArray *functions;
  GArray *opsets;
  GArray *metadata;
  gint64 ir_version;
  char *producer;
  char *doc;
  GHashTable *value_names; /* name -> value */
  GHashTable *node_names;  /* name -> node */
  GHashTable *aliases;     /* (nullable): alias -> node */
  GHashTable *next_suffix; /* private: stem -> number that a unique name tries next */
};

/**
 * SondeFunction:
 * @body: its inputs and outputs are the function's
 * @attribute_names: (array zero-terminated=1): without default
 * @defaults: (element-type SondeAttribute): with default
 */
struct _SondeFunction
{
  char *domain, *name, *overload;
  SondeGraph *body;
  char **attribute_names;
  GPtrArray *defaults;
  char *doc;
};

SondeGraph *sonde_graph_new (const char *name);
/* A subgraph of @parent (attribute of one of its nodes); sees the parent's values by name. */
SondeGraph *sonde_graph_new_subgraph (SondeGraph *parent, const char *name);
/* For a subgraph that moves to a node of another graph: its captures are looked up again by the
 * name of what they captured. FALSE when @parent lacks one of them; that capture then has no
 * @outer. */
gboolean sonde_graph_set_parent (SondeGraph *graph, SondeGraph *parent);
SondeGraph *sonde_graph_ref (SondeGraph *graph);
void sonde_graph_unref (SondeGraph *graph);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (SondeGraph, sonde_graph_unref)

/**
 * sonde_graph_copy:
 * Deep copy; tensors are shared. Ids and names stay. The copy of a subgraph has the same parent and
 * captures the same values. With @as_original, every copied node gets its
 * own name as its only origin (kind SOURCE): the start of an executed graph beside its original.
 */
SondeGraph *sonde_graph_copy (SondeGraph *graph, gboolean as_original);

/* The same of a subgraph that is to stand alone: no parent, the opsets of the enclosing graphs;
 * what it captured are values without producer, constant or @outer. Changes nothing of the
 * enclosing graphs. */
SondeGraph *sonde_graph_copy_alone (SondeGraph *graph);

int sonde_graph_get_opset (const SondeGraph *graph,
                           const char *domain); /* 0 when not imported; looks in parents */
void sonde_graph_set_opset (SondeGraph *graph, const char *domain, int version);

/* Building. Names: NULL or taken makes a unique one from @name or "value"/the operator's name.
 * Returned pointers are lent. */
SondeGraphValue *sonde_graph_add_value (SondeGraph *graph, const char *name,
                                        const SondeType *type); /* (nullable) type: unknown */
SondeGraphValue *sonde_graph_add_input (SondeGraph *graph, const char *name, const SondeType *type);
/* role CONSTANT or PARAMETER */
SondeGraphValue *sonde_graph_add_initialiser (SondeGraph *graph, const char *name,
                                              SondeTensor *tensor, SondeValueRole role);
void sonde_graph_add_output (SondeGraph *graph, SondeGraphValue *value);
/* What an initialiser is by the nodes that read it, also inside subgraphs. */
SondeValueRole sonde_graph_initialiser_role (const SondeGraphValue *value);

/**
 * sonde_graph_add_node:
 * @inputs: @n_inputs values, NULL for absent ones
 * @n_outputs: outputs to make; they are named "NAME_output_K" unless renamed
 */
SondeNode *sonde_graph_add_node (SondeGraph *graph, const char *name, const char *domain,
                                 const char *op, SondeGraphValue *const *inputs, guint n_inputs,
                                 guint n_outputs);

/* Makes @value (without producer) output @index of @node; other entries are filled with NULL. */
void sonde_node_set_output (SondeGraph *graph, SondeNode *node, guint index,
                            SondeGraphValue *value);
void sonde_node_set_input (SondeGraph *graph, SondeNode *node, guint index,
                           SondeGraphValue *value);                          /* (nullable) */
SondeGraphValue *sonde_node_get_input (const SondeNode *node, guint index);  /* (nullable) */
SondeGraphValue *sonde_node_get_output (const SondeNode *node, guint index); /* (nullable) */
/* Domain of nodes that ran somewhere else: what they made was written down. They are no steps of a
 * plan; any operator, any number of inputs and outputs. */
#define SONDE_DOMAIN_RECORDED "recorded"
gboolean sonde_node_is_recorded (const SondeNode *node); /* FALSE for NULL */

/* Makes @node another operator with the same inputs, outputs and attributes. */
void sonde_node_set_op (SondeNode *node, const char *domain, const char *op);

/* Sets @source; (nullable) @place. */
void sonde_node_set_source (SondeNode *node, const char *name, const char *op, const char *place);

/* People know @node as @alias, too: "layers.0.conv". Of several of one alias the first counts. */
void sonde_node_set_alias (SondeGraph *graph, SondeNode *node, const char *alias);

gboolean sonde_graph_rename_value (SondeGraph *graph, SondeGraphValue *value, const char *name);
gboolean sonde_graph_rename_node (SondeGraph *graph, SondeNode *node, const char *name);

/* All uses of @from (inputs of nodes, graph outputs, captures in subgraphs) become uses of @to. */
void sonde_graph_replace_value (SondeGraph *graph, SondeGraphValue *from, SondeGraphValue *to);
/* Removes the node; its outputs lose their producer. */
void sonde_graph_remove_node (SondeGraph *graph, SondeNode *node);
/* The value must have no producer, no users, no captures and be neither input nor output. */
void sonde_graph_remove_value (SondeGraph *graph, SondeGraphValue *value);

/* this graph only */
SondeGraphValue *sonde_graph_find_value (const SondeGraph *graph, const char *name);
/* also in parents; captures are registered as a value with @outer set */
SondeGraphValue *sonde_graph_capture_value (SondeGraph *graph, const char *name);
/* A capture of @outer, a value of the directly enclosing graph, under a name of its own. */
SondeGraphValue *sonde_graph_add_capture (SondeGraph *graph, const char *name,
                                          SondeGraphValue *outer);
SondeNode *sonde_graph_find_node (const SondeGraph *graph, const char *name);
/* A node by its name or by the name of a value it makes. */
SondeNode *sonde_graph_resolve_node (const SondeGraph *graph, const char *name_or_value);
/* without removed ones, not into subgraphs */
guint sonde_graph_count_nodes (const SondeGraph *graph);

/* The scope that exporters write into names: "encoder/layer0" for "/encoder/layer0/Conv"; NULL is
 * the root. Returns: an interned string. */
const char *sonde_scope_of_name (const char *name);

/* Attributes. Setters replace. Getters give @fallback (or NULL, 0) when absent or of another
 * kind. */
void sonde_node_set_int (SondeNode *node, const char *name, gint64 value);
void sonde_node_set_float (SondeNode *node, const char *name, double value);
void sonde_node_set_string (SondeNode *node, const char *name, const char *value);
void sonde_node_set_ints (SondeNode *node, const char *name, const gint64 *values, gsize n);
void sonde_node_set_floats (SondeNode *node, const char *name, const double *values, gsize n);
void sonde_node_set_tensor (SondeNode *node, const char *name, SondeTensor *tensor);
/* (transfer full) */
void sonde_node_take_graph (SondeNode *node, const char *name, SondeGraph *graph);
/* (transfer full) */
void sonde_node_take_attribute (SondeNode *node, SondeAttribute *attribute);
/* (nullable) */
SondeAttribute *sonde_node_find_attribute (const SondeNode *node, const char *name);
gint64 sonde_node_get_int (const SondeNode *node, const char *name, gint64 fallback);
double sonde_node_get_float (const SondeNode *node, const char *name, double fallback);
const char *sonde_node_get_string (const SondeNode *node, const char *name, const char *fallback);
/* (nullable) */
const gint64 *sonde_node_get_ints (const SondeNode *node, const char *name, gsize *n);
/* (nullable) */
SondeTensor *sonde_node_get_tensor (const SondeNode *node, const char *name);
/* (nullable) */
SondeGraph *sonde_node_get_graph (const SondeNode *node, const char *name);
gboolean sonde_node_remove_attribute (SondeNode *node, const char *name);
SondeAttribute *sonde_attribute_new (const char *name, SondeAttributeKind kind); /* zeroed union */
SondeAttribute *sonde_attribute_copy (const SondeAttribute *attribute);
void sonde_attribute_free (SondeAttribute *attribute);
/* Its value as text, "[1, 1]", as the debugger's `attr` reads it; of tensors type and shape, of
 * graphs their size; "default" for NULL. (transfer full) */
char *sonde_attribute_to_text (const SondeAttribute *attribute);

/* Provenance: appends @origin's own origins to @node's (or @origin's name when it has none), sets
 * the kind. */
void sonde_node_add_origin (SondeNode *node, const SondeNode *origin, SondeOriginKind kind);
/* "gradient of conv1, input 0"; "inserted"; NULL for SOURCE. Returns: (transfer full) (nullable) */
char *sonde_node_describe_origin (const SondeNode *node);

/**
 * sonde_graph_sort:
 *
 * Topological order, stable: among ready nodes the one with the smallest id comes first.
 * Captures of subgraphs count as inputs. Iterative.
 * Returns: (transfer container) (element-type SondeNode): all nodes, or NULL with @error
 * SONDE_DATA_ERROR_DAMAGED naming the nodes of one cycle.
 */
GPtrArray *sonde_graph_sort (const SondeGraph *graph, GError **error);

/**
 * sonde_graph_listing:
 *
 * A readable text of the graph, one line a node in topological order:
 * `conv1: y = Conv (x, w, b) {strides=[1, 1]}  # float32 N×6×28×28`; subgraphs stand indented
 * below their node, functions at the end. A graph with a cycle is listed in order of ids.
 * @line_of_node: (nullable): filled with line numbers from 1, by node id (length = nodes->len)
 * Returns: (transfer full)
 */
char *sonde_graph_listing (const SondeGraph *graph, guint *line_of_node);

SondeFunction *sonde_function_new (const char *domain, const char *name, const char *overload);
void sonde_function_free (SondeFunction *function);
/* As a node of a graph of its own calls it. */
SondeFunction *sonde_function_copy (const SondeFunction *function);

G_END_DECLS
