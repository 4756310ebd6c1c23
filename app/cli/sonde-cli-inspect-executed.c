/* SPDX-License-Identifier: Apache-2.0
 * `sonde inspect`: what becomes of a model before it runs: nodes rewritten to the current form of
 * their operator, bodies of functions put in place, chains joined to one operator where nobody
 * looks inside, nodes computed once, nodes that nothing needs. */
#include "app/cli/sonde-cli-inspect-private.h"
#include "app/cli/sonde-cli-table.h"
#include "data/base/sonde-text.h"
#include "engine/plan/sonde-plan.h"

#define MOST_LINES 12 /* of the text; JSON has all */

/* What became of one node of the file. */
typedef struct
{
  const SondeNode *original;
  const char *how;   /* static text */
  char *executed;    /* operators, "Transpose, Reshape"; "" for none */
  guint n_joined;    /* nodes of the file that became one with it; 1: it alone */
  gboolean repeated; /* the same was said of an earlier one of these */
} Change;

static void
change_free (void *data)
{
  Change *change = data;

  g_free (change->executed);
  g_free (change);
}

/* Name of an original node -> its executed nodes, (element-type SondeNode). */
static GHashTable *
map_origins (const SondeGraph *executed)
{
  GHashTable *map
      = g_hash_table_new_full (g_str_hash, g_str_equal, NULL, (GDestroyNotify) g_ptr_array_unref);

  for (guint i = 0; i < executed->nodes->len; i++)
    {
      SondeNode *node = g_ptr_array_index (executed->nodes, i);

      for (guint k = 0; node != NULL && k < node->origins->len; k++)
        {
          char *name = g_ptr_array_index (node->origins, k);
          GPtrArray *nodes = g_hash_table_lookup (map, name);

          if (nodes == NULL)
            g_hash_table_insert (map, name, nodes = g_ptr_array_new ());
          g_ptr_array_add (nodes, node);
        }
    }
  return map;
}

/* A node without executed ones: its values are constants now, or nobody needs them. */
static const char *
say_gone (const SondeGraph *executed, const SondeNode *original)
{
  for (guint k = 0; k < original->outputs->len; k++)
    {
      const SondeGraphValue *output = sonde_node_get_output (original, k);
      const SondeGraphValue *value
          = output ? sonde_graph_find_value (executed, output->name) : NULL;

      if (value != NULL && value->constant != NULL)
        return "computed once";
    }
  return "not needed";
}

static const char *
say_kind (const SondeNode *node)
{
  static const struct
  {
    SondeOriginKind kind;
    const char *how;
  } kinds[] = {
    { SONDE_ORIGIN_DECOMPOSED, "put in place" },
    { SONDE_ORIGIN_FUSED, "joined" },
    { SONDE_ORIGIN_FOLDED, "computed once" },
  };

  for (gsize i = 0; i < G_N_ELEMENTS (kinds); i++)
    if (node->origin_kind == kinds[i].kind)
      return kinds[i].how;
  return "current form";
}

static Change *
compare (const SondeGraph *executed, const SondeNode *original,
         const GPtrArray *nodes) /* (nullable) */
{
  g_autoptr (GString) ops = g_string_new (NULL);
  const SondeNode *first = nodes ? g_ptr_array_index (nodes, 0) : NULL;
  Change *change;

  if (first != NULL && nodes->len == 1 && first->op == original->op
      && first->origin_kind == SONDE_ORIGIN_SOURCE)
    return NULL;

  for (guint i = 0; nodes != NULL && i < nodes->len; i++)
    g_string_append_printf (ops, "%s%s", i > 0 ? ", " : "",
                            ((SondeNode *) g_ptr_array_index (nodes, i))->op);
  change = g_new0 (Change, 1);
  change->original = original;
  change->how = first ? say_kind (first) : say_gone (executed, original);
  change->executed = g_string_free (g_steal_pointer (&ops), FALSE);
  change->n_joined
      = first != NULL && first->origin_kind == SONDE_ORIGIN_FUSED ? first->origins->len : 1;
  change->repeated = change->n_joined > 1
                     && !g_str_equal (g_ptr_array_index (first->origins, 0), original->name);
  return change;
}

static GPtrArray *
list_changes (const SondeGraph *original, const SondeGraph *executed)
{
  g_autoptr (GHashTable) map = map_origins (executed);
  GPtrArray *changes = g_ptr_array_new_with_free_func (change_free);

  for (guint i = 0; i < original->nodes->len; i++)
    {
      const SondeNode *node = g_ptr_array_index (original->nodes, i);
      Change *change
          = node ? compare (executed, node, g_hash_table_lookup (map, node->name)) : NULL;

      if (change != NULL)
        g_ptr_array_add (changes, change);
    }
  return changes;
}

JsonObject *
sonde_inspect_make_executed (SondeGraph *original)
{
  g_autoptr (GError) error = NULL;
  g_autoptr (SondeGraph) executed = sonde_prepare_unwatched_inference (original, NULL, 0, &error);
  g_autoptr (GPtrArray) changes = NULL;
  JsonObject *object = json_object_new ();
  JsonArray *array;

  if (executed == NULL)
    {
      sonde_inspect_set_text (object, "problem", error->message);
      return object;
    }

  changes = list_changes (original, executed);
  array = json_array_new ();
  for (guint i = 0; i < changes->len; i++)
    {
      const Change *change = g_ptr_array_index (changes, i);
      JsonObject *entry = json_object_new ();

      sonde_inspect_set_text (entry, "node", change->original->name);
      sonde_inspect_set_text (entry, "op", change->original->op);
      json_object_set_int_member (entry, "version", change->original->version);
      json_object_set_string_member (entry, "how", change->how);
      sonde_inspect_set_text (entry, "executed", change->executed);
      if (change->n_joined > 1)
        json_object_set_int_member (entry, "joined_nodes", change->n_joined);
      json_array_add_object_element (array, entry);
    }
  json_object_set_int_member (object, "nodes", sonde_graph_count_nodes (executed));
  json_object_set_array_member (object, "changes", array);
  return object;
}

static guint
count_changes (const GPtrArray *changes, const char *how) /* (nullable): all that still run */
{
  guint n = 0;

  for (guint i = 0; i < changes->len; i++)
    {
      const Change *change = g_ptr_array_index (changes, i);

      n += how != NULL ? g_str_equal (change->how, how) : *change->executed != '\0';
    }
  return n;
}

/* Nodes that are gone are only counted: a file may have hundreds of constants. */
static void
print_changes (const SondeGraph *executed, const GPtrArray *changes)
{
  static const char *const columns[]
      = { N_ ("<NODE"), N_ ("<IN THE FILE"), "<", N_ ("<EXECUTED AS"), NULL };
  g_autoptr (SondeTable) table = sonde_table_new (columns);
  guint n_kept = count_changes (changes, NULL), n_shown = 0, n_said = 0;

  sonde_cli_print (_ ("\n  executed: %u nodes; of the nodes in the file, %u are constant-folded, "
                      "%u are not needed, %u are rewritten\n"),
                   sonde_graph_count_nodes (executed), count_changes (changes, "computed once"),
                   count_changes (changes, "not needed"), n_kept);
  for (guint i = 0; i < changes->len; i++)
    {
      const Change *change = g_ptr_array_index (changes, i);
      g_autofree char *was
          = g_strdup_printf ("%s, opset %d", change->original->op, change->original->version);
      g_autofree char *joined
          = g_strdup_printf (_ ("%s of %u nodes"), change->executed, change->n_joined);

      if (*change->executed == '\0' || (!change->repeated && n_shown >= MOST_LINES))
        continue;
      n_said++;
      if (change->repeated)
        continue;
      sonde_table_add (table, change->original->name, was, change->how,
                       change->n_joined > 1 ? joined : change->executed, NULL);
      n_shown++;
    }
  if (n_shown > 0)
    sonde_table_print (table, 2);
  if (n_kept > n_said)
    sonde_cli_print (_ ("  … and %u more; --json lists all\n"), n_kept - n_said);
  sonde_cli_print ("\n");
}

void
sonde_inspect_print_executed (SondeGraph *original)
{
  g_autoptr (GError) error = NULL;
  g_autoptr (SondeGraph) executed = sonde_prepare_unwatched_inference (original, NULL, 0, &error);
  g_autoptr (GPtrArray) changes = NULL;

  if (executed == NULL)
    {
      g_autofree char *text = sonde_cli_make_printable (error->message);

      sonde_cli_print (_ ("\n  Not executable as it is: %s\n\n"), text);
      return;
    }

  changes = list_changes (original, executed);
  print_changes (executed, changes);
}
