/* SPDX-License-Identifier: Apache-2.0
 * Dumps of MindSpore: names, roles and edges of dumped values. */
#include "app/worker/dumps/sonde-dump-source.h"

#include <inttypes.h>
#include <string.h>

#include "data/base/sonde-error.h"
#include "data/records/mindspore/sonde-dump-folder.h"

#define MOST_OUTPUTS 4096
#define MOST_HOPS 32 /* through nodes that were not dumped */

/* @ran: (nullable): what ran, where a graph file says so */
typedef struct
{
  SondeDumpSource base;
  SondeDumpFolder *folder;
  SondeGraph *ran;
} MindsporeSource;

static MindsporeSource *
self_of (SondeDumpSource *source)
{
  return (MindsporeSource *) source;
}

/* ---- listings ------------------------------------------------------------ */

static gboolean
is_parameter (const SondeDumpEntry *entry)
{
  return g_str_equal (entry->op, "Parameter");
}

/* Dumps write "fc1_weight" of fc1.weight. @ran: (nullable). Returns: "fc1_weight" ->
 * "fc1.weight" */
static GHashTable *
find_dotted (const SondeGraph *ran)
{
  GHashTable *dotted = g_hash_table_new_full (g_str_hash, g_str_equal, g_free, NULL);

  for (guint i = 0; ran != NULL && i < ran->values->len; i++)
    {
      const SondeGraphValue *value = g_ptr_array_index (ran->values, i);

      if (value != NULL && value->producer == NULL)
        g_hash_table_insert (dotted, g_strdelimit (g_strdup (value->name), "./", '_'), value->name);
    }
  return dotted;
}

static char *
name_entry (const SondeDumpEntry *entry, GHashTable *dotted)
{
  const char *name = is_parameter (entry) ? g_hash_table_lookup (dotted, entry->node) : NULL;

  if (is_parameter (entry) && !entry->is_input && entry->slot == 0)
    return g_strdup (name != NULL ? name : entry->node);
  return g_strdup_printf ("%s:%s:%" PRIi64, entry->node, entry->is_input ? "input" : "output",
                          entry->slot);
}

/* Two parameters that only dots tell apart have other names. (transfer full) */
static char *
name_once (const SondeDumpListing *listing, const SondeDumpEntry *entry, GHashTable *dotted)
{
  g_autofree char *name = name_entry (entry, dotted);

  if (!g_hash_table_contains (listing->by_name, name))
    return g_steal_pointer (&name);
  return g_strdup_printf ("Parameter.%s:%s:%" PRIi64, entry->node,
                          entry->is_input ? "input" : "output", entry->slot);
}

static SondeDumpListing *
source_list (SondeDumpSource *source, guint index, GError **error)
{
  MindsporeSource *self = self_of (source);
  GPtrArray *entries = sonde_dump_folder_list (self->folder, index, error);
  g_autoptr (GPtrArray) lines = g_ptr_array_new_with_free_func (g_free);
  g_autoptr (GHashTable) dotted = find_dotted (self->ran);
  SondeDumpListing *listing;

  if (entries == NULL)
    return NULL;
  listing = sonde_dump_listing_new (entries, (GDestroyNotify) g_ptr_array_unref);
  for (guint i = 0; i < entries->len; i++)
    {
      const SondeDumpEntry *entry = g_ptr_array_index (entries, i);
      g_autofree char *type = sonde_type_to_string (&entry->type);
      char *name = name_once (listing, entry, dotted);

      g_ptr_array_add (lines, g_strdup_printf ("%s\n%s\n%s\n", name, entry->op, type));
      sonde_dump_listing_add (listing, name, &entry->type, entry);
    }
  sonde_dump_listing_sign (listing, lines);
  return listing;
}

/* ---- names --------------------------------------------------------------- */

static SondePhase
phase_of (const char *node)
{
  if (g_str_has_prefix (node, "Gradients/") || g_str_has_prefix (node, "Gradients_"))
    return SONDE_PHASE_BACKWARD;
  if (strstr (node, "optimizer-") != NULL)
    return SONDE_PHASE_OPTIMISER;
  return SONDE_PHASE_FORWARD;
}

static gboolean
begins_with_one_of (const char *name, const char *const *prefixes)
{
  for (; *prefixes != NULL; prefixes++)
    if (g_str_has_prefix (name, *prefixes))
      return TRUE;
  return FALSE;
}

/* MindInsight: a weight is a parameter that ends in .weight or .bias, not of an optimiser or of
 * gradients. */
static SondeValueRole
role_of (const char *name)
{
  static const char *const states[]
      = { "moments.",      "moments_", "moment1",     "moment2",     "accum",       "vhat",
          "learning_rate", "momentum", "global_step", "beta1_power", "beta2_power", NULL };
  static const char *const weights[] = { ".weight", ".bias", "_weight", "_bias", NULL };

  if (begins_with_one_of (name, states) || strstr (name, "optimizer-") != NULL
      || phase_of (name) == SONDE_PHASE_BACKWARD)
    return SONDE_ROLE_STATE;
  if (g_str_has_prefix (name, "cst"))
    return SONDE_ROLE_CONSTANT;
  for (const char *const *end = weights; *end != NULL; end++)
    if (g_str_has_suffix (name, *end))
      return SONDE_ROLE_PARAMETER;
  return SONDE_ROLE_INPUT;
}

/* ---- edges --------------------------------------------------------------- */

static gint64
slot_of (const SondeNode *getter)
{
  const SondeGraphValue *index = sonde_node_get_input (getter, 1);
  SondeTensor *tensor
      = index != NULL && index->constant != NULL ? sonde_value_get_tensor (index->constant) : NULL;

  if (tensor == NULL || tensor->dtype != SONDE_DTYPE_I64 || sonde_tensor_n_elements (tensor) != 1)
    return 0;
  return ((const gint64 *) tensor->data)[0];
}

/* The value of @graph that @read stands for: what Load, Depend and the like hand on. (nullable) */
static SondeGraphValue *
find_read (SondeGraph *graph, const SondeGraphValue *read)
{
  static const char *const passing[]
      = { "Load", "Depend", "TupleGetItem", "MakeTuple", "UpdateState", NULL };
  gint64 slot = 0;

  for (guint hop = 0; read != NULL && hop < MOST_HOPS; hop++)
    {
      const SondeNode *producer = read->producer;
      g_autofree char *name = NULL;

      if (producer == NULL)
        return sonde_graph_find_value (graph, read->name);
      name = g_strdup_printf ("%s:output:%" PRIi64, producer->name, slot + read->producer_output);
      if (sonde_graph_find_node (graph, producer->name) != NULL)
        return sonde_graph_find_value (graph, name);
      if (!g_strv_contains (passing, producer->op))
        return NULL;
      if (g_str_equal (producer->op, "TupleGetItem"))
        slot = slot_of (producer);
      read = sonde_node_get_input (producer, 0);
    }
  return NULL;
}

/* Only what nodes before it made: there is no cycle, whatever the file claims. */
static void
add_edges (SondeGraph *graph, SondeNode *node, SondeGraph *ran)
{
  const SondeNode *there = ran != NULL ? sonde_graph_find_node (ran, node->name) : NULL;
  guint n = there != NULL ? there->inputs->len : 0;

  for (guint k = 0; k < n || (there == NULL && k < 64); k++)
    {
      g_autofree char *name = g_strdup_printf ("%s:input:%u", node->name, k);
      SondeGraphValue *value
          = there != NULL ? find_read (graph, sonde_node_get_input (there, k)) : NULL;

      if (value == NULL)
        value = sonde_graph_find_value (graph, name);
      if (value != NULL && value->producer == NULL)
        sonde_node_set_input (graph, node, k, value);
      else if (value != NULL && value->producer->id < node->id)
        sonde_node_set_input (graph, node, k, value);
      else if (there == NULL)
        break;
    }
}

/* ---- the graph ----------------------------------------------------------- */

static void
add_source (SondeGraph *graph, const char *name, const SondeDumpEntry *entry)
{
  SondeGraphValue *value = sonde_graph_add_value (graph, name, &entry->type);

  value->recorded = TRUE;
  value->role = is_parameter (entry) ? role_of (name) : SONDE_ROLE_NORMAL;
  if (value->role == SONDE_ROLE_PARAMETER)
    {
      g_autofree char *before = g_strdup_printf ("before(%s)", name);

      value->update_of = sonde_graph_add_value (graph, before, &entry->type);
      value->update_of->recorded = TRUE;
    }
}

static void
add_output (SondeGraph *graph, const char *name, const SondeDumpEntry *entry)
{
  SondeNode *node = sonde_graph_find_node (graph, entry->node);
  SondeGraphValue *value = sonde_graph_add_value (graph, name, &entry->type);

  if (node == NULL)
    {
      const char *slash = strrchr (entry->node, '/');
      g_autofree char *scope
          = slash != NULL ? g_strndup (entry->node, (gsize) (slash - entry->node)) : NULL;

      node
          = sonde_graph_add_node (graph, entry->node, SONDE_DOMAIN_RECORDED, entry->op, NULL, 0, 0);
      node->phase = phase_of (entry->node);
      node->scope = scope != NULL ? g_intern_string (scope) : NULL;
    }
  value->recorded = TRUE;
  if (entry->slot < MOST_OUTPUTS)
    sonde_node_set_output (graph, node, (guint) entry->slot, value);
}

static SondeGraph *
source_make_graph (SondeDumpSource *source, const SondeDumpListing *listing)
{
  SondeGraph *ran = self_of (source)->ran;
  SondeGraph *graph = sonde_graph_new (ran != NULL ? ran->name : NULL);

  sonde_graph_set_opset (graph, SONDE_DOMAIN_RECORDED, 1);
  for (guint i = 0; i < listing->items->len; i++)
    {
      const SondeDumpItem *item = &g_array_index (listing->items, SondeDumpItem, i);
      const SondeDumpEntry *entry = item->item;

      if (is_parameter (entry) || entry->is_input)
        add_source (graph, item->name, entry);
      else
        add_output (graph, item->name, entry);
    }
  for (guint i = 0; i < graph->nodes->len; i++)
    add_edges (graph, g_ptr_array_index (graph->nodes, i), ran);
  sonde_dump_graph_add_end (graph);
  return graph;
}

static SondeTensor *
source_read (SondeDumpSource *source, const SondeDumpListing *listing, const SondeDumpItem *item,
             GError **error)
{
  return sonde_dump_folder_read (self_of (source)->folder, item->item, error);
}

/* ---- the source ---------------------------------------------------------- */

static const char *
source_get_name (SondeDumpSource *source)
{
  return sonde_dump_folder_get_name (self_of (source)->folder);
}

static const char *const *
source_get_others (SondeDumpSource *source)
{
  return sonde_dump_folder_get_others (self_of (source)->folder);
}

static guint
source_get_n_iterations (SondeDumpSource *source)
{
  return sonde_dump_folder_get_n_iterations (self_of (source)->folder);
}

static gint64
source_get_iteration (SondeDumpSource *source, guint index)
{
  return sonde_dump_folder_get_iteration (self_of (source)->folder, index);
}

static void
source_free (SondeDumpSource *source)
{
  MindsporeSource *self = self_of (source);

  g_clear_pointer (&self->ran, sonde_graph_unref);
  sonde_dump_folder_free (self->folder);
  g_free (self);
}

static const SondeDumpSourceClass mindspore_source = {
  .get_name = source_get_name,
  .get_others = source_get_others,
  .get_n_iterations = source_get_n_iterations,
  .get_iteration = source_get_iteration,
  .list = source_list,
  .make_graph = source_make_graph,
  .read = source_read,
  .free = source_free,
};

/* ---- opening ------------------------------------------------------------- */

static gboolean
parse_number (const char *set, const char *value, gint64 *number, GError **error)
{
  guint64 parsed;

  if (!g_ascii_string_to_unsigned (value, 10, 0, G_MAXINT32, &parsed, error))
    {
      sonde_prefix_error (error, "--set %s: ", set);
      return FALSE;
    }
  *number = (gint64) parsed;
  return TRUE;
}

static gboolean
parse_choice (const char *const *sets, SondeDumpChoice *choice, GError **error)
{
  for (; sets != NULL && *sets != NULL; sets++)
    {
      const char *equals = strchr (*sets, '=');

      if (g_str_has_prefix (*sets, "net="))
        choice->net = equals + 1;
      else if (g_str_has_prefix (*sets, "rank=") || g_str_has_prefix (*sets, "graph="))
        {
          if (!parse_number (*sets, equals + 1, **sets == 'r' ? &choice->rank : &choice->graph,
                             error))
            return FALSE;
        }
      else
        {
          sonde_set_error (
              error, SONDE_DATA_ERROR, SONDE_DATA_ERROR_INVALID,
              "--set “%s” cannot be used with a dump; use rank=N, net=NAME or graph=N.", *sets);
          return FALSE;
        }
    }
  return TRUE;
}

SondeDumpSource *
sonde_dump_mindspore_open (const char *path, const char *const *sets, GError **error)
{
  SondeDumpChoice choice = { NULL, -1, -1 };
  SondeDumpFolder *folder = NULL;
  MindsporeSource *self;

  if (parse_choice (sets, &choice, error))
    folder = sonde_dump_folder_open (NULL, path, &choice, error);
  if (folder == NULL)
    return NULL;
  self = g_new0 (MindsporeSource, 1);
  self->base.klass = &mindspore_source;
  self->folder = folder;
  /* values can be looked at without */
  self->ran = sonde_dump_folder_read_graph (folder, NULL);
  return &self->base;
}
