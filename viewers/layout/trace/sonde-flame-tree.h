/* SPDX-License-Identifier: Apache-2.0
 * The tree of calls of a trace: what ran inside what, equal paths as one, the widest first. Of spans it
 * is made of their time, of sampled stacks of their weight. */
#pragma once

#include "viewers/layout/trace/sonde-timeline-index.h"

G_BEGIN_DECLS

/* Paths, those that are met first; the time of others stays with what called them, in the end the root. */
#define SONDE_FLAME_MAX_NODES 1000000u

/**
 * SondeFlameNode:
 * @name: lent by the trace; NULL of the root
 * @parent: index, less than its own; SONDE_TRACE_NONE of the root
 * @start: where it begins: sums of what stands to its left; children lie inside their parent
 * @total, @self: ns, or samples
 * @n: spans, or 0 of samples
 */
typedef struct
{
  const char *name;
  guint32 parent, depth;
  gint64 start, total, self;
  guint64 n;
} SondeFlameNode;

/**
 * SondeFlameTree:
 * @nodes: SondeFlameNode, by depth, there by start; [0] is the root
 * @depths: guint32: first node of each depth, and behind the last one their number
 * @is_samples: whether weights are samples and not ns
 */
typedef struct
{
  GArray *nodes;
  GArray *depths;
  gboolean is_samples;
} SondeFlameTree;

/**
 * sonde_flame_tree_new:
 * @by_thread: whether threads stand below the root; else equal paths of all threads are one
 * @cancelled: as of sonde_span_walk()
 *
 * Of the spans in [start, end). Returns: (transfer full) (nullable): NULL when it was cancelled.
 */
SondeFlameTree *sonde_flame_tree_new (const SondeTimelineIndex *index, gint64 start_ns,
                                      gint64 end_ns, gboolean by_thread, const int *cancelled);

typedef enum
{
  SONDE_FLAME_FRAME,
  SONDE_FLAME_STEP,     /* all of these are one frame */
  SONDE_FLAME_LEFT_OUT, /* with what is inside it */
} SondeFlameKind;

/* @kinds: (nullable): SondeFlameKind of each label of the trace */
SondeFlameTree *sonde_flame_tree_new_of_kinds (const SondeTimelineIndex *index, gint64 start_ns,
                                               gint64 end_ns, gboolean by_thread,
                                               const guint8 *kinds, const int *cancelled);
/* Of the sampled stacks of a trace. (transfer full) */
SondeFlameTree *sonde_flame_tree_new_from_samples (const SondeTrace *trace);
/* @nodes: (transfer full): the root first, parents before children, of which name, parent, depth, self and n are
 * known. (transfer full) */
SondeFlameTree *sonde_flame_tree_new_from_nodes (GArray *nodes);
void sonde_flame_tree_free (SondeFlameTree *tree); /* (nullable) */
G_DEFINE_AUTOPTR_CLEANUP_FUNC (SondeFlameTree, sonde_flame_tree_free)

static inline const SondeFlameNode *
sonde_flame_tree_get (const SondeFlameTree *tree, guint32 node)
{
  return &g_array_index (tree->nodes, SondeFlameNode, node);
}

static inline guint
sonde_flame_tree_count_depths (const SondeFlameTree *tree)
{
  return tree->depths->len - 1;
}

/* Of a depth the first node that ends behind @at, as an index of all nodes; the end of the depth when there
 * is none. */
guint32 sonde_flame_tree_find (const SondeFlameTree *tree, guint depth, double at);

G_END_DECLS
