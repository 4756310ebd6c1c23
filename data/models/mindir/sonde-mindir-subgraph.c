/* SPDX-License-Identifier: Apache-2.0
 * Terms as inputs and outputs of subgraphs. */
#include <string.h>

#include "data/base/sonde-budget.h"
#include "data/models/mindir/sonde-mindir-run.h"

#define MAX_SUBGRAPHS (SONDE_BUDGET_SUBGRAPHS - 2)

void
sonde_mindir_push (SondeMindirLowering *lowering, const char *name)
{
  sonde_lowering_push_graph (lowering->l, name);
  if (++lowering->depth > MAX_SUBGRAPHS)
    sonde_lowering_fail (lowering->l, SONDE_DATA_ERROR_LIMIT,
                         "loops and branches lie inside each other more than %d times",
                         (int) MAX_SUBGRAPHS);
}

SondeGraph *
sonde_mindir_pop (SondeMindirLowering *lowering)
{
  lowering->depth--;
  return sonde_lowering_pop_graph (lowering->l);
}

/* ---- conditions ---------------------------------------------------------- */

static SondeGraphValue *
to_condition (SondeMindirLowering *lowering, const SondeMindirTerm *term)
{
  SondeGraphValue *value = sonde_mindir_term_to_value (lowering, term, SONDE_DTYPE_BOOL);

  if (value == NULL)
    {
      sonde_lowering_fail (lowering->l, SONDE_DATA_ERROR_DAMAGED,
                           "the condition of a branch is no number");
      return sonde_lowering_number (lowering->l, SONDE_DTYPE_BOOL, 0);
    }
  if (value->type.dtype == SONDE_DTYPE_BOOL)
    return value;
  value = sonde_lowering_op (lowering->l, "Cast", SONDE_VALUES (value));
  sonde_node_set_int (value->producer, "to", 9);
  return sonde_mindir_typed (value, SONDE_DTYPE_BOOL, 0);
}

const SondeMindirTerm *
sonde_mindir_negate (SondeMindirLowering *lowering, const SondeMindirTerm *condition,
                     const SondeMindirNode *node)
{
  SondeGraphValue *value;

  sonde_mindir_open (lowering, node, "Switch");
  value = sonde_lowering_op (lowering->l, "Not", SONDE_VALUES (to_condition (lowering, condition)));
  sonde_mindir_typed (value, SONDE_DTYPE_BOOL, 0);
  sonde_lowering_end (lowering->l);
  return sonde_mindir_term_of (lowering, value);
}

/* ---- outputs of a subgraph ----------------------------------------------- */

static gboolean
owns (const SondeGraph *graph, const SondeGraphValue *value)
{
  return value->id < graph->values->len && graph->values->pdata[value->id] == value;
}

/* An output is made in the graph itself, and stands for one output alone. */
static void
add_output (SondeMindirLowering *lowering, SondeGraph *graph, SondeGraphValue *value)
{
  SondeGraphValue *own
      = owns (graph, value) ? value : sonde_graph_capture_value (graph, value->name);
  SondeNode *node;

  if (own == NULL)
    {
      sonde_lowering_fail (lowering->l, SONDE_DATA_ERROR_UNSUPPORTED,
                           "“%s” is read where it is not computed", value->name);
      return;
    }
  if (own->producer == NULL || g_ptr_array_find (graph->outputs, own, NULL))
    {
      node = sonde_graph_add_node (graph, NULL, "", "Identity", &own, 1, 1);
      node->origin_kind = SONDE_ORIGIN_INSERTED;
      sonde_node_get_output (node, 0)->type = own->type;
      own = sonde_node_get_output (node, 0);
    }
  sonde_graph_add_output (graph, own);
}

static SondeTensor *
dup_number (const SondeMindirValue *constant, SondeDtype dtype)
{
  const SondeShape scalar = { .rank = 0 };
  SondeTensor *tensor;

  if (constant->kind == SONDE_MINDIR_TENSOR)
    return constant->tensor != NULL ? sonde_tensor_ref (constant->tensor) : NULL;
  if (constant->kind != SONDE_MINDIR_INT && constant->kind != SONDE_MINDIR_FLOAT)
    return NULL;
  if (dtype == SONDE_DTYPE_INVALID)
    dtype = constant->kind == SONDE_MINDIR_FLOAT ? SONDE_DTYPE_F32
            : constant->is_bool                  ? SONDE_DTYPE_BOOL
                                                 : SONDE_DTYPE_I64;
  tensor = sonde_tensor_new (dtype, &scalar);
  sonde_tensor_set_double (tensor, 0,
                           constant->kind == SONDE_MINDIR_INT ? (double) constant->i : constant->f);
  return tensor;
}

static gboolean
add_output_term (SondeMindirLowering *lowering, SondeGraph *graph, const SondeMindirTerm *term,
                 SondeDtype dtype)
{
  g_autoptr (SondeTensor) tensor = NULL;

  if (term->kind == SONDE_MINDIR_TERM_VALUE && term->value != NULL)
    {
      add_output (lowering, graph, term->value);
      return TRUE;
    }
  if (term->kind == SONDE_MINDIR_TERM_CONSTANT)
    tensor = dup_number (term->constant, dtype);
  if (tensor == NULL)
    return FALSE;
  add_output (lowering, graph,
              sonde_graph_add_initialiser (graph, sonde_mindir_unique (lowering, "constant"),
                                           tensor, SONDE_ROLE_CONSTANT));
  return TRUE;
}

/* ---- branches ------------------------------------------------------------ */

/* @slots: (element-type SondeMindirTerm): terms that wait for an output of the node */
typedef struct
{
  SondeMindirLowering *lowering;
  SondeGraph *branches[2];
  GPtrArray *slots;
} Join;

static gboolean
is_same (const SondeMindirTerm *a, const SondeMindirTerm *b)
{
  if (a == b)
    return TRUE;
  if (a->kind != b->kind)
    return FALSE;
  switch (a->kind)
    {
    case SONDE_MINDIR_TERM_NOTHING:
      return TRUE;
    case SONDE_MINDIR_TERM_VALUE:
      return a->value == b->value;
    case SONDE_MINDIR_TERM_CONSTANT:
      return a->constant == b->constant
             || (a->constant->kind == SONDE_MINDIR_INT && b->constant->kind == SONDE_MINDIR_INT
                 && a->constant->i == b->constant->i);
    case SONDE_MINDIR_TERM_TUPLE:
    case SONDE_MINDIR_TERM_CLOSURE:
    case SONDE_MINDIR_TERM_SWITCH:
      break;
    }
  return FALSE;
}

static SondeDtype
find_dtype (const SondeMindirTerm *a, const SondeMindirTerm *b)
{
  if (a->kind == SONDE_MINDIR_TERM_VALUE && a->value != NULL)
    return a->value->type.dtype;
  return b->kind == SONDE_MINDIR_TERM_VALUE && b->value != NULL ? b->value->type.dtype
                                                                : SONDE_DTYPE_INVALID;
}

static const SondeMindirTerm *merge (Join *join, const SondeMindirTerm *a,
                                     const SondeMindirTerm *b);

static const SondeMindirTerm *
merge_items (Join *join, const SondeMindirTerm *a, const SondeMindirTerm *b)
{
  SondeMindirTerm *merged = sonde_mindir_term_new (join->lowering, a->kind, a->n);

  merged->function = a->function;
  merged->home = a->home;
  for (guint i = 0; i < a->n; i++)
    merged->items[i] = merge (join, a->items[i], b->items[i]);
  return merged;
}

/* A value is the same in both only when it comes from around them. */
static const SondeMindirTerm *
merge (Join *join, const SondeMindirTerm *a, const SondeMindirTerm *b)
{
  const SondeDtype dtype = find_dtype (a, b);
  SondeMindirTerm *slot;

  if (is_same (a, b))
    return a;
  if (a->kind == b->kind && a->n == b->n && a->function == b->function
      && (a->kind == SONDE_MINDIR_TERM_TUPLE || a->kind == SONDE_MINDIR_TERM_CLOSURE
          || a->kind == SONDE_MINDIR_TERM_SWITCH))
    return merge_items (join, a, b);
  slot = sonde_mindir_term_new (join->lowering, SONDE_MINDIR_TERM_VALUE, 0);
  if (!add_output_term (join->lowering, join->branches[0], a, dtype)
      || !add_output_term (join->lowering, join->branches[1], b, dtype))
    {
      sonde_lowering_fail (join->lowering->l, SONDE_DATA_ERROR_UNSUPPORTED,
                           "the two branches give things that are not alike");
      return sonde_mindir_term_of (join->lowering, NULL);
    }
  g_ptr_array_add (join->slots, slot);
  return slot;
}

static SondeType
common_type (const SondeGraphValue *a, const SondeGraphValue *b)
{
  SondeType type = a->type;

  if (a->type.rank != b->type.rank)
    type.rank = -1;
  for (int i = 0; i < type.rank; i++)
    if (a->type.dims[i].size != b->type.dims[i].size)
      type.dims[i] = (SondeDimension){ .size = -1 };
  return type;
}

const SondeMindirTerm *
sonde_mindir_join_branches (SondeMindirLowering *lowering, const SondeMindirTerm *condition,
                            SondeGraph *then_branch, const SondeMindirTerm *yes,
                            SondeGraph *else_branch, const SondeMindirTerm *no)
{
  g_autoptr (GPtrArray) slots = g_ptr_array_new ();
  Join join = { lowering, { then_branch, else_branch }, slots };
  const SondeMindirTerm *merged = sonde_lowering_has_failed (lowering->l)
                                      ? sonde_mindir_term_of (lowering, NULL)
                                      : merge (&join, yes, no);
  SondeGraphValue *chooser = to_condition (lowering, condition);
  SondeNode *node;

  if (slots->len == 0 || sonde_lowering_has_failed (lowering->l))
    {
      sonde_graph_unref (then_branch);
      sonde_graph_unref (else_branch);
      return merged;
    }
  node = sonde_lowering_node (lowering->l, "", "If", SONDE_VALUES (chooser), slots->len);
  for (guint i = 0; i < slots->len; i++)
    {
      SondeGraphValue *value = sonde_node_get_output (node, i);

      value->type = common_type (then_branch->outputs->pdata[i], else_branch->outputs->pdata[i]);
      ((SondeMindirTerm *) slots->pdata[i])->value = value;
    }
  sonde_node_take_graph (node, "then_branch", then_branch);
  sonde_node_take_graph (node, "else_branch", else_branch);
  return merged;
}

/* ---- loops --------------------------------------------------------------- */

static SondeDtype
find_input_dtype (const SondeMindirTerm *head, guint index)
{
  return index < head->function->n_inputs ? head->function->inputs[index].type.dtype
                                          : SONDE_DTYPE_INVALID;
}

/* Whether @term holds something that a loop must carry. */
static gboolean
collect (SondeMindirLowering *lowering, const SondeMindirTerm *term, SondeDtype dtype,
         GPtrArray *values)
{
  SondeGraphValue *value;

  if (term->kind == SONDE_MINDIR_TERM_NOTHING)
    return TRUE;
  if (term->kind == SONDE_MINDIR_TERM_TUPLE)
    {
      for (guint i = 0; i < term->n; i++)
        if (!collect (lowering, term->items[i], SONDE_DTYPE_INVALID, values))
          return FALSE;
      return TRUE;
    }
  value = sonde_mindir_term_to_value (lowering, term, dtype);
  if (value != NULL)
    g_ptr_array_add (values, value);
  return value != NULL;
}

/* @form with its tensors replaced by the next of @values. */
static const SondeMindirTerm *
fill (SondeMindirLowering *lowering, const SondeMindirTerm *form, GPtrArray *values, guint *at)
{
  SondeMindirTerm *tuple;

  if (form->kind == SONDE_MINDIR_TERM_NOTHING)
    return form;
  if (form->kind != SONDE_MINDIR_TERM_TUPLE)
    return sonde_mindir_term_of (lowering, values->pdata[(*at)++]);
  tuple = sonde_mindir_term_new (lowering, SONDE_MINDIR_TERM_TUPLE, form->n);
  for (guint i = 0; i < form->n; i++)
    tuple->items[i] = fill (lowering, form->items[i], values, at);
  return tuple;
}

static const SondeMindirTerm *
fill_head (SondeMindirLowering *lowering, const SondeMindirLoop *loop, GPtrArray *values)
{
  const SondeMindirTerm *start = loop->start;
  SondeMindirTerm *head = sonde_mindir_term_new (lowering, SONDE_MINDIR_TERM_CLOSURE, start->n);
  guint at = 0;

  head->function = start->function;
  head->home = start->home;
  for (guint i = 0; i < start->n; i++)
    head->items[i]
        = loop->fixed[i] ? start->items[i] : fill (lowering, start->items[i], values, &at);
  return head;
}

gboolean
sonde_mindir_loop_begin (SondeMindirLowering *lowering, SondeMindirLoop *loop,
                         const SondeMindirTerm *head, const gboolean *fixed)
{
  SondeMindirTerm *closure = sonde_mindir_term_new (lowering, SONDE_MINDIR_TERM_CLOSURE, 0);
  gboolean right = head->n <= head->function->n_inputs;

  closure->function = head->function;
  closure->home = head->home;
  loop->closure = closure;
  loop->start = head;
  loop->fixed = fixed;
  loop->first = g_ptr_array_new ();
  for (guint i = 0; right && i < head->n; i++)
    right = fixed[i] || collect (lowering, head->items[i], find_input_dtype (head, i), loop->first);
  if (!right)
    sonde_lowering_fail (lowering->l, SONDE_DATA_ERROR_UNSUPPORTED,
                         "the loop “%s” carries something that is no tensor", head->function->name);
  return right;
}

/* Sizes may change from round to round: only the number of dimensions is kept. */
static SondeType
type_of_carried (const SondeGraphValue *value)
{
  SondeType type = value->type;

  for (int i = 0; i < type.rank; i++)
    type.dims[i] = (SondeDimension){ .size = -1 };
  return type;
}

const SondeMindirTerm *
sonde_mindir_loop_enter (SondeMindirLowering *lowering, SondeMindirLoop *loop)
{
  g_autoptr (GPtrArray) inside = g_ptr_array_new ();
  SondeGraph *body = sonde_lowering_get_graph (lowering->l);
  const SondeShape scalar = { .rank = 0 };
  const SondeType round = sonde_type_tensor (SONDE_DTYPE_I64, &scalar);
  const SondeType more = sonde_type_tensor (SONDE_DTYPE_BOOL, &scalar);

  sonde_graph_add_input (body, sonde_mindir_unique (lowering, "round"), &round);
  sonde_graph_add_input (body, sonde_mindir_unique (lowering, "more"), &more);
  for (guint i = 0; i < loop->first->len; i++)
    {
      const SondeType type = type_of_carried (loop->first->pdata[i]);

      g_ptr_array_add (
          inside, sonde_graph_add_input (body, sonde_mindir_unique (lowering, "carried"), &type));
    }
  return fill_head (lowering, loop, inside);
}

SondeGraph *
sonde_mindir_loop_leave (SondeMindirLowering *lowering, SondeMindirLoop *loop,
                         const SondeMindirTerm *again, const SondeMindirTerm *next)
{
  g_autoptr (GPtrArray) values = g_ptr_array_new ();
  SondeGraphValue *more = to_condition (lowering, again);
  gboolean right = next->n == loop->start->n;
  SondeGraph *body;

  for (guint i = 0; right && i < next->n; i++)
    right = loop->fixed[i]
            || collect (lowering, next->items[i], find_input_dtype (loop->start, i), values);
  if (!sonde_lowering_has_failed (lowering->l) && (!right || values->len != loop->first->len))
    sonde_lowering_fail (lowering->l, SONDE_DATA_ERROR_UNSUPPORTED,
                         "the rounds of the loop “%s” hand on things that are not alike",
                         loop->start->function->name);
  body = sonde_mindir_pop (lowering);
  add_output (lowering, body, more);
  for (guint i = 0; i < values->len; i++)
    add_output (lowering, body, values->pdata[i]);
  return body;
}

const SondeMindirTerm *
sonde_mindir_loop_end (SondeMindirLowering *lowering, SondeMindirLoop *loop,
                       const SondeMindirTerm *first, SondeGraph *body)
{
  g_autoptr (GPtrArray) inputs = g_ptr_array_new ();
  g_autoptr (GPtrArray) after = g_ptr_array_new ();
  SondeNode *node;

  g_ptr_array_add (inputs, NULL);
  g_ptr_array_add (inputs, to_condition (lowering, first));
  for (guint i = 0; i < loop->first->len; i++)
    g_ptr_array_add (inputs, loop->first->pdata[i]);
  node = sonde_lowering_node (lowering->l, "", "Loop", (SondeGraphValue *const *) inputs->pdata,
                              inputs->len, loop->first->len);
  sonde_node_take_graph (node, "body", body);
  for (guint i = 0; i < loop->first->len; i++)
    {
      SondeGraphValue *value = sonde_node_get_output (node, i);

      value->type = type_of_carried (loop->first->pdata[i]);
      g_ptr_array_add (after, value);
    }
  return fill_head (lowering, loop, after);
}

void
sonde_mindir_loop_clear (SondeMindirLoop *loop)
{
  g_clear_pointer (&loop->first, g_ptr_array_unref);
}
