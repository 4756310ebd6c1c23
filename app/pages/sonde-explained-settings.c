/* SPDX-License-Identifier: Apache-2.0 */
#include "app/pages/sonde-explained-settings.h"

#include <string.h>

#include <json-glib/json-glib.h>

#include "data/base/sonde-error.h"
#include "data/base/sonde-json-depth.h"
#include "data/base/sonde-path-gate.h"

#define MAX_BYTES (1 << 20)
#define MAX_NESTING 16
#define FILE_NAME "settings.json"

/* Texts of settings; those with a title are paths. */
static const struct
{
  const char *key, *title;
  gsize offset;
  gboolean is_source; /* "kind:PATH", or made of numbers */
} texts[] = {
  { "model", "The model", G_STRUCT_OFFSET (SondeStudySettings, model) },
  { "data", "The data", G_STRUCT_OFFSET (SondeStudySettings, data), TRUE },
  { "labels", "The file of class names", G_STRUCT_OFFSET (SondeStudySettings, labels) },
  { "train_data", "The training data", G_STRUCT_OFFSET (SondeStudySettings, training), TRUE },
  { "given_labels", "The file of labels", G_STRUCT_OFFSET (SondeStudySettings, given_labels) },
  { "mean", NULL, G_STRUCT_OFFSET (SondeStudySettings, mean) },
  { "std", NULL, G_STRUCT_OFFSET (SondeStudySettings, deviation) },
  { "size", NULL, G_STRUCT_OFFSET (SondeStudySettings, size) },
  { "channels", NULL, G_STRUCT_OFFSET (SondeStudySettings, channels) },
  { "device", NULL, G_STRUCT_OFFSET (SondeStudySettings, device) },
};

/* ---- paths --------------------------------------------------------------- */

/* Where the path in a source begins: behind "kind:". */
static gsize
find_path (const char *source)
{
  gsize n = strspn (source, "abcdefghijklmnopqrstuvwxyz0123456789-");

  return n > 0 && source[n] == ':' ? n + 1 : 0;
}

/* Made of numbers, not read. */
static gboolean
is_made (const char *source)
{
  return g_str_equal (source, "glyphs") || g_str_has_prefix (source, "glyphs:")
         || g_str_has_prefix (source, "tokens:");
}

/* The path in a source, without what follows it. (transfer full) */
static char *
dup_path (const char *source)
{
  const char *path = source + find_path (source);

  return g_strndup (path, strcspn (path, ";"));
}

/* The same with an absolute path. (transfer full) */
static char *
resolve (const char *text, gboolean is_source, const char *from)
{
  gsize at = is_source ? find_path (text) : 0;
  g_autofree char *head = g_strndup (text, at), *path = NULL;

  if ((is_source && is_made (text)) || g_path_is_absolute (text + at))
    return g_strdup (text);
  path = g_canonicalize_filename (text + at, from);
  return g_strconcat (head, path, NULL);
}

static gboolean
is_there (const char *text, gboolean is_source)
{
  g_autofree char *path = is_source ? dup_path (text) : g_strdup (text);

  return (is_source && is_made (text)) || g_file_test (path, G_FILE_TEST_EXISTS);
}

char *
sonde_explained_settings_find_pictures (const SondeStudySettings *settings)
{
  const char *source = settings->data;
  g_autofree char *path = source != NULL && !is_made (source) ? dup_path (source) : NULL;

  if (path == NULL || !g_file_test (path, G_FILE_TEST_EXISTS))
    return NULL;
  if (g_file_test (path, G_FILE_TEST_IS_DIR))
    return g_steal_pointer (&path);
  return g_str_has_suffix (path, ".tsv") || g_str_has_prefix (source, "list:")
             ? g_path_get_dirname (path)
             : NULL;
}

/* ---- JSON ---------------------------------------------------------------- */

/* (nullable): lent */
static const char *
get_text (JsonObject *object, const char *key)
{
  JsonNode *node = json_object_get_member (object, key);

  return node != NULL && JSON_NODE_HOLDS_VALUE (node)
                 && json_node_get_value_type (node) == G_TYPE_STRING
             ? json_node_get_string (node)
             : NULL;
}

static gint64
get_count (JsonObject *object, const char *key, gint64 most)
{
  JsonNode *node = json_object_get_member (object, key);
  gint64 count = node != NULL && JSON_NODE_HOLDS_VALUE (node)
                         && json_node_get_value_type (node) == G_TYPE_INT64
                     ? json_node_get_int (node)
                     : 0;

  return count >= 0 && count <= most ? count : 0;
}

/* The one target that is a class by name. (transfer full) (nullable) */
static char *
find_target (JsonObject *object)
{
  JsonNode *node = json_object_get_member (object, "targets");
  JsonArray *targets
      = node != NULL && JSON_NODE_HOLDS_ARRAY (node) ? json_node_get_array (node) : NULL;
  const char *found = NULL;

  for (guint i = 0; targets != NULL && i < json_array_get_length (targets); i++)
    {
      JsonNode *one = json_array_get_element (targets, i);
      const char *text
          = JSON_NODE_HOLDS_VALUE (one) && json_node_get_value_type (one) == G_TYPE_STRING
                ? json_node_get_string (one)
                : NULL;

      if (text == NULL || g_str_equal (text, "predicted") || g_str_equal (text, "true"))
        continue;
      if (found != NULL)
        return NULL;
      found = text;
    }
  return g_strdup (found);
}

static SondeStudySettings *
take_settings (JsonObject *object, const char *folder)
{
  SondeStudySettings *settings = g_new0 (SondeStudySettings, 1);
  const char *ran = get_text (object, "folder");
  const char *from = ran != NULL && g_path_is_absolute (ran) ? ran : folder;

  for (gsize i = 0; i < G_N_ELEMENTS (texts); i++)
    {
      const char *text = get_text (object, texts[i].key);

      if (text != NULL && *text != '\0')
        G_STRUCT_MEMBER (char *, settings, texts[i].offset)
            = texts[i].title != NULL ? resolve (text, texts[i].is_source, from) : g_strdup (text);
    }
  settings->threads = (int) get_count (object, "threads", 4096);
  settings->seed = get_count (object, "seed", G_MAXINT64);
  return settings;
}

static JsonParser *
parse (const char *folder, GError **error)
{
  g_autoptr (GBytes) bytes = sonde_path_gate_read (NULL, folder, FILE_NAME, MAX_BYTES, error);
  g_autoptr (JsonParser) parser = json_parser_new_immutable ();
  gsize n;
  const char *text = bytes != NULL ? g_bytes_get_data (bytes, &n) : NULL;

  if (text == NULL)
    return NULL;
  if (!sonde_json_is_shallow ((const guint8 *) text, n, MAX_NESTING))
    {
      g_set_error (error, SONDE_DATA_ERROR, SONDE_DATA_ERROR_LIMIT,
                   FILE_NAME " is nested deeper than %d.", MAX_NESTING);
      return NULL;
    }
  if (!json_parser_load_from_data (parser, text, (gssize) n, error))
    return NULL;
  if (json_parser_get_root (parser) == NULL
      || !JSON_NODE_HOLDS_OBJECT (json_parser_get_root (parser)))
    {
      g_set_error (error, SONDE_DATA_ERROR, SONDE_DATA_ERROR_DAMAGED,
                   FILE_NAME " is no JSON object.");
      return NULL;
    }
  return g_steal_pointer (&parser);
}

/* (transfer full) (nullable) */
static char *
find_missing (const SondeStudySettings *settings)
{
  if (settings->model == NULL)
    return g_strdup (FILE_NAME " names no model: what was written is shown.");
  for (gsize i = 0; i < G_N_ELEMENTS (texts); i++)
    {
      const char *text = G_STRUCT_MEMBER (const char *, settings, texts[i].offset);

      if (texts[i].title != NULL && text != NULL && !is_there (text, texts[i].is_source))
        return g_strdup_printf ("%s “%s” is not there any more: what was written is shown.",
                                texts[i].title, text);
    }
  return NULL;
}

SondeStudySettings *
sonde_explained_settings_read (const char *folder, char **target, char **missing)
{
  g_autoptr (GError) error = NULL;
  g_autoptr (JsonParser) parser = parse (folder, &error);
  SondeStudySettings *settings;

  *target = NULL;
  if (parser == NULL)
    {
      *missing = g_strdup_printf ("The settings cannot be read, what was written is shown: %s",
                                  error->message);
      return g_new0 (SondeStudySettings, 1);
    }
  settings = take_settings (json_node_get_object (json_parser_get_root (parser)), folder);
  *target = find_target (json_node_get_object (json_parser_get_root (parser)));
  *missing = find_missing (settings);
  return settings;
}
