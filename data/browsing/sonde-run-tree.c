/* SPDX-License-Identifier: Apache-2.0 */
#include "data/browsing/sonde-run-tree.h"

#define MAX_DEPTH 16 /* deeper folders stay together in one label */

struct _SondeRunNode
{
  GObject parent_instance;
  char *label;
  SondeRun *run;
  GListStore *children;
};

G_DEFINE_FINAL_TYPE (SondeRunNode, sonde_run_node, G_TYPE_OBJECT)

static void
sonde_run_node_finalize (GObject *object)
{
  SondeRunNode *node = SONDE_RUN_NODE (object);

  g_free (node->label);
  g_clear_object (&node->run);
  g_clear_object (&node->children);
  G_OBJECT_CLASS (sonde_run_node_parent_class)->finalize (object);
}

static void
sonde_run_node_class_init (SondeRunNodeClass *klass)
{
  G_OBJECT_CLASS (klass)->finalize = sonde_run_node_finalize;
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

/* Nodes of @level by label. */
static GHashTable *
index_level (GListStore *level)
{
  GHashTable *index = g_hash_table_new (g_str_hash, g_str_equal);

  for (guint i = 0; i < g_list_model_get_n_items (G_LIST_MODEL (level)); i++)
    {
      g_autoptr (SondeRunNode) node = g_list_model_get_item (G_LIST_MODEL (level), i);
      g_hash_table_insert (index, node->label, node); /* the level holds it */
    }
  return index;
}

static SondeRunNode *
reuse_node (GHashTable *index, const char *label, SondeRun *run)
{
  SondeRunNode *node = g_hash_table_lookup (index, label);

  if (node != NULL && node->run == run)
    return g_object_ref (node);
  node = g_object_new (SONDE_TYPE_RUN_NODE, NULL);
  node->label = g_strdup (label);
  node->run = run != NULL ? g_object_ref (run) : NULL;
  return node;
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

typedef struct
{
  SondeRunTitleFunc title;
  void *user_data;
} Names;

/* The title a person gave, else the end of the name that the folders above do not say already. */
static const char *
label_of (const Names *names, SondeRun *run, gsize skip)
{
  const char *title = names->title (run, names->user_data);

  return g_str_equal (title, sonde_run_get_name (run)) ? title + skip : title;
}

/* @runs: those whose names agree in the first @skip bytes, sorted by name. */
static void
update_level (GListStore *level, const Names *names, SondeRun **runs, gsize n_runs, gsize skip,
              int depth)
{
  g_autoptr (GPtrArray) nodes = g_ptr_array_new_with_free_func (g_object_unref);
  g_autoptr (GHashTable) index = index_level (level);

  for (gsize i = 0, end; i < n_runs; i = end)
    {
      const char *name = sonde_run_get_name (runs[i]) + skip;
      const char *slash = depth < MAX_DEPTH ? strchr (name, '/') : NULL;
      gsize length = slash != NULL ? (gsize) (slash - name) + 1 : 0;
      g_autofree char *folder = slash != NULL ? g_strndup (name, length - 1) : NULL;
      SondeRunNode *node;

      end = i + 1;
      while (folder != NULL && end < n_runs
             && strncmp (sonde_run_get_name (runs[end]) + skip, name, length) == 0)
        end++;
      if (folder == NULL)
        node = reuse_node (index, label_of (names, runs[i], skip), runs[i]);
      else
        {
          node = reuse_node (index, folder, NULL);
          update_level (node->children, names, runs + i, end - i, skip + length, depth + 1);
        }
      g_ptr_array_add (nodes, node);
    }
  set_level (level, nodes);
}

static int
compare_names (const void *a, const void *b)
{
  return strcmp (sonde_run_get_name (*(SondeRun *const *) a),
                 sonde_run_get_name (*(SondeRun *const *) b));
}

void
sonde_run_tree_update (GListStore *roots, GListModel *runs, SondeRunFunc matches,
                       SondeRunTitleFunc title, void *user_data)
{
  const Names names = { title, user_data };
  g_autoptr (GPtrArray) matching = g_ptr_array_new_with_free_func (g_object_unref);

  for (guint i = 0; i < g_list_model_get_n_items (runs); i++)
    {
      g_autoptr (SondeRun) run = g_list_model_get_item (runs, i);
      if (matches (run, user_data))
        g_ptr_array_add (matching, g_steal_pointer (&run));
    }
  g_ptr_array_sort (matching, compare_names);
  update_level (roots, &names, (SondeRun **) matching->pdata, matching->len, 0, 0);
}
