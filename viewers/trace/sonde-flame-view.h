/* SPDX-License-Identifier: Apache-2.0
 * The flame graph of a trace, hanging from its root. Its selection is a node of the tree; a double press
 * on one makes it as wide as the view. */
#pragma once

#include "viewers/layout/trace/sonde-flame-difference.h"
#include "viewers/trace/sonde-trace-view.h"

G_BEGIN_DECLS

#define SONDE_TYPE_FLAME_VIEW (sonde_flame_view_get_type ())
G_DECLARE_FINAL_TYPE (SondeFlameView, sonde_flame_view, SONDE, FLAME_VIEW, SondeTraceView)

GtkWidget *sonde_flame_view_new (void);

/* @tree: (transfer full) (nullable); its names live as long as @owner, which the view holds */
void sonde_flame_view_set_tree (SondeFlameView *view, SondeFlameTree *tree, GObject *owner);
/* (nullable) (transfer none) */
const SondeFlameTree *sonde_flame_view_get_tree (SondeFlameView *view);

/* What is looked for in the names, in any case; NULL or "": nothing. */
void sonde_flame_view_set_search (SondeFlameView *view, const char *text);

/* "conv2d: 12.3 ms, 45.2 % of all; self 3.1 ms, 40 calls". (transfer full) */
char *sonde_flame_view_dup_sentence (SondeFlameView *view, guint32 node);

/* A comparison in place of a tree. @owner: (nullable): what its names live as long as. (transfer full) @difference */
void sonde_flame_view_set_difference (SondeFlameView *view, SondeFlameDifference *difference,
                                      GObject *owner);

/* Names from below the root to @node; "" of the root. (transfer full) */
char *sonde_flame_view_dup_path (SondeFlameView *view, guint32 node, const char *separator);

G_END_DECLS
