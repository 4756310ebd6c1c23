/* SPDX-License-Identifier: Apache-2.0
 * Runs as a tree by the folders in their names, as list models for the sidebar. */
#pragma once

#include "app/workspace/sonde-workspace.h"

G_BEGIN_DECLS

#define SONDE_TYPE_RUN_NODE (sonde_run_node_get_type ())
G_DECLARE_FINAL_TYPE (SondeRunNode, sonde_run_node, SONDE, RUN_NODE, GObject)

/* The node's own part of the name: "seed-1" of "lr-0.1/seed-1". */
const char *sonde_run_node_get_label (SondeRunNode *node);
SondeRun *sonde_run_node_get_run (SondeRunNode *node); /* (nullable): NULL is a folder */
/* Model of SondeRunNode; empty for a leaf. (transfer none) */
GListModel *sonde_run_node_get_children (SondeRunNode *node);

/**
 * sonde_run_tree_update:
 * @roots: store of SondeRunNode, changed only where the tree differs, so that a list keeps its
 * place
 *
 * Brings @roots to the runs of @workspace that match its filter.
 */
void sonde_run_tree_update (GListStore *roots, SondeWorkspace *workspace);

G_END_DECLS
