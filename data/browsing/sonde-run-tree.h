/* SPDX-License-Identifier: Apache-2.0
 * Runs as a tree by the folders in their names, as list models. */
#pragma once

#include "data/browsing/sonde-run-subset.h"

G_BEGIN_DECLS

#define SONDE_TYPE_RUN_NODE (sonde_run_node_get_type ())
G_DECLARE_FINAL_TYPE (SondeRunNode, sonde_run_node, SONDE, RUN_NODE, GObject)

/* The node's own part of the name: "seed-1" of "lr-0.1/seed-1". */
const char *sonde_run_node_get_label (SondeRunNode *node);
SondeRun *sonde_run_node_get_run (SondeRunNode *node); /* (nullable): NULL is a folder */
/* Model of SondeRunNode; empty for a leaf. (transfer none) */
GListModel *sonde_run_node_get_children (SondeRunNode *node);

/* What a run is called: its name, or what a person called it. (transfer none) */
typedef const char *(*SondeRunTitleFunc) (SondeRun *run, void *user_data);

/**
 * sonde_run_tree_update:
 * @roots: store of SondeRunNode, changed only where the tree differs, so that a list keeps its
 * place
 * @runs: of SondeRun
 * @matches, @title: with @user_data
 *
 * Brings @roots to those of @runs that match.
 */
void sonde_run_tree_update (GListStore *roots, GListModel *runs, SondeRunFunc matches,
                            SondeRunTitleFunc title, void *user_data);

G_END_DECLS
