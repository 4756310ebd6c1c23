/* SPDX-License-Identifier: Apache-2.0
 * A watch and what met it, as values. Setting and checking watches is engine/debug/sonde-watch.h. */
#pragma once

#include "data/base/sonde-message.h"

G_BEGIN_DECLS

/* Why a condition could not be checked; bits, 1 to 4 as in MindSpore's messages. */
typedef enum
{
  SONDE_UNCHECKED_NAN = 1 << 0,         /* NaN in the value */
  SONDE_UNCHECKED_INFINITY = 1 << 1,    /* infinity in the value */
  SONDE_UNCHECKED_NO_PREVIOUS = 1 << 2, /* there is no value of the step before */
  SONDE_UNCHECKED_MEMORY = 1 << 3,      /* the value cannot be had within the memory limit */
  SONDE_UNCHECKED_NO_HISTORY = 1 << 4,  /* nothing was kept of the value and that step */
} SondeUnchecked;

/* "NaN in value, infinity in value"; "" for 0. Returns: (transfer full) */
char *sonde_unchecked_to_string (guint unchecked);

/**
 * SondeWatchHit: one value that met a watch in one step, or could not be checked; strings are owned
 * @watch: its id
 * @step: as SondeStop.step
 * @node: the node that made the value; of a value that no node makes its own name
 * @value: of a weight that is updated: the weight, looked at after its update
 * @condition: "tensor_too_large", or the text of the expression
 * @parameter: what was compared: "max_gt", "non_finite", "absmax(x)"; (nullable) when it was not
 * checked
 * @threshold, @actual: of it
 * @unchecked: SondeUnchecked; 0 for a hit
 * @explanation: (nullable): of an expression: "absmax(x) = 12034 > 10000", or why it could not be
 * evaluated
 */
typedef struct
{
  guint watch;
  guint64 step;
  char *node;
  char *value;
  char *condition;
  char *parameter;
  double threshold, actual;
  guint unchecked;
  SondeMessage *explanation;
} SondeWatchHit;

SondeWatchHit *sonde_watch_hit_copy (const SondeWatchHit *hit);
void sonde_watch_hit_free (SondeWatchHit *hit);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (SondeWatchHit, sonde_watch_hit_free)

/**
 * SondeWatch: strings and @last are owned
 * @id: from 1, never reused, also not by a breakpoint
 * @text: the condition with what was given of its parameters, or the expression
 * @pattern: (nullable): which values; NULL: all of the condition's kind, or what the expression
 * names
 * @on_inputs: before the nodes that read the values, not after those that make them
 * @log_only: hits are counted and kept, the run does not stop
 * @hits: values that met it while it was enabled, ignored ones included
 * @ignore: hits still to be ignored
 * @unchecked: times it could not be checked
 * @n_values: values of the present plan that it looks at
 * @last: (nullable): its last hit
 */
typedef struct
{
  guint id;
  char *text;
  char *pattern;
  gboolean on_inputs;
  gboolean log_only;
  gboolean enabled;
  guint64 hits;
  guint64 ignore;
  guint64 unchecked;
  guint n_values;
  SondeWatchHit *last;
} SondeWatch;

SondeWatch *sonde_watch_copy (const SondeWatch *watch);
void sonde_watch_free (SondeWatch *watch);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (SondeWatch, sonde_watch_free)

G_END_DECLS
