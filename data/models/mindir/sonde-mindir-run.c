/* SPDX-License-Identifier: Apache-2.0
 * Calls, and what MindIR has in place of loops and branches: functions that go on in others. A way is
 * followed from a function to a target: the head of the loop around, the function in which both
 * branches meet again, or the end. */
#include <string.h>

#include "data/models/mindir/sonde-mindir-lower.h"
#include "data/models/mindir/sonde-mindir-run.h"

/**
 * Way:
 * @target: (nullable): where it ends; NULL: where a function returns
 * @asks: whether it comes to @target is what is wanted, as a truth value
 * @closed: (element-type SondeMindirFunction): loops that have ended on it
 * @node: the call, for names
 */
typedef struct
{
  SondeMindirLowering *lowering;
  const SondeMindirFunction *target;
  gboolean asks;
  GPtrArray *closed;
  const SondeMindirNode *node;
} Way;

static const SondeMindirTerm *
make_tuple (SondeMindirLowering *lowering, const SondeMindirTerm *const *items, guint n)
{
  SondeMindirTerm *tuple = sonde_mindir_term_new (lowering, SONDE_MINDIR_TERM_TUPLE, n);

  if (n > 0)
    memcpy (tuple->items, items, n * sizeof *items);
  return tuple;
}

static const SondeMindirTerm *
extend (SondeMindirLowering *lowering, const SondeMindirTerm *closure,
        const SondeMindirTerm *const *more, guint n)
{
  SondeMindirTerm *longer
      = sonde_mindir_term_new (lowering, SONDE_MINDIR_TERM_CLOSURE, closure->n + n);

  longer->function = closure->function;
  longer->home = closure->home;
  memcpy (longer->items, closure->items, closure->n * sizeof *closure->items);
  if (n > 0)
    memcpy (longer->items + closure->n, more, n * sizeof *more);
  return longer;
}

static const SondeMindirTerm *
give_up (SondeMindirLowering *lowering, const SondeMindirFunction *function, const char *why)
{
  sonde_lowering_fail (lowering->l, SONDE_DATA_ERROR_UNSUPPORTED, "function “%s” %-s",
                       function->name, why);
  return sonde_mindir_term_of (lowering, NULL);
}

static const SondeMindirTerm *
answer (SondeMindirLowering *lowering, gboolean yes)
{
  return sonde_mindir_term_of_int (lowering, yes);
}

/* ---- branches ------------------------------------------------------------ */

static const SondeMindirTerm *follow (const Way *way, const SondeMindirTerm *closure,
                                      gboolean entering);

/* A subgraph that follows @closure to @target; the result is put into @term. */
static SondeGraph *
build_branch (const Way *way, const SondeMindirTerm *closure, const SondeMindirFunction *target,
              const char *name, const SondeMindirTerm **term)
{
  SondeMindirLowering *lowering = way->lowering;
  Way inner = { lowering, target, way->asks, NULL, way->node };

  sonde_mindir_push (lowering, name);
  *term = follow (&inner, closure, FALSE);
  return sonde_mindir_pop (lowering);
}

static const SondeMindirTerm *
make_if (const Way *way, const SondeMindirTerm *choice, const SondeMindirFunction *target)
{
  SondeMindirLowering *lowering = way->lowering;
  const SondeMindirTerm *yes, *no, *result;
  SondeGraph *then_branch, *else_branch;

  sonde_mindir_open (lowering, way->node, "Switch");
  then_branch = build_branch (way, choice->items[1], target, "then", &yes);
  else_branch = build_branch (way, choice->items[2], target, "else", &no);
  result
      = sonde_mindir_join_branches (lowering, choice->items[0], then_branch, yes, else_branch, no);
  sonde_lowering_end (lowering->l);
  return result;
}

/* ---- questions ----------------------------------------------------------- */

/* The two sides of a choice, as they lead to the target of a question. */
static const SondeMindirTerm *
ask_choice (const Way *way, const SondeMindirTerm *choice)
{
  SondeMindirLowering *lowering = way->lowering;
  gboolean there[2], away[2];

  for (guint i = 0; i < 2; i++)
    {
      const SondeMindirFunction *side = choice->items[i + 1]->function;

      there[i] = sonde_mindir_flow_leads (lowering->flow, side, way->target);
      away[i] = sonde_mindir_flow_escapes (lowering->flow, side, way->target);
    }
  if (there[0] && !away[0] && !there[1])
    return choice->items[0];
  if (!there[0] && there[1] && !away[1])
    return sonde_mindir_negate (lowering, choice->items[0], way->node);
  if (!away[0] && !away[1])
    return answer (lowering, TRUE);
  if (!there[0] && !there[1])
    return answer (lowering, FALSE);
  return make_if (way, choice, way->target);
}

/* ---- loops --------------------------------------------------------------- */

static const SondeMindirTerm *
go_round (SondeMindirLowering *lowering, const SondeMindirTerm *head, gboolean asks,
          const SondeMindirNode *node)
{
  Way way = { lowering, head->function, asks, NULL, node };
  const SondeMindirTerm *result;

  sonde_mindir_flow_bar (lowering->flow, head->function);
  result = follow (&way, head, TRUE);
  sonde_mindir_flow_unbar (lowering->flow, head->function);
  return result;
}

static SondeGraph *
build_body (SondeMindirLowering *lowering, SondeMindirLoop *loop, const SondeMindirNode *node)
{
  const SondeMindirTerm *head, *next, *again;

  sonde_mindir_push (lowering, "body");
  head = sonde_mindir_loop_enter (lowering, loop);
  next = go_round (lowering, head, FALSE, node);
  again = go_round (lowering, extend (lowering, loop->closure, next->items, next->n), TRUE, node);
  return sonde_mindir_loop_leave (lowering, loop, again, next);
}

/* Returns the head's arguments when the loop has ended. */
static const SondeMindirTerm *
make_loop (SondeMindirLowering *lowering, const SondeMindirTerm *head, const SondeMindirNode *node)
{
  g_autofree gboolean *fixed = sonde_mindir_flow_find_fixed (lowering->flow, head->function);
  SondeMindirLoop loop = { 0 };
  const SondeMindirTerm *result = head, *first;
  SondeGraph *body;

  sonde_mindir_open (lowering, node, "call");
  if (sonde_mindir_loop_begin (lowering, &loop, head, fixed))
    {
      body = build_body (lowering, &loop, node);
      first = go_round (lowering, loop.start, TRUE, node);
      result = sonde_mindir_loop_end (lowering, &loop, first, body);
    }
  sonde_mindir_loop_clear (&loop);
  sonde_lowering_end (lowering->l);
  return result;
}

/* ---- ways ---------------------------------------------------------------- */

static gboolean
is_dead (const Way *way, const SondeMindirTerm *side)
{
  return !sonde_mindir_flow_leads (way->lowering->flow, side->function, way->target);
}

static gboolean
is_choice (const SondeMindirTerm *term)
{
  return term->kind == SONDE_MINDIR_TERM_SWITCH && term->items[1]->kind == SONDE_MINDIR_TERM_CLOSURE
         && term->items[2]->kind == SONDE_MINDIR_TERM_CLOSURE;
}

/* Goes on behind a choice. Returns the way's result, or NULL with @closure set to what comes next. */
static const SondeMindirTerm *
choose (const Way *way, const SondeMindirTerm *choice, const SondeMindirTerm **closure)
{
  const SondeMindirTerm *yes = choice->items[1], *no = choice->items[2], *result;
  const SondeMindirFunction *meeting;
  SondeMindirTerm *next;
  double known;

  if (sonde_mindir_term_get_double (choice->items[0], &known))
    return *closure = known != 0 ? yes : no, NULL;
  if (way->asks)
    return ask_choice (way, choice);
  if (is_dead (way, yes) != is_dead (way, no))
    return *closure = is_dead (way, yes) ? no : yes, NULL;
  meeting = sonde_mindir_flow_join (way->lowering->flow, yes->function, no->function, way->target);
  result = make_if (way, choice, meeting);
  if (meeting == way->target || result->kind != SONDE_MINDIR_TERM_TUPLE)
    return result;
  next = sonde_mindir_term_new (way->lowering, SONDE_MINDIR_TERM_CLOSURE, result->n);
  memcpy (next->items, result->items, result->n * sizeof *result->items);
  next->function = meeting;
  next->home = yes->home;
  *closure = next;
  return NULL;
}

/* The last node of a function, behind those that only hand on; NULL: it returns an argument or a
 * constant. */
static const SondeMindirNode *
find_last (const SondeMindirFunction *function)
{
  static const char *const hands_on[] = { "Depend", "Load", "Return", "Identity", "StopGradient" };
  const SondeMindirNode *node = g_hash_table_lookup (function->index, function->result);

  for (guint i = 0; node != NULL && node->primitive != NULL && i < function->n_nodes; i++)
    {
      gboolean on = FALSE;

      for (guint k = 0; k < G_N_ELEMENTS (hands_on) && node->n_inputs > 0; k++)
        on = on || strcmp (node->primitive, hands_on[k]) == 0;
      if (!on)
        break;
      node = g_hash_table_lookup (function->index, node->inputs[0]);
    }
  return node;
}

static const SondeMindirTerm *
return_from (const Way *way, SondeMindirScope *scope)
{
  const SondeMindirTerm *result;

  if (way->asks)
    return answer (way->lowering, FALSE);
  result = sonde_mindir_evaluate (way->lowering, scope, scope->function->result);
  if (way->target == NULL)
    return result;
  return give_up (way->lowering, scope->function,
                  N_ ("returns in the middle of a loop in a way that is not known"));
}

/* A function's last call with its arguments: NULL when it has none. */
static const SondeMindirTerm *
evaluate_last (const Way *way, SondeMindirScope *scope, const SondeMindirNode *last)
{
  g_autofree const SondeMindirTerm **more = g_new (const SondeMindirTerm *, last->n_inputs + 1);
  const SondeMindirTerm *called = sonde_mindir_evaluate (way->lowering, scope, last->callee);
  SondeMindirTerm *choice;

  for (guint i = 0; i < last->n_inputs; i++)
    more[i] = sonde_mindir_evaluate (way->lowering, scope, last->inputs[i]);
  g_hash_table_add (way->lowering->seen, (gpointer) last);
  if (called->kind == SONDE_MINDIR_TERM_CLOSURE)
    return extend (way->lowering, called, more, last->n_inputs);
  if (!is_choice (called))
    return give_up (way->lowering, scope->function, N_ ("calls something that is no function"));
  choice = sonde_mindir_term_new (way->lowering, SONDE_MINDIR_TERM_SWITCH, 3);
  choice->items[0] = called->items[0];
  for (guint i = 1; i < 3; i++)
    choice->items[i] = extend (way->lowering, called->items[i], more, last->n_inputs);
  return choice;
}

/* One function of the way. Returns the way's result, or NULL with @closure set to the next one. */
static const SondeMindirTerm *
pass (const Way *way, const SondeMindirTerm **closure)
{
  SondeMindirLowering *lowering = way->lowering;
  const SondeMindirFunction *function = (*closure)->function;
  const SondeMindirNode *last = find_last (function);
  SondeMindirScope *scope;
  const SondeMindirTerm *next;

  if (sonde_mindir_flow_is_loop (lowering->flow, function))
    {
      *closure = make_loop (lowering, *closure, way->node);
      sonde_mindir_flow_bar (lowering->flow, function);
      g_ptr_array_add (way->closed, (gpointer) function);
    }
  scope = sonde_mindir_scope_new (lowering, function, (*closure)->items, (*closure)->n,
                                  (*closure)->home);
  if (last == NULL || last->callee == NULL)
    return return_from (way, scope);
  next = evaluate_last (way, scope, last);
  if (next->kind == SONDE_MINDIR_TERM_SWITCH)
    return choose (way, next, closure);
  *closure = next;
  return next->kind == SONDE_MINDIR_TERM_CLOSURE ? NULL : next;
}

static const SondeMindirTerm *
follow_on (const Way *way, const SondeMindirTerm *closure, gboolean entering)
{
  const SondeMindirTerm *result = NULL;

  while (result == NULL && !sonde_lowering_has_failed (way->lowering->l))
    {
      if (closure->function == way->target && !entering)
        return way->asks ? answer (way->lowering, TRUE)
                         : make_tuple (way->lowering, closure->items, closure->n);
      entering = FALSE;
      result = pass (way, &closure);
    }
  return result != NULL ? result : sonde_mindir_term_of (way->lowering, NULL);
}

/* Loops that end on a way are over for all that follows on it, and only there. */
static const SondeMindirTerm *
follow (const Way *way, const SondeMindirTerm *closure, gboolean entering)
{
  g_autoptr (GPtrArray) closed = g_ptr_array_new ();
  Way with = *way;
  const SondeMindirTerm *result;

  with.closed = closed;
  result = follow_on (&with, closure, entering);
  for (guint i = 0; i < closed->len; i++)
    sonde_mindir_flow_unbar (way->lowering->flow, closed->pdata[i]);
  return result;
}

/* ---- calls --------------------------------------------------------------- */

#define MAX_CALLS 200 /* inside each other */

static const SondeMindirTerm *
run_closure (SondeMindirLowering *lowering, const SondeMindirTerm *closure,
             const SondeMindirNode *node)
{
  const SondeMindirFunction *function = closure->function;
  Way way = { lowering, NULL, FALSE, NULL, node };
  const SondeMindirTerm *result;

  if (lowering->active[function->id] > 0)
    return give_up (lowering, function,
                    N_ ("calls itself in a way that is no loop, which ONNX cannot express"));
  if (lowering->n_open == MAX_CALLS)
    return give_up (lowering, function, N_ ("is called too deep inside other functions"));
  lowering->n_open++;
  lowering->active[function->id]++;
  result = follow (&way, closure, FALSE);
  lowering->active[function->id]--;
  lowering->n_open--;
  return result;
}

const SondeMindirTerm *
sonde_mindir_run (SondeMindirLowering *lowering, const SondeMindirTerm *called,
                  const SondeMindirTerm *const *arguments, guint n, const SondeMindirNode *node)
{
  Way way = { lowering, NULL, FALSE, NULL, node };
  SondeMindirTerm *choice;
  double known;

  g_hash_table_add (lowering->seen, (gpointer) node);
  if (called->kind == SONDE_MINDIR_TERM_CLOSURE)
    return run_closure (lowering, extend (lowering, called, arguments, n), node);
  if (!is_choice (called))
    {
      if (!sonde_lowering_has_failed (lowering->l))
        sonde_lowering_fail (lowering->l, SONDE_DATA_ERROR_DAMAGED,
                             "“%s” calls something that is no function", node->label);
      return sonde_mindir_term_of (lowering, NULL);
    }
  choice = sonde_mindir_term_new (lowering, SONDE_MINDIR_TERM_SWITCH, 3);
  choice->items[0] = called->items[0];
  for (guint i = 1; i < 3; i++)
    choice->items[i] = extend (lowering, called->items[i], arguments, n);
  if (sonde_mindir_term_get_double (choice->items[0], &known))
    return run_closure (lowering, choice->items[known != 0 ? 1 : 2], node);
  return make_if (&way, choice, NULL);
}
