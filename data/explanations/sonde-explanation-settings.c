/* SPDX-License-Identifier: Apache-2.0 */
#include "data/explanations/sonde-explanation-settings.h"

#include <string.h>

#include "data/arrays/sonde-json-text.h"
#include "data/arrays/sonde-json.h"
#include "data/base/sonde-error.h"
#include "data/base/sonde-io.h"
#include "data/base/sonde-path-gate.h"
#include "data/explanations/sonde-json-members.h"

#define MAX_BYTES (1 << 20)
#define MAX_NESTING 16
#define FILE_NAME "settings.json"

/* Texts of settings; @gone: of paths: that there is no such file any more. */
static const struct
{
  const char *key, *gone;
  gsize offset;
  gboolean is_source; /* "kind:PATH", or made of numbers */
} texts[] = {
  { "model", N_ ("The model “%s” is not there any more: what was written is shown."),
    G_STRUCT_OFFSET (SondeExplanationSettings, model) },
  { "signature", NULL, G_STRUCT_OFFSET (SondeExplanationSettings, signature) },
  { "weights", N_ ("The file of weights “%s” is not there any more: what was written is shown."),
    G_STRUCT_OFFSET (SondeExplanationSettings, weights) },
  { "shapes", NULL, G_STRUCT_OFFSET (SondeExplanationSettings, shapes) },
  { "data", N_ ("The data “%s” is not there any more: what was written is shown."),
    G_STRUCT_OFFSET (SondeExplanationSettings, data), TRUE },
  { "labels", N_ ("The file of class names “%s” is not there any more: what was written is shown."),
    G_STRUCT_OFFSET (SondeExplanationSettings, labels) },
  { "train_data", N_ ("The training data “%s” is not there any more: what was written is shown."),
    G_STRUCT_OFFSET (SondeExplanationSettings, training), TRUE },
  { "given_labels",
    N_ ("The file of labels “%s” is not there any more: what was written is shown."),
    G_STRUCT_OFFSET (SondeExplanationSettings, given_labels) },
  { "mean", NULL, G_STRUCT_OFFSET (SondeExplanationSettings, mean) },
  { "std", NULL, G_STRUCT_OFFSET (SondeExplanationSettings, std) },
  { "size", NULL, G_STRUCT_OFFSET (SondeExplanationSettings, size) },
  { "channels", NULL, G_STRUCT_OFFSET (SondeExplanationSettings, channels) },
  { "device", NULL, G_STRUCT_OFFSET (SondeExplanationSettings, device) },
};

/* ---- life ---------------------------------------------------------------- */

SondeExplanationSettings *
sonde_explanation_settings_copy (const SondeExplanationSettings *settings)
{
  SondeExplanationSettings *copy = g_memdup2 (settings, sizeof *settings);

  for (gsize i = 0; i < G_N_ELEMENTS (texts); i++)
    G_STRUCT_MEMBER (char *, copy, texts[i].offset)
        = g_strdup (G_STRUCT_MEMBER (char *, settings, texts[i].offset));
  return copy;
}

void
sonde_explanation_settings_clear (SondeExplanationSettings *settings)
{
  for (gsize i = 0; i < G_N_ELEMENTS (texts); i++)
    g_clear_pointer (&G_STRUCT_MEMBER (char *, settings, texts[i].offset), g_free);
}

void
sonde_explanation_settings_free (SondeExplanationSettings *settings)
{
  if (settings == NULL)
    return;
  sonde_explanation_settings_clear (settings);
  g_free (settings);
}

/* ---- writing ------------------------------------------------------------- */

static void
add_list (JsonBuilder *builder, const char *name, char **values)
{
  json_builder_set_member_name (builder, name);
  json_builder_begin_array (builder);
  for (gsize i = 0; values != NULL && values[i] != NULL; i++)
    json_builder_add_string_value (builder, values[i]);
  json_builder_end_array (builder);
}

static void
add_texts (JsonBuilder *builder, const SondeExplanationCall *call)
{
  const SondeExplanationSettings *settings = call->settings;
  g_autofree char *here = g_get_current_dir ();
  const struct
  {
    const char *name, *value;
  } members[] = {
    { "folder", here },
    { "model", call->model },
    { "signature", settings->signature },
    { "weights", settings->weights },
    { "shapes", settings->shapes },
    { "data", settings->data },
    { "labels", settings->labels },
    { "mean", settings->mean },
    { "std", settings->std },
    { "size", settings->size },
    { "channels", settings->channels },
    { "train_data", settings->training },
    { "given_labels", settings->given_labels },
    { "probabilities", call->probabilities },
    { "images", call->images },
    { "device", settings->device != NULL ? settings->device : "cpu" },
    { "version", call->version },
  };

  for (gsize i = 0; i < G_N_ELEMENTS (members); i++)
    if (members[i].value != NULL)
      sonde_json_set_string (builder, members[i].name, members[i].value);
}

static void
add_numbers (JsonBuilder *builder, const SondeExplanationCall *call)
{
  const int input[] = { call->channels, call->height, call->width };

  json_builder_set_member_name (builder, "input");
  json_builder_begin_array (builder);
  for (gsize i = 0; i < G_N_ELEMENTS (input); i++)
    json_builder_add_int_value (builder, input[i]);
  json_builder_end_array (builder);
  sonde_json_set_int (builder, "threads", call->settings->threads);
  sonde_json_set_int (builder, "seed", call->settings->seed);
  json_builder_set_member_name (builder, "triage");
  json_builder_add_boolean_value (builder, call->triage);
  json_builder_set_member_name (builder, "map_channels");
  json_builder_add_boolean_value (builder, call->map_channels);
}

gboolean
sonde_explanation_settings_write (const char *folder, const SondeExplanationCall *call,
                                  GError **error)
{
  g_autofree char *path = g_build_filename (folder, FILE_NAME, NULL), *text = NULL;
  g_autoptr (JsonBuilder) builder = json_builder_new ();
  g_autoptr (JsonNode) node = NULL;

  json_builder_begin_object (builder);
  add_texts (builder, call);
  add_list (builder, "methods", call->methods);
  add_list (builder, "targets", call->targets);
  add_numbers (builder, call);
  json_builder_set_member_name (builder, "notes");
  json_builder_begin_array (builder);
  for (guint i = 0; i < call->notes->len; i++)
    json_builder_add_string_value (builder,
                                   sonde_message_get_english (g_ptr_array_index (call->notes, i)));
  json_builder_end_array (builder);
  json_builder_end_object (builder);
  node = json_builder_get_root (builder);
  text = sonde_json_node_to_text (node, TRUE);
  return sonde_io_replace_file (NULL, path, text, strlen (text), error);
}

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
sonde_explanation_settings_find_images (const SondeExplanationSettings *settings)
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

/* ---- reading ------------------------------------------------------------- */

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
  JsonArray *targets = sonde_json_get_array (object, "targets");
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

static SondeExplanationSettings *
take_settings (JsonObject *object, const char *folder)
{
  SondeExplanationSettings *settings = g_new0 (SondeExplanationSettings, 1);
  const char *ran = sonde_json_get_text (object, "folder");
  const char *from = ran != NULL && g_path_is_absolute (ran) ? ran : folder;

  for (gsize i = 0; i < G_N_ELEMENTS (texts); i++)
    {
      const char *text = sonde_json_get_text (object, texts[i].key);

      if (text != NULL && *text != '\0')
        G_STRUCT_MEMBER (char *, settings, texts[i].offset)
            = texts[i].gone != NULL ? resolve (text, texts[i].is_source, from) : g_strdup (text);
    }
  settings->threads = (int) get_count (object, "threads", 4096);
  settings->seed = get_count (object, "seed", G_MAXINT64);
  return settings;
}

/* (transfer full) (nullable) */
static char *
find_missing (const SondeExplanationSettings *settings)
{
  if (settings->model == NULL)
    return g_strdup (_ ("settings.json names no model: what was written is shown."));
  for (gsize i = 0; i < G_N_ELEMENTS (texts); i++)
    {
      const char *text = G_STRUCT_MEMBER (const char *, settings, texts[i].offset);

      if (texts[i].gone != NULL && text != NULL && !is_there (text, texts[i].is_source))
        {
          g_autoptr (SondeMessage) message = sonde_message_new_empty ();

          sonde_message_add_part (message, texts[i].gone, (const char *const[]){ text, NULL });
          return sonde_message_dup_text (message);
        }
    }
  return NULL;
}

SondeExplanationSettings *
sonde_explanation_settings_read (const char *folder, char **target, char **missing)
{
  g_autoptr (GError) error = NULL;
  g_autoptr (GBytes) bytes = sonde_path_gate_read (NULL, folder, FILE_NAME, MAX_BYTES, &error);
  g_autoptr (JsonParser) parser
      = bytes != NULL ? sonde_json_parse (bytes, FILE_NAME, MAX_NESTING, &error) : NULL;
  SondeExplanationSettings *settings;

  *target = NULL;
  if (parser == NULL)
    {
      *missing
          = g_strdup_printf (_ ("The settings cannot be read; the stored results are shown: %s"),
                             sonde_error_get_text (error));
      return g_new0 (SondeExplanationSettings, 1);
    }
  settings = take_settings (json_node_get_object (json_parser_get_root (parser)), folder);
  *target = find_target (json_node_get_object (json_parser_get_root (parser)));
  *missing = find_missing (settings);
  return settings;
}
