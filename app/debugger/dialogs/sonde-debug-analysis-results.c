/* SPDX-License-Identifier: Apache-2.0
 * Results of analyses as rows. */
#include "app/debugger/dialogs/sonde-debug-analysis-results.h"

#include <math.h>

#include "app/debugger/sonde-debug-widgets.h"
#include "app/widgets/sonde-accessible.h"
#include "data/base/sonde-format.h"
#include "data/base/sonde-text.h"
#include "engine/live/sonde-compare.h"

/* ---- rows ---------------------------------------------------------------- */

/* @node, @op, @value: (nullable); @place: (nullable): index of an element, "[0, 3]"; @right: a
 * number. Returns: the row */
static GtkWidget *
add_row (GtkWidget *list, const char *node, const char *op, const char *value, const char *place,
         const char *right, gboolean is_bad)
{
  GtkWidget *box = sonde_debug_list_add (list), *row = sonde_debug_row_of (box), *label;
  g_autofree char *where = value != NULL ? g_strconcat (value, place, NULL) : g_strdup ("");

  label = sonde_debug_name_label (node != NULL ? node : value, is_bad ? "error" : "heading");
  gtk_box_append (GTK_BOX (box), label);
  gtk_box_append (GTK_BOX (box), sonde_debug_label (op != NULL ? op : "", "dim-label"));
  label = sonde_debug_name_label (where, "dim-label");
  gtk_widget_set_hexpand (label, TRUE);
  gtk_box_append (GTK_BOX (box), label);
  label = sonde_debug_label (right, is_bad ? "error" : NULL);
  gtk_label_set_ellipsize (GTK_LABEL (label), PANGO_ELLIPSIZE_NONE);
  gtk_box_append (GTK_BOX (box), label);
  g_object_set_data_full (G_OBJECT (row), "node", g_strdup (node), g_free);
  g_object_set_data_full (G_OBJECT (row), "value", g_strdup (value), g_free);
  sonde_name_by_text (row);
  return row;
}

/* @text: (transfer full): what @words names */
static void
add_fact (GtkWidget *list, const char *words, char *text)
{
  g_autofree char *owned = text;
  GtkWidget *box = sonde_debug_list_add (list), *value = sonde_debug_name_label (owned, NULL),
            *name = sonde_debug_label (words, "dim-label");

  gtk_label_set_ellipsize (GTK_LABEL (name), PANGO_ELLIPSIZE_NONE);
  gtk_label_set_xalign (GTK_LABEL (value), 1);
  gtk_label_set_selectable (GTK_LABEL (value), TRUE);
  gtk_widget_set_hexpand (value, TRUE);
  gtk_box_append (GTK_BOX (box), name);
  gtk_box_append (GTK_BOX (box), value);
  sonde_name_by_text (sonde_debug_row_of (box));
}

/* ---- origin -------------------------------------------------------------- */

char *
sonde_debug_analysis_results_show_origin (GtkWidget *list, const SondeSessionReply *reply)
{
  const SondeOrigin *origin = reply->origin;

  for (guint i = 0; i < origin->chain->len; i++)
    {
      const SondeOriginLink *link = g_ptr_array_index (origin->chain, i);
      g_autofree char *place
          = link->shape.rank > 0 ? sonde_shape_format_index (&link->shape, link->element) : NULL;
      g_autofree char *number = sonde_format_number (link->number);

      add_row (list, link->node, link->op, link->value, place, number,
               link->node != NULL && g_strcmp0 (link->node, origin->first_bad_node) == 0);
    }
  return origin->first_bad_node != NULL
             ? g_strdup_printf (_ ("First bad node: %s. %s"), origin->first_bad_node,
                                sonde_message_get_text (origin->cause))
             : g_strdup_printf (_ ("An input or initializer was already bad. %s"),
                                sonde_message_get_text (origin->cause));
}

/* ---- divergence ---------------------------------------------------------- */

/* NaN: not known */
static char *
format_error (double number)
{
  return isnan (number) ? g_strdup (_ ("unknown")) : sonde_format_number (number);
}

/* Of a step in another program, where modules are compared: by its own names. What was not compared
 * comes last, in the words of who could not. Returns: the verdict. (transfer full) */
static char *
show_step (GtkWidget *list, const SondeDivergence *divergence)
{
  const SondeDivergedValue *first
      = divergence->first >= 0 ? g_ptr_array_index (divergence->values, divergence->first) : NULL;
  guint n = divergence->values->len;

  for (guint i = 0; i < n; i++)
    {
      const SondeDivergedValue *value = g_ptr_array_index (divergence->values, i);
      const char *name = value->reference != NULL ? value->reference : value->value;
      g_autofree char *own = format_error (value->own_error),
                      *inherited = format_error (value->inherited_error);
      g_autofree char *right = g_strdup_printf (_ ("own %s · inherited %s"), own, inherited);
      GObject *row;

      row = G_OBJECT (add_row (list, name, value->op, value->node, NULL, right, value->over));
      g_object_set_data_full (row, "value", g_strdup (name), g_free);
      if (value->made_by != NULL)
        g_object_set_data_full (row, "made-by", g_strdup (value->made_by[0]), g_free);
    }
  for (guint i = 0; i < divergence->absent->len; i++)
    add_fact (list, _ ("Not compared"), g_strdup (g_ptr_array_index (divergence->absent, i)));
  if (first == NULL)
    return g_strdup_printf (
        P_ ("%u value is within the tolerance.", "All %u values are within the tolerance.", n), n);
  return g_strdup_printf (_ ("First divergent module: %s (%u compared)"),
                          first->reference != NULL ? first->reference : first->value, n);
}

char *
sonde_debug_analysis_results_show_divergence (GtkWidget *list, const SondeSessionReply *reply)
{
  const SondeDivergence *divergence = reply->divergence;
  const SondeDivergedValue *first
      = divergence->first >= 0 ? g_ptr_array_index (divergence->values, divergence->first) : NULL;

  if (divergence->is_step)
    return show_step (list, divergence);
  for (guint i = 0; i < divergence->values->len; i++)
    {
      const SondeDivergedValue *value = g_ptr_array_index (divergence->values, i);
      g_autofree char *own = format_error (value->own_error),
                      *inherited = format_error (value->inherited_error);
      g_autofree char *place
          = value->index >= 0 ? sonde_compare_format_index (&value->shape, value->index) : NULL;
      g_autofree char *right = g_strdup_printf (_ ("own %s · inherited %s"), own, inherited);

      add_row (list, value->node, value->op, value->value, place, right, value->over);
    }
  return first != NULL ? g_strdup_printf (_ ("First divergent node: %s (%u compared)"), first->node,
                                          divergence->values->len)
                       : g_strdup_printf (P_ ("%u node is within the tolerance.",
                                              "All %u nodes are within the tolerance.",
                                              divergence->values->len),
                                          divergence->values->len);
}

/* ---- differences --------------------------------------------------------- */

static gboolean
differs (const SondeDifference *difference)
{
  return difference->problem != NULL || difference->comparison.differing > 0;
}

/* The first node of which values differ. (nullable) */
static const SondeDifference *
find_first (const GPtrArray *differences)
{
  for (guint i = 0; i < differences->len; i++)
    {
      const SondeDifference *difference = g_ptr_array_index (differences, i);

      if (differs (difference) && difference->node != NULL)
        return difference;
    }
  return NULL;
}

static char *
show_branches (GtkWidget *list, const GPtrArray *differences)
{
  const SondeDifference *first = find_first (differences);
  guint n_different = 0;

  for (guint i = 0; i < differences->len; i++)
    {
      const SondeDifference *difference = g_ptr_array_index (differences, i);
      g_autofree char *largest = sonde_format_number (difference->comparison.max_abs);
      g_autofree char *right
          = difference->problem != NULL
                ? g_strdup (sonde_message_get_text (difference->problem))
                : g_strdup_printf (_ ("by up to %s · %" PRIu64 " of %" PRIu64), largest,
                                   difference->comparison.differing, difference->comparison.count);

      if (!differs (difference))
        continue;
      n_different++;
      add_row (list, difference->node, difference->op, difference->value, difference->place, right,
               difference == first);
    }
  if (n_different == 0)
    return g_strdup_printf (
        P_ ("The %u common value is equal.", "All %u common values are equal.", differences->len),
        differences->len);
  if (first == NULL)
    return g_strdup_printf (_ ("Only inputs or weights differ: %u of %u values."), n_different,
                            differences->len);
  return g_strdup_printf (_ ("First different node: %s. %u of %u values differ."), first->node,
                          n_different, differences->len);
}

/* One difference, number by number. Returns: the verdict. (transfer full) */
static char *
show_difference (GtkWidget *list, const SondeDifference *difference)
{
  const SondeComparison *numbers = &difference->comparison;

  add_fact (list, _ ("Value"), g_strdup (difference->value));
  if (difference->problem != NULL)
    return g_strdup (sonde_message_get_text (difference->problem));
  add_fact (list, _ ("Type"), g_strdup (sonde_dtype_name (difference->dtype)));
  add_fact (list, _ ("Shape"), sonde_shape_to_string (&difference->shape));
  add_fact (list, _ ("Largest absolute difference"), sonde_format_number (numbers->max_abs));
  add_fact (list, _ ("Largest relative difference"), sonde_format_number (numbers->max_rel));
  add_fact (list, _ ("Mean absolute difference"), sonde_format_number (numbers->mean_abs));
  add_fact (list, _ ("Root-mean-square difference"), sonde_format_number (numbers->rms));
  add_fact (list, _ ("Cosine similarity"), sonde_format_number (numbers->cosine));
  add_fact (list, _ ("Largest reference value"), sonde_format_number (numbers->max_reference));
  add_fact (list, _ ("Largest difference in ULP"), sonde_format_number (numbers->max_ulp));
  add_fact (list, _ ("NaN on one side only"), g_strdup_printf ("%" PRIu64, numbers->nan_mismatch));
  if (difference->place != NULL)
    add_fact (list, _ ("Location"), g_strdup (difference->place));
  add_fact (list, _ ("First value"), sonde_format_number (numbers->a));
  add_fact (list, _ ("Second value"), sonde_format_number (numbers->b));
  return numbers->differing == 0
             ? g_strdup_printf (P_ ("The %" PRIu64 " element is equal.",
                                    "All %" PRIu64 " elements are equal.", numbers->count),
                                numbers->count)
             : g_strdup_printf (_ ("%" PRIu64 " of %" PRIu64 " elements differ."),
                                numbers->differing, numbers->count);
}

char *
sonde_debug_analysis_results_show_differences (GtkWidget *list, const SondeSessionReply *reply)
{
  if (reply->of_branches || reply->differences->len != 1)
    return show_branches (list, reply->differences);
  return show_difference (list, g_ptr_array_index (reply->differences, 0));
}

char *
sonde_debug_analysis_results_show_rerun (GtkWidget *list, const SondeSessionReply *reply)
{
  g_autoptr (GString) verdict = g_string_new (sonde_message_get_text (reply->note));

  for (guint i = 0; i < reply->differences->len; i++)
    {
      g_autofree char *sentence = show_difference (list, g_ptr_array_index (reply->differences, i));

      g_string_append_printf (verdict, "%s%s", verdict->len > 0 ? " " : "", sentence);
    }
  return g_string_free (g_steal_pointer (&verdict), FALSE);
}

/* ---- what was written ---------------------------------------------------- */

char *
sonde_debug_analysis_results_show_reduction (GtkWidget *list, const SondeSessionReply *reply)
{
  const SondeReducedCase *reduction = reply->reduction;

  add_fact (list, _ ("Model"), g_strdup (reduction->model));
  for (guint i = 0; reduction->names[i] != NULL; i++)
    add_fact (list, _ ("Input"),
              g_strdup_printf ("%s: %s", reduction->names[i], reduction->files[i]));
  add_fact (list, _ ("Node"), g_strdup (reduction->node));
  add_fact (list, _ ("Value"), g_strdup (reduction->value));
  add_fact (list, _ ("Command to reproduce"), g_strdup (reduction->command));
  return g_strdup_printf (
      P_ ("%u node reproduces the failure.", "%u nodes reproduce the failure.", reduction->n_nodes),
      reduction->n_nodes);
}

char *
sonde_debug_analysis_results_show_precision (GtkWidget *list, const SondeSessionReply *reply)
{
  const SondePrecisionFound *found = reply->precision;

  for (guint i = 0; i < found->kept->len; i++)
    add_row (list, g_ptr_array_index (found->kept, i), NULL, NULL, NULL, "float32", FALSE);
  add_fact (list, _ ("Recipe"), g_strdup (reply->path));
  add_fact (list, _ ("Error"), sonde_format_number (found->reached));
  add_fact (list, _ ("Tolerance"), sonde_format_number (found->tolerance));
  add_fact (list, _ ("Error with no node in float32"), sonde_format_number (found->lowest));
  add_fact (list, _ ("Sets tried"), g_strdup_printf ("%u", found->n_runs));
  return g_strdup_printf (_ ("%u of %u nodes stay in float32; the others run in %s."),
                          found->kept->len, found->n_nodes, sonde_dtype_name (found->precision));
}
