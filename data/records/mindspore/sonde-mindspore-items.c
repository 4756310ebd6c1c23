/* SPDX-License-Identifier: Apache-2.0
 * Named values of lineage records. */
#include "data/records/mindspore/sonde-mindspore-items-private.h"

#include <json-glib/json-glib.h>
#include <stdlib.h>

#include "data/base/sonde-error.h"

#define MAX_ITEMS 65536
#define MAX_JSON_DEPTH 32
#define MAX_JSON_BYTES ((gsize) 16 << 20)

static void
item_clear (gpointer data)
{
  SondeHparam *item = data;

  g_free (item->key);
  g_free (item->text);
}

GArray *
sonde_mindspore_items_new (void)
{
  GArray *items = g_array_new (FALSE, FALSE, sizeof (SondeHparam));

  g_array_set_clear_func (items, item_clear);
  return items;
}

gboolean
sonde_mindspore_items_check (GArray *items, gsize more, GError **error)
{
  if (items->len < MAX_ITEMS && more <= MAX_ITEMS - items->len)
    return TRUE;
  sonde_set_error (error, SONDE_DATA_ERROR, SONDE_DATA_ERROR_LIMIT, "more than %d named values",
                   MAX_ITEMS);
  return FALSE;
}

void
sonde_mindspore_items_add (GArray *items, const char *key, char *text, SondeHparamType type)
{
  SondeHparam item = { g_strdup (key), text, type };

  g_array_append_val (items, item);
}

void
sonde_mindspore_items_add_number (GArray *items, const char *key, double number)
{
  char text[G_ASCII_DTOSTR_BUF_SIZE];

  for (int digits = 15; digits <= 17; digits++)
    {
      char format[8];

      g_snprintf (format, sizeof format, "%%.%dg", digits);
      g_ascii_formatd (text, sizeof text, format, number);
      if (g_ascii_strtod (text, NULL) == number)
        break;
    }
  sonde_mindspore_items_add (items, key, g_strdup (text), SONDE_HPARAM_NUMBER);
}

void
sonde_mindspore_items_add_int (GArray *items, const char *key, gint64 number)
{
  sonde_mindspore_items_add (items, key, g_strdup_printf ("%" PRIi64, number), SONDE_HPARAM_NUMBER);
}

char *
sonde_mindspore_float_text (double number)
{
  char text[G_ASCII_DTOSTR_BUF_SIZE];

  for (int digits = 6; digits <= 9; digits++)
    {
      char format[8];

      g_snprintf (format, sizeof format, "%%.%dg", digits);
      g_ascii_formatd (text, sizeof text, format, number);
      if ((float) g_ascii_strtod (text, NULL) == (float) number)
        break;
    }
  return g_strdup (text);
}

void
sonde_mindspore_items_steal (GArray *items, SondeRecord *record, const char *part)
{
  g_array_set_clear_func (items, NULL);
  record->u.lineage.part = g_strdup (part);
  record->u.lineage.n = items->len;
  record->u.lineage.items = g_memdup2 (items->data, items->len * sizeof (SondeHparam));
  g_array_set_size (items, 0);
}

/* ---- JSON ---------------------------------------------------------------- */

static void
add_member (GArray *items, const char *key, JsonNode *node)
{
  GType type = json_node_get_value_type (node);

  if (JSON_NODE_HOLDS_VALUE (node) && type == G_TYPE_BOOLEAN)
    sonde_mindspore_items_add (
        items, key, g_strdup (json_node_get_boolean (node) ? "true" : "false"), SONDE_HPARAM_BOOL);
  else if (JSON_NODE_HOLDS_VALUE (node) && type == G_TYPE_STRING)
    sonde_mindspore_items_add (items, key, json_node_dup_string (node), SONDE_HPARAM_TEXT);
  else if (JSON_NODE_HOLDS_VALUE (node) && type == G_TYPE_INT64)
    sonde_mindspore_items_add_int (items, key, json_node_get_int (node));
  else if (JSON_NODE_HOLDS_VALUE (node))
    sonde_mindspore_items_add_number (items, key, json_node_get_double (node));
  else
    sonde_mindspore_items_add (items, key, json_to_string (node, FALSE), SONDE_HPARAM_TEXT);
}

/* @prefix: "" or with its dot. Depth is bounded by the caller's look at the text. */
static void
add_object (GArray *items, const char *prefix, JsonObject *object)
{
  JsonObjectIter iter;
  const char *name;
  JsonNode *node;

  json_object_iter_init_ordered (&iter, object);
  while (json_object_iter_next_ordered (&iter, &name, &node))
    {
      g_autofree char *key = g_strconcat (prefix, name, NULL);

      if (JSON_NODE_HOLDS_OBJECT (node))
        {
          g_autofree char *inner = g_strconcat (key, ".", NULL);

          add_object (items, inner, json_node_get_object (node));
        }
      else
        add_member (items, key, node);
    }
}

/* The parser recurses, so brackets are counted first; those in texts count, too, which is no
 * harm. */
static gboolean
is_shallow (const char *json, gsize length)
{
  guint depth = 0;

  for (gsize i = 0; i < length; i++)
    {
      const char byte = json[i];

      if (byte == '{' || byte == '[')
        depth++;
      else if ((byte == '}' || byte == ']') && depth > 0)
        depth--;
      if (depth > MAX_JSON_DEPTH)
        return FALSE;
    }
  return TRUE;
}

gboolean
sonde_mindspore_items_add_json (GArray *items, const char *json, gsize length)
{
  g_autoptr (JsonParser) parser = NULL;
  JsonNode *root;

  if (length == 0 || length > MAX_JSON_BYTES || !is_shallow (json, length)
      || !g_utf8_validate (json, (gssize) length, NULL))
    return FALSE;
  parser = json_parser_new ();
  if (!json_parser_load_from_data (parser, json, (gssize) length, NULL))
    return FALSE;
  root = json_parser_get_root (parser);
  if (root == NULL || !JSON_NODE_HOLDS_OBJECT (root))
    return FALSE;
  add_object (items, "", json_node_get_object (root));
  return TRUE;
}
