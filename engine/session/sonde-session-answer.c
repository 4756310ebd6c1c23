/* SPDX-License-Identifier: Apache-2.0
 * A reply being made: its memory, and the plain structs that go into it. */
#include "engine/session/sonde-session-server-private.h"

#include <fnmatch.h>
#include <string.h>
#include <unistd.h>

void
sonde_session_answer_init (SondeSessionAnswer *answer)
{
  sonde__session__reply__init (&answer->reply);
  answer->garbage = g_ptr_array_new_with_free_func (g_free);
  answer->frames = g_ptr_array_new_with_free_func ((GDestroyNotify) g_ptr_array_unref);
  answer->memfd = -1;
  answer->later = FALSE;
}

void
sonde_session_answer_clear (SondeSessionAnswer *answer)
{
  g_clear_pointer (&answer->garbage, g_ptr_array_unref);
  g_clear_pointer (&answer->frames, g_ptr_array_unref);
  if (answer->memfd >= 0)
    close (answer->memfd);
  answer->memfd = -1;
}

void *
sonde_session_answer_alloc (SondeSessionAnswer *answer, gsize bytes)
{
  void *memory = g_malloc0 (MAX (bytes, 1));

  g_ptr_array_add (answer->garbage, memory);
  return memory;
}

char *
sonde_session_answer_strdup (SondeSessionAnswer *answer, const char *text)
{
  char *copy = g_strdup (text != NULL ? text : "");

  g_ptr_array_add (answer->garbage, copy);
  return copy;
}

char **
sonde_session_answer_strings (SondeSessionAnswer *answer, guint n)
{
  return sonde_session_answer_alloc (answer, n * sizeof (char *));
}

void
sonde_session_answer_error (SondeSessionAnswer *answer, const GError *error)
{
  Sonde__Session__Error *message = sonde_session_answer_alloc (answer, sizeof *message);
  gboolean ours = error->domain == SONDE_ENGINE_ERROR;
  g_autofree char *valid = g_utf8_make_valid (error->message, -1);

  sonde__session__error__init (message);
  message->code = ours ? (guint32) error->code : SONDE_ENGINE_ERROR_INVALID;
  message->message = sonde_session_answer_strdup (answer, valid);
  answer->reply.error = message;
}

/* ---- status -------------------------------------------------------------- */

static char *
text_or_empty (char *text)
{
  return text != NULL ? text : (char *) "";
}

static void
fill_stop (const SondeStop *info, Sonde__Session__Stop *stop, GPtrArray *garbage)
{
  sonde__session__stop__init (stop);
  stop->reason = info->reason;
  stop->node = text_or_empty (info->node);
  stop->op = text_or_empty (info->op);
  stop->scope = text_or_empty (info->scope);
  stop->phase = info->phase;
  stop->after = info->moment == SONDE_MOMENT_AFTER;
  stop->position = info->position;
  stop->n_steps = info->n_steps;
  stop->step = info->step;
  stop->n_breakpoints = info->n_breakpoints;
  stop->breakpoints = info->breakpoints;
  stop->n_iterations = info->n_iterations;
  stop->iterations = info->iterations;
  stop->frames = sonde_session_fill_frames (info->frames, garbage, &stop->n_frames);
  stop->condition_error = text_or_empty (info->condition_error);
  stop->watchpoints = sonde_session_fill_hits (info->watchpoints, garbage, &stop->n_watchpoints);
}

void
sonde_session_fill_status (const SondeSessionStatus *status, gboolean in_control,
                           Sonde__Session__Status *message, Sonde__Session__Stop *stop,
                           GPtrArray *garbage)
{
  sonde__session__status__init (message);
  fill_stop (&status->stop, stop, garbage);
  message->state = status->state;
  message->in_control = in_control;
  message->has_controller = status->has_controller;
  message->pid = (guint32) status->pid;
  message->stop = stop;
  message->end = status->end.result;
  message->end_message = text_or_empty (status->end.message);
  message->kind = status->facts.kind;
  message->title = text_or_empty (status->facts.title);
  message->run_directory = text_or_empty (status->facts.run_directory);
  message->step = status->facts.step;
  message->total_steps = status->facts.total_steps;
  message->epoch = status->facts.epoch;
  message->n_epochs = status->facts.n_epochs;
  message->measured = status->facts.measured;
  message->loss = status->facts.loss;
  message->accuracy = status->facts.accuracy;
  message->learning_rate = status->facts.learning_rate;
  message->samples_per_second = status->facts.samples_per_second;
  message->branch = status->branch;
}

/* ---- breakpoints, steps, values ------------------------------------------ */

void
sonde_session_answer_breakpoint (SondeSessionAnswer *answer, guint k,
                                 const SondeBreakpoint *breakpoint)
{
  Sonde__Session__Breakpoint *message = sonde_session_answer_alloc (answer, sizeof *message);

  sonde__session__breakpoint__init (message);
  message->id = breakpoint->id;
  message->pattern = sonde_session_answer_strdup (answer, breakpoint->pattern);
  message->after = breakpoint->moment == SONDE_MOMENT_AFTER;
  message->temporary = breakpoint->temporary;
  message->enabled = breakpoint->enabled;
  message->hits = breakpoint->hits;
  message->ignore = breakpoint->ignore;
  message->n_positions = breakpoint->n_positions;
  message->condition = sonde_session_answer_strdup (answer, breakpoint->condition);
  message->hit_condition = sonde_session_answer_strdup (answer, breakpoint->hit_condition);
  message->log = sonde_session_answer_strdup (answer, breakpoint->log);
  message->note = sonde_session_answer_strdup (answer, breakpoint->note);
  answer->reply.breakpoints[k] = message;
}

static char **
names_of_values (SondeSessionAnswer *answer, SondeGraphValue *const *values, guint n_values,
                 gsize *n)
{
  char **names = sonde_session_answer_strings (answer, n_values);

  *n = 0;
  for (guint i = 0; i < n_values; i++)
    if (values[i] != NULL)
      names[(*n)++] = values[i]->name; /* lent: the graph outlives the answer */
  return names;
}

static void
fill_nodes (SondeSessionAnswer *answer, const SondeStep *step, Sonde__Session__Step *message)
{
  g_autoptr (GPtrArray) originals = g_ptr_array_new ();

  message->nodes = sonde_session_answer_strings (answer, step->n_nodes);
  for (guint i = 0; i < step->n_nodes; i++)
    {
      const SondeNode *node = step->nodes[i];

      message->nodes[message->n_nodes++] = node->name;
      for (guint o = 0; o < node->origins->len; o++)
        g_ptr_array_add (originals, g_ptr_array_index (node->origins, o));
    }
  message->originals = sonde_session_answer_strings (answer, originals->len);
  message->n_originals = originals->len;
  memcpy (message->originals,
          originals->pdata != NULL ? originals->pdata : (gpointer *) message->originals,
          originals->len * sizeof (char *));
}

static char *
describe_origin (const SondeStep *step)
{
  if (step->n_nodes == 0)
    return g_strdup ("inserted");
  return sonde_node_describe_origin (step->nodes[step->n_nodes - 1]);
}

void
sonde_session_answer_steps (SondeSessionAnswer *answer, SondePlan *plan)
{
  guint n = sonde_plan_get_n_steps (plan);

  answer->reply.steps = sonde_session_answer_alloc (answer, n * sizeof (Sonde__Session__Step *));
  answer->reply.n_steps = n;
  for (guint k = 0; k < n; k++)
    {
      const SondeStep *step = sonde_plan_get_step (plan, k);
      Sonde__Session__Step *message = sonde_session_answer_alloc (answer, sizeof *message);
      const SondeNode *last = step->n_nodes > 0 ? step->nodes[step->n_nodes - 1] : NULL;
      g_autofree char *origin = describe_origin (step);

      sonde__session__step__init (message);
      message->name = (char *) step->name;
      message->op = (char *) step->op;
      message->phase = step->phase;
      message->scope = (char *) (last != NULL && last->scope != NULL ? last->scope : "");
      message->origin = sonde_session_answer_strdup (answer, origin);
      message->implementation = (char *) (step->implementation != NULL ? step->implementation : "");
      fill_nodes (answer, step, message);
      message->inputs = names_of_values (answer, step->inputs, step->n_inputs, &message->n_inputs);
      message->outputs
          = names_of_values (answer, step->outputs, step->n_outputs, &message->n_outputs);
      answer->reply.steps[k] = message;
    }
}

void
sonde_session_answer_values (SondeSessionAnswer *answer, SondeExecution *execution,
                             const char *glob)
{
  SondeGraph *graph = sonde_plan_get_graph (sonde_execution_get_plan (execution));

  answer->reply.values = sonde_session_answer_alloc (
      answer, graph->values->len * sizeof (Sonde__Session__ValueInfo *));
  for (guint i = 0; i < graph->values->len; i++)
    {
      SondeGraphValue *value = g_ptr_array_index (graph->values, i);
      Sonde__Session__ValueInfo *message;
      g_autofree char *type = NULL;
      SondeType actual;

      if (value == NULL
          || (*glob != '\0' && !g_str_equal (glob, value->name)
              && fnmatch (glob, value->name, 0) != 0))
        continue;
      message = sonde_session_answer_alloc (answer, sizeof *message);
      sonde__session__value_info__init (message);
      sonde_execution_get_type (execution, value, &actual);
      type = sonde_type_to_string (&actual);
      message->name = value->name;
      message->type = sonde_session_answer_strdup (answer, type);
      message->role = value->role;
      message->producer = value->producer != NULL ? value->producer->name : (char *) "";
      message->available = sonde_execution_is_available (execution, value);
      answer->reply.values[answer->reply.n_values++] = message;
    }
}

/* ---- numbers ------------------------------------------------------------- */

Sonde__Session__Statistics *
sonde_session_make_statistics (SondeSessionAnswer *answer, const SondeStatistics *statistics)
{
  Sonde__Session__Statistics *message = sonde_session_answer_alloc (answer, sizeof *message);

  sonde__session__statistics__init (message);
  message->count = statistics->count;
  message->min = statistics->min;
  message->max = statistics->max;
  message->mean = statistics->mean;
  message->std = statistics->std;
  message->abs_mean = statistics->abs_mean;
  message->zeros = statistics->zeros;
  message->negatives = statistics->negatives;
  message->nan = statistics->nan;
  message->pos_inf = statistics->pos_inf;
  message->neg_inf = statistics->neg_inf;
  return message;
}

void
sonde_session_answer_statistics (SondeSessionAnswer *answer, const SondeStatistics *statistics)
{
  answer->reply.statistics = sonde_session_make_statistics (answer, statistics);
}

static double *
copy_doubles (SondeSessionAnswer *answer, const double *values, gsize n)
{
  double *copy = sonde_session_answer_alloc (answer, MAX (n, 1) * sizeof (double));

  if (n > 0)
    memcpy (copy, values, n * sizeof (double));
  return copy;
}

void
sonde_session_answer_histogram (SondeSessionAnswer *answer, SondeTensor *tensor)
{
  Sonde__Session__Histogram *message = sonde_session_answer_alloc (answer, sizeof *message);
  g_autofree SondeHistogram *histogram = g_new (SondeHistogram, 1);
  g_autoptr (SondeBins) bins = NULL;

  sonde_histogram_init (histogram);
  sonde_histogram_add (histogram, tensor);
  bins = sonde_bins_from_histogram (histogram);
  sonde__session__histogram__init (message);
  message->n_lefts = message->n_rights = message->n_counts = bins->n;
  message->lefts = copy_doubles (answer, bins->lefts, bins->n);
  message->rights = copy_doubles (answer, bins->rights, bins->n);
  message->counts = copy_doubles (answer, bins->counts, bins->n);
  message->count = bins->count;
  message->min = bins->min;
  message->max = bins->max;
  message->sum = bins->sum;
  message->sum_squares = bins->sum_squares;
  message->nan = bins->nan;
  message->pos_inf = bins->pos_inf;
  message->neg_inf = bins->neg_inf;
  answer->reply.histogram = message;
}

/* The element types of the protocol; numbers are never used again. */
static const SondeDtype dtypes[] = {
  [1] = SONDE_DTYPE_F64,         [2] = SONDE_DTYPE_F32,     [3] = SONDE_DTYPE_F16,
  [4] = SONDE_DTYPE_BF16,        [5] = SONDE_DTYPE_I8,      [6] = SONDE_DTYPE_I16,
  [7] = SONDE_DTYPE_I32,         [8] = SONDE_DTYPE_I64,     [9] = SONDE_DTYPE_U8,
  [10] = SONDE_DTYPE_U16,        [11] = SONDE_DTYPE_U32,    [12] = SONDE_DTYPE_U64,
  [13] = SONDE_DTYPE_BOOL,       [14] = SONDE_DTYPE_STRING, [15] = SONDE_DTYPE_F8E4M3FN,
  [16] = SONDE_DTYPE_F8E4M3FNUZ, [17] = SONDE_DTYPE_F8E5M2, [18] = SONDE_DTYPE_F8E5M2FNUZ,
  [19] = SONDE_DTYPE_F8E8M0,     [20] = SONDE_DTYPE_F4E2M1, [21] = SONDE_DTYPE_I4,
  [22] = SONDE_DTYPE_U4,         [23] = SONDE_DTYPE_I2,     [24] = SONDE_DTYPE_U2,
};

guint32
sonde_session_number_of_dtype (SondeDtype dtype)
{
  for (guint32 i = 1; i < G_N_ELEMENTS (dtypes); i++)
    if (dtypes[i] == dtype)
      return i;
  return 0;
}

SondeDtype
sonde_session_dtype_of_number (guint32 number)
{
  return number > 0 && number < G_N_ELEMENTS (dtypes) ? dtypes[number] : SONDE_DTYPE_INVALID;
}

GByteArray *
sonde_session_pack_strings (const SondeTensor *tensor)
{
  GByteArray *bytes = g_byte_array_new ();
  char *const *strings = (char *const *) (const void *) tensor->data;
  gint64 n = sonde_tensor_n_elements (tensor);

  for (gint64 i = 0; i < n; i++)
    {
      const char *text = strings[i] != NULL ? strings[i] : "";
      guint32 length = (guint32) strlen (text);
      guint32 little = GUINT32_TO_LE (length);

      g_byte_array_append (bytes, (const guint8 *) &little, sizeof little);
      g_byte_array_append (bytes, (const guint8 *) text, length);
    }
  return bytes;
}

gboolean
sonde_session_answer_data (SondeSessionAnswer *answer, Sonde__Session__Data *data,
                           const void *bytes, gsize length, GError **error)
{
  sonde__session__data__init (data);
  if (length <= SONDE_SESSION_INSIDE_BYTES)
    {
      data->inside.data = sonde_session_answer_alloc (answer, length);
      data->inside.len = length;
      memcpy (data->inside.data, bytes, length);
      return TRUE;
    }
  if (length > SONDE_SESSION_ELSEWHERE_BYTES)
    {
      g_set_error (error, SONDE_ENGINE_ERROR, SONDE_ENGINE_ERROR_MEMORY,
                   "These are %" G_GSIZE_FORMAT " bytes; at most %" G_GUINT64_FORMAT
                   " can be sent at once. Ask for a slice, or save it to a file.",
                   length, SONDE_SESSION_ELSEWHERE_BYTES);
      return FALSE;
    }
  answer->memfd = sonde_session_make_memfd (bytes, length, error);
  data->outside = TRUE;
  data->outside_bytes = length;
  return answer->memfd >= 0;
}

Sonde__Session__Tensor *
sonde_session_make_form (SondeSessionAnswer *answer, SondeDtype dtype, const SondeShape *shape)
{
  Sonde__Session__Tensor *message = sonde_session_answer_alloc (answer, sizeof *message);
  gsize bytes = (gsize) shape->rank * sizeof (gint64);

  sonde__session__tensor__init (message);
  message->dtype = sonde_session_number_of_dtype (dtype);
  message->n_dims = (gsize) shape->rank;
  message->dims = sonde_session_answer_alloc (answer, bytes);
  memcpy (message->dims, shape->dims, bytes);
  return message;
}

void
sonde_session_answer_form (SondeSessionAnswer *answer, SondeDtype dtype, const SondeShape *shape)
{
  answer->reply.tensor = sonde_session_make_form (answer, dtype, shape);
}

gboolean
sonde_session_answer_tensor (SondeSessionAnswer *answer, SondeTensor *tensor, GError **error)
{
  g_autoptr (SondeTensor) plain = sonde_tensor_contiguous (tensor);
  g_autoptr (GByteArray) strings = NULL;
  Sonde__Session__Data *data = sonde_session_answer_alloc (answer, sizeof *data);

  sonde_session_answer_form (answer, tensor->dtype, &tensor->shape);
  answer->reply.tensor->data = data;
  if (tensor->dtype != SONDE_DTYPE_STRING)
    return sonde_session_answer_data (answer, data, plain->data, sonde_tensor_n_bytes (plain),
                                      error);
  strings = sonde_session_pack_strings (plain);
  return sonde_session_answer_data (answer, data, strings->data, strings->len, error);
}
