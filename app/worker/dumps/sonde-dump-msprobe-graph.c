/* SPDX-License-Identifier: Apache-2.0
 * Nodes, scopes and edges of a step that msprobe dumped. */
#include "app/worker/dumps/sonde-dump-msprobe-graph.h"

#include <string.h>

/**
 * Building:
 * @containers: set of paths of modules that others lie in, or that functions were called by
 * @made: what is known of a tensor -> the last value that was made so
 */
typedef struct
{
  const SondeMsprobeDump *dump;
  const SondeDumpListing *listing;
  SondeGraph *graph;
  GHashTable *containers, *made;
} Building;

/* ---- scopes -------------------------------------------------------------- */

/* All modules around @path, which may lie in others. */
static void
add_containers (GHashTable *containers, const char *path)
{
  for (const char *dot = strchr (path, '.'); dot != NULL; dot = strchr (dot + 1, '.'))
    g_hash_table_add (containers, g_strndup (path, (gsize) (dot - path)));
}

/* The path of the module that called the function @entry, in backward the one of its forward call.
 * (transfer full) (nullable) */
static char *
path_of_caller (const SondeMsprobeDump *dump, const char *entry)
{
  g_autofree char *forward = sonde_msprobe_name_dup_forward (entry);
  const SondeMsprobeEntry *called
      = sonde_msprobe_dump_find_entry (dump, forward != NULL ? forward : entry);
  g_auto (SondeMsprobeName) name = { 0 };

  if (called == NULL || called->parent == NULL)
    return NULL;
  sonde_msprobe_name_parse (called->parent, &name);
  return g_steal_pointer (&name.path);
}

static GHashTable *
find_containers (const SondeMsprobeDump *dump)
{
  GHashTable *containers = g_hash_table_new_full (g_str_hash, g_str_equal, g_free, NULL);

  for (guint i = 0; i < dump->entries->len; i++)
    {
      const char *entry = g_array_index (dump->entries, SondeMsprobeEntry, i).name;
      g_auto (SondeMsprobeName) name = { 0 };
      char *caller;

      sonde_msprobe_name_parse (entry, &name);
      if (name.kind == SONDE_MSPROBE_MODULE)
        add_containers (containers, name.path);
      else if ((caller = path_of_caller (dump, entry)) != NULL)
        {
          add_containers (containers, caller);
          g_hash_table_add (containers, caller);
        }
    }
  return containers;
}

/* A module that others lie in stands in its own scope, any other in that around it. (transfer full)
 * (nullable) */
static char *
scope_of (const Building *building, const char *entry, const SondeMsprobeName *name)
{
  g_autofree char *path = name->kind == SONDE_MSPROBE_MODULE
                              ? g_strdup (name->path)
                              : path_of_caller (building->dump, entry);
  char *dot = path != NULL ? strrchr (path, '.') : NULL;

  if (path == NULL)
    return NULL;
  if (!g_hash_table_contains (building->containers, path))
    {
      if (dot == NULL)
        return NULL;
      *dot = '\0';
    }
  return g_strdelimit (g_steal_pointer (&path), ".", '/');
}

/* ---- what read what ------------------------------------------------------ */

static void
append_number (GString *text, const SondeMsprobeNumber *number)
{
  char digits[G_ASCII_DTOSTR_BUF_SIZE];

  g_string_append_printf (
      text, " %s", number->known ? g_ascii_dtostr (digits, sizeof digits, number->number) : "-");
}

/* What tells it from others. (transfer full) (nullable): nothing does */
static char *
describe (const SondeMsprobeTensor *tensor)
{
  GString *text;
  g_autofree char *shape = sonde_shape_to_string (&tensor->shape);

  if (tensor->checksum == NULL && !(tensor->min.known && tensor->max.known && tensor->norm.known))
    return NULL;
  text = g_string_new (tensor->dtype_name);
  g_string_append_printf (text, " %s %s", shape, tensor->checksum != NULL ? tensor->checksum : "");
  append_number (text, &tensor->min);
  append_number (text, &tensor->max);
  append_number (text, &tensor->mean);
  append_number (text, &tensor->norm);
  return g_string_free (text, FALSE);
}

static SondeGraphValue *
add_value (Building *building, const SondeDumpItem *item)
{
  SondeGraphValue *value = sonde_graph_add_value (building->graph, item->name, &item->type);

  value->recorded = TRUE;
  return value;
}

static void
add_input (Building *building, SondeNode *node, const SondeDumpItem *item)
{
  g_autofree char *known = describe (item->item);
  SondeGraphValue *value = add_value (building, item);
  SondeGraphValue *before = known != NULL ? g_hash_table_lookup (building->made, known) : NULL;

  sonde_node_set_input (building->graph, node, node->inputs->len, before != NULL ? before : value);
}

static void
add_parameter (Building *building, SondeNode *node, const SondeDumpItem *item)
{
  SondeGraphValue *value = add_value (building, item);
  g_autofree char *before = g_strdup_printf ("before(%s)", item->name);

  value->role = SONDE_ROLE_PARAMETER;
  value->update_of = sonde_graph_add_value (building->graph, before, &item->type);
  value->update_of->recorded = TRUE;
  sonde_node_set_input (building->graph, node, node->inputs->len, value);
}

static void
add_output (Building *building, SondeNode *node, const SondeDumpItem *item)
{
  char *known = describe (item->item);
  SondeGraphValue *value = add_value (building, item);

  sonde_node_set_output (building->graph, node, node->outputs->len, value);
  if (known != NULL)
    g_hash_table_insert (building->made, known, value);
}

/* ---- nodes --------------------------------------------------------------- */

static void
add_tensor (Building *building, SondeNode *node, guint index)
{
  const SondeDumpItem *item = &g_array_index (building->listing->items, SondeDumpItem, index);
  const SondeMsprobeTensor *tensor = item->item;

  switch (tensor->role)
    {
    case SONDE_MSPROBE_INPUT:
      add_input (building, node, item);
      break;
    case SONDE_MSPROBE_PARAMETER:
      add_parameter (building, node, item);
      break;
    case SONDE_MSPROBE_OUTPUT:
    case SONDE_MSPROBE_GRADIENT:
    case SONDE_MSPROBE_VALUE:
    default:
      add_output (building, node, item);
      break;
    }
}

/* Inputs first: what an entry made may look as what it took. */
static void
add_tensors (Building *building, SondeNode *node, const SondeMsprobeEntry *entry)
{
  for (guint pass = 0; pass < 2; pass++)
    for (guint i = 0; i < entry->n_tensors; i++)
      {
        const SondeMsprobeTensor *tensor
            = &g_array_index (building->dump->tensors, SondeMsprobeTensor, entry->tensors + i);
        gboolean is_input
            = tensor->role == SONDE_MSPROBE_INPUT || tensor->role == SONDE_MSPROBE_PARAMETER;

        if (is_input == (pass == 0))
          add_tensor (building, node, entry->tensors + i);
      }
}

static void
add_entry (Building *building, const SondeMsprobeEntry *entry)
{
  g_auto (SondeMsprobeName) name = { 0 };
  g_autofree char *scope = NULL;
  SondeNode *node;

  sonde_msprobe_name_parse (entry->name, &name);
  node = sonde_graph_add_node (building->graph, entry->name, SONDE_DOMAIN_RECORDED,
                               *name.op != '\0' ? name.op : "entry", NULL, 0, 0);
  node->phase
      = name.direction == SONDE_MSPROBE_FORWARD ? SONDE_PHASE_FORWARD : SONDE_PHASE_BACKWARD;
  scope = scope_of (building, entry->name, &name);
  node->scope = scope != NULL ? g_intern_string (scope) : NULL;
  if (name.kind == SONDE_MSPROBE_MODULE && name.direction == SONDE_MSPROBE_FORWARD
      && name.call == 0)
    sonde_node_set_alias (building->graph, node, name.path);
  add_tensors (building, node, entry);
}

SondeGraph *
sonde_dump_msprobe_graph_new (const SondeMsprobeDump *dump, const SondeDumpListing *listing)
{
  g_autoptr (GHashTable) containers = find_containers (dump),
                         made = g_hash_table_new_full (g_str_hash, g_str_equal, g_free, NULL);
  Building building = { dump, listing, sonde_graph_new (NULL), containers, made };

  sonde_graph_set_opset (building.graph, SONDE_DOMAIN_RECORDED, 1);
  for (guint i = 0; i < dump->entries->len; i++)
    add_entry (&building, &g_array_index (dump->entries, SondeMsprobeEntry, i));
  return building.graph;
}
