/* SPDX-License-Identifier: Apache-2.0
 * Names, roles and edges of dumped values. */
#include "app/worker/dumps/sonde-dump-graph.h"

#include <inttypes.h>
#include <string.h>

#define MOST_OUTPUTS 4096
#define MOST_HOPS 32 /* through nodes that were not dumped */

/* ---- listings ------------------------------------------------------------ */

static void
listing_clear (gpointer data)
{
  SondeDumpListing *listing = data;

  g_clear_pointer (&listing->by_name, g_hash_table_unref);
  g_clear_pointer (&listing->names, g_ptr_array_unref);
  g_clear_pointer (&listing->entries, g_ptr_array_unref);
}

SondeDumpListing *
sonde_dump_listing_ref (SondeDumpListing *listing)
{
  return g_rc_box_acquire (listing);
}

void
sonde_dump_listing_unref (SondeDumpListing *listing)
{
  if (listing != NULL)
    g_rc_box_release_full (listing, listing_clear);
}

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

SondeDumpListing *
sonde_dump_listing_new (SondeDumpFolder *folder, guint index, SondeGraph *ran, GError **error)
{
  g_autoptr (GPtrArray) entries = sonde_dump_folder_list (folder, index, error);
  g_autoptr (GHashTable) dotted = NULL;
  SondeDumpListing *listing;

  if (entries == NULL)
    return NULL;
  dotted = find_dotted (ran);
  listing = g_rc_box_new0 (SondeDumpListing);
  listing->names = g_ptr_array_new_with_free_func (g_free);
  listing->by_name = g_hash_table_new (g_str_hash, g_str_equal);
  for (guint i = 0; i < entries->len; i++)
    {
      SondeDumpEntry *entry = g_ptr_array_index (entries, i);
      char *name = name_entry (entry, dotted);

      /* two parameters that only dots tell apart */
      if (g_hash_table_contains (listing->by_name, name))
        {
          g_free (name);
          name = g_strdup_printf ("Parameter.%s:%s:%" PRIi64, entry->node,
                                  entry->is_input ? "input" : "output", entry->slot);
        }
      g_ptr_array_add (listing->names, name);
      g_hash_table_insert (listing->by_name, name, entry);
    }
  listing->entries = g_steal_pointer (&entries);
  return listing;
}

static int
compare_texts (gconstpointer a, gconstpointer b)
{
  return strcmp (*(const char *const *) a, *(const char *const *) b);
}

char *
sonde_dump_listing_dup_signature (const SondeDumpListing *listing)
{
  g_autoptr (GPtrArray) lines = g_ptr_array_new_with_free_func (g_free);
  g_autoptr (GChecksum) sum = g_checksum_new (G_CHECKSUM_SHA256);

  for (guint i = 0; i < listing->names->len; i++)
    {
      const SondeDumpEntry *entry = g_ptr_array_index (listing->entries, i);
      g_autofree char *type = sonde_type_to_string (&entry->type);

      g_ptr_array_add (lines, g_strdup_printf ("%s\n%s\n%s\n",
                                               (const char *) g_ptr_array_index (listing->names, i),
                                               entry->op, type));
    }
  g_ptr_array_sort (lines, compare_texts);
  for (guint i = 0; i < lines->len; i++)
    g_checksum_update (sum, g_ptr_array_index (lines, i), -1);
  return g_strdup (g_checksum_get_string (sum));
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

char *
sonde_dump_name_of_previous (const char *name)
{
  gsize length = strlen (name);

  if (!g_str_has_prefix (name, "before(") || name[length - 1] != ')')
    return NULL;
  return g_strndup (name + strlen ("before("), length - strlen ("before()"));
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

/* The one node that runs: while it has not, the iteration is the present one. */
static void
add_end (SondeGraph *graph)
{
  const SondeShape scalar = sonde_shape_scalar ();
  const SondeType type = sonde_type_tensor (SONDE_DTYPE_I64, &scalar);
  SondeGraphValue *input = sonde_graph_add_input (graph, SONDE_DUMP_ITERATION, &type);
  SondeNode *node = sonde_graph_add_node (graph, SONDE_DUMP_END, "", "Identity", &input, 1, 1);

  sonde_graph_set_opset (graph, "", 22);
  sonde_graph_add_output (graph, sonde_node_get_output (node, 0));
}

SondeGraph *
sonde_dump_graph_new (const SondeDumpListing *listing, SondeGraph *ran)
{
  SondeGraph *graph = sonde_graph_new (ran != NULL ? ran->name : NULL);
  guint n;

  sonde_graph_set_opset (graph, SONDE_DOMAIN_RECORDED, 1);
  for (guint i = 0; i < listing->names->len; i++)
    {
      const SondeDumpEntry *entry = g_ptr_array_index (listing->entries, i);
      const char *name = g_ptr_array_index (listing->names, i);

      if (is_parameter (entry) || entry->is_input)
        add_source (graph, name, entry);
      else
        add_output (graph, name, entry);
    }
  n = graph->nodes->len;
  for (guint i = 0; i < n; i++)
    {
      SondeNode *node = g_ptr_array_index (graph->nodes, i);

      if (sonde_node_is_recorded (node))
        add_edges (graph, node, ran);
    }
  add_end (graph);
  return graph;
}
