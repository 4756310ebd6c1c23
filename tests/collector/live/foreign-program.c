/* SPDX-License-Identifier: Apache-2.0 */
#include "tests/collector/live/foreign-program.h"

#include <math.h>
#include <sys/socket.h>
#include <unistd.h>

#define TIMEOUT_MS 20000

static Program *the_program; /* of add_call(), which has no data of its own */

/* ---- what the library asks for ------------------------------------------- */

static int
get_value (void *data, const char *name, int previous, SondeProgramTensor *tensor)
{
  Program *program = data;

  if (previous)
    {
      sonde_program_set_problem (program->live, "Nothing is kept of the step before.");
      return SONDE_PROGRAM_ABSENT;
    }
  *tensor = (SondeProgramTensor){ .type = 2, .rank = 2, .dims = { 4, 3 }, .strides = { 3, 1 } };
  tensor->data = program->numbers;
  tensor->owner = program;
  if (program->is_broken)
    tensor->strides[0] = -3;
  if (g_str_equal (name, "lin/half"))
    {
      tensor->dims[0] = 2;
      tensor->strides[0] = 6;
    }
  else if (g_str_equal (name, "lin.weight"))
    {
      tensor->rank = 0;
      tensor->data = &program->weight;
    }
  else if (!g_str_equal (name, "lin/mul"))
    return SONDE_PROGRAM_UNKNOWN;
  return SONDE_PROGRAM_DONE;
}

static int
set_value (void *data, const char *name, const SondeProgramTensor *tensor)
{
  Program *program = data;

  if (!g_str_equal (name, "lin.weight"))
    return SONDE_PROGRAM_UNABLE;
  g_assert_cmpint (tensor->type, ==, 2);
  g_assert_cmpint (tensor->rank, ==, 0);
  program->weight = *(const float *) tensor->data;
  return SONDE_PROGRAM_DONE;
}

static void
release (void *data, void *owner)
{
  g_assert_true (owner == data);
  ((Program *) data)->n_released++;
}

static void
list_nodes (void *data)
{
  Program *program = data;

  sonde_program_put_nodes (program->live, program->ids, N_NODES);
  sonde_program_put_nodes (program->live, (const uint32_t[]){ 0, 4711 }, 2); /* no nodes */
}

static void
list_values (void *data)
{
  Program *program = data;

  sonde_program_add_value (program->live, "lin.weight", "float32", 2, NULL, 1);
  sonde_program_add_value (program->live, "lin/mul", "float32 4×3", 0, "lin/mul", 0);
}

static void
list_frames (void *data)
{
  Program *program = data;

  sonde_program_add_frame (program->live, 1, "lin", "Linear");
  sonde_program_add_frame (program->live, 0, "train.py:3 in forward", "return x * w");
}

static int
add_call (int (*call) (void *data), void *data)
{
  atomic_fetch_add (&the_program->n_calls, 1);
  return 0;
}

static int
call (void *data)
{
  sonde_program_answer (((Program *) data)->live);
  return 0;
}

const SondeProgramHooks program_hooks = { .get_value = get_value,
                                          .set_value = set_value,
                                          .release = release,
                                          .list_nodes = list_nodes,
                                          .list_values = list_values,
                                          .list_frames = list_frames,
                                          .add_call = add_call,
                                          .call = call };

/* ---- the program --------------------------------------------------------- */

static void
add_nodes (Program *program)
{
  const char *const mul[] = { "lin/mul", NULL }, *const half[] = { "lin/half", NULL },
                    *const lin[] = { "lin", NULL }, *const weight[] = { "lin.weight", NULL },
                    *const functions[] = { "multiply", NULL };
  const SondeProgramNode nodes[N_NODES] = {
    [MODULE]
    = { .name = "lin", .op = "Linear", .scope = "lin", .begins = "lin", .kind = 1, .outputs = lin },
    [MULTIPLY] = { .name = "lin/mul",
                   .op = "mul",
                   .functions = functions,
                   .scope = "lin",
                   .begins = "lin",
                   .inputs = weight,
                   .outputs = mul,
                   .source = "train.py:3 in forward" },
    [HALF] = { .name = "lin/half",
               .op = "slice",
               .scope = "lin",
               .inputs = mul,
               .outputs = half,
               .unjudged = 1 },
    [WEIGHT] = { .name = "lin.weight",
                 .op = "parameter",
                 .kind = 2,
                 .makes = 1,
                 .phase = SONDE_PROGRAM_OPTIMISER,
                 .outputs = weight },
  };

  for (int k = 0; k < N_NODES; k++)
    program->ids[k] = sonde_program_add_node (program->live, &nodes[k]);
  g_assert_cmpuint (program->ids[MODULE], ==, 1);
}

static void
pass (Program *program, int node, int moment)
{
  unsigned char flag = moment == 0 ? SONDE_PROGRAM_BEFORE : SONDE_PROGRAM_AFTER;

  if (((program->flags[program->ids[node]] | program->flags[0]) & flag) == 0)
    return;
  if (!sonde_program_pass (program->live, program->ids[node], moment, "worker"))
    return;
  if (sonde_program_is_bad (program->live))
    {
      atomic_fetch_add (&program->n_bad, 1);
      sonde_program_tell (program->live, "the batch is in a.sondecap");
    }
  while (sonde_program_stand (program->live))
    ;
  if (!program->goes_back)
    return;
  program->goes_back = FALSE;
  sonde_program_stop_at (program->live, program->ids[MULTIPLY], 0, 1, NULL, "worker");
  while (sonde_program_stand (program->live))
    ;
}

static void
fail (Program *program)
{
  if (sonde_program_fail (program->live, program->ids[MULTIPLY], "ShapeError: 4×3 by 2", "worker"))
    while (sonde_program_stand (program->live))
      ;
  atomic_fetch_add (&program->n_steps, 1);
}

static void
run_step (Program *program)
{
  sonde_program_begin_step (program->live, ++program->step);
  pass (program, MODULE, 0);
  if (program->step == 1)
    pass (program, WEIGHT, 0);
  pass (program, MULTIPLY, 0);
  if (program->step == program->fails_at)
    {
      fail (program);
      return;
    }
  for (int i = 0; i < 12; i++)
    program->numbers[i / 3][i % 3] = (float) i * program->weight;
  if (program->step == program->breaks_at)
    program->numbers[1][1] = NAN;
  pass (program, MULTIPLY, 1);
  pass (program, HALF, 0);
  pass (program, HALF, 1);
  pass (program, MODULE, 1);
  pass (program, WEIGHT, 0);
  if (program->step != program->rests_at)
    program->weight += 1;
  pass (program, WEIGHT, 1);
  atomic_fetch_add (&program->n_steps, 1);
}

static void *
run (void *data)
{
  Program *program = data;

  sonde_program_wait (program->live);
  while (sonde_program_stand (program->live))
    ;
  while (!atomic_load (&program->ends))
    {
      if (atomic_exchange (&program->n_calls, 0) > 0)
        program_hooks.call (program);
      run_step (program);
    }
  return NULL;
}

/* ---- the client ---------------------------------------------------------- */

SondeSessionReply *
ask (Program *program, SondeSessionRequest *request)
{
  g_autoptr (GError) error = NULL;
  SondeSessionReply *reply
      = sonde_session_client_call (program->client, request, TIMEOUT_MS, &error);

  g_assert_no_error (error);
  return reply;
}

void
tell (Program *program, SondeSessionRequest *request)
{
  g_autoptr (SondeSessionReply) reply = ask (program, request);
}

void
tell_fails (Program *program, SondeSessionRequest *request, int code, const char *text)
{
  g_autoptr (GError) error = NULL;
  g_autoptr (SondeSessionReply) reply
      = sonde_session_client_call (program->client, request, TIMEOUT_MS, &error);

  g_assert_null (reply);
  g_assert_error (error, SONDE_ENGINE_ERROR, code);
  g_assert_cmpstr (error->message, ==, text);
}

SondeSessionEvent *
wait_for (Program *program, SondeSessionState state)
{
  while (TRUE)
    {
      g_autoptr (SondeSessionEvent) event
          = sonde_session_client_wait_event (program->client, TIMEOUT_MS);

      g_assert_nonnull (event);
      if (event->status != NULL && event->status->state == state)
        return g_steal_pointer (&event);
    }
}

SondeSessionEvent *
go (Program *program, SondeResumeKind kind, const char *target)
{
  const SondeResume how = { .kind = kind, .target = target };

  tell (program, sonde_session_request_resume (&how));
  return wait_for (program, SONDE_SESSION_PAUSED);
}

void
stop_at (Program *program, const char *pattern, gboolean after)
{
  const SondeBreakpointSpec spec
      = { .pattern = pattern, .moment = after ? SONDE_MOMENT_AFTER : SONDE_MOMENT_BEFORE };

  tell (program, sonde_session_request_add_breakpoint (&spec));
}

void
begin (Program *program)
{
  int ends[2];

  *program = (Program){ .weight = 1 };
  the_program = program;
  program->live = sonde_program_new (&program_hooks, program, "toy", FALSE, NULL);
  g_assert_nonnull (program->live);
  program->flags = sonde_program_get_flags (program->live);
  add_nodes (program);
  g_assert_cmpint (socketpair (AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends), ==, 0);
  g_assert_true (sonde_program_add_fd (program->live, ends[1]));
  program->client = sonde_session_client_new_fd (ends[0], NULL);
  g_assert_nonnull (program->client);
  g_assert_cmpint (pthread_create (&program->thread, NULL, run, program), ==, 0);
  sonde_session_event_free (wait_for (program, SONDE_SESSION_READY));
}

void
finish (Program *program)
{
  atomic_store (&program->ends, TRUE);
  g_clear_object (&program->client); /* what it stopped goes on */
  pthread_join (program->thread, NULL);
  sonde_program_free (program->live);
}
