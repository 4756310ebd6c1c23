/* SPDX-License-Identifier: Apache-2.0
 * Branches and loops, whose bodies are functions. Functions capture nothing: all they see are their
 * arguments; as branches of ONNX they see the values around them. */
#include "data/models/lowering/sonde-lowering-shapes.h"
#include "data/models/tensorflow/sonde-tensorflow-function.h"

/* (transfer full): the open node's name with @part behind */
static char *
part_prefix (const SondeTensorflowLower *lower, const char *part)
{
  return g_strconcat (lower->prefix, lower->node->name, "/", part, "/", NULL);
}

/* An output of a branch or body: a value of its own graph, with a name that no enclosing one has. */
static void
add_body_output (SondeTensorflowLower *lower, SondeGraphValue *value, const char *prefix)
{
  const SondeGraph *graph = sonde_lowering_get_graph (lower->to);
  g_autofree char *name = g_strdup_printf ("%sresult_%u", prefix, graph->outputs->len);

  if (value->id >= graph->values->len || graph->values->pdata[value->id] != value)
    value = sonde_tensorflow_op1 (lower, "Identity", value);
  sonde_lowering_infer (lower->to, value);
  sonde_lowering_add_output (lower->to, value, name);
}

/* Any number, of which 0 is false; a boolean. */
static SondeGraphValue *
as_condition (SondeTensorflowLower *lower, SondeGraphValue *value)
{
  value = sonde_tensorflow_cast (lower, value, SONDE_DTYPE_BOOL);
  return value->type.rank == 0 ? value : sonde_lowering_reshape (lower->to, value, NULL, 0);
}

/* ---- branches ------------------------------------------------------------ */

/* What both branches agree on. */
static SondeType
join_types (const SondeType *a, const SondeType *b)
{
  SondeType type = *a;

  if (a->rank != b->rank)
    type.rank = -1;
  for (int i = 0; i < type.rank; i++)
    if (a->dims[i].size != b->dims[i].size)
      type.dims[i] = (SondeDimension){ .size = -1 };
  return type;
}

static void
set_branch_types (SondeNode *node)
{
  const SondeGraph *yes = sonde_node_get_graph (node, "then_branch");
  const SondeGraph *no = sonde_node_get_graph (node, "else_branch");

  for (guint k = 0; k < node->outputs->len; k++)
    sonde_node_get_output (node, k)->type
        = join_types (&((SondeGraphValue *) yes->outputs->pdata[k])->type,
                      &((SondeGraphValue *) no->outputs->pdata[k])->type);
}

/* A branch as a graph without inputs. (transfer full) */
static SondeGraph *
build_branch (SondeTensorflowLower *lower, const SondeTensorflowBody *function,
              SondeGraphValue *const *arguments, const char *part, guint n)
{
  g_autofree char *prefix = part_prefix (lower, part);
  g_autofree SondeGraphValue **results = NULL;
  guint found = 0;

  sonde_lowering_push_graph (lower->to, function->name);
  results = sonde_tensorflow_inline (lower, function, arguments, prefix, &found);
  for (guint k = 0; k < MIN (n, found) && !sonde_lowering_has_failed (lower->to); k++)
    add_body_output (lower, results[k], prefix);
  return sonde_lowering_pop_graph (lower->to);
}

static gboolean
check_results (SondeTensorflowLower *lower, const SondeTensorflowBody *a,
               const SondeTensorflowBody *b)
{
  gsize n = a->function->signature->n_output_arg, other = b->function->signature->n_output_arg;

  if (n == other)
    return TRUE;
  sonde_lowering_fail (lower->to, SONDE_DATA_ERROR_DAMAGED,
                       "the functions “%s” and “%s” have %zu and %zu results", a->name, b->name, n,
                       other);
  return FALSE;
}

static void
build_if (SondeTensorflowLower *lower)
{
  static const char *const attributes[] = { "then_branch", "else_branch" };
  static const char *const parts[] = { "then", "else" };
  const SondeTensorflowBody *branches[2];
  SondeNode *node;
  guint n;

  for (guint i = 0; i < 2; i++)
    {
      branches[i] = sonde_tensorflow_get_function (
          lower, sonde_tensorflow_attr_function (lower->node, attributes[i]), lower->n_inputs - 1);
      if (branches[i] == NULL)
        return;
    }
  if (!check_results (lower, branches[0], branches[1]))
    return;
  n = (guint) branches[0]->function->signature->n_output_arg;
  node = sonde_lowering_node (
      lower->to, "", "If", SONDE_VALUES (as_condition (lower, sonde_tensorflow_in (lower, 0))), n);
  for (guint i = 0; i < 2; i++)
    sonde_node_take_graph (node, attributes[i],
                           build_branch (lower, branches[i], lower->inputs + 1, parts[i], n));
  if (sonde_lowering_has_failed (lower->to))
    return;
  set_branch_types (node);
  sonde_tensorflow_out_all (lower, node);
}

/* ---- one of many --------------------------------------------------------- */

/* Branches of a Case. @functions: @n of them */
typedef struct
{
  const SondeTensorflowBody **functions;
  guint n, n_results;
} Cases;

/* The branch number @k, or one of those behind it: an If whose other branch is the rest. Any number that
 * is none is the last. */
static SondeNode *
emit_case (SondeTensorflowLower *lower, const Cases *cases, guint k, SondeGraphValue *index)
{
  g_autofree char *part = g_strdup_printf ("branch_%u", k);
  g_autofree char *rest = g_strdup_printf ("branch_%u", k + 1);
  SondeGraphValue *condition
      = sonde_tensorflow_op2 (lower, "Equal", index, sonde_tensorflow_number (lower, index, k));
  SondeNode *node
      = sonde_lowering_node (lower->to, "", "If", SONDE_VALUES (condition), cases->n_results);

  sonde_node_take_graph (
      node, "then_branch",
      build_branch (lower, cases->functions[k], lower->inputs + 1, part, cases->n_results));
  if (k + 2 >= cases->n)
    sonde_node_take_graph (node, "else_branch",
                           build_branch (lower, cases->functions[cases->n - 1], lower->inputs + 1,
                                         rest, cases->n_results));
  else
    {
      g_autofree char *prefix = part_prefix (lower, rest);
      SondeNode *inner;

      sonde_lowering_push_graph (lower->to, rest);
      inner = emit_case (lower, cases, k + 1, index);
      for (guint i = 0; i < cases->n_results && !sonde_lowering_has_failed (lower->to); i++)
        add_body_output (lower, sonde_node_get_output (inner, i), prefix);
      sonde_node_take_graph (node, "else_branch", sonde_lowering_pop_graph (lower->to));
    }
  if (!sonde_lowering_has_failed (lower->to))
    set_branch_types (node);
  return node;
}

static gboolean
find_cases (SondeTensorflowLower *lower, const Tensorflow__ListValue *list, Cases *cases)
{
  for (guint k = 0; k < cases->n; k++)
    {
      const char *name = list->func[k]->name;

      cases->functions[k] = sonde_tensorflow_get_function (
          lower, name != NULL && g_utf8_validate (name, -1, NULL) ? name : NULL,
          lower->n_inputs - 1);
      if (cases->functions[k] == NULL
          || !check_results (lower, cases->functions[0], cases->functions[k]))
        return FALSE;
    }
  cases->n_results = (guint) cases->functions[0]->function->signature->n_output_arg;
  return TRUE;
}

static void
build_case (SondeTensorflowLower *lower)
{
  const Tensorflow__AttrValue *attr = sonde_tensorflow_attr (lower->node, "branches");
  Cases cases = { .n = attr != NULL && attr->list != NULL ? (guint) attr->list->n_func : 0 };
  g_autofree const SondeTensorflowBody **functions
      = g_new0 (const SondeTensorflowBody *, MAX (cases.n, 1));
  SondeGraphValue *index;
  SondeNode *node;

  cases.functions = functions;
  if (cases.n < 1 || cases.n > SONDE_BUDGET_SUBGRAPHS)
    {
      sonde_lowering_fail (lower->to, SONDE_DATA_ERROR_LIMIT,
                           "it has %u branches; there can be 1 to %d", cases.n,
                           SONDE_BUDGET_SUBGRAPHS);
      return;
    }
  if (!find_cases (lower, attr->list, &cases))
    return;
  index = sonde_tensorflow_in_scalar (lower, 0);
  sonde_lowering_infer (lower->to, index);
  if (cases.n == 1) /* an If that chooses between the same */
    {
      cases.functions = (const SondeTensorflowBody *[]){ functions[0], functions[0] };
      cases.n = 2;
    }
  node = emit_case (lower, &cases, 0, index);
  if (!sonde_lowering_has_failed (lower->to))
    sonde_tensorflow_out_all (lower, node);
}

/* ---- loops --------------------------------------------------------------- */

/* The condition of @values in the current graph. */
static SondeGraphValue *
emit_condition (SondeTensorflowLower *lower, const SondeTensorflowBody *condition,
                SondeGraphValue *const *values, const char *part)
{
  g_autofree char *prefix = part_prefix (lower, part);
  guint n = 0;
  g_autofree SondeGraphValue **results
      = sonde_tensorflow_inline (lower, condition, values, prefix, &n);

  if (n == 1 && !sonde_lowering_has_failed (lower->to))
    return as_condition (lower, results[0]);
  sonde_lowering_fail (lower->to, SONDE_DATA_ERROR_DAMAGED,
                       "the condition “%s” has %u results, not one", condition->name, n);
  return sonde_lowering_int (lower->to, 0);
}

/* What a variable is in every iteration: as the file says, else the dimensions that it begins with, of any
 * size. */
static SondeType
variable_type (SondeTensorflowLower *lower, guint k)
{
  const Tensorflow__AttrValue *shapes = sonde_tensorflow_attr (lower->node, "output_shapes");
  SondeType type = sonde_tensorflow_in (lower, k)->type, said = sonde_type_unknown ();

  if (shapes != NULL && shapes->list != NULL && k < shapes->list->n_shape)
    said = sonde_tensorflow_type (type.dtype, shapes->list->shape[k]);
  if (type.kind == SONDE_VALUE_TENSOR && said.rank >= 0)
    return said;
  for (int i = 0; i < type.rank; i++)
    type.dims[i] = (SondeDimension){ .size = -1 };
  return type;
}

#define MOST_STEPS 16 /* from a result to the argument that it hands on */

/* Does a body hand on its argument @k as it is? Such values stand around the loop: weights, above all. */
static gboolean
hands_on (const SondeTensorflowBody *body, guint k)
{
  const char *text = sonde_tensorflow_find_result (body, k);

  for (guint i = 0; i < MOST_STEPS; i++)
    {
      g_auto (SondeTensorflowReference) reference = { 0 };
      const Tensorflow__NodeDef *node;

      if (!sonde_tensorflow_reference_init (&reference, text))
        return FALSE;
      node = sonde_tensorflow_body_find (body, reference.name, NULL);
      if (node == NULL)
        return sonde_tensorflow_body_find_argument (body, reference.name) == (int) k;
      if (!g_str_equal (node->op, "Identity") || node->n_input == 0)
        return FALSE;
      text = node->input[0];
    }
  return FALSE;
}

/* A loop. @carried: by variable: it changes */
typedef struct
{
  const SondeTensorflowBody *condition, *body;
  gboolean *carried;
} WhileLoop;

static void
add_body_input (SondeTensorflowLower *lower, const char *prefix, const char *what, SondeDtype dtype)
{
  const SondeType type = { .kind = SONDE_VALUE_TENSOR, .dtype = dtype };
  g_autofree char *name = g_strconcat (prefix, what, NULL);

  sonde_lowering_add_input (lower->to, name, &type);
}

/* Iteration and condition come in, unread; the variables go through the body, and the condition is
 * that of what the body made. */
static void
fill_body (SondeTensorflowLower *lower, const WhileLoop *loop)
{
  guint n = lower->n_inputs, found = 0;
  g_autofree char *prefix = part_prefix (lower, "body");
  g_autofree SondeGraphValue **variables = g_new0 (SondeGraphValue *, MAX (n, 1));
  g_autofree SondeGraphValue **results = NULL;

  add_body_input (lower, prefix, "iteration", SONDE_DTYPE_I64);
  add_body_input (lower, prefix, "condition", SONDE_DTYPE_BOOL);
  for (guint k = 0; k < n; k++)
    {
      g_autofree char *name = g_strdup_printf ("%svariable_%u", prefix, k);
      const SondeType type = variable_type (lower, k);

      variables[k] = loop->carried[k] ? sonde_lowering_add_input (lower->to, name, &type)
                                      : sonde_tensorflow_in (lower, k);
    }
  results = sonde_tensorflow_inline (lower, loop->body, variables, prefix, &found);
  for (guint k = 0; k < n; k++)
    if (!loop->carried[k])
      results[k] = variables[k];
  if (sonde_lowering_has_failed (lower->to))
    return;
  add_body_output (lower, emit_condition (lower, loop->condition, results, "condition"), prefix);
  for (guint k = 0; k < n; k++)
    if (loop->carried[k])
      add_body_output (lower, results[k], prefix);
}

static gboolean
find_loop (SondeTensorflowLower *lower, WhileLoop *loop)
{
  guint n = lower->n_inputs;

  loop->condition = sonde_tensorflow_get_function (
      lower, sonde_tensorflow_attr_function (lower->node, "cond"), n);
  if (loop->condition == NULL)
    return FALSE;
  loop->body = sonde_tensorflow_get_function (
      lower, sonde_tensorflow_attr_function (lower->node, "body"), n);
  if (loop->body == NULL)
    return FALSE;
  if (loop->body->function->signature->n_output_arg == n)
    return TRUE;
  sonde_lowering_fail (lower->to, SONDE_DATA_ERROR_DAMAGED,
                       "the body “%s” has %zu results for %u variables", loop->body->name,
                       loop->body->function->signature->n_output_arg, n);
  return FALSE;
}

static SondeNode *
emit_loop (SondeTensorflowLower *lower, const WhileLoop *loop)
{
  guint n = lower->n_inputs, n_carried = 0;
  g_autofree SondeGraphValue **inputs = g_new0 (SondeGraphValue *, n + 2);
  SondeGraph *graph;
  SondeNode *node;

  inputs[1] = emit_condition (lower, loop->condition, lower->inputs, "first");
  for (guint k = 0; k < n; k++)
    if (loop->carried[k])
      inputs[2 + n_carried++] = sonde_tensorflow_in (lower, k);
  sonde_lowering_push_graph (lower->to, loop->body->name);
  fill_body (lower, loop);
  graph = sonde_lowering_pop_graph (lower->to);
  node = sonde_lowering_node (lower->to, "", "Loop", inputs, n_carried + 2, n_carried);
  sonde_node_take_graph (node, "body", graph);
  return node;
}

static void
build_while (SondeTensorflowLower *lower)
{
  guint n = lower->n_inputs, number = 0;
  g_autofree gboolean *carried = g_new0 (gboolean, MAX (n, 1));
  WhileLoop loop = { .carried = carried };
  SondeNode *node;

  if (!find_loop (lower, &loop))
    return;
  for (guint k = 0; k < n; k++)
    carried[k] = !hands_on (loop.body, k);
  node = emit_loop (lower, &loop);
  for (guint k = 0; k < n && !sonde_lowering_has_failed (lower->to); k++)
    if (carried[k])
      {
        SondeGraphValue *value = sonde_node_get_output (node, number++);

        value->type = variable_type (lower, k);
        sonde_tensorflow_out (lower, k, value);
      }
    else
      sonde_tensorflow_alias (lower, k, sonde_tensorflow_in (lower, k));
}

/* ---- the table ----------------------------------------------------------- */

const SondeTensorflowRow sonde_tensorflow_flow_rows[] = {
  { "Case", 1, build_case, NULL },
  { "If", 1, build_if, NULL },
  { "StatelessCase", 1, build_case, NULL },
  { "StatelessIf", 1, build_if, NULL },
  { "StatelessWhile", 1, build_while, NULL },
  { "While", 1, build_while, NULL },
  { NULL, 0, NULL, NULL },
};
