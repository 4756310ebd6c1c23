/* SPDX-License-Identifier: Apache-2.0
 * A program that is debugged: its life, its nodes, where it stands. */
#include "collector/live/sonde-program-private.h"

int
sonde_program_version (void)
{
  return SONDE_PROGRAM_VERSION;
}

/* ---- life ---------------------------------------------------------------- */

static void
free_node (gpointer data)
{
  ProgramNode *node = data;

  if (node == NULL)
    return;
  g_free ((char *) node->live.name);
  g_free ((char *) node->live.op);
  g_free ((char *) node->live.scope);
  g_free ((char *) node->live.begins);
  g_free ((char *) node->live.source);
  g_strfreev (node->functions);
  g_strfreev (node->inputs);
  g_strfreev (node->outputs);
  g_strfreev (node->types);
  g_clear_pointer (&node->looks, g_ptr_array_unref);
  g_free (node);
}

static void
init_lock (pthread_mutex_t *lock)
{
  pthread_mutexattr_t attributes;

  pthread_mutexattr_init (&attributes);
  pthread_mutexattr_settype (&attributes, PTHREAD_MUTEX_RECURSIVE);
  pthread_mutex_init (lock, &attributes);
  pthread_mutexattr_destroy (&attributes);
}

SondeProgram *
sonde_program_new (const SondeProgramHooks *hooks, void *data, const char *title, int listens,
                   char **error)
{
  const SondeSessionServerOptions options
      = { .client_lost = SONDE_CLIENT_LOST_CONTINUE, .listen = listens != 0, .title = title };
  g_autoptr (GError) failure = NULL;
  SondeSessionServer *server = sonde_session_server_new (&options, &failure);
  SondeProgram *program;

  if (error != NULL)
    *error = failure != NULL ? g_strdup (failure->message) : NULL;
  if (server == NULL)
    return NULL;
  program = g_new0 (SondeProgram, 1);
  program->hooks = *hooks;
  program->data = data;
  program->server = server;
  program->nodes = g_ptr_array_new_with_free_func (free_node);
  g_ptr_array_add (program->nodes, NULL);
  program->flags = g_new0 (_Atomic unsigned char, SONDE_PROGRAM_MAX_NODES);
  init_lock (&program->lock);
  program->loop = sonde_live_loop_new (&sonde_live_hooks_of_program, program);
  sonde_session_server_join_loop (server, program->loop, SONDE_ACTIVITY_PYTORCH, title);
  return program;
}

void
sonde_program_free (SondeProgram *program)
{
  if (program == NULL)
    return;
  pthread_mutex_lock (&program->lock);
  sonde_session_server_leave_loop (program->server);
  sonde_session_server_free (program->server);
  sonde_live_loop_free (program->loop);
  pthread_mutex_unlock (&program->lock);
  pthread_mutex_destroy (&program->lock);
  g_ptr_array_unref (program->nodes);
  g_free ((gpointer) program->flags);
  g_free (program->problem);
  g_free (program);
}

void
sonde_program_before_fork (SondeProgram *program)
{
  sonde_session_server_before_fork (program->server);
}

void
sonde_program_after_fork (SondeProgram *program, int is_child)
{
  sonde_session_server_after_fork (program->server, is_child != 0);
}

void
sonde_program_free_text (char *text)
{
  g_free (text);
}

/* ---- its clients --------------------------------------------------------- */

int
sonde_program_add_fd (SondeProgram *program, int fd)
{
  return sonde_session_server_add_fd (program->server, fd, NULL);
}

const char *
sonde_program_get_socket (SondeProgram *program)
{
  return sonde_session_server_get_socket_path (program->server);
}

int
sonde_program_is_heard (SondeProgram *program)
{
  return sonde_session_server_is_heard (program->server);
}

void
sonde_program_describe (SondeProgram *program, const char *title, int64_t steps_before)
{
  pthread_mutex_lock (&program->lock);
  sonde_session_server_describe_loop (program->server, title, steps_before);
  pthread_mutex_unlock (&program->lock);
}

/* ---- nodes --------------------------------------------------------------- */

const volatile unsigned char *
sonde_program_get_flags (SondeProgram *program)
{
  return (const volatile unsigned char *) program->flags;
}

int
sonde_program_is_armed (SondeProgram *program)
{
  gboolean armed;

  pthread_mutex_lock (&program->lock);
  armed = sonde_live_loop_is_armed (program->loop);
  pthread_mutex_unlock (&program->lock);
  return armed;
}

int
sonde_program_reaches_operators (SondeProgram *program)
{
  gboolean reaches;

  pthread_mutex_lock (&program->lock);
  reaches = sonde_live_loop_reaches_operators (program->loop);
  pthread_mutex_unlock (&program->lock);
  return reaches;
}

static char **
dup_list (const char *const *list)
{
  return list != NULL ? g_strdupv ((char **) list) : g_new0 (char *, 1);
}

static ProgramNode *
new_node (const SondeProgramNode *from)
{
  ProgramNode *node = g_new0 (ProgramNode, 1);

  node->functions = dup_list (from->functions);
  node->inputs = dup_list (from->inputs);
  node->outputs = dup_list (from->outputs);
  node->types = dup_list (from->types);
  node->live = (SondeLiveNode){
    .name = g_strdup (from->name),
    .op = g_strdup (from->op),
    .functions = (const char *const *) node->functions,
    .scope = g_strdup (from->scope),
    .begins = g_strdup (from->begins),
    .phase = (SondePhase) CLAMP (from->phase, 0, SONDE_PROGRAM_OPTIMISER),
    .kind = (SondeLiveNodeKind) CLAMP (from->kind, 0, SONDE_PROGRAM_VALUE),
    .target = (SondeConditionTarget) CLAMP (from->makes, 0, SONDE_PROGRAM_ACTIVATION),
    .outputs = (const char *const *) node->outputs,
    .unjudged = from->unjudged != 0,
    .source = g_strdup (from->source),
  };
  return node;
}

static void
arm (SondeProgram *program, guint number)
{
  ProgramNode *node = g_ptr_array_index (program->nodes, number);
  guint wanted = sonde_live_loop_wants (program->loop, &node->live);

  g_clear_pointer (&node->looks, g_ptr_array_unref);
  if ((wanted & SONDE_LIVE_WANTS_LOOK) != 0)
    node->looks = sonde_live_loop_get_looks (program->loop, &node->live);
  atomic_store_explicit (&program->flags[number], (unsigned char) wanted, memory_order_relaxed);
}

/* After anything that a client may have done. */
static void
update_flags (SondeProgram *program)
{
  guint64 arming = sonde_live_loop_get_arming (program->loop);

  if (arming == program->arming)
    return;
  program->arming = arming;
  for (guint i = 1; i < program->nodes->len; i++)
    arm (program, i);
}

uint32_t
sonde_program_add_node (SondeProgram *program, const SondeProgramNode *node)
{
  guint number;

  if (node->name == NULL || node->op == NULL)
    return 0;
  pthread_mutex_lock (&program->lock);
  number = program->nodes->len < SONDE_PROGRAM_MAX_NODES ? program->nodes->len : 0;
  if (number > 0)
    {
      g_ptr_array_add (program->nodes, new_node (node));
      arm (program, number);
    }
  pthread_mutex_unlock (&program->lock);
  return number;
}

void
sonde_program_set_types (SondeProgram *program, uint32_t number, const char *const *types)
{
  pthread_mutex_lock (&program->lock);
  if (number > 0 && number < program->nodes->len)
    {
      ProgramNode *node = g_ptr_array_index (program->nodes, number);

      g_strfreev (node->types);
      node->types = dup_list (types);
    }
  pthread_mutex_unlock (&program->lock);
}

void
sonde_program_set_outputs (SondeProgram *program, uint32_t number, const char *const *outputs)
{
  pthread_mutex_lock (&program->lock);
  if (number > 0 && number < program->nodes->len)
    {
      ProgramNode *node = g_ptr_array_index (program->nodes, number);

      g_strfreev (node->outputs);
      node->outputs = dup_list (outputs);
      node->live.outputs = (const char *const *) node->outputs;
      arm (program, number);
    }
  pthread_mutex_unlock (&program->lock);
}

void
sonde_program_begin_step (SondeProgram *program, uint64_t number)
{
  pthread_mutex_lock (&program->lock);
  program->step = number;
  sonde_live_loop_begin_step (program->loop, number);
  sonde_session_server_report_progress (program->server);
  pthread_mutex_unlock (&program->lock);
}

/* ---- standing ------------------------------------------------------------ */

int
sonde_program_pass (SondeProgram *program, uint32_t number, int moment, const char *thread)
{
  gboolean wanted = FALSE;

  pthread_mutex_lock (&program->lock);
  atomic_store (&program->flags[0], 0);
  if (number > 0 && number < program->nodes->len)
    {
      SondeLiveNode node = ((ProgramNode *) g_ptr_array_index (program->nodes, number))->live;

      node.thread = thread;
      wanted = sonde_live_loop_pass (program->loop, &node,
                                     moment == 0 ? SONDE_MOMENT_BEFORE : SONDE_MOMENT_AFTER);
    }
  update_flags (program);
  pthread_mutex_unlock (&program->lock);
  return wanted;
}

static gboolean
is_sound (const SondeProgram *program, uint32_t place, const void *data, size_t n)
{
  const guint number = place >> 8, output = place >> 4 & 15;
  const SondeDtype dtype = (SondeDtype) (place & 15);
  const ProgramNode *node = number > 0 && number < program->nodes->len
                                ? g_ptr_array_index (program->nodes, number)
                                : NULL;
  const SondeLiveLook *look;

  if (node == NULL || node->looks == NULL || output >= node->looks->len || dtype < SONDE_DTYPE_F64
      || dtype > SONDE_DTYPE_BOOL || (data == NULL && n > 0))
    return FALSE;
  look = g_ptr_array_index (node->looks, output);
  return look == NULL || sonde_live_look_is_sound (look, dtype, data, n);
}

int
sonde_program_look (SondeProgram *program, uint32_t place, const void *data, size_t n)
{
  gboolean sound;

  if (pthread_mutex_trylock (&program->lock) != 0)
    return TRUE;
  /* Changed by somebody else meanwhile: whoever passes sees what holds now. */
  sound = program->arming == sonde_live_loop_get_arming (program->loop)
          && is_sound (program, place, data, n);
  pthread_mutex_unlock (&program->lock);
  return !sound;
}

int
sonde_program_fail (SondeProgram *program, uint32_t number, const char *problem, const char *thread)
{
  gboolean wanted = FALSE;

  pthread_mutex_lock (&program->lock);
  if (number > 0 && number < program->nodes->len)
    {
      SondeLiveNode node = ((ProgramNode *) g_ptr_array_index (program->nodes, number))->live;
      g_autofree char *text = g_utf8_make_valid (problem != NULL ? problem : "", -1);

      node.thread = thread;
      wanted = sonde_live_loop_fail (program->loop, &node, text);
    }
  update_flags (program);
  pthread_mutex_unlock (&program->lock);
  return wanted;
}

int
sonde_program_is_bad (SondeProgram *program)
{
  gboolean is_bad;

  pthread_mutex_lock (&program->lock);
  is_bad = sonde_live_loop_is_bad (program->loop);
  pthread_mutex_unlock (&program->lock);
  return is_bad;
}

void
sonde_program_tell (SondeProgram *program, const char *text)
{
  g_autofree char *valid = g_utf8_make_valid (text, -1);

  pthread_mutex_lock (&program->lock);
  sonde_live_loop_tell (program->loop, valid);
  pthread_mutex_unlock (&program->lock);
}

void
sonde_program_wait (SondeProgram *program)
{
  pthread_mutex_lock (&program->lock);
  sonde_session_server_wait_ready (program->server);
  pthread_mutex_unlock (&program->lock);
}

int
sonde_program_stand (SondeProgram *program)
{
  gboolean stands;

  pthread_mutex_lock (&program->lock);
  stands = sonde_session_server_stand (program->server);
  update_flags (program);
  pthread_mutex_unlock (&program->lock);
  return stands;
}

void
sonde_program_go_on (SondeProgram *program)
{
  pthread_mutex_lock (&program->lock);
  sonde_session_server_go_on (program->server);
  while (sonde_session_server_stand (program->server)) /* what was asked meanwhile */
    sonde_session_server_go_on (program->server);
  update_flags (program);
  pthread_mutex_unlock (&program->lock);
}

void
sonde_program_answer (SondeProgram *program)
{
  if (pthread_mutex_trylock (&program->lock) != 0)
    return;
  atomic_store (&program->flags[0], 0);
  sonde_session_server_answer (program->server);
  update_flags (program);
  pthread_mutex_unlock (&program->lock);
}
