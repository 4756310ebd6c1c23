/* SPDX-License-Identifier: Apache-2.0
 * Shared by the files of SondeLowering. */
#pragma once

#include "data/models/lowering/sonde-lowering.h"

G_BEGIN_DECLS

/* A node of the source that is open. @node: lent by the conversion; @scope: (nullable): interned;
 * @marked: its @how was said. */
typedef struct
{
  SondeConvertedNode *node;
  char *place;
  const char *scope;
  gboolean marked;
} SondeOpenSource;

/**
 * SondeLowering:
 * @graphs: (element-type SondeGraph): the root, then the subgraphs that are being built; owned
 * @open: (element-type SondeOpenSource): from the outermost
 * @named: set of SondeGraphValue that stand for a value of the source by their name
 * @first: @last: twins: value -> its twin with channels first; with channels last
 * @numbers: value -> what is known of its integers, see sonde-lowering-numbers.c
 */
struct _SondeLowering
{
  char *path;
  SondeModelOptions options;
  SondeConversion *conversion;
  GPtrArray *graphs;
  GArray *open;
  GHashTable *named;
  GHashTable *first, *last;
  GHashTable *numbers;
  GError *error;
};

/* The node of the source that is open, NULL outside of all. */
SondeOpenSource *sonde_lowering_get_open (const SondeLowering *lowering);
/* Whether @value is one of the current graph, not of an enclosing one. */
gboolean sonde_lowering_owns (const SondeLowering *lowering, const SondeGraphValue *value);
/* @value in the current graph: itself, or what captures it. (nullable) of NULL */
SondeGraphValue *sonde_lowering_reach (SondeLowering *lowering, SondeGraphValue *value);
/* A node that conversion adds: a change of layout, a name. */
SondeGraphValue *sonde_lowering_insert (SondeLowering *lowering, const char *op,
                                        SondeGraphValue *value);

G_END_DECLS
