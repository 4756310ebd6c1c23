/* SPDX-License-Identifier: Apache-2.0
 * Calls of layers: who reads what, in the dialects of Keras 2 and 3, and an order of them. */
#include <string.h>

#include "data/base/sonde-error.h"
#include "data/models/keras/sonde-keras-calls-private.h"

void
sonde_keras_call_free (gpointer data)
{
  SondeKerasCall *call = data;

  g_ptr_array_unref (call->args);
  g_array_unref (call->refs);
  g_free (call);
}

/* The call is of the layer's, which owns it. */
static SondeKerasCall *
add_call (SondeKerasLayer *layer)
{
  SondeKerasCall *call = g_new0 (SondeKerasCall, 1);

  call->layer = layer;
  call->index = layer->calls->len;
  call->args = g_ptr_array_new ();
  call->refs = g_array_new (FALSE, FALSE, sizeof (SondeKerasRef));
  g_ptr_array_add (layer->calls, call);
  return call;
}

/* ---- refs ---------------------------------------------------------------- */

static gboolean
get_count (JsonArray *array, guint index, guint *count)
{
  JsonNode *node
      = index < sonde_json_member_count (array) ? json_array_get_element (array, index) : NULL;
  gint64 number = node != NULL && JSON_NODE_HOLDS_VALUE (node)
                          && json_node_get_value_type (node) == G_TYPE_INT64
                      ? json_node_get_int (node)
                      : -1;

  *count = (guint) CLAMP (number, 0, G_MAXINT32);
  return number >= 0 && number <= G_MAXINT32;
}

static gboolean
read_triple (JsonArray *array, SondeKerasRef *ref)
{
  JsonNode *name = sonde_json_member_count (array) >= 3 ? json_array_get_element (array, 0) : NULL;

  if (name == NULL || !JSON_NODE_HOLDS_VALUE (name)
      || json_node_get_value_type (name) != G_TYPE_STRING)
    return FALSE;
  ref->layer = json_node_get_string (name);
  return get_count (array, 1, &ref->call) && get_count (array, 2, &ref->tensor);
}

gboolean
sonde_keras_net_read_ref (JsonNode *node, SondeKerasRef *ref)
{
  JsonObject *object = NULL;

  if (node != NULL && JSON_NODE_HOLDS_ARRAY (node))
    return read_triple (json_node_get_array (node), ref);
  if (node == NULL || !JSON_NODE_HOLDS_OBJECT (node))
    return FALSE;
  object = json_node_get_object (node);
  return g_strcmp0 (sonde_json_member_text (object, "class_name"), "__keras_tensor__") == 0
         && read_triple (
             sonde_json_member_array (sonde_json_member_object (object, "config"), "keras_history"),
             ref);
}

/* All refs in @node, however they are nested; the depth of the JSON is bounded. */
static void
collect_refs (JsonNode *node, GArray *refs)
{
  SondeKerasRef ref;

  gboolean is_ref = sonde_keras_net_read_ref (node, &ref);

  if (is_ref)
    g_array_append_val (refs, ref);
  if (JSON_NODE_HOLDS_ARRAY (node))
    {
      JsonArray *array = json_node_get_array (node);

      for (guint i = is_ref ? 3 : 0; i < json_array_get_length (array); i++)
        collect_refs (json_array_get_element (array, i), refs);
    }
  else if (JSON_NODE_HOLDS_OBJECT (node) && !is_ref)
    {
      g_autoptr (GList) members = json_object_get_values (json_node_get_object (node));

      for (GList *member = members; member != NULL; member = member->next)
        collect_refs (member->data, refs);
    }
}

/* ---- calls --------------------------------------------------------------- */

/* Tensors of the arguments by name; those that are masks, or the others. */
static void
collect_kwargs (SondeKerasCall *call, gboolean masks)
{
  g_autoptr (GList) names = call->kwargs != NULL ? json_object_get_members (call->kwargs) : NULL;

  for (GList *name = names; name != NULL; name = name->next)
    if (g_str_has_suffix (name->data, "mask") == masks)
      collect_refs (json_object_get_member (call->kwargs, name->data), call->refs);
}

/* {"args": […], "kwargs": {…}} */
static void
read_call_3 (SondeKerasCall *call, JsonObject *json)
{
  JsonArray *args = sonde_json_member_array (json, "args");

  for (guint i = 0; i < sonde_json_member_count (args); i++)
    g_ptr_array_add (call->args, json_array_get_element (args, i));
  call->kwargs = sonde_json_member_object (json, "kwargs");
  for (guint i = 0; i < call->args->len; i++)
    collect_refs (call->args->pdata[i], call->refs);
  collect_kwargs (call, FALSE);
  call->n_inputs = call->refs->len;
  collect_kwargs (call, TRUE);
}

/* [[name, call, tensor, kwargs], …]: one tensor, or a list of them; operators have no outer list. */
static void
read_call_2 (SondeKerasCall *call, JsonNode *node)
{
  JsonArray *array = json_node_get_array (node), *first = array;
  guint n = json_array_get_length (array);

  if (n > 0 && JSON_NODE_HOLDS_ARRAY (json_array_get_element (array, 0)))
    {
      first = json_array_get_array_element (array, 0);
      node = n == 1 ? json_array_get_element (array, 0) : node;
    }
  g_ptr_array_add (call->args, node);
  collect_refs (node, call->refs);
  call->n_inputs = call->refs->len;
  if (sonde_json_member_count (first) > 3
      && JSON_NODE_HOLDS_OBJECT (json_array_get_element (first, 3)))
    call->kwargs = json_array_get_object_element (first, 3);
}

static void
read_calls (SondeKerasLayer *layer)
{
  JsonArray *nodes = sonde_json_member_array (layer->json, "inbound_nodes");

  for (guint i = 0; i < sonde_json_member_count (nodes); i++)
    {
      JsonNode *node = json_array_get_element (nodes, i);

      if (JSON_NODE_HOLDS_OBJECT (node))
        read_call_3 (add_call (layer), json_node_get_object (node));
      else if (JSON_NODE_HOLDS_ARRAY (node))
        read_call_2 (add_call (layer), node);
    }
  if (layer->calls->len == 0) /* an input */
    add_call (layer);
}

static gboolean
fail_ref (const SondeKerasNet *net, const SondeKerasRef *ref, const char *path, GError **error)
{
  sonde_set_error (error, SONDE_DATA_ERROR, SONDE_DATA_ERROR_DAMAGED,
                   "“%s”: in the model “%s” a tensor is said to come from call %u of the layer "
                   "“%s”, which is not there",
                   path, net->name, ref->call, ref->layer);
  return FALSE;
}

/* Models in Keras 2 count the call that made them, too: theirs begin at 1; in Keras 3 those of functional
 * models do where the edges of a net are listed. */
static gboolean
counts_itself (const SondeKerasLayer *layer, gboolean is_edge)
{
  JsonArray *nodes = sonde_json_member_array (layer->json, "inbound_nodes");

  if (layer->nested == NULL || sonde_json_member_count (nodes) == 0)
    return FALSE;
  return JSON_NODE_HOLDS_ARRAY (json_array_get_element (nodes, 0))
         || (is_edge && !layer->nested->is_sequence);
}

/* (nullable) */
static SondeKerasCall *
find_call (const SondeKerasNet *net, const SondeKerasRef *ref, gboolean is_edge)
{
  SondeKerasLayer *layer = g_hash_table_lookup (net->by_name, ref->layer);
  guint index = ref->call;

  if (layer != NULL && index > 0 && counts_itself (layer, is_edge))
    index--;
  return layer != NULL && index < layer->calls->len ? layer->calls->pdata[index] : NULL;
}

/* ---- order --------------------------------------------------------------- */

/**
 * Waiting: a call that cannot be made yet
 * @n: tensors that are missing; @readers: (element-type Waiting): who waits for this one
 */
typedef struct
{
  SondeKerasCall *call;
  guint n;
  GPtrArray *readers;
} Waiting;

static void
free_waiting (gpointer data)
{
  Waiting *waiting = data;

  g_ptr_array_unref (waiting->readers);
  g_free (waiting);
}

/* (transfer container): call -> Waiting */
static GHashTable *
list_calls (SondeKerasNet *net, GPtrArray *order)
{
  GHashTable *all = g_hash_table_new_full (NULL, NULL, NULL, free_waiting);

  for (guint i = 0; i < net->layers->len; i++)
    {
      SondeKerasLayer *layer = net->layers->pdata[i];

      read_calls (layer);
      for (guint k = 0; k < layer->calls->len; k++)
        {
          Waiting *waiting = g_new0 (Waiting, 1);

          waiting->call = layer->calls->pdata[k];
          waiting->readers = g_ptr_array_new ();
          g_hash_table_insert (all, waiting->call, waiting);
          g_ptr_array_add (order, waiting);
        }
    }
  return all;
}

static gboolean
await (const SondeKerasNet *net, GHashTable *all, Waiting *waiting, const char *path,
       GError **error)
{
  for (guint i = 0; i < waiting->call->refs->len; i++)
    {
      SondeKerasRef *ref = &g_array_index (waiting->call->refs, SondeKerasRef, i);
      SondeKerasCall *source = find_call (net, ref, FALSE);
      Waiting *made = source != NULL ? g_hash_table_lookup (all, source) : NULL;

      if (made == NULL)
        return fail_ref (net, ref, path, error);
      ref->call = source->index;
      g_ptr_array_add (made->readers, waiting);
      waiting->n++;
    }
  return TRUE;
}

/* Each call behind those that it reads. */
static gboolean
sort_calls (SondeKerasNet *net, const char *path, GError **error)
{
  g_autoptr (GPtrArray) listed = g_ptr_array_new (), ready = g_ptr_array_new ();
  g_autoptr (GHashTable) all = list_calls (net, listed);

  for (guint i = 0; i < listed->len; i++)
    if (!await (net, all, listed->pdata[i], path, error))
      return FALSE;
  for (guint i = 0; i < listed->len; i++)
    if (((Waiting *) listed->pdata[i])->n == 0)
      g_ptr_array_add (ready, listed->pdata[i]);
  for (guint i = 0; i < ready->len; i++)
    {
      Waiting *made = ready->pdata[i];

      g_ptr_array_add (net->calls, made->call);
      for (guint k = 0; k < made->readers->len; k++)
        if (--((Waiting *) made->readers->pdata[k])->n == 0)
          g_ptr_array_add (ready, made->readers->pdata[k]);
    }
  if (ready->len == listed->len)
    return TRUE;
  sonde_set_error (error, SONDE_DATA_ERROR, SONDE_DATA_ERROR_DAMAGED,
                   "“%s”: layers of the model “%s” read each other in a circle", path, net->name);
  return FALSE;
}

/* ---- edges --------------------------------------------------------------- */

static gboolean
read_edges (SondeKerasNet *net, JsonObject *config, const char *name, GArray *edges,
            const char *path, GError **error)
{
  JsonNode *node = config != NULL ? json_object_get_member (config, name) : NULL;

  if (node != NULL)
    collect_refs (node, edges);
  for (guint i = 0; i < edges->len; i++)
    {
      SondeKerasRef *ref = &g_array_index (edges, SondeKerasRef, i);
      SondeKerasCall *call = find_call (net, ref, TRUE);

      if (call == NULL)
        return fail_ref (net, ref, path, error);
      ref->call = call->index;
    }
  if (edges->len > 0)
    return TRUE;
  sonde_set_error (error, SONDE_DATA_ERROR, SONDE_DATA_ERROR_DAMAGED,
                   "“%s”: the model “%s” has no %s", path, net->name, name);
  return FALSE;
}

static void
connect_sequence (SondeKerasNet *net)
{
  for (guint i = 0; i < net->layers->len; i++)
    {
      SondeKerasLayer *layer = net->layers->pdata[i];
      SondeKerasRef ref = { .layer = layer->name };

      g_ptr_array_add (net->calls, add_call (layer));
      if (i == 0)
        g_array_append_val (net->inputs, ref);
      if (i + 1 == net->layers->len)
        g_array_append_val (net->outputs, ref);
    }
}

gboolean
sonde_keras_net_connect (SondeKerasNet *net, JsonObject *config, const char *path, GError **error)
{
  if (net->is_sequence)
    {
      connect_sequence (net);
      return TRUE;
    }
  return sort_calls (net, path, error)
         && read_edges (net, config, "input_layers", net->inputs, path, error)
         && read_edges (net, config, "output_layers", net->outputs, path, error);
}
