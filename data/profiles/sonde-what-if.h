/* SPDX-License-Identifier: Apache-2.0
 * What a step would take if a node cost nothing: the result of running it in turn as it is and with that
 * node's outputs given from memory. */
#pragma once

#include <glib.h>

G_BEGIN_DECLS

/* Runs of each side, at least. */
#define SONDE_WHAT_IF_RUNS 20

/**
 * SondeWhatIf:
 * @node: what was asked for
 * @nodes: (array zero-terminated=1): original nodes of its fused group
 * @n_runs: of each side, and @n_left_out more, in which other programs took the processor
 * @base_ns, @without_ns: medians of the interleaved runs; what is saved is their difference
 * @low_ns, @high_ns: what is saved lies between them in 95 of 100 measurements
 * @p: of sonde_rank_test() over the two series
 * @disturbed: other programs took the processor in nearly all runs, and none is left out: the numbers are
 *   those of the machine as busy as it was
 */
typedef struct
{
  const char *node;
  const char *const *nodes;
  guint n_runs, n_left_out;
  double base_ns, without_ns, low_ns, high_ns, p;
  gboolean disturbed;
} SondeWhatIf;

/**
 * sonde_what_if_estimate:
 * @base, @without: (array length=n): ns, in the order in which they were measured, in pairs
 * @n: at least SONDE_WHAT_IF_RUNS
 *
 * Fills in the numbers of @what_if. The interval is that of a mean by Student's t over blocks of
 * successive pairs, each with its own difference of medians: what slows the machine for a while
 * makes it wider, as it would not if single runs were taken for independent.
 */
void sonde_what_if_estimate (SondeWhatIf *what_if, const double *base, const double *without,
                             guint n);

/* Whether the interval tells the saving to within @share of it. */
gboolean sonde_what_if_is_narrow (const SondeWhatIf *what_if, double share);

/* Whether anything can be told from noise: p < 0.01, and the interval leaves out 0. */
gboolean sonde_what_if_is_significant (const SondeWhatIf *what_if);

G_END_DECLS
