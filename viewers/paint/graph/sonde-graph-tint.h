/* SPDX-License-Identifier: Apache-2.0
 * Colours of the boxes of a graph by a number or a kind of each node, in place of the families; and the
 * key that says what they mean. What does not live here: where the numbers come from (app/pages/graph). */
#pragma once

#include "viewers/paint/graph/sonde-graph-paint.h"

G_BEGIN_DECLS

/* An amount with its unit: “1.2 ms”. (transfer full) */
typedef char *(*SondeGraphFormat) (double value);

/* One kind: @hue: of sonde_theme_series(), -1: the theme's grey */
typedef struct
{
  char *title;
  int hue;
} SondeGraphKind;

/**
 * SondeGraphTint:
 * @graph: whose nodes they are; lent, never looked into: scenes of other graphs stay as they are
 * @title: of the key, “Time of a step”; owned
 * @format: of amounts; NULL: kinds
 * @kinds: SondeGraphKind; empty for amounts
 * @values: by node id: amounts from 0, or numbers of kinds; NaN: not known
 * @owners: by node id: nodes of one number other than 0 have one amount together, as parts of a fused step
 *   have, which a sum over them counts once
 * @ranks: (nullable): by node id, of kinds: a closed scope has the kind of the node of the highest rank; without
 *   them that which all its nodes have
 * @shares: (nullable): by node id, of kinds: part of the node that is of its kind, 0 to 1, which the fill shows; NaN:
 *   it has none
 */
typedef struct
{
  const SondeGraph *graph;
  char *title;
  SondeGraphFormat format;
  GArray *kinds;
  double *values;
  guint *owners;
  double *ranks, *shares;
  guint n_values;
} SondeGraphTint;

/* All values unknown. @format: (nullable). (transfer full) */
SondeGraphTint *sonde_graph_tint_new (const SondeGraph *graph, const char *title,
                                      SondeGraphFormat format);
void sonde_graph_tint_free (SondeGraphTint *tint); /* (nullable) */
G_DEFINE_AUTOPTR_CLEANUP_FUNC (SondeGraphTint, sonde_graph_tint_free)

/* The number of the kind of that title, which is added where it is new; hues are given out in turn where
 * @hue is below -1. */
guint sonde_graph_tint_add_kind (SondeGraphTint *tint, const char *title, int hue);

/* A node of a kind with a rank; the tint has ranks and shares from the first one on. @share: NaN: none */
void sonde_graph_tint_set_ranked (SondeGraphTint *tint, guint node, guint kind, double rank,
                                  double share);

/* Whether any node has a value. */
gboolean sonde_graph_tint_tells (const SondeGraphTint *tint);

/**
 * SondeGraphShades: a tint on the boxes of one scene
 * @tint: lent
 * @values: by box; of a closed scope the sum, or the kind that all its nodes have or the worst of them has; NaN:
 *   not known, and for what is neither
 * @shares: (nullable): by box, where the tint has them
 * @high: the greatest amount of them, the end of the key; 0 of kinds
 * @has_unknown: some node has no value
 */
struct _SondeGraphShades
{
  const SondeGraphTint *tint;
  double *values, *shares;
  guint n_boxes;
  double high;
  gboolean has_unknown;
};

/* NULL for a scene of another graph. */
SondeGraphShades *sonde_graph_shades_new (const SondeGraphTint *tint, const SondeGraphScene *scene);
void sonde_graph_shades_free (SondeGraphShades *shades); /* (nullable) */
G_DEFINE_AUTOPTR_CLEANUP_FUNC (SondeGraphShades, sonde_graph_shades_free)

/* Fill of a box; what stands on it is @ink, which is black or white, whichever is easier to read. */
SondeColor sonde_graph_shades_get_fill (const SondeGraphShades *shades, const SondeTheme *theme,
                                        guint box, SondeColor *ink);
/* “Time of a step: 1.2 ms”, “Last recorded values: zero, 62 %”. (transfer full) */
char *sonde_graph_shades_describe_box (const SondeGraphShades *shades, guint box);
/* “Time of a step, 0 ns to 1.2 ms”. (transfer full) */
char *sonde_graph_shades_describe (const SondeGraphShades *shades);

/* The key: title, then a bar with its ends, or the kinds that are there; grey for what is not known.
 * Widget px, @x, @y: upper left corner. */
void sonde_paint_graph_key (cairo_t *cr, const SondeTheme *theme, const SondeGraphShades *shades,
                            double x, double y);
void sonde_graph_key_get_size (const SondeGraphShades *shades, double *width, double *height);

G_END_DECLS
