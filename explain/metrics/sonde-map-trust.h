/* SPDX-License-Identifier: Apache-2.0
 * Verdict on a map from the numbers of its rating, in words. What does not live here: how they are
 * computed (explain/session). */
#pragma once

#include "data/explanations/sonde-attribution-map.h"
#include "viewers/paint/sonde-theme.h"

G_BEGIN_DECLS

/* From worst to best. */
typedef enum
{
  SONDE_TRUST_EMPTY, /* zero or the same everywhere: there is nothing to trust */
  SONDE_TRUST_UNCHECKED,
  SONDE_TRUST_DOUBTFUL,
  SONDE_TRUST_MIXED,
  SONDE_TRUST_GOOD,
} SondeTrust;

/**
 * SondeTrustLine: one number
 * @state: OK, PAUSED (neither good nor bad), ERROR, IDLE (not known)
 * @meaning: a sentence on what it says and how it was made
 */
typedef struct
{
  SondeState state;
  const char *title, *meaning;
  char *value;
} SondeTrustLine;

void sonde_trust_line_free (SondeTrustLine *line);

/**
 * sonde_map_trust_judge:
 * @lines: (out) (optional) (transfer full) (element-type SondeTrustLine)
 *
 * Faithfulness: above the random order by more than 0.02 is good, below it bad. Randomisation:
 * similarity ≤ 0.3 good, > 0.6 bad.
 * Completeness: a gap of ≤ 1 % of the score (or 1e-4 of 1 + |score|) good, > 20 % bad. Agreement: ≥
 * 0.3 good, < 0 bad.
 * Doubtful: faithfulness or randomisation is bad; good: nothing is bad and faithfulness and
 * randomisation are good.
 */
SondeTrust sonde_map_trust_judge (const SondeAttributionMap *map, GPtrArray **lines);

const char *sonde_trust_get_word (SondeTrust trust); /* "Holds up" */
const char *sonde_trust_get_sentence (SondeTrust trust);
SondeState sonde_trust_get_state (SondeTrust trust);

/* Zero everywhere, or one value everywhere: a sentence (static); NULL: neither. */
const char *sonde_map_describe_emptiness (const SondeTensor *map);

G_END_DECLS
