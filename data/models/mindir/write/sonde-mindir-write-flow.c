/* SPDX-License-Identifier: Apache-2.0
 * If, Loop and Scan as functions that call each other last. */
#include "data/models/mindir/write/sonde-mindir-rounds.h"
#include "data/models/mindir/sonde-mindir-term.h"

#define IN(index) sonde_mindir_in (w, node, index)
#define CALL(primitive, ...) sonde_mindir_call (w, primitive, SONDE_NAMES (__VA_ARGS__))
#define VALUE(index) sonde_node_get_input (node, index)

/* ---- captures ------------------------------------------------------------ */

static gboolean
is_constant (const SondeGraphValue *value)
{
  while (value->outer != NULL)
    value = value->outer;
  return value->producer == NULL && value->constant != NULL && value->role == SONDE_ROLE_CONSTANT;
}

/* What @body reads of the graph around and is not written down anew: added to @captured, each once. */
static void
add_captured (GPtrArray *captured, const SondeGraph *body)
{
  for (guint i = 0; i < body->values->len; i++)
    {
      const SondeGraphValue *value = body->values->pdata[i];

      if (value != NULL && value->outer != NULL && !is_constant (value)
          && !g_ptr_array_find ((GPtrArray *) captured, value->outer, NULL))
        g_ptr_array_add (captured, value->outer);
    }
}

/* In @body what it captured has the names of @names[@first …]. */
static void
name_captured (SondeMindirWriter *w, const SondeGraph *body, const GPtrArray *captured,
               const GPtrArray *names, guint first)
{
  for (guint i = 0; i < body->values->len; i++)
    {
      SondeGraphValue *value = body->values->pdata[i];
      guint at;

      if (value != NULL && value->outer != NULL
          && g_ptr_array_find ((GPtrArray *) captured, value->outer, &at))
        sonde_mindir_set_name (w, value, names->pdata[first + at]);
    }
}

/* A condition may be a list of one. */
static const char *
write_condition (SondeMindirWriter *w, const char *name, const SondeGraphValue *value)
{
  return value != NULL && value->type.rank == 1
             ? CALL ("Reshape", name, sonde_mindir_write_ints (w, NULL, 0))
             : name;
}

/* ---- If ------------------------------------------------------------------ */

static const char *
write_branch (SondeMindirWriter *w, SondeGraph *body, const char *label, const GPtrArray *captured)
{
  g_autoptr (GPtrArray) names = g_ptr_array_new (), results = g_ptr_array_new ();
  const char *function = sonde_mindir_function_new (w, label);

  sonde_mindir_function_begin (w, function);
  for (guint i = 0; i < captured->len; i++)
    {
      const SondeGraphValue *value = captured->pdata[i];

      g_ptr_array_add (names, (gpointer) sonde_mindir_function_input (w, &value->type));
    }
  name_captured (w, body, captured, names, 0);
  sonde_mindir_write_body (w, body);
  for (guint i = 0; i < body->outputs->len; i++)
    g_ptr_array_add (results, (gpointer) sonde_mindir_name (w, body->outputs->pdata[i]));
  sonde_mindir_function_end (w, (const char *const *) results->pdata, results->len);
  return function;
}

/* The function that chooses: the condition and what the branches read are its inputs. */
static const char *
write_choice (SondeMindirWriter *w, const char *const *branches, const GPtrArray *captured,
              const SondeType *condition)
{
  g_autoptr (GPtrArray) names = g_ptr_array_new ();
  const char *function = sonde_mindir_function_new (w, "if"), *going, *choice, *sides[2];

  sonde_mindir_function_begin (w, function);
  going = sonde_mindir_function_input (w, condition);
  for (guint i = 0; i < captured->len; i++)
    {
      const SondeGraphValue *value = captured->pdata[i];

      g_ptr_array_add (names, (gpointer) sonde_mindir_function_input (w, &value->type));
    }
  for (guint i = 0; i < 2; i++)
    sides[i]
        = sonde_mindir_partial (w, branches[i], (const char *const *) names->pdata, names->len);
  choice = sonde_mindir_call_old (w, "Switch", SONDE_NAMES (going, sides[0], sides[1]));
  sonde_mindir_function_end (w, SONDE_NAMES (sonde_mindir_call_function (w, choice, NULL, 0)));
  return function;
}

static void
set_results (SondeMindirWriter *w, const SondeNode *node, const char *result, guint n)
{
  for (guint i = 0; i < node->outputs->len; i++)
    sonde_mindir_set (w, node, i, n == 1 ? result : sonde_mindir_item (w, result, i));
}

static void
write_if (SondeMindirWriter *w, const SondeNode *node)
{
  static const SondeType truth = { .kind = SONDE_VALUE_TENSOR, .dtype = SONDE_DTYPE_BOOL };
  SondeGraph *yes = sonde_node_get_graph (node, "then_branch");
  SondeGraph *no = sonde_node_get_graph (node, "else_branch");
  g_autoptr (GPtrArray) captured = g_ptr_array_new (), given = g_ptr_array_new ();
  const char *branches[2], *choice;

  if (yes == NULL || no == NULL || yes->outputs->len == 0 || yes->outputs->len != no->outputs->len)
    {
      sonde_mindir_cannot (w, node, N_ ("its branches give different numbers of values"));
      return;
    }
  add_captured (captured, yes);
  add_captured (captured, no);
  branches[0] = write_branch (w, yes, "then", captured);
  branches[1] = write_branch (w, no, "else", captured);
  choice = write_choice (w, branches, captured, &truth);
  g_ptr_array_add (given, (gpointer) write_condition (w, IN (0), VALUE (0)));
  for (guint i = 0; i < captured->len; i++)
    g_ptr_array_add (given, (gpointer) sonde_mindir_name (w, captured->pdata[i]));
  set_results (
      w, node,
      sonde_mindir_call_function (w, choice, (const char *const *) given->pdata, given->len),
      yes->outputs->len);
}

/* ---- rounds -------------------------------------------------------------- */

/**
 * Run: a Loop or a Scan
 * @n_states: values that go into the next round; what else the body gives is collected
 * @first: the body's first output that is one
 * @captured: (element-type SondeGraphValue): what the body reads besides; @captured_at: its place among
 *   what goes round
 */
typedef struct
{
  const SondeNode *node;
  SondeGraph *body;
  guint n_states, first;
  SondeMindirRounds rounds;
  GPtrArray *captured;
  guint captured_at;
} Run;

static gint64
get_entry (const SondeNode *node, const char *name, guint index)
{
  gsize n = 0;
  const gint64 *list = sonde_node_get_ints (node, name, &n);

  return list != NULL && index < n ? list[index] : 0;
}

/* The axis along which output @index collects. */
static gint64
get_axis (const Run *run, guint index, const SondeType *type)
{
  const gint64 axis = get_entry (run->node, "scan_output_axes", index - run->n_states);

  return axis < 0 ? axis + type->rank : axis;
}

/* A value of nothing stands for a collection that nobody wants. */
static gboolean
add_rooms (SondeMindirWriter *w, Run *run)
{
  for (guint i = run->n_states; i + run->first < run->body->outputs->len; i++)
    {
      const SondeGraphValue *value = sonde_node_get_output (run->node, i);
      const char *room = value != NULL ? sonde_mindir_write_room (w, &value->type,
                                                                  get_axis (run, i, &value->type))
                                       : sonde_mindir_write_whole (w, 0);

      if (room == NULL)
        return FALSE;
      sonde_mindir_rounds_add (&run->rounds, room, NULL);
    }
  return TRUE;
}

static void
add_states (SondeMindirWriter *w, Run *run, guint first_input)
{
  const SondeNode *node = run->node;

  for (guint i = 0; i < run->n_states; i++)
    sonde_mindir_rounds_add (&run->rounds, IN (first_input + i), &VALUE (first_input + i)->type);
}

static void
add_all_captured (SondeMindirWriter *w, Run *run)
{
  run->captured_at = run->rounds.names->len;
  for (guint i = 0; i < run->captured->len; i++)
    {
      SondeGraphValue *value = run->captured->pdata[i];

      sonde_mindir_rounds_add (&run->rounds, sonde_mindir_name (w, value), &value->type);
    }
}

/* Where the part of this round lies among @n. */
static const char *
write_place (SondeMindirWriter *w, const Run *run, gint64 n, gboolean backwards)
{
  const char *number = run->rounds.names->pdata[SONDE_ROUND_NUMBER];

  return backwards ? CALL ("Sub", sonde_mindir_write_whole (w, n - 1), number) : number;
}

static void
collect (SondeMindirWriter *w, Run *run, guint index, const char *part)
{
  const SondeGraphValue *value = sonde_node_get_output (run->node, index);
  void **room = &run->rounds.names->pdata[SONDE_ROUND_FIRST + index];
  const char *place;

  if (value == NULL)
    return;
  place = write_place (w, run, value->type.dims[get_axis (run, index, &value->type)].size,
                       get_entry (run->node, "scan_output_directions", index - run->n_states) != 0);
  *room = (gpointer) sonde_mindir_place (w, *room, place, part);
}

/* The body's nodes, and what they give goes into the next round. */
static void
write_round (SondeMindirWriter *w, Run *run)
{
  const SondeGraph *body = run->body;

  name_captured (w, body, run->captured, run->rounds.names, run->captured_at);
  sonde_mindir_write_body (w, run->body);
  for (guint i = 0; i + run->first < body->outputs->len; i++)
    {
      const char *given = sonde_mindir_name (w, body->outputs->pdata[i + run->first]);

      if (i >= run->n_states)
        collect (w, run, i, given);
      else
        run->rounds.names->pdata[SONDE_ROUND_FIRST + i] = (gpointer) given;
    }
}

static void
set_collected (SondeMindirWriter *w, Run *run)
{
  for (guint i = 0; i < run->node->outputs->len; i++)
    {
      const SondeGraphValue *value = sonde_node_get_output (run->node, i);
      const char *name = run->rounds.names->pdata[SONDE_ROUND_FIRST + i];

      if (value != NULL && i >= run->n_states)
        name = sonde_mindir_leave_room (w, name, get_axis (run, i, &value->type), value->type.rank);
      sonde_mindir_set (w, run->node, i, name);
    }
}

static void
run_clear (Run *run)
{
  sonde_mindir_rounds_clear (&run->rounds);
  g_clear_pointer (&run->captured, g_ptr_array_unref);
}

G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC (Run, run_clear)

#define UNKNOWN_ROUNDS N_ ("it collects values of a number of rounds that is not known")

/* ---- Loop ---------------------------------------------------------------- */

static void
write_loop (SondeMindirWriter *w, const SondeNode *node)
{
  g_auto (Run) run = { .node = node,
                       .body = sonde_node_get_graph (node, "body"),
                       .n_states = node->inputs->len - 2,
                       .first = 1,
                       .captured = g_ptr_array_new () };
  const SondeGraph *body = run.body;

  sonde_mindir_rounds_init (&run.rounds, w,
                            VALUE (1) != NULL ? write_condition (w, IN (1), VALUE (1)) : NULL);
  add_states (w, &run, 2);
  if (!add_rooms (w, &run))
    {
      sonde_mindir_cannot (w, node, UNKNOWN_ROUNDS);
      return;
    }
  add_captured (run.captured, body);
  add_all_captured (w, &run);
  if (VALUE (0) != NULL)
    sonde_mindir_rounds_set_limit (&run.rounds, write_condition (w, IN (0), VALUE (0)));
  sonde_mindir_rounds_begin (&run.rounds, w);
  for (guint i = 0; i < body->inputs->len; i++)
    sonde_mindir_set_name (w, body->inputs->pdata[i], run.rounds.names->pdata[i]);
  write_round (w, &run);
  run.rounds.names->pdata[SONDE_ROUND_GOING] = (gpointer) write_condition (
      w, sonde_mindir_name (w, body->outputs->pdata[0]), body->outputs->pdata[0]);
  sonde_mindir_rounds_end (&run.rounds, w);
  set_collected (w, &run);
}

/* ---- Scan ---------------------------------------------------------------- */

static gint64
get_scanned_axis (const SondeNode *node, guint index, const SondeType *type)
{
  const gint64 axis = get_entry (node, "scan_input_axes", index);

  return axis < 0 ? axis + type->rank : axis;
}

/* Parts of what is scanned; -1: not known */
static gint64
count_parts (const Run *run)
{
  const SondeType *type = &sonde_node_get_input (run->node, run->n_states)->type;
  const gint64 axis = get_scanned_axis (run->node, 0, type);

  return axis >= 0 && axis < type->rank ? type->dims[axis].size : -1;
}

/* Inputs of the body: states, then this round's parts of what is scanned. */
static void
name_parts (SondeMindirWriter *w, Run *run, guint scanned_at, gint64 n)
{
  const SondeNode *node = run->node;
  void **names = run->rounds.names->pdata;

  for (guint i = 0; i < run->body->inputs->len; i++)
    {
      const guint k = i - run->n_states;
      const char *name = names[SONDE_ROUND_FIRST + i];

      if (i >= run->n_states)
        name = sonde_mindir_pick (
            w, names[scanned_at + k],
            write_place (w, run, n, get_entry (node, "scan_input_directions", k) != 0),
            get_scanned_axis (node, k, &VALUE (i)->type));
      sonde_mindir_set_name (w, run->body->inputs->pdata[i], name);
    }
}

static void
write_scan (SondeMindirWriter *w, const SondeNode *node)
{
  const guint n_scanned = (guint) sonde_node_get_int (node, "num_scan_inputs", 1);
  g_auto (Run) run = { .node = node,
                       .body = sonde_node_get_graph (node, "body"),
                       .n_states = node->inputs->len - n_scanned,
                       .captured = g_ptr_array_new () };
  const gint64 n = count_parts (&run);
  guint scanned_at;

  sonde_mindir_rounds_init (&run.rounds, w, NULL);
  add_states (w, &run, 0);
  if (n < 0 || !add_rooms (w, &run))
    {
      sonde_mindir_cannot (w, node, UNKNOWN_ROUNDS);
      return;
    }
  scanned_at = run.rounds.names->len;
  for (guint i = run.n_states; i < node->inputs->len; i++)
    sonde_mindir_rounds_add (&run.rounds, IN (i), &VALUE (i)->type);
  add_captured (run.captured, run.body);
  add_all_captured (w, &run);
  sonde_mindir_rounds_set_limit (&run.rounds, sonde_mindir_write_whole (w, n));
  sonde_mindir_rounds_begin (&run.rounds, w);
  name_parts (w, &run, scanned_at, n);
  write_round (w, &run);
  sonde_mindir_rounds_end (&run.rounds, w);
  set_collected (w, &run);
}

const SondeMindirWriteRow sonde_mindir_write_flow_rows[] = {
  { "If", write_if, NULL, 0 },
  { "Loop", write_loop, NULL, 0 },
  { "Scan", write_scan, NULL, 0 },
  { NULL, NULL, NULL, 0 },
};
