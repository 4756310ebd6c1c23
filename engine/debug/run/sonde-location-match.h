/* SPDX-License-Identifier: Apache-2.0
 * Which nodes and steps a pattern means: names, values, globs, operators, scopes. Looks at graphs and
 * steps alone. */
#pragma once

#include "engine/plan/sonde-plan.h"

G_BEGIN_DECLS

typedef enum
{
  SONDE_MATCH_NODE,  /* a node's name */
  SONDE_MATCH_VALUE, /* the name of a value it makes */
  SONDE_MATCH_GLOB,  /* either */
  SONDE_MATCH_OP,    /* a glob over operators */
} SondeMatchKind;

gboolean sonde_match_is_glob (const char *pattern);
gboolean sonde_match_node (const SondeNode *node, const char *pattern, SondeMatchKind kind);
/* A step without nodes, as a reorder, has only its own name. */
gboolean sonde_match_step (const SondeStep *step, const char *pattern, SondeMatchKind kind);
/* The outermost part of @scope that @glob matches, of its length in *@length; NULL when none
 * does. */
const char *sonde_match_scope (const char *scope, const char *glob, gsize *length);

/* Number of nodes inside bodies of @graph, of theirs, and so on, that @pattern matches. */
guint sonde_match_count_inside (const SondeGraph *graph, const char *pattern);
/* A node inside a body that @pattern matches makes the value @name. */
gboolean sonde_match_makes_inside (const SondeGraph *graph, const char *pattern, const char *name);

/* The name of a node or value of @graph that is nearest to @text. (nullable) */
const char *sonde_nearest_in_graph (const char *text, const SondeGraph *graph);

G_END_DECLS
