/* SPDX-License-Identifier: Apache-2.0
 * Runs as a tree by the folders in their names, as list models. */
#pragma once

#include "data/browsing/sonde-run-subset.h"

G_BEGIN_DECLS

#define SONDE_TYPE_RUN_NODE (sonde_run_node_get_type ())
G_DECLARE_FINAL_TYPE (SondeRunNode, sonde_run_node, SONDE, RUN_NODE, GObject)

/* Signal "changed" (): label or counts are others. */

/* The node's own part of the name, "seed-1" of "lr-0.1/seed-1", or what a person called the run. */
const char *sonde_run_node_get_label (SondeRunNode *node);
/* (nullable): NULL is a folder that is no run; a run may have others below it */
SondeRun *sonde_run_node_get_run (SondeRunNode *node);
/* Model of SondeRunNode; empty for a leaf. (transfer none) */
GListModel *sonde_run_node_get_children (SondeRunNode *node);
/* Runs of the node and below it, and how many of them are shown. */
guint sonde_run_node_get_n_runs (SondeRunNode *node);
guint sonde_run_node_get_n_shown (SondeRunNode *node);
/* Those runs, in the order of the tree, after what @runs holds. (element-type SondeRun), referenced */
void sonde_run_node_collect (SondeRunNode *node, GPtrArray *runs);

/* What a run is called: its name, or what a person called it. (transfer none) */
typedef const char *(*SondeRunTitleFunc) (SondeRun *run, void *user_data);

/**
 * SondeRunTreeLook: how a tree looks at a run; all with @user_data
 * @matches: it stands in the tree
 * @shown: it is counted as shown
 * @pinned: (nullable): it stands before all others, under its whole name and nowhere else
 * @title: what it is called
 */
typedef struct
{
  SondeRunFunc matches, shown, pinned;
  SondeRunTitleFunc title;
  void *user_data;
} SondeRunTreeLook;

/**
 * sonde_run_tree_update:
 * @roots: store of SondeRunNode, changed only where the tree differs, so that a list keeps its
 * place
 * @runs: of SondeRun; the order among the children of a node is theirs
 *
 * Brings @roots to those of @runs that match. A run that has the name of a folder of others is one
 * node with them.
 */
void sonde_run_tree_update (GListStore *roots, GListModel *runs, const SondeRunTreeLook *look);

G_END_DECLS
