/* SPDX-License-Identifier: Apache-2.0
 * `sonde inspect`: nodes that are executed otherwise than they stand in the file. */
#include "app/cli/sonde-cli-inspect-executed.h"

#include "app/cli/sonde-cli-inspect-findings.h"
#include "app/cli/sonde-cli-table.h"
#include "data/base/sonde-error.h"
#include "data/base/sonde-text.h"
#include "engine/passes/sonde-rewrites.h"
#include "engine/plan/sonde-plan.h"

#define MOST_LINES 12 /* of the text; JSON lists all rewrites */

/* @how: in JSON; @label: in text, marked by N_() */
static const struct
{
  const char *how, *label;
} kinds[] = {
  [SONDE_REWRITE_LEGALISED] = { "current form", N_ ("rewritten") },
  [SONDE_REWRITE_INLINED] = { "put in place", N_ ("inlined") },
  [SONDE_REWRITE_FUSED] = { "joined", N_ ("fused") },
  [SONDE_REWRITE_FOLDED] = { "computed once", N_ ("constant-folded") },
  [SONDE_REWRITE_REMOVED] = { "not needed", N_ ("removed") },
};

/* ---- JSON ---------------------------------------------------------------- */

static JsonObject *
make_rewrite (const SondeRewrite *rewrite)
{
  JsonObject *entry = json_object_new ();

  sonde_inspect_set_text (entry, "node", rewrite->original->name);
  sonde_inspect_set_text (entry, "op", rewrite->original->op);
  json_object_set_int_member (entry, "version", rewrite->original->version);
  json_object_set_string_member (entry, "how", kinds[rewrite->kind].how);
  sonde_inspect_set_text (entry, "executed", rewrite->executed);
  if (rewrite->n_fused > 1)
    json_object_set_int_member (entry, "joined_nodes", rewrite->n_fused);
  return entry;
}

JsonObject *
sonde_inspect_make_executed (SondeGraph *model)
{
  g_autoptr (GError) error = NULL;
  g_autoptr (SondeGraph) executed = sonde_prepare_unwatched_inference (model, NULL, 0, &error);
  g_autoptr (GPtrArray) rewrites = NULL;
  JsonObject *object = json_object_new ();
  JsonArray *array;

  if (executed == NULL)
    {
      sonde_inspect_set_text (object, "problem", error->message);
      return object;
    }
  rewrites = sonde_list_rewrites (model, executed);
  array = json_array_new ();
  for (guint i = 0; i < rewrites->len; i++)
    json_array_add_object_element (array, make_rewrite (g_ptr_array_index (rewrites, i)));
  json_object_set_int_member (object, "nodes", sonde_graph_count_nodes (executed));
  json_object_set_array_member (object, "changes", array);
  return object;
}

/* ---- text ---------------------------------------------------------------- */

static void
print_summary (const SondeGraph *executed, const GPtrArray *rewrites, guint n_kept,
               gboolean converted)
{
  guint counts[G_N_ELEMENTS (kinds)] = { 0 };

  for (guint i = 0; i < rewrites->len; i++)
    counts[((const SondeRewrite *) g_ptr_array_index (rewrites, i))->kind]++;
  sonde_cli_print (converted ? _ ("\n  executed nodes: %u; of the nodes that the file is converted "
                                  "to, %u are constant-folded, %u removed and %u rewritten\n")
                             : _ ("\n  executed nodes: %u; of the nodes in the file, %u are "
                                  "constant-folded, %u removed and %u rewritten\n"),
                   sonde_graph_count_nodes (executed), counts[SONDE_REWRITE_FOLDED],
                   counts[SONDE_REWRITE_REMOVED], n_kept);
}

static void
add_row (SondeTable *table, const SondeRewrite *rewrite)
{
  g_autofree char *original
      = g_strdup_printf (_ ("%s, opset %d"), rewrite->original->op, rewrite->original->version);
  g_autofree char *fused
      = g_strdup_printf (_ ("%s of %u nodes"), rewrite->executed, rewrite->n_fused);

  sonde_table_add (table, rewrite->original->name, original, _ (kinds[rewrite->kind].label),
                   rewrite->n_fused > 1 ? fused : rewrite->executed, NULL);
}

/* Nodes that are not executed are only counted: a file may have hundreds of constants. */
static void
print_rewrites (const SondeGraph *executed, const GPtrArray *rewrites, gboolean converted)
{
  static const char *const columns[]
      = { N_ ("<NODE"), N_ ("<IN THE FILE"), "<", N_ ("<EXECUTED AS"), NULL };
  g_autoptr (SondeTable) table = sonde_table_new (columns);
  guint n_kept = 0, n_rows = 0, n_told = 0;

  for (guint i = 0; i < rewrites->len; i++)
    {
      const SondeRewrite *rewrite = g_ptr_array_index (rewrites, i);

      if (*rewrite->executed == '\0')
        continue;
      n_kept++;
      if (!rewrite->repeated && n_rows >= MOST_LINES)
        continue;
      n_told++;
      if (rewrite->repeated)
        continue;
      add_row (table, rewrite);
      n_rows++;
    }
  print_summary (executed, rewrites, n_kept, converted);
  sonde_table_print (table, 2);
  if (n_kept > n_told)
    sonde_cli_print (P_ ("  … and %u more node; --json lists all\n",
                         "  … and %u more nodes; --json lists all\n", n_kept - n_told),
                     n_kept - n_told);
  sonde_cli_print ("\n");
}

void
sonde_inspect_print_executed (SondeGraph *model, gboolean converted)
{
  g_autoptr (GError) error = NULL;
  g_autoptr (SondeGraph) executed = sonde_prepare_unwatched_inference (model, NULL, 0, &error);
  g_autoptr (GPtrArray) rewrites = NULL;

  if (executed == NULL)
    {
      g_autofree char *text = sonde_cli_make_printable (sonde_error_get_text (error));

      sonde_cli_print (_ ("\n  The model cannot be executed as it is: %s\n\n"), text);
      return;
    }
  rewrites = sonde_list_rewrites (model, executed);
  print_rewrites (executed, rewrites, converted);
}
