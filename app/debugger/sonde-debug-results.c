/* SPDX-License-Identifier: Apache-2.0
 * Rows of results. */
#include "app/debugger/sonde-debug-results.h"

#include "app/debugger/sonde-debug-parts.h"
#include "app/debugger/sonde-debug-words.h"

/* A member as words: numbers shortened, arrays as [0, 3], null as nothing. (transfer full) */
static char *
words_of (JsonNode *node)
{
  if (node == NULL || json_node_is_null (node))
    return g_strdup ("");
  if (JSON_NODE_HOLDS_ARRAY (node))
    {
      GString *text = g_string_new ("[");
      JsonArray *array = json_node_get_array (node);

      for (guint i = 0; i < json_array_get_length (array); i++)
        {
          g_autofree char *item = words_of (json_array_get_element (array, i));

          g_string_append_printf (text, "%s%s", i > 0 ? ", " : "", item);
        }
      g_string_append_c (text, ']');
      return g_string_free (text, FALSE);
    }
  if (!JSON_NODE_HOLDS_VALUE (node))
    return json_to_string (node, FALSE);
  if (json_node_get_value_type (node) == G_TYPE_STRING)
    return g_strdup (json_node_get_string (node));
  if (json_node_get_value_type (node) == G_TYPE_BOOLEAN)
    return g_strdup (json_node_get_boolean (node) ? "yes" : "no");
  if (json_node_get_value_type (node) == G_TYPE_INT64)
    return g_strdup_printf ("%" G_GINT64_FORMAT, json_node_get_int (node));
  return sonde_debug_format_number (json_node_get_double (node));
}

char *
sonde_debug_results_member (JsonObject *object, const char *key)
{
  return words_of (json_object_get_member (object, key));
}

static void
add_row (GtkWidget *list, JsonObject *item, const char *right, gboolean is_bad)
{
  GtkWidget *box = sonde_debug_list_add (list), *row = sonde_debug_row_of (box), *label;
  g_autofree char *node = sonde_debug_results_member (item, "node"),
                  *op = sonde_debug_results_member (item, "op"),
                  *value = sonde_debug_results_member (item, "value");
  g_autofree char *index = sonde_debug_results_member (item, "index"),
                  *where = g_strconcat (value, index, NULL);

  label = sonde_debug_name_label (*node != '\0' ? node : value, is_bad ? "error" : "heading");
  gtk_box_append (GTK_BOX (box), label);
  gtk_box_append (GTK_BOX (box), sonde_debug_label (op, "dim-label"));
  label = sonde_debug_name_label (where, "dim-label");
  gtk_widget_set_hexpand (label, TRUE);
  gtk_box_append (GTK_BOX (box), label);
  label = sonde_debug_label (right, is_bad ? "error" : NULL);
  gtk_label_set_ellipsize (GTK_LABEL (label), PANGO_ELLIPSIZE_NONE);
  gtk_box_append (GTK_BOX (box), label);
  g_object_set_data_full (G_OBJECT (row), "node", g_steal_pointer (&node), g_free);
  g_object_set_data_full (G_OBJECT (row), "value", *value != '\0' ? g_strdup (value) : NULL,
                          g_free);
}

static char *
show_origin (GtkWidget *list, JsonObject *answer)
{
  JsonArray *chain = json_object_has_member (answer, "chain")
                         ? json_object_get_array_member (answer, "chain")
                         : NULL;
  g_autofree char *first = sonde_debug_results_member (answer, "first_bad_node"),
                  *cause = sonde_debug_results_member (answer, "cause");

  for (guint i = 0; chain != NULL && i < json_array_get_length (chain); i++)
    {
      JsonObject *item = json_array_get_object_element (chain, i);
      g_autofree char *number = sonde_debug_results_member (item, "number"),
                      *node = sonde_debug_results_member (item, "node");

      add_row (list, item, number, *first != '\0' && g_str_equal (node, first));
    }
  if (*first == '\0')
    return g_strdup_printf ("An input or initialiser was bad already. %s", cause);
  return g_strdup_printf ("First bad node: %s. %s", first, cause);
}

static char *
show_divergence (GtkWidget *list, JsonObject *answer)
{
  JsonArray *nodes = json_object_has_member (answer, "nodes")
                         ? json_object_get_array_member (answer, "nodes")
                         : NULL;
  g_autofree char *first = sonde_debug_results_member (answer, "first_divergent_node");
  guint n = nodes != NULL ? json_array_get_length (nodes) : 0;

  for (guint i = 0; i < n; i++)
    {
      JsonObject *item = json_array_get_object_element (nodes, i);
      g_autofree char *own = sonde_debug_results_member (item, "own_error"),
                      *inherited = sonde_debug_results_member (item, "inherited_error");
      g_autofree char *right = g_strdup_printf ("own %s · inherited %s", own, inherited);

      add_row (list, item, right,
               json_object_get_boolean_member_with_default (item, "over", FALSE));
    }
  return *first != '\0'
             ? g_strdup_printf ("First divergent node: %s, of %u compared", first, n)
             : g_strdup_printf ("None of the %u nodes differs by more than the tolerance.", n);
}

static char *
show_branches (GtkWidget *list, JsonObject *answer)
{
  JsonArray *nodes = json_object_get_array_member (answer, "nodes");
  g_autofree char *first = sonde_debug_results_member (answer, "first_different_node");
  guint n = json_array_get_length (nodes), n_different = 0;

  for (guint i = 0; i < n; i++)
    {
      JsonObject *item = json_array_get_object_element (nodes, i);
      g_autofree char *problem = sonde_debug_results_member (item, "problem"),
                      *largest = sonde_debug_results_member (item, "max_abs");
      g_autofree char *differing = sonde_debug_results_member (item, "differing"),
                      *count = sonde_debug_results_member (item, "count");
      g_autofree char *node = sonde_debug_results_member (item, "node");
      g_autofree char *right = *problem != '\0' ? g_strdup (problem)
                                                : g_strdup_printf ("by up to %s · %s of %s",
                                                                   largest, differing, count);

      if (*problem == '\0' && json_object_get_int_member_with_default (item, "differing", 0) == 0)
        continue;
      n_different++;
      add_row (list, item, right, *first != '\0' && g_str_equal (node, first));
    }
  if (n_different == 0)
    return g_strdup_printf ("All %u values that both have are equal.", n);
  return g_strdup_printf ("First different node: %s. %u of %u values differ.",
                          *first != '\0' ? first : "none, but inputs or weights", n_different, n);
}

/* Whatever else was said: a row a member. */
static char *
show_members (GtkWidget *list, JsonObject *answer)
{
  g_autoptr (GList) names = json_object_get_members (answer);

  for (GList *l = names; l != NULL; l = l->next)
    {
      GtkWidget *box;
      g_autofree char *text = sonde_debug_results_member (answer, l->data),
                      *words = g_strdelimit (g_strdup (l->data), "_", ' ');

      if (g_str_equal (l->data, "ok") || g_str_equal (l->data, "command"))
        continue;
      box = sonde_debug_list_add (list);
      gtk_box_append (GTK_BOX (box), sonde_debug_label (words, "dim-label"));
      gtk_box_append (GTK_BOX (box), sonde_debug_name_label (text, NULL));
    }
  return g_strdup ("Done.");
}

char *
sonde_debug_results_show (GtkWidget *list, const char *command, JsonObject *answer)
{
  if (g_str_equal (command, "origin"))
    return show_origin (list, answer);
  if (g_str_equal (command, "diverge"))
    return show_divergence (list, answer);
  if (g_str_equal (command, "diff") && json_object_has_member (answer, "nodes"))
    return show_branches (list, answer);
  return show_members (list, answer);
}
