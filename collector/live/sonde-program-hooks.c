/* SPDX-License-Identifier: Apache-2.0
 * What the library asks the program for: values, and lists of what there is. */
#include "collector/live/sonde-program-private.h"

#include "data/arrays/sonde-npy.h"

_Static_assert(SONDE_PROGRAM_MAX_RANK >= SONDE_MAX_RANK, "every tensor can be handed over");
_Static_assert(SONDE_DTYPE_F64 == 1 && SONDE_DTYPE_BOOL == 13, "types have the public numbers");

/* ---- values -------------------------------------------------------------- */

typedef struct
{
  SondeProgram *program;
  void *owner;
} Owned;

static void
release_owner (gpointer data)
{
  Owned *owned = data;

  if (owned->owner != NULL)
    owned->program->hooks.release (owned->program->data, owned->owner);
  g_free (owned);
}

/* Elements from the first to the last of a view; FALSE: there is none like that. */
static gboolean
count_span (const SondeProgramTensor *tensor, gint64 *span)
{
  *span = 1;
  if (tensor->rank < 0 || tensor->rank > SONDE_MAX_RANK || tensor->type < SONDE_DTYPE_F64
      || tensor->type > SONDE_DTYPE_BOOL)
    return FALSE;
  for (int i = 0; i < tensor->rank; i++)
    {
      gint64 reach;

      if (tensor->dims[i] < 0 || tensor->strides[i] < 0)
        return FALSE;
      if (tensor->dims[i] == 0)
        *span = 0;
      else if (__builtin_mul_overflow (tensor->dims[i] - 1, tensor->strides[i], &reach)
               || __builtin_add_overflow (*span, *span > 0 ? reach : 0, span))
        return FALSE;
    }
  return *span == 0 || tensor->data != NULL;
}

static void
copy_dims (SondeShape *shape, const SondeProgramTensor *from)
{
  shape->rank = from->rank;
  for (int i = 0; i < from->rank; i++)
    shape->dims[i] = from->dims[i];
}

/* Takes the owner of @given. (transfer full) (nullable) */
static SondeTensor *
wrap (SondeProgram *program, const SondeProgramTensor *given)
{
  Owned *owned = g_new (Owned, 1);
  g_autoptr (SondeTensor) flat = NULL;
  SondeShape shape = { 0 }, line;
  gint64 span;

  *owned = (Owned){ program, given->owner };
  if (!count_span (given, &span))
    {
      release_owner (owned);
      return NULL;
    }
  line = sonde_shape_make (1, span);
  flat = sonde_tensor_new_take ((SondeDtype) given->type, &line, given->data, release_owner, owned);
  copy_dims (&shape, given);
  return sonde_tensor_view (flat, &shape, given->strides, 0);
}

int
sonde_program_measure (const SondeProgramTensor *given, SondeProgramStatistics *result)
{
  SondeShape line, shape = { 0 };
  g_autoptr (SondeTensor) flat = NULL, tensor = NULL;
  SondeStatistics found;
  gint64 span;

  if (!count_span (given, &span))
    return 1;
  line = sonde_shape_make (1, span);
  flat = sonde_tensor_new_take ((SondeDtype) given->type, &line, given->data, NULL, NULL);
  copy_dims (&shape, given);
  tensor = sonde_tensor_view (flat, &shape, given->strides, 0);
  sonde_statistics_compute (tensor, &found);
  *result = (SondeProgramStatistics){ found.count, found.min,      found.max,    found.mean,
                                      found.std,   found.abs_mean, found.zeros,  found.negatives,
                                      found.nan,   found.pos_inf,  found.neg_inf };
  return 0;
}

static SondeTensor *
get_value (gpointer data, const char *name, gboolean previous, GError **error)
{
  SondeProgram *program = data;
  SondeProgramTensor given = { 0 };
  int answer = program->hooks.get_value (program->data, name, previous, &given);
  SondeTensor *tensor = NULL;

  if (answer == SONDE_PROGRAM_DONE)
    tensor = wrap (program, &given);
  if (tensor == NULL)
    sonde_live_program_take_problem (program, answer, name, error);
  return tensor;
}

static gboolean
set_value (gpointer data, const char *name, SondeTensor *tensor, GError **error)
{
  SondeProgram *program = data;
  g_autoptr (SondeTensor) dense = sonde_tensor_contiguous (tensor);
  SondeProgramTensor given
      = { .type = (int) dense->dtype, .rank = dense->shape.rank, .data = dense->data };
  int answer;

  for (int i = 0; i < given.rank; i++)
    {
      given.dims[i] = dense->shape.dims[i];
      given.strides[i] = dense->strides[i];
    }
  answer = program->hooks.set_value (program->data, name, &given);
  if (answer != SONDE_PROGRAM_DONE)
    sonde_live_program_take_problem (program, answer, name, error);
  return answer == SONDE_PROGRAM_DONE;
}

static gboolean
save_value (gpointer data, SondeTensor *tensor, const char *path, GError **error)
{
  return sonde_npy_write (NULL, path, tensor, error);
}

static SondeTensor *
load_value (gpointer data, const char *path, GError **error)
{
  return sonde_npy_read (NULL, path, error);
}

/* ---- lists --------------------------------------------------------------- */

void
sonde_program_put_nodes (SondeProgram *program, const uint32_t *nodes, size_t n)
{
  if (program->listed_nodes != NULL)
    g_array_append_vals (program->listed_nodes, nodes, (guint) MIN (n, SONDE_PROGRAM_MAX_NODES));
}

/* Numbers that there are no nodes of are left out. (element-type ProgramNode) */
static GPtrArray *
ask_for_nodes (SondeProgram *program)
{
  g_autoptr (GArray) numbers = g_array_new (FALSE, FALSE, sizeof (guint32));
  GPtrArray *nodes = g_ptr_array_new ();

  program->listed_nodes = numbers;
  program->hooks.list_nodes (program->data);
  program->listed_nodes = NULL;
  for (guint i = 0; i < numbers->len; i++)
    {
      guint32 number = g_array_index (numbers, guint32, i);

      if (number > 0 && number < program->nodes->len)
        g_ptr_array_add (nodes, g_ptr_array_index (program->nodes, number));
    }
  return nodes;
}

static char **
list_nodes (gpointer data)
{
  g_autoptr (GPtrArray) nodes = ask_for_nodes (data);
  g_autoptr (GStrvBuilder) names = g_strv_builder_new ();

  for (guint i = 0; i < nodes->len; i++)
    g_strv_builder_add (names, ((const ProgramNode *) g_ptr_array_index (nodes, i))->live.name);
  return g_strv_builder_end (names);
}

static SondeStepInfo *
new_step (const ProgramNode *node)
{
  SondeStepInfo *step = g_new0 (SondeStepInfo, 1);

  step->name = g_strdup (node->live.name);
  step->op = g_strdup (node->live.op);
  step->phase = node->live.phase;
  step->scope = g_strdup (node->live.scope);
  step->nodes = g_strdupv ((char *[]){ step->name, NULL });
  step->originals = g_new0 (char *, 1);
  step->inputs = g_strdupv (node->inputs);
  step->outputs = g_strdupv (node->outputs);
  step->types = g_strdupv (node->types);
  step->implementation = g_strdup ("PyTorch");
  step->functions = g_strdupv (node->functions);
  return step;
}

static GPtrArray *
list_steps (gpointer data)
{
  g_autoptr (GPtrArray) nodes = ask_for_nodes (data);
  GPtrArray *steps = g_ptr_array_new_with_free_func ((GDestroyNotify) sonde_step_info_free);

  for (guint i = 0; i < nodes->len; i++)
    {
      const ProgramNode *node = g_ptr_array_index (nodes, i);

      if (node->live.kind == SONDE_LIVE_OPERATOR)
        g_ptr_array_add (steps, new_step (node));
    }
  return steps;
}

void
sonde_program_add_value (SondeProgram *program, const char *name, const char *type, int role,
                         const char *producer, int is_there)
{
  SondeValueInfo *value;

  if (program->listed == NULL)
    return;
  value = g_new0 (SondeValueInfo, 1);
  value->name = g_strdup (name);
  value->type = g_strdup (type);
  value->role = role >= 0 && role <= SONDE_ROLE_STATE ? (SondeValueRole) role : SONDE_ROLE_NORMAL;
  value->producer = g_strdup (producer);
  value->available = is_there != 0;
  g_ptr_array_add (program->listed, value);
}

static GPtrArray *
list_values (gpointer data)
{
  SondeProgram *program = data;

  program->listed = g_ptr_array_new_with_free_func ((GDestroyNotify) sonde_value_info_free);
  program->hooks.list_values (program->data);
  return g_steal_pointer (&program->listed);
}

void
sonde_program_add_frame (SondeProgram *program, int is_module, const char *place, const char *what)
{
  SondeFrame *frame;

  if (program->listed == NULL)
    return;
  frame = g_new0 (SondeFrame, 1);
  frame->kind = is_module ? SONDE_FRAME_MODULE : SONDE_FRAME_PYTHON;
  frame->node = g_strdup ("");
  frame->op = g_strdup ("");
  frame->body = g_strdup ("");
  frame->iteration = -1;
  frame->at = g_utf8_make_valid (place, -1);
  frame->at_op = g_utf8_make_valid (what, -1);
  frame->originals = g_new0 (char *, 1);
  frame->scopes = g_ptr_array_new_with_free_func ((GDestroyNotify) sonde_frame_scope_free);
  g_ptr_array_add (program->listed, frame);
}

static GPtrArray *
get_frames (gpointer data)
{
  SondeProgram *program = data;

  program->listed = g_ptr_array_new_with_free_func ((GDestroyNotify) sonde_frame_free);
  program->hooks.list_frames (program->data);
  return g_steal_pointer (&program->listed);
}

/* On the thread that reads the socket. */
static void
wake (gpointer data)
{
  SondeProgram *program = data;

  atomic_store (&program->flags[0], SONDE_PROGRAM_BEFORE | SONDE_PROGRAM_AFTER);
  if (program->hooks.add_call != NULL
      && program->hooks.add_call (program->hooks.call, program->data) != 0)
    g_debug ("the program takes no calls now; its next node is waited for");
}

const SondeLiveHooks sonde_live_hooks_of_program = {
  .list_nodes = list_nodes,
  .get_value = get_value,
  .list_steps = list_steps,
  .list_values = list_values,
  .set_value = set_value,
  .load_value = load_value,
  .save_value = save_value,
  .get_frames = get_frames,
  .check_into = sonde_live_program_check_into,
  .go_back = sonde_live_program_go_back,
  .find_origin = sonde_live_program_find_origin,
  .save_capture = sonde_live_program_save_capture,
  .profile = sonde_live_program_profile,
  .list_sharing = sonde_live_program_list_sharing,
  .wake = wake,
};
