/* SPDX-License-Identifier: Apache-2.0
 * Thresholds of the checks. */
#include "explain/metrics/sonde-map-trust.h"

#include <math.h>

#define FAITHFUL 0.02
#define SIMILAR 0.3
#define VERY_SIMILAR 0.6
#define COMPLETE 0.01
#define INCOMPLETE 0.2
#define AGREES 0.3

void
sonde_trust_line_free (SondeTrustLine *line)
{
  g_free (line->value);
  g_free (line);
}

const char *
sonde_map_describe_emptiness (const SondeTensor *map)
{
  gint64 n = sonde_tensor_n_elements (map);
  double first = n > 0 ? sonde_tensor_get_double (map, 0) : 0;

  for (gint64 i = 1; i < n; i++)
    if (sonde_tensor_get_double (map, i) != first)
      return NULL;
  return first == 0 ? "Zero everywhere: by this method no pixel supports or contradicts the class."
                    : "The same value everywhere: by this method all pixels count alike.";
}

static SondeState
judge_rising (double value, double good, double bad)
{
  return isnan (value)  ? SONDE_STATE_IDLE
         : value > good ? SONDE_STATE_OK
         : value < bad  ? SONDE_STATE_ERROR
                        : SONDE_STATE_PAUSED;
}

static SondeTrustLine *
add_line (GPtrArray *lines, const char *title, SondeState state, char *value, const char *meaning)
{
  SondeTrustLine *line = g_new0 (SondeTrustLine, 1);

  line->title = title;
  line->state = state;
  line->value = value;
  line->meaning = meaning;
  g_ptr_array_add (lines, line);
  return line;
}

static SondeState
add_faithfulness (GPtrArray *lines, const SondeMapRating *rating)
{
  double above = rating->faithfulness - rating->faithfulness_random;
  SondeState state = judge_rising (above, FAITHFUL, 0);

  add_line (lines, "Faithfulness", state,
            isnan (above) ? g_strdup ("not checked")
                          : g_strdup_printf ("%.3f, random order %.3f", rating->faithfulness,
                                             rating->faithfulness_random),
            "Pixels are deleted and inserted in the order of the map, in 32 steps. Area under the "
            "insertion curve less that "
            "under the deletion curve, from −1 to 1. A map that is not above a random order points "
            "at nothing that counts.");
  return state;
}

static SondeState
add_randomisation (GPtrArray *lines, const SondeMapRating *rating)
{
  SondeState state = judge_rising (-rating->randomisation, -SIMILAR, -VERY_SIMILAR);

  if (rating->randomisation == SIMILAR)
    state = SONDE_STATE_OK;
  add_line (
      lines, "Randomisation check", state,
      isnan (rating->randomisation) ? g_strdup ("not checked")
                                    : g_strdup_printf ("similarity %.3f", rating->randomisation),
      "The layers' weights are permuted from the output downward. Spearman rank correlation of "
      "the magnitudes with the maps of the last half. Near 1 the map does not depend on what "
      "the network learnt.");
  return state;
}

static SondeState
add_gap (GPtrArray *lines, const SondeAttributionMap *map)
{
  double gap = fabs (map->rating.gap),
         allowed = fmax (COMPLETE * fabs (map->score), 1e-4 * (1 + fabs (map->score)));
  double share = map->score != 0 ? 100 * gap / fabs (map->score) : NAN;
  SondeState state = isnan (gap)                            ? SONDE_STATE_IDLE
                     : gap <= allowed                       ? SONDE_STATE_OK
                     : gap > INCOMPLETE * fabs (map->score) ? SONDE_STATE_ERROR
                                                            : SONDE_STATE_PAUSED;

  add_line (lines, "Completeness", state,
            isnan (gap) ? g_strdup ("not promised by this method")
                        : g_strdup_printf ("gap %.4g (%.2g %% of the score)", gap, share),
            "Sum of the map less the change of the score from the baseline. Methods that promise "
            "completeness should leave no "
            "gap; more steps make it smaller.");
  return state;
}

static SondeState
add_agreement (GPtrArray *lines, const SondeMapRating *rating)
{
  SondeState state = judge_rising (rating->agreement, AGREES - 1e-12, 0);

  add_line (lines, "Agreement", state,
            isnan (rating->agreement) ? g_strdup ("not checked")
                                      : g_strdup_printf ("%.3f", rating->agreement),
            "Mean Spearman rank correlation of the magnitudes with three other methods. Low "
            "agreement does not "
            "say which one is wrong.");
  return state;
}

SondeTrust
sonde_map_trust_judge (const SondeAttributionMap *map, GPtrArray **lines)
{
  g_autoptr (GPtrArray) all
      = g_ptr_array_new_with_free_func ((GDestroyNotify) sonde_trust_line_free);
  SondeState faithful = add_faithfulness (all, &map->rating),
             random = add_randomisation (all, &map->rating);
  SondeState gap = add_gap (all, map), agrees = add_agreement (all, &map->rating);

  if (lines != NULL)
    *lines = g_steal_pointer (&all);
  if (map->map != NULL && sonde_map_describe_emptiness (map->map) != NULL)
    return SONDE_TRUST_EMPTY;
  if (faithful == SONDE_STATE_IDLE && random == SONDE_STATE_IDLE)
    return SONDE_TRUST_UNCHECKED;
  if (faithful == SONDE_STATE_ERROR || random == SONDE_STATE_ERROR)
    return SONDE_TRUST_DOUBTFUL;
  if (faithful == SONDE_STATE_OK && random == SONDE_STATE_OK && gap != SONDE_STATE_ERROR
      && agrees != SONDE_STATE_ERROR)
    return SONDE_TRUST_GOOD;
  return SONDE_TRUST_MIXED;
}

static const struct
{
  const char *word, *sentence;
  SondeState state;
} trusts[] = {
  [SONDE_TRUST_EMPTY]
  = { "Empty", "The map is the same everywhere; there is nothing to trust.", SONDE_STATE_IDLE },
  [SONDE_TRUST_UNCHECKED]
  = { "Not checked", "The checks of this map have not been computed yet.", SONDE_STATE_IDLE },
  [SONDE_TRUST_DOUBTFUL]
  = { "Doubtful", "A check failed: do not draw conclusions from this map alone.",
      SONDE_STATE_ERROR },
  [SONDE_TRUST_MIXED]
  = { "Mixed", "No check failed outright, and not all passed.", SONDE_STATE_PAUSED },
  [SONDE_TRUST_GOOD]
  = { "Holds up",
      "It highlights what matters for the output, and it depends on what the network learnt.",
      SONDE_STATE_OK },
};

const char *
sonde_trust_get_word (SondeTrust trust)
{
  return trusts[trust].word;
}

const char *
sonde_trust_get_sentence (SondeTrust trust)
{
  return trusts[trust].sentence;
}

SondeState
sonde_trust_get_state (SondeTrust trust)
{
  return trusts[trust].state;
}
