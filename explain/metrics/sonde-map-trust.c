/* SPDX-License-Identifier: Apache-2.0
 * Thresholds of the checks. */
#include "explain/metrics/sonde-map-trust.h"

#include "data/base/sonde-text.h"

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
  return first == 0 ? _ ("The map is zero everywhere: according to this method, no pixel supports "
                         "or contradicts the class.")
                    : _ ("The map has the same value everywhere: according to this method, all "
                         "pixels count alike.");
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

  add_line (lines, _ ("Faithfulness"), state,
            isnan (above) ? g_strdup (_ ("not checked"))
                          : g_strdup_printf (_ ("%.3f, random order %.3f"), rating->faithfulness,
                                             rating->faithfulness_random),
            _ ("Pixels are deleted and inserted in the order of the map, in 32 steps. The value is "
               "the area under the insertion curve minus the area under the deletion curve, from "
               "−1 to 1. A map that does not beat a random order highlights nothing relevant."));
  return state;
}

static SondeState
add_randomisation (GPtrArray *lines, const SondeMapRating *rating)
{
  SondeState state = judge_rising (-rating->randomisation, -SIMILAR, -VERY_SIMILAR);

  if (rating->randomisation == SIMILAR)
    state = SONDE_STATE_OK;
  add_line (lines, _ ("Randomisation check"), state,
            isnan (rating->randomisation)
                ? g_strdup (_ ("not checked"))
                : g_strdup_printf (_ ("similarity %.3f"), rating->randomisation),
            _ ("The weights of the layers are permuted from the output downwards. The value is the "
               "Spearman rank correlation of the magnitudes with the maps of the last half of the "
               "stages. Near 1, the map does not depend on what the network learnt."));
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

  add_line (lines, _ ("Completeness"), state,
            isnan (gap) ? g_strdup (_ ("not guaranteed by this method"))
                        : g_strdup_printf (_ ("gap %.4g (%.2g %% of the score)"), gap, share),
            _ ("The sum of the map minus the change of the score from the baseline. Methods that "
               "guarantee completeness should leave no gap; more steps reduce it."));
  return state;
}

static SondeState
add_agreement (GPtrArray *lines, const SondeMapRating *rating)
{
  SondeState state = judge_rising (rating->agreement, AGREES - 1e-12, 0);

  add_line (lines, _ ("Agreement"), state,
            isnan (rating->agreement) ? g_strdup (_ ("not checked"))
                                      : g_strdup_printf ("%.3f", rating->agreement),
            _ ("The mean Spearman rank correlation of the magnitudes with three other methods. Low "
               "agreement does not show which method is wrong."));
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
  = { N_ ("Empty"), N_ ("The map is the same everywhere and carries no information."),
      SONDE_STATE_IDLE },
  [SONDE_TRUST_UNCHECKED]
  = { N_ ("Reliability unchecked"), N_ ("The checks of this map have not been computed yet."),
      SONDE_STATE_IDLE },
  [SONDE_TRUST_DOUBTFUL]
  = { N_ ("Doubtful"), N_ ("A check failed: do not draw conclusions from this map alone."),
      SONDE_STATE_ERROR },
  [SONDE_TRUST_MIXED]
  = { N_ ("Mixed"), N_ ("No check failed outright, but not all passed."), SONDE_STATE_PAUSED },
  [SONDE_TRUST_GOOD]
  = { N_ ("Holds up"),
      N_ ("The map highlights what matters for the output and depends on what the network learnt."),
      SONDE_STATE_OK },
};

const char *
sonde_trust_get_word (SondeTrust trust)
{
  return _ (trusts[trust].word);
}

const char *
sonde_trust_get_sentence (SondeTrust trust)
{
  return _ (trusts[trust].sentence);
}

SondeState
sonde_trust_get_state (SondeTrust trust)
{
  return trusts[trust].state;
}
