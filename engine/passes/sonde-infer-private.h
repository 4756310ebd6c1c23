/* SPDX-License-Identifier: Apache-2.0
 * Inference of one graph, and of the bodies in it. */
#pragma once

#include "engine/passes/sonde-passes.h"

G_BEGIN_DECLS

typedef struct _SondeTyping SondeTyping;

/**
 * SondeTyping:
 * @outer: (nullable): that of the enclosing graph
 * @depth: graphs around this one
 * @symbols: interned name -> pointer to gint64
 * @known: by value id: host value, owned
 */
struct _SondeTyping
{
  SondeGraph *graph;
  const SondeTyping *outer;
  guint depth;
  GHashTable *symbols;
  GPtrArray *known;
};

/* Types of all values that nodes make; those of inputs and captures are set. */
gboolean sonde_typing_run (SondeTyping *inference, GError **error);

/* Host value, as far as it is known; captures are looked up where they come from. (nullable)
 * (transfer none) */
SondeTensor *sonde_typing_known (const SondeTyping *inference, const SondeGraphValue *value);

/**
 * sonde_infer_bodies:
 * @known: (array): of the inputs of @node
 * @known_outputs: (out) (array): values of outputs that are known, new references
 *
 * Types of the values in @node's bodies. A body that cannot run with these types has unknown ones:
 * it may be the branch that is not taken. Errors: INVALID: graphs lie too deep in each other.
 */
gboolean sonde_infer_bodies (SondeTyping *inference, SondeNode *node, SondeTensor *const *known,
                             SondeTensor **known_outputs, GError **error);

G_END_DECLS
