/* SPDX-License-Identifier: Apache-2.0
 * Keras' to_json() -> SondeGraph: a node a layer, models in models as scopes. Sequential layers
 * follow each other, others name the layers that they read, in one of three ways that Keras had for
 * it.
 * Source: keras-team/keras src/models/functional.py, sequential.py. */
#include "data/records/tensorboard/sonde-graph-def-private.h"

#include <json-glib/json-glib.h>

#include "data/base/sonde-error.h"
#include "data/json/sonde-json-depth.h"

#define MAX_BYTES ((gsize) 16 << 20)
#define MAX_NESTING 200
#define MAX_MODELS 32
#define MAX_OUTPUTS 1024
#define DOMAIN "keras"

typedef struct _Model Model;

/* A layer is a node, or a model of its own. */
typedef struct
{
  SondeNode *node;
  Model *model;
} Layer;

/* @layers: (element-type Layer): in file order; @by_name: lent layers
 * @inputs: (element-type SondeNode): what a model around this one feeds; @outputs: (element-type
 * SondeGraphValue) */
struct _Model
{
  GPtrArray *layers, *inputs, *outputs;
  GHashTable *by_name;
};

static void model_free (Model *model);

static void
layer_free (gpointer data)
{
  Layer *layer = data;

  model_free (layer->model);
  g_free (layer);
}

static Model *
model_new (void)
{
  Model *model = g_new0 (Model, 1);

  model->layers = g_ptr_array_new_with_free_func (layer_free);
  model->inputs = g_ptr_array_new ();
  model->outputs = g_ptr_array_new ();
  model->by_name = g_hash_table_new_full (g_str_hash, g_str_equal, g_free, NULL);
  return model;
}

static void
model_free (Model *model)
{
  if (model == NULL)
    return;
  g_ptr_array_unref (model->layers);
  g_ptr_array_unref (model->inputs);
  g_ptr_array_unref (model->outputs);
  g_hash_table_unref (model->by_name);
  g_free (model);
}

G_DEFINE_AUTOPTR_CLEANUP_FUNC (Model, model_free)

/* ---- JSON ---------------------------------------------------------------- */

static JsonObject *
get_object (JsonObject *object, const char *name)
{
  JsonNode *node = object != NULL ? json_object_get_member (object, name) : NULL;

  return node != NULL && JSON_NODE_HOLDS_OBJECT (node) ? json_node_get_object (node) : NULL;
}

static JsonArray *
get_array (JsonObject *object, const char *name)
{
  JsonNode *node = object != NULL ? json_object_get_member (object, name) : NULL;

  return node != NULL && JSON_NODE_HOLDS_ARRAY (node) ? json_node_get_array (node) : NULL;
}

static const char *
get_text (JsonObject *object, const char *name)
{
  JsonNode *node = object != NULL ? json_object_get_member (object, name) : NULL;

  return node != NULL && JSON_NODE_HOLDS_VALUE (node)
                 && json_node_get_value_type (node) == G_TYPE_STRING
             ? json_node_get_string (node)
             : NULL;
}

static gboolean
is_text (JsonArray *array, guint i)
{
  JsonNode *node = json_array_get_element (array, i);

  return JSON_NODE_HOLDS_VALUE (node) && json_node_get_value_type (node) == G_TYPE_STRING;
}

static gboolean
is_int (JsonArray *array, guint i)
{
  JsonNode *node = json_array_get_element (array, i);

  return JSON_NODE_HOLDS_VALUE (node) && json_node_get_value_type (node) == G_TYPE_INT64;
}

/* ["layer", node, tensor, …] wherever it stands: in lists of lists, in "keras_history" of an
 * argument. The text was checked for its depth before. */
typedef void (*FoundReference) (gpointer data, const char *layer, guint tensor);

static void
find_references (JsonNode *node, FoundReference found, gpointer data)
{
  if (JSON_NODE_HOLDS_ARRAY (node))
    {
      JsonArray *array = json_node_get_array (node);
      guint n = json_array_get_length (array);

      if (n >= 3 && is_text (array, 0) && is_int (array, 1) && is_int (array, 2))
        {
          found (data, json_array_get_string_element (array, 0),
                 (guint) CLAMP (json_array_get_int_element (array, 2), 0, MAX_OUTPUTS - 1));
          /* arguments may be tensors, too */
          if (n > 3)
            find_references (json_array_get_element (array, 3), found, data);
          return;
        }
      for (guint i = 0; i < n; i++)
        find_references (json_array_get_element (array, i), found, data);
    }
  else if (JSON_NODE_HOLDS_OBJECT (node))
    {
      g_autoptr (GList) members = json_object_get_members (json_node_get_object (node));

      for (GList *i = members; i != NULL; i = i->next)
        find_references (json_object_get_member (json_node_get_object (node), i->data), found,
                         data);
    }
}

/* ---- layers -------------------------------------------------------------- */

static void
set_ints (SondeNode *node, const char *name, JsonArray *array)
{
  guint n = json_array_get_length (array);
  g_autofree gint64 *ints = g_new0 (gint64, n + 1);

  for (guint i = 0; i < n; i++)
    if (is_int (array, i))
      ints[i] = json_array_get_int_element (array, i);
    else if (JSON_NODE_HOLDS_NULL (json_array_get_element (array, i)))
      ints[i] = -1;
    else
      return;
  sonde_node_set_ints (node, name, ints, n);
}

/* Numbers, texts and lists of numbers of the layer's settings. */
static void
set_attributes (SondeNode *node, JsonObject *config)
{
  g_autoptr (GList) members = config != NULL ? json_object_get_members (config) : NULL;

  for (GList *i = members; i != NULL; i = i->next)
    {
      JsonNode *member = json_object_get_member (config, i->data);
      GType type
          = JSON_NODE_HOLDS_VALUE (member) ? json_node_get_value_type (member) : G_TYPE_INVALID;

      if (type == G_TYPE_STRING && !g_str_equal (i->data, "name"))
        sonde_node_set_string (node, i->data, json_node_get_string (member));
      else if (type == G_TYPE_INT64)
        sonde_node_set_int (node, i->data, json_node_get_int (member));
      else if (type == G_TYPE_DOUBLE)
        sonde_node_set_float (node, i->data, json_node_get_double (member));
      else if (type == G_TYPE_BOOLEAN)
        sonde_node_set_int (node, i->data, json_node_get_boolean (member));
      else if (JSON_NODE_HOLDS_ARRAY (member))
        set_ints (node, i->data, json_node_get_array (member));
    }
}

static SondeGraphValue *
output_of_node (SondeGraph *graph, SondeNode *node, guint index)
{
  SondeGraphValue *value = sonde_node_get_output (node, index);
  g_autofree char *name = NULL;

  if (value != NULL)
    return value;
  name = index == 0 ? g_strdup (node->name) : g_strdup_printf ("%s:%u", node->name, index);
  value = sonde_graph_add_value (graph, name, NULL);
  sonde_node_set_output (graph, node, index, value);
  return value;
}

static SondeGraphValue *
output_of_layer (SondeGraph *graph, const Layer *layer, guint index)
{
  if (layer->node != NULL)
    return output_of_node (graph, layer->node, index);
  return layer->model->outputs->len > 0
             ? layer->model->outputs->pdata[MIN (index, layer->model->outputs->len - 1)]
             : NULL;
}

/* The @index-th thing that a layer reads. */
static void
feed_layer (SondeGraph *graph, const Layer *layer, guint index, SondeGraphValue *value)
{
  SondeNode *node = layer->node;

  if (node == NULL && layer->model->inputs->len > 0)
    node = layer->model->inputs->pdata[MIN (index, layer->model->inputs->len - 1)];
  if (node != NULL && value != NULL)
    sonde_node_set_input (graph, node, node->inputs->len, value);
}

static Model *import_model (SondeGraph *graph, JsonObject *object, const char *scope, guint depth,
                            GError **error);

static gboolean
add_layer (SondeGraph *graph, Model *model, JsonObject *object, const char *scope, guint depth,
           GError **error)
{
  JsonObject *config = get_object (object, "config");
  const char *class_name = get_text (object, "class_name");
  const char *name = get_text (config, "name");
  g_autofree char *full = NULL;
  Layer *layer = g_new0 (Layer, 1);

  name = name != NULL ? name : get_text (object, "name");
  name = name != NULL ? name : class_name != NULL ? class_name : "layer";
  full = scope[0] != '\0' ? g_strconcat (scope, "/", name, NULL) : g_strdup (name);
  g_ptr_array_add (model->layers, layer);
  g_hash_table_replace (model->by_name, g_strdup (name), layer);
  if (get_array (config, "layers") != NULL)
    {
      layer->model = import_model (graph, object, full, depth + 1, error);
      return layer->model != NULL;
    }
  layer->node = sonde_graph_add_node (graph, full, DOMAIN,
                                      class_name != NULL ? class_name : "Layer", NULL, 0, 0);
  set_attributes (layer->node, config);
  return TRUE;
}

/* ---- edges --------------------------------------------------------------- */

typedef struct
{
  SondeGraph *graph;
  Model *model;
  const Layer *layer;
  guint n;
} Reading;

static void
connect_layer (gpointer data, const char *name, guint tensor)
{
  Reading *reading = data;
  const Layer *from = g_hash_table_lookup (reading->model->by_name, name);

  if (from == NULL)
    sonde_graph_def_note_problem (reading->graph, "a layer reads “%s”, which does not exist", name);
  else if (from != reading->layer)
    feed_layer (reading->graph, reading->layer, reading->n++,
                output_of_layer (reading->graph, from, tensor));
}

static void
add_model_input (gpointer data, const char *name, guint tensor)
{
  Reading *reading = data;
  const Layer *layer = g_hash_table_lookup (reading->model->by_name, name);

  if (layer != NULL && layer->node != NULL)
    g_ptr_array_add (reading->model->inputs, layer->node);
}

static void
add_model_output (gpointer data, const char *name, guint tensor)
{
  Reading *reading = data;
  const Layer *layer = g_hash_table_lookup (reading->model->by_name, name);
  SondeGraphValue *value = layer != NULL ? output_of_layer (reading->graph, layer, tensor) : NULL;

  if (value != NULL)
    g_ptr_array_add (reading->model->outputs, value);
}

static void
find_ends (SondeGraph *graph, Model *model, JsonObject *config)
{
  Reading reading = { graph, model, NULL, 0 };
  JsonNode *inputs = json_object_get_member (config, "input_layers");
  JsonNode *outputs = json_object_get_member (config, "output_layers");
  const Layer *first = model->layers->len > 0 ? model->layers->pdata[0] : NULL;
  const Layer *last = model->layers->len > 0 ? model->layers->pdata[model->layers->len - 1] : NULL;

  if (inputs != NULL)
    find_references (inputs, add_model_input, &reading);
  if (outputs != NULL)
    find_references (outputs, add_model_output, &reading);
  if (model->inputs->len == 0 && first != NULL && first->node != NULL)
    g_ptr_array_add (model->inputs, first->node);
  else if (model->inputs->len == 0 && first != NULL)
    g_ptr_array_extend (model->inputs, first->model->inputs, NULL, NULL);
  if (model->outputs->len == 0 && last != NULL && output_of_layer (graph, last, 0) != NULL)
    g_ptr_array_add (model->outputs, output_of_layer (graph, last, 0));
}

static void
connect_layers (SondeGraph *graph, Model *model, JsonArray *layers)
{
  gboolean is_sequence = TRUE;

  for (guint i = 0; i < model->layers->len; i++)
    {
      JsonNode *inbound
          = json_object_get_member (json_array_get_object_element (layers, i), "inbound_nodes");
      Reading reading = { graph, model, model->layers->pdata[i], 0 };

      if (inbound == NULL)
        continue;
      is_sequence = FALSE;
      find_references (inbound, connect_layer, &reading);
    }
  for (guint i = 1; is_sequence && i < model->layers->len; i++)
    feed_layer (graph, model->layers->pdata[i], 0,
                output_of_layer (graph, model->layers->pdata[i - 1], 0));
}

static Model *
import_model (SondeGraph *graph, JsonObject *object, const char *scope, guint depth, GError **error)
{
  g_autoptr (Model) model = model_new ();
  JsonObject *config = get_object (object, "config");
  JsonArray *layers = get_array (config, "layers");

  if (depth > MAX_MODELS)
    {
      sonde_set_error (error, SONDE_DATA_ERROR, SONDE_DATA_ERROR_LIMIT,
                       "Keras models are nested more than %d deep", MAX_MODELS);
      return NULL;
    }
  if (layers == NULL)
    {
      sonde_record_damaged (error, "Keras model “%s” has no layers", scope);
      return NULL;
    }
  for (guint i = 0; i < json_array_get_length (layers); i++)
    if (!JSON_NODE_HOLDS_OBJECT (json_array_get_element (layers, i)))
      {
        sonde_record_damaged (error, "Layer %u of Keras model “%s” is not an object", i, scope);
        return NULL;
      }
    else if (!add_layer (graph, model, json_array_get_object_element (layers, i), scope, depth,
                         error))
      return NULL;
  connect_layers (graph, model, layers);
  find_ends (graph, model, config);
  return g_steal_pointer (&model);
}

SondeGraph *
sonde_keras_json_to_graph (SondeBytes json, GError **error)
{
  g_autoptr (JsonParser) parser = json_parser_new_immutable ();
  g_autoptr (SondeGraph) graph = sonde_graph_new (NULL);
  g_autoptr (GError) failure = NULL;
  g_autoptr (Model) model = NULL;
  JsonNode *root;

  if (json.length > MAX_BYTES)
    {
      sonde_set_error (error, SONDE_DATA_ERROR, SONDE_DATA_ERROR_LIMIT,
                       "The JSON of the Keras model has %zu bytes, the limit is %zu", json.length,
                       MAX_BYTES);
      return NULL;
    }
  if (!sonde_json_is_shallow (json.at, json.length, MAX_NESTING))
    {
      sonde_set_error (error, SONDE_DATA_ERROR, SONDE_DATA_ERROR_LIMIT,
                       "The JSON of the Keras model is nested more than %d deep", MAX_NESTING);
      return NULL;
    }
  if (!json_parser_load_from_data (parser, (const char *) json.at, (gssize) json.length, &failure))
    {
      sonde_record_damaged (error, "The Keras model is not valid JSON: %s", failure->message);
      return NULL;
    }
  root = json_parser_get_root (parser);
  if (root == NULL || !JSON_NODE_HOLDS_OBJECT (root))
    {
      sonde_record_damaged (error, "The Keras model is not a JSON object");
      return NULL;
    }
  model = import_model (graph, json_node_get_object (root), "", 0, error);
  if (model == NULL)
    return NULL;
  for (guint i = 0; i < model->outputs->len; i++)
    sonde_graph_add_output (graph, model->outputs->pdata[i]);
  return g_steal_pointer (&graph);
}
