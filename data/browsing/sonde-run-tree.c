/* SPDX-License-Identifier: Apache-2.0 */
#include "data/browsing/sonde-run-tree.h"

#include <string.h>

#define MAX_DEPTH 16 /* deeper folders stay together in one label */

struct _SondeRunNode
{
  GObject parent_instance;
  char *key; /* among its siblings */
  char *label;
  SondeRun *run;
  GListStore *children;
  guint n_runs, n_shown;
};

static guint changed_signal;

G_DEFINE_FINAL_TYPE (SondeRunNode, sonde_run_node, G_TYPE_OBJECT)

static void
sonde_run_node_finalize (GObject *object)
{
  SondeRunNode *node = SONDE_RUN_NODE (object);

  g_free (node->key);
  g_free (node->label);
  g_clear_object (&node->run);
  g_clear_object (&node->children);
  G_OBJECT_CLASS (sonde_run_node_parent_class)->finalize (object);
}

static void
sonde_run_node_class_init (SondeRunNodeClass *klass)
{
  G_OBJECT_CLASS (klass)->finalize = sonde_run_node_finalize;
  changed_signal = g_signal_new ("changed", G_TYPE_FROM_CLASS (klass), G_SIGNAL_RUN_LAST, 0, NULL,
                                 NULL, NULL, G_TYPE_NONE, 0);
}

static void
sonde_run_node_init (SondeRunNode *node)
{
  node->children = g_list_store_new (SONDE_TYPE_RUN_NODE);
}

const char *
sonde_run_node_get_label (SondeRunNode *node)
{
  g_return_val_if_fail (SONDE_IS_RUN_NODE (node), NULL);
  return node->label;
}

SondeRun *
sonde_run_node_get_run (SondeRunNode *node)
{
  g_return_val_if_fail (SONDE_IS_RUN_NODE (node), NULL);
  return node->run;
}

GListModel *
sonde_run_node_get_children (SondeRunNode *node)
{
  g_return_val_if_fail (SONDE_IS_RUN_NODE (node), NULL);
  return G_LIST_MODEL (node->children);
}

guint
sonde_run_node_get_n_runs (SondeRunNode *node)
{
  g_return_val_if_fail (SONDE_IS_RUN_NODE (node), 0);
  return node->n_runs;
}

guint
sonde_run_node_get_n_shown (SondeRunNode *node)
{
  g_return_val_if_fail (SONDE_IS_RUN_NODE (node), 0);
  return node->n_shown;
}

void
sonde_run_node_collect (SondeRunNode *node, GPtrArray *runs)
{
  GListModel *children = sonde_run_node_get_children (node);

  if (node->run != NULL)
    g_ptr_array_add (runs, g_object_ref (node->run));
  for (guint i = 0; i < g_list_model_get_n_items (children); i++)
    {
      g_autoptr (SondeRunNode) child = g_list_model_get_item (children, i);

      sonde_run_node_collect (child, runs);
    }
}

/* ---- bringing a level up to date ----------------------------------------- */

/* Nodes of @level by key. */
static GHashTable *
index_level (GListStore *level)
{
  GHashTable *index = g_hash_table_new (g_str_hash, g_str_equal);

  for (guint i = 0; i < g_list_model_get_n_items (G_LIST_MODEL (level)); i++)
    {
      g_autoptr (SondeRunNode) node = g_list_model_get_item (G_LIST_MODEL (level), i);
      g_hash_table_insert (index, node->key, node); /* the level holds it */
    }
  return index;
}

/* A list asks a row once whether it can be opened: what becomes a folder is another node. */
static SondeRunNode *
reuse_node (GHashTable *index, const char *key, SondeRun *run, gboolean is_folder)
{
  SondeRunNode *node = g_hash_table_lookup (index, key);

  if (node != NULL && node->run == run
      && is_folder == (g_list_model_get_n_items (G_LIST_MODEL (node->children)) > 0))
    return g_object_ref (node);
  node = g_object_new (SONDE_TYPE_RUN_NODE, NULL);
  node->key = g_strdup (key);
  node->run = run != NULL ? g_object_ref (run) : NULL;
  return node;
}

/* Label and counts, once the children are there. */
static void
describe_node (SondeRunNode *node, const char *label, const SondeRunTreeLook *look)
{
  guint n_runs = node->run != NULL;
  guint n_shown = n_runs > 0 && look->shown (node->run, look->user_data);

  for (guint i = 0; i < g_list_model_get_n_items (G_LIST_MODEL (node->children)); i++)
    {
      g_autoptr (SondeRunNode) child = g_list_model_get_item (G_LIST_MODEL (node->children), i);

      n_runs += child->n_runs;
      n_shown += child->n_shown;
    }
  if (g_strcmp0 (node->label, label) == 0 && node->n_runs == n_runs && node->n_shown == n_shown)
    return;
  g_free (node->label);
  node->label = g_strdup (label);
  node->n_runs = n_runs;
  node->n_shown = n_shown;
  g_signal_emit (node, changed_signal, 0);
}

/* Replaces only what lies between the common beginning and the common end. */
static void
set_level (GListStore *level, GPtrArray *nodes)
{
  GListModel *model = G_LIST_MODEL (level);
  guint n_old = g_list_model_get_n_items (model), head = 0, tail = 0;

  while (head < n_old && head < nodes->len)
    {
      g_autoptr (GObject) old = g_list_model_get_item (model, head);
      if (old != nodes->pdata[head])
        break;
      head++;
    }
  while (tail < n_old - head && tail < nodes->len - head)
    {
      g_autoptr (GObject) old = g_list_model_get_item (model, n_old - 1 - tail);
      if (old != nodes->pdata[nodes->len - 1 - tail])
        break;
      tail++;
    }
  if (head + tail < n_old || head + tail < nodes->len)
    g_list_store_splice (level, head, n_old - head - tail, nodes->pdata + head,
                         nodes->len - head - tail);
}

/* ---- what stands on a level ---------------------------------------------- */

/* Runs whose names have the same part here. All lent. */
typedef struct
{
  char *part;
  GPtrArray *here;  /* whose names end with it: one, unless several folders were opened */
  GPtrArray *below; /* whose names go on */
} Entry;

static void
entry_free (Entry *entry)
{
  g_free (entry->part);
  g_ptr_array_unref (entry->here);
  g_ptr_array_unref (entry->below);
  g_free (entry);
}

static Entry *
find_entry (GPtrArray *entries, GHashTable *index, const char *part, gsize length)
{
  g_autofree char *key = g_strndup (part, length);
  Entry *entry = g_hash_table_lookup (index, key);

  if (entry != NULL)
    return entry;
  entry = g_new0 (Entry, 1);
  entry->part = g_steal_pointer (&key);
  entry->here = g_ptr_array_new ();
  entry->below = g_ptr_array_new ();
  g_hash_table_insert (index, entry->part, entry);
  g_ptr_array_add (entries, entry);
  return entry;
}

/* @runs: whose names agree in the first @skip bytes */
static GPtrArray *
group_runs (GPtrArray *runs, gsize skip, int depth)
{
  GPtrArray *entries = g_ptr_array_new_with_free_func ((GDestroyNotify) entry_free);
  g_autoptr (GHashTable) index = g_hash_table_new (g_str_hash, g_str_equal);

  for (guint i = 0; i < runs->len; i++)
    {
      const char *part = sonde_run_get_name (runs->pdata[i]) + skip;
      const char *slash = depth < MAX_DEPTH ? strchr (part, '/') : NULL;
      gsize length = slash != NULL ? (gsize) (slash - part) : strlen (part);
      Entry *entry = find_entry (entries, index, part, length);

      g_ptr_array_add (slash != NULL ? entry->below : entry->here, runs->pdata[i]);
    }
  return entries;
}

/* The title a person gave, else the end of the name that the folders above do not say already. */
static const char *
label_of (const SondeRunTreeLook *look, SondeRun *run, gsize skip)
{
  const char *title = look->title (run, look->user_data);

  return g_str_equal (title, sonde_run_get_name (run)) ? title + skip : title;
}

static void update_level (GListStore *level, const SondeRunTreeLook *look, GPtrArray *pinned,
                          GPtrArray *runs, gsize skip, int depth);

/* Folder, run, or both. */
static SondeRunNode *
make_node (GHashTable *index, const SondeRunTreeLook *look, const Entry *entry, gsize skip,
           int depth)
{
  SondeRun *run = entry->here->len > 0 ? entry->here->pdata[0] : NULL;
  SondeRunNode *node = reuse_node (index, entry->part, run, entry->below->len > 0);

  if (entry->below->len > 0)
    update_level (node->children, look, NULL, entry->below, skip + strlen (entry->part) + 1,
                  depth + 1);
  describe_node (node, run != NULL ? label_of (look, run, skip) : entry->part, look);
  return node;
}

/* A run alone under a key that no part of a name can be. */
static SondeRunNode *
make_leaf (GHashTable *index, const SondeRunTreeLook *look, SondeRun *run, gsize skip)
{
  g_autofree char *key = g_strdup_printf ("/%s", sonde_run_get_path (run));
  SondeRunNode *node = reuse_node (index, key, run, FALSE);

  describe_node (node, label_of (look, run, skip), look);
  return node;
}

/* @pinned: (nullable): stand first; @runs: whose names agree in the first @skip bytes */
static void
update_level (GListStore *level, const SondeRunTreeLook *look, GPtrArray *pinned, GPtrArray *runs,
              gsize skip, int depth)
{
  g_autoptr (GPtrArray) nodes = g_ptr_array_new_with_free_func (g_object_unref);
  g_autoptr (GPtrArray) entries = group_runs (runs, skip, depth);
  g_autoptr (GHashTable) index = index_level (level);

  for (guint i = 0; pinned != NULL && i < pinned->len; i++)
    g_ptr_array_add (nodes, make_leaf (index, look, pinned->pdata[i], skip));
  for (guint i = 0; i < entries->len; i++)
    {
      const Entry *entry = entries->pdata[i];

      g_ptr_array_add (nodes, make_node (index, look, entry, skip, depth));
      for (guint k = 1; k < entry->here->len; k++)
        g_ptr_array_add (nodes, make_leaf (index, look, entry->here->pdata[k], skip));
    }
  set_level (level, nodes);
}

void
sonde_run_tree_update (GListStore *roots, GListModel *runs, const SondeRunTreeLook *look)
{
  g_autoptr (GPtrArray) pinned = g_ptr_array_new_with_free_func (g_object_unref);
  g_autoptr (GPtrArray) others = g_ptr_array_new_with_free_func (g_object_unref);

  for (guint i = 0; i < g_list_model_get_n_items (runs); i++)
    {
      g_autoptr (SondeRun) run = g_list_model_get_item (runs, i);

      if (!look->matches (run, look->user_data))
        continue;
      if (look->pinned != NULL && look->pinned (run, look->user_data))
        g_ptr_array_add (pinned, g_steal_pointer (&run));
      else
        g_ptr_array_add (others, g_steal_pointer (&run));
    }
  update_level (roots, look, pinned, others, 0, 0);
}
