/* SPDX-License-Identifier: Apache-2.0
 * What a step would take if a node cost nothing: the result of running it in turn as it is and with that
 * node's outputs given from memory. */
#pragma once

#include <glib.h>

G_BEGIN_DECLS

/**
 * SondeWhatIf:
 * @node: what was asked for
 * @nodes: (array zero-terminated=1): original nodes of its fused group
 * @base_ns, @without_ns: medians of the interleaved runs
 * @p: of sonde_rank_test() over the two series
 */
typedef struct
{
  const char *node;
  const char *const *nodes;
  double base_ns, without_ns, p;
} SondeWhatIf;

G_END_DECLS
