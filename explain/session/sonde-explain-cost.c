/* SPDX-License-Identifier: Apache-2.0
 * What maps will cost, by the passes that their methods make. */
#include <math.h>

#include "explain/attribution/sonde-attribution-spec.h"
#include "explain/metrics/sonde-evaluation.h"
#include "explain/session/sonde-explain-types.h"

#define MOST_EXACT 12 /* segments of which Shapley values are exact, see sonde-shapley.c */

/* Windows along a side. */
static double
count_windows (gint64 side, gint64 window, gint64 stride)
{
  return 1.0 + ceil ((double) MAX (side - window, 0) / (double) MAX (stride, 1));
}

static double
count_occlusion (const SondeExplainInfo *info, const SondeAttributionSpec *spec)
{
  gint64 side = MAX (MIN (info->height, info->width) / 12, 2), width = side, height = side, x, y;

  if (sonde_attribution_spec_get (spec, "window") != NULL)
    sonde_attribution_spec_get_size (spec, "window", &width, &height);
  x = MAX (width / 2, 1);
  y = MAX (height / 2, 1);
  if (sonde_attribution_spec_get (spec, "stride") != NULL)
    sonde_attribution_spec_get_size (spec, "stride", &x, &y);
  return 2.0 + count_windows (info->width, width, x) * count_windows (info->height, height, y);
}

static double
count_segments (const SondeExplainInfo *info, const SondeAttributionSpec *spec)
{
  gint64 rows = (info->height + 3) / 4, columns = (info->width + 3) / 4;

  if (sonde_attribution_spec_get (spec, "grid") != NULL)
    sonde_attribution_spec_get_size (spec, "grid", &rows, &columns);
  else if (sonde_attribution_spec_has (spec, "n") || MIN (info->height, info->width) >= 96)
    return (double) sonde_attribution_spec_get_count (spec, "n");
  return (double) rows * (double) columns;
}

/* What a method does. */
typedef enum
{
  ONCE,    /* one pass back */
  STEPS,   /* one back for each of its steps */
  SAMPLES, /* one back for each of its samples */
  FORWARD, /* one forward for each of its samples */
  WINDOWS,
  SEGMENTS,
  SUBSETS, /* 2 M + 2048, or its samples */
  ORDERS,  /* 2^M, or M for each of its samples */
  UNKNOWN, /* as many as the layer has channels */
} Passes;

static const struct
{
  const char *method;
  Passes passes;
} rows[] = {
  { "integrated-gradients", STEPS }, { "smoothgrad", SAMPLES },
  { "smoothgrad-sq", SAMPLES },      { "vargrad", SAMPLES },
  { "expected-gradients", SAMPLES }, { "rise", FORWARD },
  { "rise-plus", FORWARD },          { "lime", FORWARD },
  { "occlusion", WINDOWS },          { "feature-ablation", SEGMENTS },
  { "kernelshap", SUBSETS },         { "shapley", ORDERS },
  { "scorecam", UNKNOWN },           { "ablationcam", UNKNOWN },
};

static double
count_of (const SondeAttributionSpec *spec, const char *key, double otherwise)
{
  const char *text = sonde_attribution_spec_get (spec, key);

  return text != NULL && g_ascii_isdigit (*text)
             ? (double) sonde_attribution_spec_get_count (spec, key)
             : otherwise;
}

static double
estimate_one (const SondeExplainInfo *info, const SondeAttributionSpec *spec)
{
  const char *name = sonde_attribution_spec_get_method (spec)->name;
  double forward = info->forward_seconds, backward = info->backward_seconds, m = 0;
  Passes passes = ONCE;

  for (gsize i = 0; i < G_N_ELEMENTS (rows); i++)
    if (g_str_equal (rows[i].method, name))
      passes = rows[i].passes;
  if (passes == SEGMENTS || passes == SUBSETS || passes == ORDERS)
    m = count_segments (info, spec);
  switch (passes)
    {
    case STEPS:
      return count_of (spec, "steps", 50) * backward;
    case SAMPLES:
      return count_of (spec, "samples", 1) * backward;
    case FORWARD:
      return count_of (spec, "samples", 1000) * forward;
    case WINDOWS:
      return count_occlusion (info, spec) * forward;
    case SEGMENTS:
      return (m + 1) * forward;
    case SUBSETS:
      return count_of (spec, "samples", 2 * m + 2048) * forward;
    case ORDERS:
      return (m <= MOST_EXACT ? exp2 (m) : count_of (spec, "samples", 26) * m) * forward;
    case UNKNOWN:
      return NAN;
    case ONCE:
    default:
      return backward;
    }
}

double
sonde_explain_estimate_maps (const SondeExplainInfo *info, const char *text, guint n)
{
  g_autoptr (SondeAttributionSpec) spec = sonde_attribution_spec_parse (text, NULL);

  return spec != NULL ? n * estimate_one (info, spec) : NAN;
}

/* ---- other work ---------------------------------------------------------- */

#define CONTROL_MAPS 2    /* random and centre, which each metric scores, too */
#define TRIAGE_PASSES 4   /* forward passes an error costs beside its gradient, about */
#define PAIR_SECONDS 5e-9 /* comparing the features of two samples, about */

/* @forward: passes for each map; @maps: maps made again for each, of @most samples at most (0:
 * all). Others cost nothing that counts. */
static const struct
{
  const char *metric;
  guint forward, maps, most;
} costs[] = {
  { "deletion", 64, 0, 0 },
  { "insertion", 64, 0, 0 },
  { "naive-faithfulness", 32, 0, 0 },
  { "faithfulness", 100, 0, 0 },
  { "infidelity", 1000, 0, 0 },
  { "max-sensitivity", 0, 10, 0 },
  { "robustness", 10, 10, 0 },
  { "class-sensitivity", 0, 1, 0 },
  { "randomisation", 0, 16, SONDE_EVALUATION_CHECKED },
};

double
sonde_explain_estimate_metrics (const SondeExplainInfo *info, const char *const *specs,
                                const char *metrics, guint samples)
{
  g_auto (GStrv) names = g_strsplit (metrics, ",", -1);
  double seconds = 0, forward = 0, controls = 0;

  for (gsize s = 0; specs[s] != NULL; s++)
    seconds += sonde_explain_estimate_maps (info, specs[s], samples);
  for (gsize c = 0; c < G_N_ELEMENTS (costs); c++)
    {
      guint n = costs[c].most > 0 ? MIN (samples, costs[c].most) : samples;

      if (!g_strv_contains ((const char *const *) names, costs[c].metric))
        continue;
      for (gsize s = 0; specs[s] != NULL; s++)
        {
          forward += (double) costs[c].forward * n;
          seconds += costs[c].maps > 0
                         ? sonde_explain_estimate_maps (info, specs[s], costs[c].maps * n)
                         : 0;
        }
      controls += (double) CONTROL_MAPS * costs[c].forward * n;
    }
  return seconds + (forward + controls) * info->forward_seconds;
}

double
sonde_explain_estimate_triage (const SondeExplainInfo *info, guint n_samples, guint n_errors)
{
  return info->forward_seconds * (n_samples + TRIAGE_PASSES * (double) n_errors)
         + (isfinite (info->backward_seconds) ? info->backward_seconds * n_errors : 0)
         + PAIR_SECONDS * n_samples * (double) n_samples;
}
