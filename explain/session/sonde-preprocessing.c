/* SPDX-License-Identifier: Apache-2.0
 * The table of preprocessings in use, what a model's file says of its own, and the judgement on a
 * trial. */
#include "explain/session/sonde-preprocessing.h"

#include <math.h>
#include <string.h>

#include "data/base/sonde-text.h"

#define CLEAR 10.83                  /* of McNemar's statistic: p = 0.001 */
#define MAX_TRIED 64                 /* from another process */
#define OF_BYTES "0.003921568627451" /* 1/255: numbers from 0 to 255 */

/* ---- one ------------------------------------------------------------------ */

SondePreprocessing *
sonde_preprocessing_new (const char *title, const char *mean, const char *std)
{
  SondePreprocessing *preprocessing = g_new0 (SondePreprocessing, 1);

  preprocessing->title = g_strdup (title);
  preprocessing->mean = g_strdup (mean);
  preprocessing->std = g_strdup (std);
  return preprocessing;
}

static SondePreprocessing *
copy_one (const SondePreprocessing *from)
{
  SondePreprocessing *copy = sonde_preprocessing_new (from->title, from->mean, from->std);

  copy->bgr = from->bgr;
  copy->n_right = from->n_right;
  copy->loss = from->loss;
  return copy;
}

void
sonde_preprocessing_free (SondePreprocessing *preprocessing)
{
  if (preprocessing == NULL)
    return;
  g_free (preprocessing->title);
  g_free (preprocessing->mean);
  g_free (preprocessing->std);
  g_free (preprocessing);
}

/* One number for all channels, or one each. */
static gboolean
parse_numbers (const char *text, int channels, double numbers[4])
{
  g_auto (GStrv) parts = g_strsplit (text, ",", -1);
  int n = (int) g_strv_length (parts);

  if (channels < 1 || channels > 4 || (n != 1 && n != channels))
    return FALSE;
  for (int c = 0; c < channels; c++)
    {
      const char *part = parts[n == 1 ? 0 : c];
      char *end;

      numbers[c] = g_ascii_strtod (part, &end);
      if (end == part || *end != '\0' || !isfinite (numbers[c]))
        return FALSE;
    }
  return TRUE;
}

gboolean
sonde_preprocessing_parse (const SondePreprocessing *preprocessing, int channels, double mean[4],
                           double std[4])
{
  if (!parse_numbers (preprocessing->mean, channels, mean)
      || !parse_numbers (preprocessing->std, channels, std))
    return FALSE;
  for (int c = 0; c < channels; c++)
    if (!(std[c] > 0))
      return FALSE;
  return TRUE;
}

SondeExplanationSettings *
sonde_preprocessing_apply (const SondePreprocessing *preprocessing,
                           const SondeExplanationSettings *settings)
{
  SondeExplanationSettings *applied = sonde_explanation_settings_copy (settings);

  g_free (applied->mean);
  applied->mean = g_strdup (preprocessing->mean);
  g_free (applied->std);
  applied->std = g_strdup (preprocessing->std);
  if (preprocessing->bgr)
    {
      g_free (applied->channels);
      applied->channels = g_strdup ("bgr");
    }
  return applied;
}

/* ---- those in use --------------------------------------------------------- */

/* @channels: of the images it is for, 0: any */
static const struct
{
  const char *title, *mean, *std;
  int channels;
} usual[] = {
  { N_ ("pixels from 0 to 255"), "0", OF_BYTES, 0 },
  { N_ ("pixels from −1 to 1"), "0.5", "0.5", 0 },
  { N_ ("ImageNet's mean and standard deviation"), "0.485,0.456,0.406", "0.229,0.224,0.225", 3 },
  { N_ ("CIFAR-10's mean and standard deviation"), "0.4914,0.4822,0.4465", "0.2470,0.2435,0.2616",
    3 },
  { N_ ("CIFAR-100's mean and standard deviation"), "0.5071,0.4865,0.4409", "0.2673,0.2564,0.2762",
    3 },
  { N_ ("ImageNet's mean and pixels from 0 to 255"), "0.485,0.456,0.406", OF_BYTES, 3 },
  { N_ ("MNIST's mean and standard deviation"), "0.1307", "0.3081", 1 },
  { N_ ("Fashion-MNIST's mean and standard deviation"), "0.2860", "0.3530", 1 },
};

static const char *
find_metadata (const SondeGraph *model, const char *key)
{
  for (guint i = 0; model->metadata != NULL && i < model->metadata->len; i++)
    {
      const SondeMetadata *pair = &g_array_index (model->metadata, SondeMetadata, i);

      if (pair->key != NULL && g_ascii_strcasecmp (pair->key, key) == 0)
        return pair->value;
    }
  return NULL;
}

/* "[0.1, 0.2]" as the settings would say it. @scale: of all numbers. (transfer full) (nullable) */
static char *
read_list (const char *text, double scale)
{
  g_auto (GStrv) parts = g_strsplit_set (text, "[]() ,;", -1);
  g_autoptr (GString) list = g_string_new (NULL);
  char buffer[G_ASCII_DTOSTR_BUF_SIZE];

  for (gsize i = 0; parts[i] != NULL; i++)
    {
      char *end;
      double number = g_ascii_strtod (parts[i], &end);

      if (*parts[i] == '\0')
        continue;
      if (*end != '\0' || !isfinite (number))
        return NULL;
      g_ascii_formatd (buffer, sizeof buffer, "%.8g", number * scale);
      g_string_append_printf (list, "%s%s", list->len > 0 ? "," : "", buffer);
    }
  return list->len > 0 ? g_string_free (g_steal_pointer (&list), FALSE) : NULL;
}

/* Above 1 they are of bytes. */
static gboolean
is_of_bytes (const char *text)
{
  g_autofree char *list = read_list (text, 1.0);
  g_auto (GStrv) parts = g_strsplit (list != NULL ? list : "", ",", -1);

  for (gsize i = 0; parts[i] != NULL; i++)
    if (fabs (g_ascii_strtod (parts[i], NULL)) > 1.0)
      return TRUE;
  return FALSE;
}

/* ONNX names Image.NominalPixelRange and Image.BitmapPixelFormat; exporters add mean and std. */
static void
add_of_model (GPtrArray *list, const SondeGraph *model)
{
  const char *title = N_ ("what the model's file says");
  const char *range = find_metadata (model, "Image.NominalPixelRange"),
             *format = find_metadata (model, "Image.BitmapPixelFormat"),
             *mean = find_metadata (model, "mean"), *std = find_metadata (model, "std");
  double scale = mean != NULL && is_of_bytes (mean) ? 1.0 / 255.0 : 1.0;
  g_autofree char *means = mean != NULL ? read_list (mean, scale) : NULL,
                  *stds = std != NULL ? read_list (std, scale) : NULL;
  SondePreprocessing *found = NULL;

  if (means != NULL && stds != NULL)
    found = sonde_preprocessing_new (title, means, stds);
  else if (g_strcmp0 (range, "NominalRange_0_255") == 0)
    found = sonde_preprocessing_new (title, "0", OF_BYTES);
  else if (g_strcmp0 (range, "Normalized_1_1") == 0)
    found = sonde_preprocessing_new (title, "0.5", "0.5");
  else if (format != NULL)
    found = sonde_preprocessing_new (title, "0", "1");
  if (found == NULL)
    return;
  found->bgr = format != NULL && g_str_has_prefix (format, "Bgr");
  g_ptr_array_add (list, found);
}

/* The last "normalise:MEAN:STD" counts. */
SondePreprocessing *
sonde_preprocessing_from_transforms (const char *const *transforms)
{
  SondePreprocessing *found = NULL;

  for (gsize i = 0; transforms != NULL && transforms[i] != NULL; i++)
    {
      g_auto (GStrv) parts = g_strsplit (transforms[i], ":", -1);

      if (g_strv_length (parts) != 3 || !g_str_equal (parts[0], "normalise"))
        continue;
      sonde_preprocessing_free (found);
      found = sonde_preprocessing_new (N_ ("the mean and standard deviation of the run's recipe"),
                                       parts[1], parts[2]);
    }
  return found;
}

GPtrArray *
sonde_preprocessing_list (const SondePreprocessing *recorded, const SondeGraph *model, int channels)
{
  GPtrArray *list = g_ptr_array_new_with_free_func ((GDestroyNotify) sonde_preprocessing_free);

  g_ptr_array_add (list, sonde_preprocessing_new (N_ ("pixels from 0 to 1"), "0", "1"));
  if (recorded != NULL)
    g_ptr_array_add (list, copy_one (recorded));
  add_of_model (list, model);
  for (gsize i = 0; i < G_N_ELEMENTS (usual); i++)
    if (usual[i].channels == 0 || usual[i].channels == channels)
      g_ptr_array_add (list, sonde_preprocessing_new (usual[i].title, usual[i].mean, usual[i].std));
  return list;
}

/* ---- a trial -------------------------------------------------------------- */

SondePreprocessingTrial *
sonde_preprocessing_trial_new (void)
{
  SondePreprocessingTrial *trial = g_new0 (SondePreprocessingTrial, 1);

  trial->tried = g_ptr_array_new_with_free_func ((GDestroyNotify) sonde_preprocessing_free);
  return trial;
}

SondePreprocessingTrial *
sonde_preprocessing_trial_copy (const SondePreprocessingTrial *trial)
{
  SondePreprocessingTrial *copy = sonde_preprocessing_trial_new ();

  copy->n_images = trial->n_images;
  copy->best = trial->best;
  copy->n_only_best = trial->n_only_best;
  copy->n_only_own = trial->n_only_own;
  for (guint i = 0; i < trial->tried->len; i++)
    g_ptr_array_add (copy->tried, copy_one (g_ptr_array_index (trial->tried, i)));
  return copy;
}

void
sonde_preprocessing_trial_free (SondePreprocessingTrial *trial)
{
  if (trial == NULL)
    return;
  g_ptr_array_unref (trial->tried);
  g_free (trial);
}

const SondePreprocessing *
sonde_preprocessing_trial_get_own (const SondePreprocessingTrial *trial)
{
  return trial->n_images > 0 ? g_ptr_array_index (trial->tried, 0) : NULL;
}

const SondePreprocessing *
sonde_preprocessing_trial_get_best (const SondePreprocessingTrial *trial)
{
  return trial->n_images > 0 ? g_ptr_array_index (trial->tried, trial->best) : NULL;
}

gboolean
sonde_preprocessing_trial_is_clear (const SondePreprocessingTrial *trial)
{
  double gained = trial->n_only_best, lost = trial->n_only_own;

  return trial->n_images > 0 && gained > lost
         && (gained - lost) * (gained - lost) >= CLEAR * (gained + lost);
}

double
sonde_preprocessing_trial_get_accuracy (const SondePreprocessingTrial *trial,
                                        const SondePreprocessing *preprocessing)
{
  return trial->n_images > 0 ? 100.0 * preprocessing->n_right / trial->n_images : NAN;
}

/* ---- in words ------------------------------------------------------------- */

char *
sonde_preprocessing_trial_to_text (const SondePreprocessingTrial *trial)
{
  const SondePreprocessing *own = sonde_preprocessing_trial_get_own (trial),
                           *best = sonde_preprocessing_trial_get_best (trial);

  if (best == NULL)
    return g_strdup ("");
  return g_strdup_printf (
      best->bgr ? _ ("%.1f %% correct with %s and the channels in the order blue, green, red, "
                     "%.1f %% with %s (%u labelled images tried).")
                : _ ("%.1f %% correct with %s, %.1f %% with %s (%u labelled images tried)."),
      sonde_preprocessing_trial_get_accuracy (trial, best), _ (best->title),
      sonde_preprocessing_trial_get_accuracy (trial, own), _ (own->title), trial->n_images);
}

SondeMessage *
sonde_preprocessing_trial_to_message (const SondePreprocessingTrial *trial)
{
  const SondePreprocessing *own = sonde_preprocessing_trial_get_own (trial),
                           *best = sonde_preprocessing_trial_get_best (trial);

  return sonde_message_new (
      "The preprocessing was not chosen and is probably wrong: of %u labelled images %.1f %% are "
      "correct with %-s, as was used here, and %.1f %% with %-s. Errors and their reasons may come "
      "from it. To use the better one, give --mean %s --std %s%s.",
      trial->n_images, sonde_preprocessing_trial_get_accuracy (trial, own), own->title,
      sonde_preprocessing_trial_get_accuracy (trial, best), best->title, best->mean, best->std,
      best->bgr ? " --channels bgr" : "");
}

/* ---- crossing ------------------------------------------------------------- */

#define TRIED_TYPE "(sssbud)"
#define COUNTS_TYPE "(uuuu)"

static GVariant *
pack_trial (gconstpointer object, GPtrArray *tensors)
{
  const SondePreprocessingTrial *trial = object;
  g_auto (GVariantBuilder) builder = G_VARIANT_BUILDER_INIT (G_VARIANT_TYPE ("a" TRIED_TYPE));
  GVariantDict dict;

  for (guint i = 0; i < trial->tried->len; i++)
    {
      const SondePreprocessing *p = g_ptr_array_index (trial->tried, i);

      g_variant_builder_add (&builder, TRIED_TYPE, p->title, p->mean, p->std, p->bgr, p->n_right,
                             p->loss);
    }
  g_variant_dict_init (&dict, NULL);
  g_variant_dict_insert_value (&dict, "tried", g_variant_builder_end (&builder));
  g_variant_dict_insert (&dict, "counts", COUNTS_TYPE, trial->n_images, trial->best,
                         trial->n_only_best, trial->n_only_own);
  return g_variant_dict_end (&dict);
}

/* Texts of another process: the numbers must be some, the counts possible. */
static gboolean
is_sound (const SondePreprocessingTrial *trial)
{
  for (guint i = 0; i < trial->tried->len; i++)
    {
      const SondePreprocessing *p = g_ptr_array_index (trial->tried, i);
      double mean[4], std[4];

      if (p->n_right > trial->n_images
          || (!sonde_preprocessing_parse (p, 1, mean, std)
              && !sonde_preprocessing_parse (p, 3, mean, std)
              && !sonde_preprocessing_parse (p, 2, mean, std)
              && !sonde_preprocessing_parse (p, 4, mean, std)))
        return FALSE;
    }
  return (trial->n_images == 0 || trial->best < trial->tried->len)
         && trial->n_only_best <= trial->n_images && trial->n_only_own <= trial->n_images;
}

static gpointer
unpack_trial (GVariant *variant, GPtrArray *tensors, GError **error)
{
  g_autoptr (SondePreprocessingTrial) trial = sonde_preprocessing_trial_new ();
  g_autoptr (GVariant) list = sonde_explain_lookup (variant, "tried", "a" TRIED_TYPE, error);
  g_autoptr (GVariant) counts
      = list != NULL ? sonde_explain_lookup (variant, "counts", COUNTS_TYPE, error) : NULL;

  if (counts == NULL)
    return NULL;
  g_variant_get (counts, COUNTS_TYPE, &trial->n_images, &trial->best, &trial->n_only_best,
                 &trial->n_only_own);
  for (gsize i = 0; i < MIN (g_variant_n_children (list), MAX_TRIED); i++)
    {
      SondePreprocessing *p = g_new0 (SondePreprocessing, 1);

      g_ptr_array_add (trial->tried, p);
      g_variant_get_child (list, i, TRIED_TYPE, &p->title, &p->mean, &p->std, &p->bgr, &p->n_right,
                           &p->loss);
    }
  if (is_sound (trial))
    return g_steal_pointer (&trial);
  sonde_explain_refuse (error, "tried");
  return NULL;
}

const SondeExplainCodec sonde_preprocessing_trial_codec
    = { pack_trial, unpack_trial, (GDestroyNotify) sonde_preprocessing_trial_free, FALSE };
