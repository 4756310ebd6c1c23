/* SPDX-License-Identifier: Apache-2.0
 * Runs one row of the table: shape rule, values, gradients. */
#include "tests/engine/ops/op-case.h"

#include "engine/ops/sonde-build.h"

#include <string.h>

/* ---- texts --------------------------------------------------------------- */

static void
set_strings (SondeNode *node, const char *name, char **parts, guint n)
{
  SondeAttribute *attribute = sonde_attribute_new (name, SONDE_ATTRIBUTE_STRINGS);

  attribute->n = n;
  attribute->u.strings = g_new0 (char *, n + 1);
  for (guint i = 0; i < n; i++)
    attribute->u.strings[i] = g_strndup (parts[i] + 1, strlen (parts[i]) - 2);
  sonde_node_take_attribute (node, attribute);
}

/* Strings in quotes, floats where there is a point, else integers. */
static void
set_list (SondeNode *node, const char *name, const char *text)
{
  g_auto (GStrv) parts = g_strsplit (text, ",", -1);
  guint n = *text == '\0' ? 0 : g_strv_length (parts);
  g_autofree gint64 *ints = g_new0 (gint64, n + 1);
  g_autofree double *floats = g_new0 (double, n + 1);

  for (guint i = 0; i < n; i++)
    {
      ints[i] = g_ascii_strtoll (parts[i], NULL, 10);
      floats[i] = g_ascii_strtod (parts[i], NULL);
    }
  if (*text == '\'')
    set_strings (node, name, parts, n);
  else if (strchr (text, '.') != NULL)
    sonde_node_set_floats (node, name, floats, n);
  else
    sonde_node_set_ints (node, name, ints, n);
}

/* "f32_2:_1_2": as an input, with lines for the spaces. */
static void
set_tensor (SondeNode *node, const char *name, char *text)
{
  g_autofree char *spaced = g_strdelimit (g_strdup (text), "_", ' ');
  char *space = strchr (spaced, ' ');
  g_autofree char *dtype = g_strndup (spaced, (gsize) (space - spaced));
  g_autoptr (SondeTensor) tensor = sonde_test_tensor (sonde_dtype_from_name (dtype), space + 1);

  sonde_node_set_tensor (node, name, tensor);
}

/* "name=value": a list in brackets, a tensor in braces, a string in quotes, a float with a point,
 * else an integer. */
static void
set_attribute (SondeNode *node, const char *text)
{
  const char *equal = strchr (text, '=');
  g_autofree char *name = g_strndup (text, (gsize) (equal - text));
  g_autofree char *inner
      = g_strndup (equal + 2, strlen (equal + 1) > 1 ? strlen (equal + 1) - 2 : 0);

  if (equal[1] == '[')
    set_list (node, name, inner);
  else if (equal[1] == '{')
    set_tensor (node, name, inner);
  else if (equal[1] == '\'')
    sonde_node_set_string (node, name, inner);
  else if (strpbrk (equal + 1, ".e") != NULL)
    sonde_node_set_float (node, name, g_ascii_strtod (equal + 1, NULL));
  else
    sonde_node_set_int (node, name, g_ascii_strtoll (equal + 1, NULL, 10));
}

static void
set_attributes (SondeNode *node, const char *text)
{
  g_auto (GStrv) parts = g_strsplit (text ? text : "", " ", -1);

  for (guint i = 0; parts[i] != NULL; i++)
    if (*parts[i] != '\0')
      set_attribute (node, parts[i]);
}

static SondeTensor *
make_random (const char *text, SondeDtype dtype, guint64 seed)
{
  g_autoptr (SondeTensor) shape = sonde_test_tensor (dtype, text + 1);

  return sonde_test_tensor_random (dtype, &shape->shape, seed, *text == '~' ? -1 : 0.5,
                                   *text == '~' ? 1 : 2);
}

/* @wanted: (out) (optional): text has values, not only a shape */
static SondeTensor *
read_tensor (const char *text, SondeDtype dtype, guint64 seed, gboolean *wanted)
{
  const char *start = *text == '=' ? text + 1 : text;
  const char *space = strchr (start, ' ');
  g_autofree char *word = space ? g_strndup (start, (gsize) (space - start)) : NULL;
  SondeDtype named = word ? sonde_dtype_from_name (word) : SONDE_DTYPE_INVALID;

  text = start;
  if (*text == '~' || *text == '+')
    return make_random (text, dtype, seed);
  if (wanted != NULL)
    *wanted = strchr (text, ':') != NULL;
  return named != SONDE_DTYPE_INVALID ? sonde_test_tensor (named, space + 1)
                                      : sonde_test_tensor (dtype, text);
}

static gboolean
is_absent (const char *text)
{
  return text == NULL || strcmp (text, "-") == 0;
}

/* ---- one row ------------------------------------------------------------- */

void
op_case_built_clear (OpCaseBuilt *built)
{
  g_clear_pointer (&built->graph, sonde_graph_unref);
  g_clear_pointer (&built->feeds, g_hash_table_unref);
}

static guint
count_texts (const char *const *texts, guint most)
{
  guint n = most;

  while (n > 0 && texts[n - 1] == NULL)
    n--;
  return n;
}

static SondeGraphValue *
add_input (OpCaseBuilt *built, const char *text, SondeDtype dtype, guint k)
{
  g_autofree char *name = g_strdup_printf ("x%u", k);
  g_autoptr (SondeTensor) tensor = NULL;
  SondeType type;

  if (is_absent (text))
    return NULL;
  tensor = read_tensor (text, dtype, 100 + k, NULL);
  if (*text == '=')
    return sonde_build_constant (built->graph, name, tensor);
  type = sonde_type_tensor (tensor->dtype, &tensor->shape);
  sonde_test_feeds_set (built->feeds, name, tensor);
  return sonde_graph_add_input (built->graph, name, &type);
}

void
op_case_build (const OpCase *row, SondeDtype dtype, OpCaseBuilt *built)
{
  g_auto (GStrv) words = g_strsplit (row->name, "/", 2);
  char *op = strrchr (words[0], '.');
  const char *domain = op != NULL ? words[0] : "";
  SondeGraphValue *inputs[OP_CASE_INPUTS] = { NULL };
  guint n = count_texts (row->inputs, OP_CASE_INPUTS),
        n_outputs = count_texts (row->outputs, OP_CASE_OUTPUTS);

  if (op != NULL)
    *op++ = '\0';
  built->graph = sonde_graph_new (row->name);
  built->feeds = sonde_test_feeds_new ();
  for (guint k = 0; k < n; k++)
    inputs[k] = add_input (built, row->inputs[k], dtype, k);
  built->node
      = sonde_graph_add_node (built->graph, "node", domain, op ? op : words[0], inputs, n, 0);
  for (guint k = 0; k < n_outputs; k++)
    if (!is_absent (row->outputs[k]))
      {
        g_autofree char *name = g_strdup_printf ("y%u", k);
        SondeGraphValue *value = sonde_graph_add_value (built->graph, name, NULL);

        sonde_node_set_output (built->graph, built->node, k, value);
        sonde_graph_add_output (built->graph, value);
      }
  set_attributes (built->node, row->attributes);
}

/* Sizes that depend on values are known only after the run. */
static void
forget_sizes (const SondeNode *node, const SondeType *got, SondeType *want)
{
  const SondeOpClass *klass = sonde_op_table_find (node->domain, node->op);

  for (int d = 0; d < want->rank && klass != NULL && (klass->flags & SONDE_OP_DYNAMIC) != 0; d++)
    if (d < got->rank && got->dims[d].size < 0)
      want->dims[d] = got->dims[d];
}

/* The row of the operator agrees with the node, and the shape rule with the texts. */
static gboolean
check_shapes (OpCaseBuilt *built, const OpCase *row, SondeDtype dtype)
{
  g_autoptr (GError) error = NULL;
  g_autoptr (GPtrArray) problems
      = g_ptr_array_new_with_free_func ((GDestroyNotify) sonde_message_free);
  gboolean good = sonde_op_check_node (built->node, problems);

  if (!good || !sonde_pass_infer (built->graph, NULL, 0, &error))
    {
      g_autofree char *problem = good ? NULL : sonde_message_dup_english (problems->pdata[0]);

      g_test_message ("%s", good ? error->message : problem);
      g_test_fail ();
      return FALSE;
    }
  for (guint k = 0; k < built->node->outputs->len; k++)
    {
      SondeGraphValue *value = sonde_node_get_output (built->node, k);
      g_autoptr (SondeTensor) want = value ? read_tensor (row->outputs[k], dtype, 0, NULL) : NULL;
      SondeType type;
      g_autofree char *got_text = NULL, *want_text = NULL;

      if (value == NULL)
        continue;
      type = sonde_type_tensor (want->dtype, &want->shape);
      forget_sizes (built->node, &value->type, &type);
      got_text = sonde_type_to_string (&value->type);
      want_text = sonde_type_to_string (&type);
      if (strcmp (got_text, want_text) != 0)
        {
          g_test_message ("%s is inferred as %s, want %s", value->name, got_text, want_text);
          g_test_fail ();
          good = FALSE;
        }
    }
  return good;
}

static void
check_values (OpCaseBuilt *built, const OpCase *row, SondeDtype dtype)
{
  g_autoptr (GError) error = NULL;
  g_autoptr (GHashTable) values = sonde_test_evaluate (built->graph, built->feeds, &error);

  if (values == NULL)
    {
      g_test_message ("%s", error->message);
      g_test_fail ();
      return;
    }
  for (guint k = 0; k < built->node->outputs->len; k++)
    {
      SondeGraphValue *value = sonde_node_get_output (built->node, k);
      gboolean has_values = FALSE;
      g_autoptr (SondeTensor) want
          = value ? read_tensor (row->outputs[k], dtype, 0, &has_values) : NULL;

      double tolerance = want && want->dtype == SONDE_DTYPE_F64 ? 1e-9 : 1e-5;

      if (has_values)
        sonde_test_assert_close (g_hash_table_lookup (values, value), want, tolerance, tolerance,
                                 value->name);
    }
}

/* No size of a float input is known before the run, as in a graph with symbols. Returns: outputs
 * still have a rank, without which there is no gradient */
static gboolean
forget_sizes_of_inputs (SondeGraph *graph)
{
  gboolean ranks = TRUE;

  for (guint k = 0; k < graph->inputs->len; k++)
    {
      SondeType *type = &((SondeGraphValue *) graph->inputs->pdata[k])->type;

      for (int d = 0; d < type->rank && sonde_dtype_is_float (type->dtype); d++)
        type->dims[d] = (SondeDimension){ .size = -1 };
    }
  g_assert_true (sonde_pass_infer (graph, NULL, 0, NULL));
  for (guint k = 0; k < graph->outputs->len; k++)
    ranks &= ((SondeGraphValue *) graph->outputs->pdata[k])->type.rank >= 0;
  return ranks;
}

typedef enum
{
  GRADIENT_PLAIN,
  GRADIENT_TWICE,
  GRADIENT_LATE,
} GradientCheck;

static const char *const gradient_checks[] = { "", "second order: ", "sizes not known: " };

static void
check_gradient (const OpCase *row, GradientCheck how)
{
  g_auto (OpCaseBuilt) built = { NULL };
  const char *names[OP_CASE_INPUTS];
  g_autofree char *problem = NULL;
  guint n = 0;

  if ((row->gradient & (how == GRADIENT_TWICE ? OP_CASE_TWICE : ~0u)) == 0)
    return;
  op_case_build (row, SONDE_DTYPE_F64, &built);
  if (how == GRADIENT_LATE && !forget_sizes_of_inputs (built.graph))
    return;
  g_assert_true (sonde_pass_infer (built.graph, NULL, 0, NULL));
  for (guint k = 0; k < OP_CASE_INPUTS; k++)
    if (row->gradient & (1u << k))
      names[n++] = sonde_node_get_input (built.node, k)->name;
  problem = how == GRADIENT_TWICE
                ? sonde_test_check_second_gradient (built.graph, built.feeds, names, n)
                : sonde_test_check_gradient (built.graph, built.feeds, names, n);
  if (problem == NULL)
    return;
  g_test_message ("%s%s", gradient_checks[how], problem);
  g_test_fail ();
}

static const char *
first_float_output (const OpCaseBuilt *built)
{
  for (guint k = 0; k < built->graph->outputs->len; k++)
    {
      const SondeGraphValue *value = built->graph->outputs->pdata[k];

      if (value->type.dtype == SONDE_DTYPE_F16)
        return value->name;
    }
  return NULL;
}

/* In half precision every node of the gradient has operands of one type, and a gradient is of its
 * value's type. */
static void
check_half (const OpCase *row)
{
  g_auto (OpCaseBuilt) built = { NULL };
  g_autoptr (GError) error = NULL;
  g_autoptr (GHashTable) values = NULL;
  const char *name = NULL;

  op_case_build (row, SONDE_DTYPE_F16, &built);
  if ((row->gradient & ~OP_CASE_TWICE) == 0 || !sonde_pass_infer (built.graph, NULL, 0, NULL)
      || (name = first_float_output (&built)) == NULL)
    return;
  for (guint k = 0; k < OP_CASE_INPUTS && error == NULL; k++)
    {
      g_autoptr (SondeGraph) graph = sonde_graph_copy (built.graph, FALSE);
      SondeGraphValue *x = NULL, *gradient = NULL;
      SondeTensor *tensor = NULL;

      if ((row->gradient & (1u << k)) == 0)
        continue;
      x = sonde_graph_find_value (graph, sonde_node_get_input (built.node, k)->name);
      if (!sonde_pass_gradient (graph, sonde_graph_find_value (graph, name), NULL, &x, 1, &gradient,
                                &error)
          || (values = sonde_test_evaluate (graph, built.feeds, &error)) == NULL)
        break;
      tensor = g_hash_table_lookup (values, gradient);
      g_assert_cmpint (tensor->dtype, ==, x->type.dtype);
      g_clear_pointer (&values, g_hash_table_unref);
    }
  if (error == NULL)
    return;
  g_test_message ("half precision: %s", error->message);
  g_test_fail ();
}

static void
run_case (gconstpointer data)
{
  const OpCase *row = data;
  const SondeDtype dtypes[] = { SONDE_DTYPE_F32, SONDE_DTYPE_F64 };

  for (gsize i = 0; i < G_N_ELEMENTS (dtypes); i++)
    {
      g_auto (OpCaseBuilt) built = { NULL };

      op_case_build (row, dtypes[i], &built);
      if (!check_shapes (&built, row, dtypes[i]))
        return;
      check_values (&built, row, dtypes[i]);
    }
  for (GradientCheck how = GRADIENT_PLAIN; how <= GRADIENT_LATE; how++)
    check_gradient (row, how);
  check_half (row);
}

void
op_cases_add (const OpCase *cases)
{
  for (const OpCase *row = cases; row->name != NULL; row++)
    {
      g_autofree char *path = g_strdup_printf ("/engine/ops/%s", row->name);

      g_test_add_data_func (path, row, run_case);
    }
}
