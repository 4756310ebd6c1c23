/* SPDX-License-Identifier: Apache-2.0
 * From a configuration to layers, calls and their order. */
#include "data/models/keras/sonde-keras-net.h"

#include "data/base/sonde-error.h"
#include "data/models/keras/sonde-keras-calls-private.h"

/* ---- layers -------------------------------------------------------------- */

/* The two patterns of Keras: a word in front of its capital, and the end of a row of small letters. */
char *
sonde_keras_snake_case (const char *class_name)
{
  GString *text = g_string_new (NULL);

  for (const char *at = class_name; *at != '\0'; at++)
    {
      gboolean word = g_ascii_isupper (*at) && g_ascii_islower (at[1]);
      gboolean after_small = g_ascii_isupper (*at) && at > class_name && g_ascii_islower (at[-1]);

      if (at > class_name && (word || after_small) && at[-1] != '_')
        g_string_append_c (text, '_');
      if (g_ascii_isalnum (*at) || *at == '_')
        g_string_append_c (text, g_ascii_tolower (*at));
    }
  return g_string_free (text, FALSE);
}

static gboolean
is_model (const char *class_name)
{
  return g_str_equal (class_name, "Sequential") || g_str_equal (class_name, "Functional")
         || g_str_equal (class_name, "Model");
}

void
sonde_keras_layer_free (SondeKerasLayer *layer)
{
  if (layer == NULL)
    return;
  sonde_keras_net_free (layer->nested);
  g_free (layer->place);
  g_ptr_array_unref (layer->calls);
  g_free (layer);
}

static const char *
find_name (JsonObject *json, JsonObject *config, const char *class_name)
{
  const char *name = sonde_json_member_text (json, "name");

  name = name != NULL ? name : sonde_json_member_text (config, "name");
  return name != NULL ? name : class_name;
}

SondeKerasLayer *
sonde_keras_layer_new (JsonObject *json, const char *path, GError **error)
{
  g_autoptr (SondeKerasLayer) layer = g_new0 (SondeKerasLayer, 1);
  JsonObject *config = sonde_json_member_object (json, "config");

  layer->class_name = sonde_json_member_text (json, "class_name");
  layer->calls = g_ptr_array_new_with_free_func (sonde_keras_call_free);
  if (layer->class_name == NULL || config == NULL)
    {
      sonde_set_error (error, SONDE_DATA_ERROR, SONDE_DATA_ERROR_DAMAGED,
                       "“%s”: a layer has no class_name or no config", path);
      return NULL;
    }
  layer->json = json;
  layer->config = config;
  layer->name = find_name (json, config, layer->class_name);
  layer->place = g_strdup ("");
  if (is_model (layer->class_name))
    {
      layer->nested = sonde_keras_net_new (json, path, error);
      if (layer->nested == NULL)
        return NULL;
    }
  return g_steal_pointer (&layer);
}

/* Operators on tensors have a place in the graph, but not among the model's layers. */
static gboolean
is_operator (const SondeKerasLayer *layer)
{
  const char *module = sonde_json_member_text (layer->json, "module");

  return module != NULL && g_str_has_prefix (module, "keras.src.ops");
}

/* "layers/dense", "layers/dense_1": counted class by class. @counts: class -> how many */
static void
set_place (SondeKerasLayer *layer, GHashTable *counts)
{
  g_autofree char *class_name = sonde_keras_snake_case (layer->class_name);
  guint count = GPOINTER_TO_UINT (g_hash_table_lookup (counts, class_name));

  if (is_operator (layer))
    return;
  g_free (layer->place);
  layer->place = count == 0 ? g_strconcat ("layers/", class_name, NULL)
                            : g_strdup_printf ("layers/%s_%u", class_name, count);
  g_hash_table_insert (counts, g_steal_pointer (&class_name), GUINT_TO_POINTER (count + 1));
}

static gboolean
add_layer (SondeKerasNet *net, JsonObject *json, GHashTable *counts, const char *path,
           GError **error)
{
  SondeKerasLayer *layer = sonde_keras_layer_new (json, path, error);

  if (layer == NULL)
    return FALSE;
  g_ptr_array_add (net->layers, layer);
  set_place (layer, counts);
  if (g_hash_table_insert (net->by_name, (gpointer) layer->name, layer))
    return TRUE;
  sonde_set_error (error, SONDE_DATA_ERROR, SONDE_DATA_ERROR_DAMAGED,
                   "“%s”: two layers are called “%s”", path, layer->name);
  return FALSE;
}

/* Old sequences are the list itself. */
static JsonArray *
find_layers (JsonObject *json)
{
  JsonObject *config = sonde_json_member_object (json, "config");

  return config != NULL ? sonde_json_member_array (config, "layers")
                        : sonde_json_member_array (json, "config");
}

static gboolean
add_layers (SondeKerasNet *net, JsonArray *layers, const char *path, GError **error)
{
  g_autoptr (GHashTable) counts = g_hash_table_new_full (g_str_hash, g_str_equal, g_free, NULL);
  guint n = sonde_json_member_count (layers);

  for (guint i = 0; i < n; i++)
    if (!add_layer (net, sonde_json_member_element (layers, i), counts, path, error))
      return FALSE;
  if (n > 0)
    return TRUE;
  sonde_set_error (error, SONDE_DATA_ERROR, SONDE_DATA_ERROR_DAMAGED,
                   "“%s”: the model “%s” has no layers", path, net->name);
  return FALSE;
}

/* ---- the net ------------------------------------------------------------- */

void
sonde_keras_net_free (SondeKerasNet *net)
{
  if (net == NULL)
    return;
  g_ptr_array_unref (net->layers);
  g_ptr_array_unref (net->calls);
  g_hash_table_unref (net->by_name);
  g_array_unref (net->inputs);
  g_array_unref (net->outputs);
  g_free (net);
}

static void
free_layer (gpointer layer)
{
  sonde_keras_layer_free (layer);
}

SondeKerasNet *
sonde_keras_net_new (JsonObject *json, const char *path, GError **error)
{
  g_autoptr (SondeKerasNet) net = g_new0 (SondeKerasNet, 1);
  JsonObject *config = sonde_json_member_object (json, "config");
  const char *class_name = sonde_json_member_text (json, "class_name");

  net->layers = g_ptr_array_new_with_free_func (free_layer);
  net->calls = g_ptr_array_new ();
  net->by_name = g_hash_table_new (g_str_hash, g_str_equal);
  net->inputs = g_array_new (FALSE, FALSE, sizeof (SondeKerasRef));
  net->outputs = g_array_new (FALSE, FALSE, sizeof (SondeKerasRef));
  if (class_name == NULL || !is_model (class_name))
    {
      sonde_set_error (error, SONDE_DATA_ERROR, SONDE_DATA_ERROR_UNSUPPORTED,
                       "“%s” holds a model of the class “%s”, whose layers only its code knows. In "
                       "Keras: model.export (\"FOLDER\"), and give that folder",
                       path, class_name != NULL ? class_name : "?");
      return NULL;
    }
  net->name = find_name (json, config, class_name);
  net->is_sequence = g_str_equal (class_name, "Sequential");
  if (!add_layers (net, find_layers (json), path, error)
      || !sonde_keras_net_connect (net, config, path, error))
    return NULL;
  return g_steal_pointer (&net);
}
