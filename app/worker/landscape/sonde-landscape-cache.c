/* SPDX-License-Identifier: Apache-2.0 */
#include "app/worker/landscape/sonde-landscape-cache.h"

#include <glib/gstdio.h>
#include <string.h>

#include "app/worker/sonde-weight-path.h"
#include "app/worker/sonde-weights.h"
#include "data/records/sonde-record-reader.h"

/* A landscape has a file of its own, as sonde_landscape_job_run() writes it; larger ones are records of a training. */
#define MOST_BYTES ((goffset) 8 << 20)
#define FORM 1 /* of what is computed: another number finds none of those before */

/* ---- the digest ---------------------------------------------------------- */

/* Whether a key of the recipe changes losses. */
static gboolean
counts (const char *key)
{
  static const char *const others[] = { "data.workers", "data.prefetch", NULL };
  static const char *const training[] = { "train.loss",
                                          "train.class-weights",
                                          "train.groups",
                                          "train.freeze",
                                          "train.precision",
                                          "train.seed",
                                          NULL };

  if (g_str_has_prefix (key, "model.") || g_str_has_prefix (key, "data."))
    return !g_strv_contains (others, key);
  return g_strv_contains (training, key);
}

static void
add_recipe (GString *text, const SondeRecipe *recipe)
{
  for (gsize i = 0; i < sonde_recipe_get_n_keys (); i++)
    {
      const char *key = sonde_recipe_get_key (i).name;
      g_autofree char *value = counts (key) ? sonde_recipe_dup_value (recipe, key) : NULL;

      if (value != NULL)
        g_string_append_printf (text, "%s=%s\n", key, value);
    }
}

static void
add_options (GString *text, const SondeLandscapeOptions *options)
{
  g_string_append_printf (text, "%d %u %u %a %" PRIu64 " %d\n", options->kind, options->grid,
                          options->batches, options->range, options->seed, options->test);
}

static gboolean
add_weights (GString *text, const SondeWeightStation *station, GError **error)
{
  g_autoptr (SondeNamedTensors) tensors
      = station->path != NULL ? sonde_weights_read (NULL, station->path, error) : NULL;

  if (station->path != NULL && tensors == NULL)
    return FALSE;
  g_string_append_printf (text, "%" PRIu64 " %" PRIx64 "\n", station->step,
                          tensors != NULL ? sonde_weights_digest (tensors, NULL) : 0);
  return TRUE;
}

char *
sonde_landscape_cache_digest (const SondeLandscapeOptions *options, const SondeRecipe *recipe,
                              const GArray *path, GError **error)
{
  g_autoptr (GString) text = g_string_new (NULL);
  g_autofree char *digest = NULL;

  g_string_append_printf (text, "%d\n", FORM);
  add_recipe (text, recipe);
  add_options (text, options);
  for (guint i = 0; i < path->len; i++)
    if (!add_weights (text, &g_array_index (path, SondeWeightStation, i), error))
      return NULL;
  digest = g_compute_checksum_for_string (G_CHECKSUM_SHA256, text->str, -1);
  return g_strndup (digest, 32);
}

/* ---- looking for it ------------------------------------------------------ */

static gboolean
find_in_file (const char *path, const char *digest, SondeRecord *found)
{
  g_autoptr (SondeRecordReader) reader = sonde_record_reader_open (NULL, path, NULL);
  SondeRecord record = { 0 };

  while (reader != NULL
         && sonde_record_reader_next (reader, &record, NULL, NULL) == SONDE_FRAME_RECORD)
    {
      if (record.kind == SONDE_RECORD_LANDSCAPE
          && g_strcmp0 (record.u.landscape.digest, digest) == 0)
        {
          *found = record;
          return TRUE;
        }
      sonde_record_clear (&record);
    }
  return FALSE;
}

static gboolean
is_small (const char *path)
{
  GStatBuf status;

  return g_stat (path, &status) == 0 && S_ISREG (status.st_mode) && status.st_size <= MOST_BYTES;
}

gboolean
sonde_landscape_cache_find (const char *run, const char *digest, SondeRecord *record)
{
  g_autofree char *folder = g_build_filename (run, "records", NULL), *newest = NULL;
  g_autoptr (GDir) dir = g_dir_open (folder, 0, NULL);
  const char *file;

  while (dir != NULL && (file = g_dir_read_name (dir)) != NULL)
    {
      g_autofree char *path = g_build_filename (folder, file, NULL);
      SondeRecord found = { 0 };

      if (!g_str_has_suffix (file, ".sonde") || (newest != NULL && strcmp (file, newest) < 0)
          || !is_small (path) || !find_in_file (path, digest, &found))
        continue;
      if (newest != NULL)
        sonde_record_clear (record);
      *record = found;
      g_free (newest);
      newest = g_strdup (file);
    }
  return newest != NULL;
}
