/* SPDX-License-Identifier: Apache-2.0
 * Sizes out of the options, and costs as JSON or as a table. */
#include "app/cli/sonde-cli-inspect-cost.h"

#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include "app/cli/sonde-cli-inspect-findings.h"
#include "app/cli/sonde-cli-table.h"
#include "data/base/sonde-error.h"
#include "data/base/sonde-format.h"
#include "data/base/sonde-text.h"
#include "data/models/sonde-model-file.h"
#include "engine/profile/sonde-graph-cost.h"

/* ---- options --------------------------------------------------------------- */

/* "3,224,224"; "" is a scalar. */
static gboolean
parse_sizes (const char *text, SondeShape *shape)
{
  g_auto (GStrv) words = g_strsplit (text, ",", -1);

  *shape = sonde_shape_scalar ();
  for (gsize i = 0; words[i] != NULL; i++)
    {
      guint64 size;

      if (shape->rank == SONDE_MAX_RANK
          || !g_ascii_string_to_unsigned (words[i], 10, 1, G_MAXINT32, &size, NULL))
        return FALSE;
      shape->dims[shape->rank++] = (gint64) size;
    }
  return TRUE;
}

/* @sizes: (element-type SondeInputSizes): the names are cut out of @shapes */
static gboolean
parse_shapes (const SondeCliCommand *command, char **shapes, GArray *sizes)
{
  for (gsize i = 0; shapes != NULL && shapes[i] != NULL; i++)
    {
      char *sign = strrchr (shapes[i], '=');
      SondeInputSizes one = { shapes[i], sonde_shape_scalar () };

      if (sign == NULL || sign == shapes[i] || !parse_sizes (sign + 1, &one.sizes))
        {
          sonde_cli_misuse (command,
                            _ ("--shape takes NAME=D,D,… with sizes from 1 on, as in "
                               "“--shape images=8,3,224,224”; “%s” is not of that form"),
                            shapes[i]);
          return FALSE;
        }
      *sign = '\0';
      for (guint k = 0; k < sizes->len; k++)
        if (strcmp (g_array_index (sizes, SondeInputSizes, k).name, one.name) == 0)
          {
            sonde_cli_misuse (command, _ ("--shape gives sizes of “%s” twice"), one.name);
            return FALSE;
          }
      g_array_append_val (sizes, one);
    }
  return TRUE;
}

/* ---- JSON ---------------------------------------------------------------- */

static void
set_amount (JsonObject *object, const char *name, gint64 amount)
{
  if (amount == SONDE_COST_NOT_KNOWN)
    json_object_set_null_member (object, name);
  else
    json_object_set_int_member (object, name, amount);
}

static JsonObject *
make_node (const SondeNodeCost *node)
{
  JsonObject *object = json_object_new ();
  SondeType type;

  sonde_inspect_set_text (object, "node", node->name);
  sonde_inspect_set_text (object, "op", node->op);
  json_object_set_int_member (object, "parameters", (gint64) node->n_parameters);
  set_amount (object, "macs", node->macs);
  set_amount (object, "flops", node->flops);
  set_amount (object, "bytes_read", node->bytes_read);
  set_amount (object, "bytes_written", node->bytes_written);
  type = sonde_type_tensor (SONDE_DTYPE_F32, &node->shape);
  if (node->shape_known)
    json_object_set_array_member (object, "shape", sonde_inspect_make_shape (&type));
  else
    json_object_set_null_member (object, "shape");
  return object;
}

static void
add_to_sum (JsonObject *sums, const char *name, gint64 amount)
{
  json_object_set_int_member (
      sums, name, json_object_get_int_member_with_default (sums, name, 0) + MAX (amount, 0));
}

/* Sums over the nodes of an operator, of what is known. */
static void
add_to_op (JsonObject *by_op, const SondeNodeCost *node)
{
  g_autofree char *op = g_utf8_make_valid (node->op, -1);
  JsonObject *sums;

  if (!json_object_has_member (by_op, op))
    json_object_set_object_member (by_op, op, json_object_new ());
  sums = json_object_get_object_member (by_op, op);
  add_to_sum (sums, "nodes", 1);
  add_to_sum (sums, "parameters", (gint64) node->n_parameters);
  add_to_sum (sums, "macs", node->macs);
  add_to_sum (sums, "flops", node->flops);
  add_to_sum (sums, "bytes_read", node->bytes_read);
  add_to_sum (sums, "bytes_written", node->bytes_written);
}

static void
print_json (const SondeGraphCost *cost)
{
  JsonObject *object = json_object_new (), *by_op = json_object_new (), *outer = json_object_new ();
  JsonArray *nodes = json_array_new (), *unknown = json_array_new ();
  JsonNode *root = json_node_new (JSON_NODE_OBJECT);

  for (guint i = 0; i < cost->nodes->len; i++)
    {
      const SondeNodeCost *node = &g_array_index (cost->nodes, SondeNodeCost, i);
      g_autofree char *name = g_utf8_make_valid (node->name, -1);

      json_array_add_object_element (nodes, make_node (node));
      add_to_op (by_op, node);
      if (sonde_node_cost_is_partial (node))
        json_array_add_string_element (unknown, name);
    }
  json_object_set_int_member (object, "parameters", (gint64) cost->n_parameters);
  json_object_set_int_member (object, "state", (gint64) cost->n_state);
  json_object_set_int_member (object, "parameter_bytes", (gint64) cost->parameter_bytes);
  json_object_set_int_member (object, "macs", (gint64) cost->macs);
  json_object_set_int_member (object, "flops", (gint64) cost->flops);
  json_object_set_array_member (object, "nodes", nodes);
  json_object_set_object_member (object, "by_op", by_op);
  json_object_set_array_member (object, "unknown", unknown);
  json_object_set_object_member (outer, "cost", object);
  json_node_take_object (root, outer);
  sonde_cli_print_json (root, TRUE);
}

/* ---- text ---------------------------------------------------------------- */

#define N_CELLS 7
#define GAP 2
#define LEAST_NAME 12
#define MOST_OPERATOR 14

static char *
format_amount (gint64 amount)
{
  return amount == SONDE_COST_NOT_KNOWN ? g_strdup ("?") : sonde_format_number ((double) amount);
}

/* NODE OPERATOR PARAMETERS MACS FLOPS BYTES MEMORY */
static char **
make_row (const SondeNodeCost *node)
{
  char **cells = g_new0 (char *, N_CELLS + 1);
  gboolean known
      = node->bytes_read != SONDE_COST_NOT_KNOWN && node->bytes_written != SONDE_COST_NOT_KNOWN;

  cells[0] = sonde_cli_make_printable (node->name);
  cells[1] = sonde_cli_make_printable (node->op);
  cells[2] = format_amount ((gint64) node->n_parameters);
  cells[3] = format_amount (node->macs);
  cells[4] = format_amount (node->flops);
  cells[5] = known ? sonde_format_bytes ((guint64) (node->bytes_read + node->bytes_written))
                   : g_strdup ("?");
  cells[6] = sonde_format_bytes (node->alive_bytes);
  return cells;
}

/* What is said last tells nodes apart, so the beginning goes. */
static void
cut (char **text, glong most)
{
  glong length = g_utf8_strlen (*text, -1);
  char *kept;

  if (length <= most)
    return;
  kept = g_strconcat ("…", g_utf8_offset_to_pointer (*text, length - most + 1), NULL);
  g_free (*text);
  *text = kept;
}

static glong
terminal_width (void)
{
  struct winsize size;

  return ioctl (STDOUT_FILENO, TIOCGWINSZ, &size) == 0 && size.ws_col > 0 ? size.ws_col : 80;
}

/* So that a line of the table, indented by GAP, fits the terminal. */
static void
fit_names (GPtrArray *rows, const char *const *heads)
{
  glong rest = terminal_width () - GAP;

  for (guint k = 1; k < N_CELLS; k++)
    {
      glong width = g_utf8_strlen (_ (heads[k]), -1) - 1; /* the mark of its alignment */

      for (guint i = 0; i < rows->len; i++)
        {
          char **cells = g_ptr_array_index (rows, i);

          if (k == 1)
            cut (&cells[1], MOST_OPERATOR);
          width = MAX (width, g_utf8_strlen (cells[k], -1));
        }
      rest -= width + GAP;
    }
  for (guint i = 0; i < rows->len; i++)
    cut (&((char **) g_ptr_array_index (rows, i))[0], MAX (rest, LEAST_NAME));
}

/* Reshapes and constants of a file only move bytes. */
static gboolean
is_shown (const SondeNodeCost *node)
{
  return node->n_parameters > 0 || node->macs != 0 || node->flops != 0 || node->runs_bodies;
}

static void
print_sums (const char *path, const SondeGraphCost *cost)
{
  g_autofree char *parameters = sonde_format_count ((gint64) cost->n_parameters);
  g_autofree char *bytes = sonde_format_bytes (cost->parameter_bytes);
  g_autofree char *macs = sonde_format_count ((gint64) cost->macs);
  g_autofree char *flops = sonde_format_count ((gint64) cost->flops);
  g_autofree char *peak = sonde_format_bytes (cost->peak_bytes);
  g_autofree char *head
      = g_strdup_printf (_ ("%s parameters (%s), %s MACs, %s FLOPs, activations of %s at most"),
                         parameters, bytes, macs, flops, peak);

  sonde_inspect_print_head (path, head);
}

static void
print_notes (const SondeGraphCost *cost, guint n_hidden)
{
  guint n_unknown = 0, n_bodies = 0;

  for (guint i = 0; i < cost->nodes->len; i++)
    {
      const SondeNodeCost *node = &g_array_index (cost->nodes, SondeNodeCost, i);

      n_unknown += sonde_node_cost_is_partial (node) ? 1 : 0;
      n_bodies += node->runs_bodies ? 1 : 0;
    }
  if (n_hidden > 0)
    sonde_cli_print (P_ ("  … and %u node without parameters or operations; --json lists all\n",
                         "  … and %u nodes without parameters or operations; --json lists all\n",
                         n_hidden),
                     n_hidden);
  if (n_unknown > 0)
    sonde_cli_print (P_ ("  of %u node something (?) is known only in the run, or its operator is "
                         "not supported; the sums leave it out\n",
                         "  of %u nodes something (?) is known only in the run, or their operators "
                         "are not supported; the sums leave it out\n",
                         n_unknown),
                     n_unknown);
  if (n_bodies > 0)
    sonde_cli_print (_ ("  operations inside the bodies of If, Loop and Scan are not counted: only "
                        "the run tells how often they are computed\n"));
  sonde_cli_print ("\n");
}

static void
print_text (const char *path, const SondeGraphCost *cost)
{
  static const char *const heads[]
      = { N_ ("<NODE"),  N_ ("<OPERATOR"), N_ (">PARAMS"), N_ (">MACS"),
          N_ (">FLOPS"), N_ (">BYTES"),    N_ (">MEMORY"), NULL };
  g_autoptr (SondeTable) table = sonde_table_new (heads);
  g_autoptr (GPtrArray) rows = g_ptr_array_new_with_free_func ((GDestroyNotify) g_strfreev);

  for (guint i = 0; i < cost->nodes->len; i++)
    {
      const SondeNodeCost *node = &g_array_index (cost->nodes, SondeNodeCost, i);

      if (is_shown (node))
        g_ptr_array_add (rows, make_row (node));
    }
  fit_names (rows, heads);
  for (guint i = 0; i < rows->len; i++)
    {
      char **c = g_ptr_array_index (rows, i);

      sonde_table_add (table, c[0], c[1], c[2], c[3], c[4], c[5], c[6], NULL);
    }
  print_sums (path, cost);
  sonde_table_print (table, GAP);
  print_notes (cost, cost->nodes->len - rows->len);
}

/* ---- the whole --------------------------------------------------------------- */

/* The sizes of an ONNX model are left to the cost, which names the input that was perhaps meant. */
static SondeGraph *
load_model (const char *path, const SondeModelChoice *choice, GError **error)
{
  SondeModelChoice chosen = *choice;
  g_autoptr (GError) problem = NULL;
  const char *format = NULL;

  if (!g_file_test (path, G_FILE_TEST_EXISTS))
    sonde_set_error (error, SONDE_DATA_ERROR, SONDE_DATA_ERROR_NOT_FOUND, "“%s” does not exist.",
                     path);
  else if (g_file_test (path, G_FILE_TEST_IS_REGULAR)
           && ((format = sonde_model_sniff (NULL, path, &problem)) != NULL || problem != NULL
               || g_str_has_suffix (path, ".onnx")))
    {
      if (g_strcmp0 (format, "onnx") == 0)
        chosen.shapes = NULL;
      return sonde_model_choice_open (&chosen, path, NULL, error);
    }
  else
    sonde_set_error (error, SONDE_DATA_ERROR, SONDE_DATA_ERROR_UNSUPPORTED,
                     "“%s” is no model; --cost tells what a model costs.", path);
  return NULL;
}

int
sonde_inspect_cost (const SondeCliCommand *command, const char *path,
                    const SondeModelChoice *choice, gboolean json)
{
  g_auto (GStrv) shapes = g_strdupv (choice->shapes);
  g_autoptr (GArray) sizes = g_array_new (FALSE, FALSE, sizeof (SondeInputSizes));
  g_autoptr (GError) error = NULL;
  g_autoptr (SondeGraph) model = NULL;
  g_autoptr (SondeGraphCost) cost = NULL;

  if (!parse_shapes (command, shapes, sizes))
    return SONDE_EXIT_USAGE;
  model = load_model (path, choice, &error);
  if (model == NULL)
    return sonde_cli_fail (command, error);
  cost = sonde_graph_cost_new (model, (const SondeInputSizes *) sizes->data, sizes->len, &error);
  if (cost == NULL)
    {
      sonde_prefix_error (&error, "“%s”: ", path);
      return sonde_cli_fail (command, error);
    }
  if (json)
    print_json (cost);
  else
    print_text (path, cost);
  return SONDE_EXIT_DONE;
}
