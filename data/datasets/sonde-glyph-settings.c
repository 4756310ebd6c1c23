/* SPDX-License-Identifier: Apache-2.0
 * Settings of the glyphs, out of options and text. */
#include "data/datasets/sonde-glyph-settings-private.h"

#include "data/base/sonde-error.h"
#include "data/datasets/sonde-glyph-shapes-private.h"

#include <string.h>

#define DEFAULT_COUNT 10000
#define MAX_COUNT 100000000
#define DEFAULT_SIZE 28
#define MIN_SIZE 12
#define MAX_SIZE 1024

/* As written, before they are checked together. */
typedef struct
{
  guint64 count, size, channels;
  gboolean pixels;
  char *cue; /* (nullable) owned */
} Texts;

static gboolean
refuse_setting (const char *text, GError **error)
{
  sonde_set_error (
      error, SONDE_DATA_ERROR, SONDE_DATA_ERROR_INVALID,
      "glyphs: “%s” is not understood; there are count=1…%d, size=%d…%d, channels=1 or 3, "
      "labels=class or pixels, cue=CLASS[,CLASS…]:PROBABILITY[:SIDE], separated by “;”",
      text, MAX_COUNT, MIN_SIZE, MAX_SIZE);
  return FALSE;
}

static gboolean
parse_setting (Texts *texts, const char *text, GError **error)
{
  const struct
  {
    const char *name;
    guint64 *number;
    guint64 min, max;
  } numbers[] = {
    { "count=", &texts->count, 1, MAX_COUNT },
    { "size=", &texts->size, MIN_SIZE, MAX_SIZE },
    { "channels=", &texts->channels, 1, 3 },
  };

  for (gsize i = 0; i < G_N_ELEMENTS (numbers); i++)
    {
      if (g_str_has_prefix (text, numbers[i].name)
          && g_ascii_string_to_unsigned (text + strlen (numbers[i].name), 10, numbers[i].min,
                                         numbers[i].max, numbers[i].number, NULL)
          && texts->channels != 2)
        return TRUE;
    }
  if (g_str_equal (text, "labels=class") || g_str_equal (text, "labels=pixels"))
    {
      texts->pixels = g_str_has_suffix (text, "pixels");
      return TRUE;
    }
  if (!g_str_has_prefix (text, "cue="))
    return refuse_setting (text, error);
  g_free (texts->cue);
  texts->cue = g_strdup (text + strlen ("cue="));
  return TRUE;
}

static gboolean
parse_texts (const SondeDatasetRequest *request, Texts *texts, GError **error)
{
  const SondeDatasetOptions *options = request->options;
  g_auto (GStrv) parts = g_strsplit (request->argument, ";", -1);
  g_autofree char *wrong = NULL;

  texts->count = options->count != 0 ? options->count : DEFAULT_COUNT;
  texts->size = (guint64) (request->width != 0 ? request->width : DEFAULT_SIZE);
  texts->channels = (guint64) (request->channels != 0 ? request->channels : 1);
  texts->cue = g_strdup (options->cue);
  for (gsize i = 0; parts[i] != NULL; i++)
    {
      if (g_strstrip (parts[i])[0] != '\0' && !parse_setting (texts, parts[i], error))
        return FALSE;
    }
  if (texts->size >= MIN_SIZE && texts->size <= MAX_SIZE && texts->count <= MAX_COUNT)
    return TRUE;
  wrong = texts->count > MAX_COUNT ? g_strdup_printf ("count=%" PRIu64, texts->count)
                                   : g_strdup_printf ("size=%" PRIu64, texts->size);
  return refuse_setting (wrong, error);
}

static int
class_by_name (const char *text)
{
  guint64 number;

  for (int i = 0; i < SONDE_GLYPH_N_CLASSES; i++)
    {
      if (g_str_equal (sonde_glyph_get_name (i), text))
        return i;
    }
  return g_ascii_string_to_unsigned (text, 10, 0, SONDE_GLYPH_N_CLASSES - 1, &number, NULL)
             ? (int) number
             : -1;
}

static gboolean
parse_cue_parts (SondeGlyphSettings *settings, GStrv parts)
{
  g_auto (GStrv) classes = g_strsplit (parts[0], ",", -1);
  guint64 side = MAX ((guint64) settings->side * 5 / 32, 2);
  char *end;

  for (int i = 0; classes[i] != NULL; i++)
    {
      if (i == SONDE_GLYPH_N_CUES)
        return FALSE;
      settings->cue_classes[i] = class_by_name (g_strstrip (classes[i]));
      if (settings->cue_classes[i] < 0)
        return FALSE;
      settings->n_cues = i + 1;
    }
  settings->cue_probability = g_ascii_strtod (parts[1], &end);
  if (end == parts[1] || *end != '\0'
      || !(settings->cue_probability >= 0 && settings->cue_probability <= 1))
    return FALSE;
  if (parts[2] != NULL
      && !g_ascii_string_to_unsigned (parts[2], 10, 1, (guint64) settings->side / 2, &side, NULL))
    return FALSE;
  settings->cue_side = (int) side;
  return settings->n_cues > 0;
}

static gboolean
parse_cue (SondeGlyphSettings *settings, const char *text, GError **error)
{
  g_auto (GStrv) parts = NULL;

  if (text == NULL || text[0] == '\0')
    return TRUE;
  parts = g_strsplit (text, ":", -1);
  if ((g_strv_length (parts) == 2 || g_strv_length (parts) == 3)
      && parse_cue_parts (settings, parts))
    return TRUE;
  sonde_set_error (
      error, SONDE_DATA_ERROR, SONDE_DATA_ERROR_INVALID,
      "glyphs: the cue “%s” is not understood; write up to %d classes (0 to %d, or two, "
      "square …), a "
      "probability from 0 to 1 and if need be a side in pixels, as 3,5:0.9:4",
      text, SONDE_GLYPH_N_CUES, SONDE_GLYPH_N_CLASSES - 1);
  return FALSE;
}

gboolean
sonde_glyph_settings_parse (SondeGlyphSettings *settings, const SondeDatasetRequest *request,
                            GError **error)
{
  Texts texts = { 0 };
  gboolean understood = parse_texts (request, &texts, error);

  *settings = (SondeGlyphSettings){
    .count = (guint) texts.count,
    .side = (int) texts.size,
    .channels = (int) texts.channels,
    .pixels = texts.pixels,
  };
  understood = understood && parse_cue (settings, texts.cue, error);
  g_free (texts.cue);
  return understood;
}
