/* SPDX-License-Identifier: Apache-2.0
 * Settings of hierarchical occlusion: text, and sizes from the image. */
#include "explain/counterfactual/sonde-occlusion-settings.h"

#include <math.h>
#include <string.h>

#include "data/base/sonde-error.h"

#define MAX_AUTO_LAYERS 3

static gboolean
refuse (GError **error, const char *key, const char *value, const char *takes)
{
  sonde_set_error (error, SONDE_DATA_ERROR, SONDE_DATA_ERROR_INVALID, "--hoc: %s=%s must be %-s.",
                   key, value, takes);
  return FALSE;
}

/* Name to number of an enum; FALSE when it is none of them. */
static gboolean
find_name (const char *const *names, const char *value, int *number)
{
  for (int i = 0; names[i] != NULL; i++)
    if (g_str_equal (names[i], value))
      {
        *number = i;
        return TRUE;
      }
  return FALSE;
}

static gboolean
set_goal (SondeOcclusionSpec *spec, const char *value, GError **error)
{
  static const char *const names[] = { "unmasking", "masking", "flip", NULL };
  int goal;

  if (!find_name (names, value, &goal))
    return refuse (error, "by", value, N_ ("unmasking, masking or flip"));
  spec->goal = (SondeOcclusionGoal) goal;
  return TRUE;
}

static gboolean
set_score (SondeOcclusionSpec *spec, const char *value, GError **error)
{
  if (g_str_equal (value, "probability"))
    spec->score = SONDE_NETWORK_PROBABILITY;
  else if (g_str_equal (value, "margin"))
    spec->score = SONDE_NETWORK_MARGIN;
  else
    return refuse (error, "score", value,
                   N_ ("probability, or margin (the class less the largest other one)"));
  return TRUE;
}

static gboolean
set_thresholds (SondeOcclusionSpec *spec, const char *value, GError **error)
{
  g_auto (GStrv) parts = g_strsplit (value, ",", -1);

  spec->n_thresholds = 0;
  for (guint i = 0; parts[i] != NULL; i++)
    {
      SondeOcclusionThreshold threshold = { 0 };
      char *end = parts[i];

      threshold.automatic = g_str_equal (parts[i], "auto");
      if (!threshold.automatic)
        {
          threshold.value = g_ascii_strtod (parts[i], &end);
          threshold.relative = end != parts[i] && g_str_equal (end, "p");
        }
      if (i == SONDE_OCCLUSION_MAX_THRESHOLDS
          || (!threshold.automatic
              && (end == parts[i] || (*end != '\0' && !threshold.relative)
                  || !isfinite (threshold.value))))
        return refuse (error, "threshold", value,
                       N_ ("up to 16 comma-separated scores, such as 0.25,0.5; 0.9p is a share of "
                           "the image's own score and auto is 0.5 or 0.9p"));
      spec->thresholds[spec->n_thresholds++] = threshold;
    }
  return TRUE;
}

static gboolean
set_sizes (const char *key, const char *value, int *sizes, guint *n, GError **error)
{
  g_auto (GStrv) parts = g_strsplit (value, ",", -1);

  *n = 0;
  for (guint i = 0; parts[i] != NULL; i++)
    {
      gint64 size;

      if (i == SONDE_OCCLUSION_MAX_LAYERS
          || !g_ascii_string_to_signed (parts[i], 10, 1, 1 << 20, &size, NULL))
        return refuse (error, key, value,
                       N_ ("auto, or up to 8 sizes in pixels, largest first, such as 32,16,8"));
      sizes[(*n)++] = (int) size;
    }
  return TRUE;
}

static gboolean
set_windows (SondeOcclusionSpec *spec, const char *value, GError **error)
{
  spec->small_windows = g_str_equal (value, "small");
  spec->n_windows = 0;
  return spec->small_windows || g_str_equal (value, "auto")
         || set_sizes ("windows", value, spec->windows, &spec->n_windows, error);
}

static gboolean
set_strides (SondeOcclusionSpec *spec, const char *value, GError **error)
{
  spec->n_strides = 0;
  return g_str_equal (value, "auto")
         || set_sizes ("strides", value, spec->strides, &spec->n_strides, error);
}

static gboolean
set_mask (SondeOcclusionSpec *spec, const char *value, GError **error)
{
  (void) error;
  g_free (spec->mask);
  spec->mask = g_strdup (value);
  return TRUE;
}

static gboolean
set_prune (SondeOcclusionSpec *spec, const char *value, GError **error)
{
  static const char *const names[] = { "no", "yes", NULL };
  int number;

  if (!find_name (names, value, &number))
    return refuse (error, "prune", value, N_ ("yes or no"));
  spec->prune = number;
  return TRUE;
}

static const struct
{
  const char *name;
  gboolean (*set) (SondeOcclusionSpec *spec, const char *value, GError **error);
} keys[] = {
  { "by", set_goal },         { "threshold", set_thresholds },
  { "windows", set_windows }, { "strides", set_strides },
  { "mask", set_mask },       { "score", set_score },
  { "prune", set_prune },
};

/* End of the value that begins at @text: a colon before "word=", or the text's end. */
static const char *
find_end (const char *text)
{
  for (const char *p = text; *p != '\0'; p++)
    if (*p == ':')
      {
        const char *word = p + 1;

        while (g_ascii_isalpha (*word) || *word == '-')
          word++;
        if (word > p + 1 && *word == '=')
          return p;
      }
  return text + strlen (text);
}

static gboolean
set_key (SondeOcclusionSpec *spec, const char *pair, GError **error)
{
  const char *equals = strchr (pair, '=');

  for (gsize i = 0; equals != NULL && i < G_N_ELEMENTS (keys); i++)
    if (strlen (keys[i].name) == (gsize) (equals - pair)
        && strncmp (keys[i].name, pair, (gsize) (equals - pair)) == 0)
      return keys[i].set (spec, equals + 1, error);
  sonde_set_error (error, SONDE_DATA_ERROR, SONDE_DATA_ERROR_INVALID,
                   "--hoc: “%s” is not of the form KEY=VALUE; the keys are by, threshold, windows, "
                   "strides, mask, score and prune.",
                   pair);
  return FALSE;
}

SondeOcclusionSpec *
sonde_occlusion_spec_parse (const char *text, GError **error)
{
  g_autoptr (SondeOcclusionSpec) spec = g_new0 (SondeOcclusionSpec, 1);
  gboolean scored = FALSE, set = FALSE;

  spec->thresholds[0].value = 0.5;
  spec->n_thresholds = 1;
  spec->mask = g_strdup ("auto");
  if (text != NULL && g_str_equal (text, "auto"))
    {
      spec->thresholds[0].automatic = spec->prune = TRUE;
      return g_steal_pointer (&spec);
    }
  for (const char *p = text != NULL ? text : ""; *p != '\0';)
    {
      const char *end = find_end (p);
      g_autofree char *pair = g_strndup (p, (gsize) (end - p));

      if (!set_key (spec, pair, error))
        return NULL;
      scored |= g_str_has_prefix (pair, "score=");
      set |= g_str_has_prefix (pair, "threshold=");
      p = *end == ':' ? end + 1 : end;
    }
  if ((spec->n_windows == 0) != (spec->n_strides == 0) || spec->n_windows != spec->n_strides)
    {
      sonde_set_error (
          error, SONDE_DATA_ERROR, SONDE_DATA_ERROR_INVALID,
          "--hoc: there are %u windows and %u strides; give the same number of both, or neither.",
          spec->n_windows, spec->n_strides);
      return NULL;
    }
  if (spec->goal == SONDE_OCCLUSION_FLIP && !scored)
    spec->score = SONDE_NETWORK_MARGIN;
  if (spec->score == SONDE_NETWORK_MARGIN && !set)
    spec->thresholds[0].value = 0.0;
  return g_steal_pointer (&spec);
}

void
sonde_occlusion_spec_free (SondeOcclusionSpec *spec)
{
  if (spec == NULL)
    return;
  g_free (spec->mask);
  g_free (spec);
}

guint
sonde_occlusion_choose_windows (int side, gboolean small, int *windows, int *strides)
{
  gboolean usual = side >= 56 && !small;
  int least = usual ? 28 : (side == 28 ? 3 : 4), n = 0;

  for (int window = side / 2; window >= least && n < MAX_AUTO_LAYERS; window /= 2)
    {
      windows[n] = window;
      strides[n++] = MAX (1, window / 5);
    }
  return (guint) n;
}

gboolean
sonde_occlusion_spec_resolve (const SondeOcclusionSpec *spec, SondeTensor *image, double original,
                              double *thresholds, SondeOcclusionSettings *settings, GError **error)
{
  int side = (int) MIN (image->shape.dims[1], image->shape.dims[2]);

  *settings = (SondeOcclusionSettings){ .goal = spec->goal,
                                        .prune = spec->prune,
                                        .thresholds = thresholds,
                                        .n_thresholds = spec->n_thresholds,
                                        .n_layers = spec->n_windows };
  memcpy (settings->windows, spec->windows, sizeof settings->windows);
  memcpy (settings->strides, spec->strides, sizeof settings->strides);
  for (guint i = 0; i < spec->n_thresholds; i++)
    {
      const SondeOcclusionThreshold *threshold = &spec->thresholds[i];

      thresholds[i] = threshold->relative ? threshold->value * original : threshold->value;
      if (threshold->automatic)
        thresholds[i] = original > 0.5 ? 0.5 : 0.9 * original;
    }
  if (settings->n_layers == 0)
    settings->n_layers = sonde_occlusion_choose_windows (side, spec->small_windows,
                                                         settings->windows, settings->strides);
  if (settings->n_layers > 0)
    return TRUE;
  sonde_set_error (error, SONDE_DATA_ERROR, SONDE_DATA_ERROR_INVALID,
                   "--hoc: the image's short side of %d pixels is too small to choose windows "
                   "automatically; set windows= and strides=.",
                   side);
  return FALSE;
}
