/* SPDX-License-Identifier: Apache-2.0
 * Counts a model: a copy is rewritten to current operators and inferred, then its nodes are walked
 * in order of execution. */
#include "engine/nn/sonde-model-summary.h"

#include <string.h>

#include "engine/plan/sonde-plan.h"

#define N_COLUMNS 5
#define GAP 2

static void
clear_row (gpointer data)
{
  SondeModelRow *row = data;

  g_free (row->name);
  g_free (row->op);
  g_free (row->shape);
}

/* ---- counting ------------------------------------------------------------ */

/* Unknown sizes are 1, as everywhere when a model is looked at without input. */
static GArray *
bind (SondeGraph *graph, const SondeBinding *bindings, guint n_bindings)
{
  GArray *all = g_array_new (FALSE, TRUE, sizeof (SondeBinding));

  for (guint i = 0; i < graph->inputs->len; i++)
    {
      SondeGraphValue *input = g_ptr_array_index (graph->inputs, i);
      SondeBinding binding = { input->name, input->type };

      for (guint k = 0; k < n_bindings; k++)
        if (g_str_equal (bindings[k].name, input->name))
          binding = bindings[k];
      for (int d = 0; d < binding.type.rank; d++)
        if (binding.type.dims[d].size < 0)
          binding.type.dims[d] = (SondeDimension){ 1, NULL };
      g_array_append_val (all, binding);
    }
  return all;
}

static SondeGraph *
prepare (SondeGraph *model, const SondeBinding *bindings, guint n_bindings, GError **error)
{
  g_autoptr (SondeGraph) graph = sonde_graph_copy (model, TRUE);
  g_autoptr (GArray) all = bind (graph, bindings, n_bindings);

  if (!sonde_pass_inline (graph, error) || !sonde_pass_legalise (graph, error)
      || !sonde_pass_infer (graph, (SondeBinding *) (void *) all->data, all->len, error))
    return NULL;
  return g_steal_pointer (&graph);
}

/* Elements of what @node is the first to read. */
static void
count_parameters (const SondeNode *node, GHashTable *seen, guint64 *all, guint64 *trainable)
{
  *all = *trainable = 0;
  for (guint k = 0; k < node->inputs->len; k++)
    {
      SondeGraphValue *value = sonde_node_get_input (node, k);
      SondeShape shape;

      if (value == NULL || value->producer != NULL
          || (value->role != SONDE_ROLE_PARAMETER && value->role != SONDE_ROLE_STATE)
          || !sonde_type_get_shape (&value->type, &shape) || !g_hash_table_add (seen, value))
        continue;
      *all += (guint64) MAX (sonde_shape_n_elements (&shape), 0);
      if (value->role == SONDE_ROLE_PARAMETER)
        *trainable += (guint64) MAX (sonde_shape_n_elements (&shape), 0);
    }
}

static char *
describe_shape (const SondeNode *node)
{
  SondeGraphValue *y = sonde_node_get_output (node, 0);
  SondeShape shape;

  if (y == NULL)
    return g_strdup ("");
  return sonde_type_get_shape (&y->type, &shape) ? sonde_shape_to_string (&shape)
                                                 : sonde_type_to_string (&y->type);
}

/* ---- scopes -------------------------------------------------------------- */

/**
 * Walk: where the rows have come to
 * @open: (element-type guint): rows of the scopes around the next node, outermost first
 */
typedef struct
{
  SondeModelSummary *summary;
  GArray *open;
  GHashTable *seen;
} Walk;

static SondeModelRow *
row_at (Walk *walk, guint depth)
{
  return &g_array_index (walk->summary->rows, SondeModelRow,
                         g_array_index (walk->open, guint, depth));
}

/* Leaves the scopes that @parts lacks and opens the others. */
static void
enter (Walk *walk, char **parts)
{
  guint same = 0;

  while (same < walk->open->len && parts[same] != NULL
         && g_str_equal (row_at (walk, same)->name, parts[same]))
    same++;
  g_array_set_size (walk->open, same);
  for (guint depth = same; parts[depth] != NULL; depth++)
    {
      SondeModelRow row = { .name = g_strdup (parts[depth]), .depth = depth, .is_scope = TRUE };
      guint place = walk->summary->rows->len;

      g_array_append_val (walk->summary->rows, row);
      g_array_append_val (walk->open, place);
    }
}

static void
add_node (Walk *walk, const SondeNode *node)
{
  g_auto (GStrv) parts = g_strsplit (node->scope != NULL ? node->scope : "", "/", -1);
  gsize scope = node->scope != NULL ? strlen (node->scope) : 0;
  gboolean inside
      = scope > 0 && strncmp (node->name, node->scope, scope) == 0 && node->name[scope] == '/';
  SondeModelRow row = { .name = g_strdup (inside ? node->name + scope + 1 : node->name),
                        .op = g_strdup (node->op),
                        .shape = describe_shape (node) };
  guint64 trainable;
  SondeCost cost;

  enter (walk, parts);
  sonde_plan_node_cost (node, &cost);
  count_parameters (node, walk->seen, &row.parameters, &trainable);
  row.depth = walk->open->len;
  row.flops = cost.flops;
  for (guint depth = 0; depth < walk->open->len; depth++)
    {
      row_at (walk, depth)->parameters += row.parameters;
      row_at (walk, depth)->flops += row.flops;
    }
  walk->summary->parameters += row.parameters;
  walk->summary->trainable += trainable;
  walk->summary->flops += row.flops;
  g_array_append_val (walk->summary->rows, row);
}

SondeModelSummary *
sonde_model_summary_new (SondeGraph *model, const SondeBinding *bindings, guint n_bindings,
                         GError **error)
{
  g_autoptr (SondeGraph) graph = prepare (model, bindings, n_bindings, error);
  g_autoptr (GPtrArray) order = graph != NULL ? sonde_graph_sort (graph, error) : NULL;
  Walk walk = { 0 };

  if (order == NULL)
    return NULL;
  walk.summary = g_new0 (SondeModelSummary, 1);
  walk.summary->rows = g_array_new (FALSE, TRUE, sizeof (SondeModelRow));
  g_array_set_clear_func (walk.summary->rows, clear_row);
  walk.open = g_array_new (FALSE, FALSE, sizeof (guint));
  walk.seen = g_hash_table_new (NULL, NULL);
  for (guint i = 0; i < order->len; i++)
    add_node (&walk, g_ptr_array_index (order, i));
  g_array_unref (walk.open);
  g_hash_table_unref (walk.seen);
  return walk.summary;
}

void
sonde_model_summary_free (SondeModelSummary *summary)
{
  if (summary == NULL)
    return;
  g_array_unref (summary->rows);
  g_free (summary);
}

/* ---- text ---------------------------------------------------------------- */

/* "25,557,032" */
static char *
group_digits (guint64 number)
{
  g_autofree char *plain = g_strdup_printf ("%" PRIu64, number);
  GString *text = g_string_new (NULL);
  gsize n = strlen (plain);

  for (gsize i = 0; i < n; i++)
    {
      if (i > 0 && (n - i) % 3 == 0)
        g_string_append_c (text, ',');
      g_string_append_c (text, plain[i]);
    }
  return g_string_free (text, FALSE);
}

/* "8.18 G"; nothing for none. */
static char *
shorten (double number)
{
  static const char *const units[] = { "", " k", " M", " G", " T", " P" };
  guint unit = 0;

  if (number <= 0)
    return g_strdup ("");
  for (; number >= 1000 && unit + 1 < G_N_ELEMENTS (units); unit++)
    number /= 1000;
  return g_strdup_printf ("%.3g%s", number, units[unit]);
}

static GStrv
make_cells (const SondeModelRow *row)
{
  GStrv cells = g_new0 (char *, N_COLUMNS + 1);

  cells[0] = g_strdup_printf ("%*s%s%s", (int) MIN (row->depth, 40) * 2, "", row->name,
                              row->is_scope ? "/" : "");
  cells[1] = g_strdup (row->op != NULL ? row->op : "");
  cells[2] = g_strdup (row->shape != NULL ? row->shape : "");
  cells[3] = row->parameters > 0 ? group_digits (row->parameters) : g_strdup ("");
  cells[4] = shorten (row->flops);
  return cells;
}

/* Words to the left, numbers to the right. */
static void
append_line (GString *text, GStrv cells, const int *widths)
{
  GString *line = g_string_new (NULL);

  for (int c = 0; c < N_COLUMNS; c++)
    {
      int fill = widths[c] - (int) g_utf8_strlen (cells[c], -1);

      g_string_append_printf (line, "%*s%s%*s", (c > 0 ? GAP : 0) + (c >= 3 ? fill : 0), "",
                              cells[c], c < 3 ? fill : 0, "");
    }
  while (line->len > 0 && line->str[line->len - 1] == ' ')
    g_string_truncate (line, line->len - 1);
  g_string_append_printf (text, "%s\n", line->str);
  g_string_free (line, TRUE);
}

char *
sonde_model_summary_to_text (const SondeModelSummary *summary)
{
  static const char *const heads[] = { "layer", "operator", "output", "parameters", "FLOP", NULL };
  g_autoptr (GPtrArray) lines = g_ptr_array_new_with_free_func ((GDestroyNotify) g_strfreev);
  g_autofree char *all = group_digits (summary->parameters),
                  *trainable = group_digits (summary->trainable);
  g_autofree char *flops = shorten (summary->flops);
  GString *text = g_string_new (NULL);
  int widths[N_COLUMNS] = { 0 };

  g_ptr_array_add (lines, g_strdupv ((char **) heads));
  for (guint i = 0; i < summary->rows->len; i++)
    g_ptr_array_add (lines, make_cells (&g_array_index (summary->rows, SondeModelRow, i)));
  for (guint i = 0; i < lines->len; i++)
    for (int c = 0; c < N_COLUMNS; c++)
      widths[c] = MAX (widths[c], (int) g_utf8_strlen (((GStrv) lines->pdata[i])[c], -1));
  for (guint i = 0; i < lines->len; i++)
    append_line (text, lines->pdata[i], widths);
  g_string_append_printf (text, "%s parameters, %s of them trained; %sFLOP forward\n", all,
                          trainable, *flops != '\0' ? flops : "0 ");
  return g_string_free (text, FALSE);
}
