/* SPDX-License-Identifier: Apache-2.0
 * Nodes by name, each lowered when something needs it: what only orders side effects is never
 * asked for. */
#include "data/models/mindir/sonde-mindir-lower.h"

#include <string.h>

#define MAX_SCOPES 200000

/* ---- scopes -------------------------------------------------------------- */

void
sonde_mindir_scope_free (gpointer data)
{
  SondeMindirScope *scope = data;

  g_hash_table_unref (scope->terms);
  g_free (scope);
}

SondeMindirScope *
sonde_mindir_scope_new (SondeMindirLowering *lowering, const SondeMindirFunction *function,
                        const SondeMindirTerm *const *arguments, guint n, SondeMindirScope *parent)
{
  SondeMindirScope *scope = g_new0 (SondeMindirScope, 1);

  scope->function = function;
  scope->parent = parent;
  scope->depth = lowering->depth;
  scope->terms = g_hash_table_new (g_str_hash, g_str_equal);
  g_ptr_array_add (lowering->scopes, scope);
  for (guint i = 0; i < function->n_inputs; i++)
    g_hash_table_insert (scope->terms, (gpointer) function->inputs[i].name,
                         (gpointer) (i < n ? arguments[i] : sonde_mindir_term_of (lowering, NULL)));
  if (++lowering->calls > MAX_SCOPES)
    sonde_lowering_fail (lowering->l, SONDE_DATA_ERROR_LIMIT,
                         "functions call each other more than %d times", MAX_SCOPES);
  return scope;
}

/* ---- names --------------------------------------------------------------- */

static const SondeMindirTerm *
make_closure (SondeMindirLowering *lowering, const SondeMindirFunction *function,
              SondeMindirScope *home, guint n)
{
  SondeMindirTerm *closure = sonde_mindir_term_new (lowering, SONDE_MINDIR_TERM_CLOSURE, n);

  closure->function = function;
  closure->home = home;
  return closure;
}

/* What @name is without lowering anything: an argument, a node done, a parameter of the net, a constant,
 * a function. (nullable) */
static const SondeMindirTerm *
look_up (SondeMindirLowering *lowering, SondeMindirScope *scope, const char *name)
{
  const SondeMindirTerm *term = g_hash_table_lookup (scope->terms, name);
  const SondeMindirValue *constant;
  const SondeMindirFunction *function;

  if (term != NULL)
    return term;
  if (g_hash_table_contains (scope->function->index, name))
    return NULL;
  term = g_hash_table_lookup (lowering->parameters, name);
  if (term != NULL)
    return term;
  constant = g_hash_table_lookup (lowering->file->constants, name);
  function = constant == NULL ? sonde_mindir_file_find (lowering->file, name) : NULL;
  if (constant != NULL)
    term = sonde_mindir_term_of_constant (lowering, constant);
  else if (function != NULL)
    term = make_closure (lowering, function, scope, 0);
  if (term != NULL)
    g_hash_table_insert (scope->terms, (gpointer) name, (gpointer) term);
  return term;
}

/* ---- structure ----------------------------------------------------------- */

static const SondeMindirTerm *
get_input (SondeMindirLowering *lowering, SondeMindirScope *scope, const SondeMindirNode *node,
           guint index)
{
  return index < node->n_inputs ? sonde_mindir_evaluate (lowering, scope, node->inputs[index])
                                : sonde_mindir_term_of (lowering, NULL);
}

static const SondeMindirTerm *
pass_first (SondeMindirLowering *lowering, SondeMindirScope *scope, const SondeMindirNode *node)
{
  return get_input (lowering, scope, node, 0);
}

static const SondeMindirTerm *
give_nothing (SondeMindirLowering *lowering, G_GNUC_UNUSED SondeMindirScope *scope,
              G_GNUC_UNUSED const SondeMindirNode *node)
{
  return sonde_mindir_term_of (lowering, NULL);
}

static const SondeMindirTerm *
make_tuple (SondeMindirLowering *lowering, SondeMindirScope *scope, const SondeMindirNode *node)
{
  SondeMindirTerm *tuple
      = sonde_mindir_term_new (lowering, SONDE_MINDIR_TERM_TUPLE, node->n_inputs);

  for (guint i = 0; i < node->n_inputs; i++)
    tuple->items[i] = get_input (lowering, scope, node, i);
  return tuple;
}

static const SondeMindirTerm *
get_item (SondeMindirLowering *lowering, SondeMindirScope *scope, const SondeMindirNode *node)
{
  const SondeMindirTerm *tuple = get_input (lowering, scope, node, 0);
  const SondeMindirTerm *index = get_input (lowering, scope, node, 1);
  double number = -1;

  if (tuple->kind != SONDE_MINDIR_TERM_TUPLE)
    return tuple; /* what has one output only is not wrapped */
  if (!sonde_mindir_term_get_double (index, &number) || number < -(double) tuple->n
      || number >= tuple->n)
    {
      sonde_lowering_fail (lowering->l, SONDE_DATA_ERROR_DAMAGED,
                           "“%s” takes item %g of a tuple of %u", node->label, number, tuple->n);
      return sonde_mindir_term_of (lowering, NULL);
    }
  return tuple->items[(gint64) number + (number < 0 ? (gint64) tuple->n : 0)];
}

static const SondeMindirTerm *
make_partial (SondeMindirLowering *lowering, SondeMindirScope *scope, const SondeMindirNode *node)
{
  const SondeMindirTerm *called = get_input (lowering, scope, node, 0);
  const guint more = node->n_inputs - MIN (node->n_inputs, 1);
  SondeMindirTerm *closure;

  if (called->kind != SONDE_MINDIR_TERM_CLOSURE)
    {
      sonde_lowering_fail (lowering->l, SONDE_DATA_ERROR_DAMAGED, "“%s” holds no function",
                           node->label);
      return sonde_mindir_term_of (lowering, NULL);
    }
  closure = sonde_mindir_term_new (lowering, SONDE_MINDIR_TERM_CLOSURE, called->n + more);
  closure->function = called->function;
  closure->home = called->home;
  for (guint i = 0; i < called->n; i++)
    closure->items[i] = called->items[i];
  for (guint i = 0; i < more; i++)
    closure->items[called->n + i] = get_input (lowering, scope, node, i + 1);
  return closure;
}

/* One of two functions; of two tensors, which needs a node, the caller makes Where. */
static const SondeMindirTerm *
make_switch (SondeMindirLowering *lowering, SondeMindirScope *scope, const SondeMindirNode *node)
{
  SondeMindirTerm *term = sonde_mindir_term_new (lowering, SONDE_MINDIR_TERM_SWITCH, 3);

  for (guint i = 0; i < 3; i++)
    term->items[i] = get_input (lowering, scope, node, i);
  return term;
}

/* @n_needed: of its inputs, which are lowered first */
static const struct
{
  const char *primitive;
  const SondeMindirTerm *(*make) (SondeMindirLowering *lowering, SondeMindirScope *scope,
                                  const SondeMindirNode *node);
  guint n_needed;
} structures[] = {
  { "Load", pass_first, 1 },
  { "Depend", pass_first, 1 },
  { "Return", pass_first, 1 },
  { "Identity", pass_first, 1 },
  { "StopGradient", pass_first, 1 },
  { "TensorMove", pass_first, 1 },
  { "TensorToTuple", pass_first, 1 },
  { "TensorToScalar", pass_first, 1 },
  { "UpdateState", give_nothing, 0 },
  { "Print", give_nothing, 0 },
  { "Assert", give_nothing, 0 },
  { "MakeTuple", make_tuple, G_MAXUINT },
  { "make_tuple", make_tuple, G_MAXUINT },
  { "MakeList", make_tuple, G_MAXUINT },
  { "make_list", make_tuple, G_MAXUINT },
  { "TupleGetItem", get_item, 2 },
  { "tuple_getitem", get_item, 2 },
  { "ListGetItem", get_item, 2 },
  { "list_getitem", get_item, 2 },
  { "Partial", make_partial, G_MAXUINT },
  { "Switch", make_switch, 3 },
};

static int
find_structure (const SondeMindirNode *node)
{
  for (guint i = 0; node->primitive != NULL && i < G_N_ELEMENTS (structures); i++)
    if (strcmp (structures[i].primitive, node->primitive) == 0)
      return (int) i;
  return -1;
}

/* ---- operators ----------------------------------------------------------- */

/* A tensor's type as the file says it; nothing that lowering knows better is overwritten. */
static void
describe (SondeGraphValue *value, const SondeMindirValue *output)
{
  if (value->constant != NULL || output->kind != SONDE_MINDIR_TENSOR)
    return;
  if (value->type.kind != SONDE_VALUE_TENSOR || value->type.rank < 0
      || (output->type.rank == value->type.rank && value->producer != NULL))
    {
      SondeDtype known = value->type.dtype;

      value->type = output->type;
      if (output->type.dtype == SONDE_DTYPE_INVALID)
        value->type.dtype = known;
    }
}

static void
describe_all (const SondeMindirTerm *term, const SondeMindirValue *output)
{
  if (term->kind == SONDE_MINDIR_TERM_VALUE && term->value != NULL
      && output->kind == SONDE_MINDIR_TENSOR)
    describe (term->value, output);
  for (guint i = 0; term->kind == SONDE_MINDIR_TERM_TUPLE && i < term->n; i++)
    if (output->kind == SONDE_MINDIR_SEQUENCE && i < output->n)
      describe_all (term->items[i], &output->items[i]);
}

static gboolean
is_truth (const SondeNode *node)
{
  static const char *const ops[]
      = { "Equal", "Greater", "GreaterOrEqual", "Less", "LessOrEqual", "Not", "And",
          "Or",    "Xor",     "IsInf",          "IsNaN" };

  for (guint i = 0; node != NULL && i < G_N_ELEMENTS (ops); i++)
    if (strcmp (node->op, ops[i]) == 0)
      return TRUE;
  return FALSE;
}

/* Without a word in the file: one output of the first input's sizes, as most have. */
static void
guess_type (const SondeMindirCall *call, const SondeMindirTerm *term)
{
  const SondeGraphValue *from = NULL;

  if (term->kind != SONDE_MINDIR_TERM_VALUE || term->value == NULL
      || term->value->type.dtype != SONDE_DTYPE_INVALID)
    return;
  for (guint i = 0; i < call->n && from == NULL; i++)
    if (call->inputs[i]->kind == SONDE_MINDIR_TERM_VALUE)
      from = call->inputs[i]->value;
  if (from != NULL)
    sonde_mindir_typed (term->value,
                        is_truth (term->value->producer) ? SONDE_DTYPE_BOOL : from->type.dtype, -1);
}

/* The value is called as the source calls it. */
static const SondeMindirTerm *
give_name (SondeMindirLowering *lowering, const SondeMindirTerm *term, const char *name)
{
  if (term->kind != SONDE_MINDIR_TERM_VALUE || term->value == NULL || term->value->producer == NULL
      || sonde_lowering_has_failed (lowering->l))
    return term;
  return sonde_mindir_term_of (lowering, sonde_lowering_name (lowering->l, term->value, name));
}

static const SondeMindirTerm *
build (SondeMindirLowering *lowering, SondeMindirCall *call)
{
  const SondeMindirTerm *term;

  term = call->row != NULL
             ? call->row->build (call)
             : sonde_mindir_refuse (call, N_ ("this version has no counterpart of this primitive"),
                                    N_ ("replace it by primitives that have one, or convert with "
                                        "--partial to see the rest"));
  if (call->node->output != NULL)
    describe_all (term, call->node->output);
  else
    guess_type (call, term);
  return term;
}

static const SondeMindirTerm *
lower_operator (SondeMindirLowering *lowering, SondeMindirScope *scope, const SondeMindirNode *node)
{
  g_autofree const SondeMindirTerm **inputs
      = g_new0 (const SondeMindirTerm *, MAX (node->n_inputs, 1));
  SondeMindirCall call = { .lowering = lowering, .l = lowering->l, .node = node };
  const char *name = sonde_mindir_open (lowering, node, node->primitive);
  const SondeMindirTerm *term;

  for (guint i = 0; i < node->n_inputs; i++)
    {
      const SondeMindirTerm *input = get_input (lowering, scope, node, i);

      inputs[call.n] = input;
      call.n += input->kind != SONDE_MINDIR_TERM_NOTHING ? 1 : 0;
    }
  call.inputs = inputs;
  call.row = sonde_mindir_find_row (node->primitive);
  term = give_name (lowering, build (lowering, &call), name);
  sonde_lowering_end (lowering->l);
  return term;
}

/* ---- evaluation ---------------------------------------------------------- */

static const SondeMindirTerm *
lower_call (SondeMindirLowering *lowering, SondeMindirScope *scope, const SondeMindirNode *node)
{
  g_autofree const SondeMindirTerm **inputs
      = g_new0 (const SondeMindirTerm *, MAX (node->n_inputs, 1));
  const SondeMindirTerm *called = sonde_mindir_evaluate (lowering, scope, node->callee);
  const SondeMindirTerm *term;

  for (guint i = 0; i < node->n_inputs; i++)
    inputs[i] = get_input (lowering, scope, node, i);
  term = sonde_mindir_run (lowering, called, inputs, node->n_inputs, node);
  if (node->output != NULL)
    describe_all (term, node->output);
  return term;
}

static const SondeMindirTerm *
lower_node (SondeMindirLowering *lowering, SondeMindirScope *scope, const SondeMindirNode *node)
{
  int structure = find_structure (node);

  if (node->callee != NULL)
    return lower_call (lowering, scope, node);
  if (structure < 0)
    return lower_operator (lowering, scope, node);
  return structures[structure].make (lowering, scope, node);
}

static guint
count_needed (const SondeMindirNode *node)
{
  int structure = find_structure (node);

  return structure < 0 ? node->n_inputs : MIN (structures[structure].n_needed, node->n_inputs);
}

/* What @node waits for: NULL when all is there. @next: where to go on looking, 0 is the callee. */
static SondeMindirNode *
find_missing (SondeMindirLowering *lowering, SondeMindirScope *scope, const SondeMindirNode *node)
{
  const guint n = count_needed (node);

  if (node->callee != NULL && look_up (lowering, scope, node->callee) == NULL
      && g_hash_table_contains (scope->function->index, node->callee))
    return g_hash_table_lookup (scope->function->index, node->callee);
  for (guint i = 0; i < n; i++)
    if (look_up (lowering, scope, node->inputs[i]) == NULL
        && g_hash_table_contains (scope->function->index, node->inputs[i]))
      return g_hash_table_lookup (scope->function->index, node->inputs[i]);
  return NULL;
}

/* One step of the walk: the last of @waiting is lowered, or what it waits for comes behind it. */
static gboolean
step (SondeMindirLowering *lowering, SondeMindirScope *scope, GPtrArray *waiting, GHashTable *open)
{
  SondeMindirNode *node = waiting->pdata[waiting->len - 1];
  SondeMindirNode *missing = find_missing (lowering, scope, node);

  if (missing == NULL)
    {
      const SondeMindirTerm *term = lower_node (lowering, scope, node);

      g_hash_table_insert (scope->terms, (gpointer) node->name, (gpointer) term);
      g_ptr_array_set_size (waiting, (int) waiting->len - 1);
      return TRUE;
    }
  if (!g_hash_table_add (open, missing))
    {
      sonde_lowering_fail (lowering->l, SONDE_DATA_ERROR_DAMAGED, "“%s” needs itself",
                           missing->label);
      return FALSE;
    }
  g_ptr_array_add (waiting, missing);
  return TRUE;
}

static const SondeMindirTerm *
evaluate_node (SondeMindirLowering *lowering, SondeMindirScope *scope, SondeMindirNode *node)
{
  g_autoptr (GPtrArray) waiting = g_ptr_array_new ();
  g_autoptr (GHashTable) open = g_hash_table_new (NULL, NULL);
  const SondeMindirTerm *term;

  g_ptr_array_add (waiting, node);
  g_hash_table_add (open, node);
  while (waiting->len > 0 && !sonde_lowering_has_failed (lowering->l)
         && step (lowering, scope, waiting, open))
    ;
  term = g_hash_table_lookup (scope->terms, node->name);
  return term != NULL ? term : sonde_mindir_term_of (lowering, NULL);
}

/* A function may read what the functions around it have. */
const SondeMindirTerm *
sonde_mindir_evaluate (SondeMindirLowering *lowering, SondeMindirScope *scope, const char *name)
{
  for (SondeMindirScope *at = scope; at != NULL; at = at->parent)
    {
      const SondeMindirTerm *term = look_up (lowering, at, name);
      SondeMindirNode *node = g_hash_table_lookup (at->function->index, name);

      if (term != NULL)
        return term;
      if (node != NULL && at->depth == lowering->depth)
        return evaluate_node (lowering, at, node);
      if (node != NULL)
        break;
    }
  sonde_lowering_fail (lowering->l, SONDE_DATA_ERROR_DAMAGED,
                       "“%s” reads “%s”, which nothing makes before", scope->function->name, name);
  return sonde_mindir_term_of (lowering, NULL);
}
