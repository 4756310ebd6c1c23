/* SPDX-License-Identifier: Apache-2.0
 * Shared by the files of the gradient pass: reverse mode over one graph, and over the bodies in
 * it. */
#pragma once

#include "engine/passes/sonde-passes.h"

G_BEGIN_DECLS

typedef struct _SondeReverse SondeReverse;

/**
 * SondeReverse: the reverse of one graph, the root's or that of a body
 * @request: rules and stops, the same for all graphs
 * @target: what is differentiated, for messages
 * @varies: by value id: depends on something that is differentiated with respect to
 * @contributions: value -> GArray of the gradients that its users gave so far
 * @kept: values whose gradient must be a value of its own
 * @extensions: (element-type SondeNode): nodes added to the forward part, which are no gradient
 */
struct _SondeReverse
{
  SondeGraph *graph;
  const SondeGradientRequest *request;
  const char *target;
  GByteArray *varies;
  GHashTable *contributions;
  GHashTable *kept;
  GHashTable *extensions;
};

void sonde_reverse_init (SondeReverse *reverse, SondeGraph *graph,
                         const SondeGradientRequest *request, const char *target);
void sonde_reverse_clear (SondeReverse *reverse);
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC (SondeReverse, sonde_reverse_clear)

gboolean sonde_reverse_varies (const SondeReverse *reverse, const SondeGraphValue *value);
/* Of a float type, or of one that is not known. */
gboolean sonde_reverse_is_differentiable (const SondeGraphValue *value);

/* A gradient with respect to @value is wanted: what depends on it varies. */
void sonde_reverse_want (SondeReverse *reverse, SondeGraphValue *value);
/* Everything that depends on what varies so far. @order: as sonde_graph_sort() gives it */
void sonde_reverse_mark (SondeReverse *reverse, const GPtrArray *order);
/* Adds to @set what values of @set depend on, through what varies. */
void sonde_reverse_reach (SondeReverse *reverse, const GPtrArray *order, GHashTable *set);

/* What @node reads: its inputs, then what its bodies capture, each once. (transfer container)
 * (element-type SondeGraphValue) */
GPtrArray *sonde_reverse_reads (const SondeNode *node);

/* @gradient is one of the terms of the gradient of @value; the terms are summed in the order of
 * (@user, @input). */
void sonde_reverse_contribute (SondeReverse *reverse, SondeGraphValue *value, guint user,
                               guint input, SondeGraphValue *gradient);
/* The gradient of @value once all its users were visited: their sum. (nullable): nothing flows
 * there */
SondeGraphValue *sonde_reverse_take (SondeReverse *reverse, SondeGraphValue *value);

/* All nodes of @order, the last first. */
gboolean sonde_reverse_run (SondeReverse *reverse, const GPtrArray *order, GError **error);

/* A value like @value, all its elements @number: a constant where the sizes are known. @name:
 * (nullable) */
SondeGraphValue *sonde_reverse_fill (SondeGraph *graph, SondeGraphValue *value, double number,
                                     const char *name);

/* Nodes from @first on get phase BACKWARD and, as far as they have none, @origin's provenance. */
void sonde_reverse_mark_nodes (SondeReverse *reverse, const SondeNode *origin, guint first,
                               SondeGraphValue *const *input_gradients, guint n);
/* A node of the forward part, beside @origin. */
void sonde_reverse_mark_extension (SondeReverse *reverse, SondeNode *node, const SondeNode *origin);

/* ---- bodies (sonde-reverse-body.c) --------------------------------------- */

/**
 * SondeReverseBody: the gradient of a body, first built inside it, then taken out
 * @forward: the body; @reverse: of it
 * @order: of the body, before anything was added
 * @first, @first_value: ids of the first node and value that were not there
 * @backward: the gradient as a graph of its own beside @forward: values keep the ids they have in
 * @forward
 * @cuts: (element-type SondeGraphValue): values of @backward that the forward body has to give it
 */
typedef struct
{
  SondeGraph *forward;
  SondeReverse reverse;
  GPtrArray *order;
  guint first, first_value;
  SondeGraph *backward;
  GPtrArray *cuts;
} SondeReverseBody;

/* Captures of what varies in @outer vary. */
gboolean sonde_reverse_body_init (SondeReverseBody *body, SondeReverse *outer, SondeGraph *forward,
                                  GError **error);
void sonde_reverse_body_clear (SondeReverseBody *body);
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC (SondeReverseBody, sonde_reverse_body_clear)

/* A value that the gradient gets from outside, at first without producer. */
SondeGraphValue *sonde_reverse_body_add_given (SondeReverseBody *body, const char *format,
                                               const SondeGraphValue *like);
/* The gradients of what the body captures, once it was run. @captured: (element-type
 * SondeGraphValue): values of the enclosing graph, each once; @gradients: (element-type
 * SondeGraphValue): of the body */
void sonde_reverse_body_take (SondeReverseBody *body, GPtrArray *captured, GPtrArray *gradients);
/**
 * sonde_reverse_body_split:
 * @given: (element-type SondeGraphValue): values of @forward that are inputs of the gradient
 * @results: (element-type SondeGraphValue): values of @forward that are its outputs
 *
 * Moves what was added to the body to @backward, whose inputs are @given and whose outputs are
 * @results.
 */
void sonde_reverse_body_split (SondeReverseBody *body, const SondeNode *origin, GPtrArray *given,
                               GPtrArray *results);
/* The value of @backward with the id of @value; NULL for NULL. */
SondeGraphValue *sonde_reverse_body_map (const SondeReverseBody *body,
                                         const SondeGraphValue *value);

/* Types of what @node makes, once what it runs or gives has changed; constants of enclosing graphs
 * are known. */
gboolean sonde_reverse_infer (SondeNode *node, GError **error);

/* ---- control nodes ------------------------------------------------------- */

/* The gradient of an If: an If with the same condition. (sonde-reverse-if.c) */
gboolean sonde_reverse_if (SondeReverse *reverse, SondeNode *node,
                           SondeGraphValue *const *output_gradients, GError **error);
/* The gradient of a Loop or Scan: a Scan over its iterations, the last first.
 * (sonde-reverse-loop.c) */
gboolean sonde_reverse_loop (SondeReverse *reverse, SondeNode *node,
                             SondeGraphValue *const *output_gradients, GError **error);

G_END_DECLS
