/* SPDX-License-Identifier: Apache-2.0
 * What a program can do beside the hooks that every one has: going back, origins, captures. */
#include <string.h>

#include "collector/live/sonde-program-private.h"

void
sonde_program_offer (SondeProgram *program, const SondeProgramOffers *offers)
{
  pthread_mutex_lock (&program->lock);
  memset (&program->offers, 0, sizeof program->offers);
  memcpy (&program->offers, offers, MIN (offers->size, sizeof program->offers));
  pthread_mutex_unlock (&program->lock);
}

/* TRUE: it was done. */
static gboolean
take_answer (SondeProgram *program, int answer, const char *name, GError **error)
{
  if (answer != SONDE_PROGRAM_DONE)
    sonde_live_program_take_problem (program, answer, name, error);
  return answer == SONDE_PROGRAM_DONE;
}

static gboolean
refuse (const char *what, GError **error)
{
  sonde_set_error (error, SONDE_ENGINE_ERROR, SONDE_ENGINE_ERROR_UNSUPPORTED,
                   "This program does not offer that: %s.", what);
  return FALSE;
}

/* ---- going back ---------------------------------------------------------- */

gboolean
sonde_live_program_check_into (gpointer data, const char *node, GError **error)
{
  SondeProgram *program = data;

  return program->offers.check_into == NULL
         || take_answer (program, program->offers.check_into (program->data, node), node, error);
}

gboolean
sonde_live_program_go_back (gpointer data, const SondeBack *back, GError **error)
{
  SondeProgram *program = data;
  const char *target = back->target != NULL ? back->target : "";

  if (program->offers.go_back == NULL)
    return refuse ("going back", error);
  return take_answer (
      program,
      program->offers.go_back (program->data, (int) back->kind, MAX (back->count, 1), target),
      target, error);
}

static const SondeLiveNode *
find_node (const SondeProgram *program, uint32_t number)
{
  return number > 0 && number < program->nodes->len
             ? &((const ProgramNode *) g_ptr_array_index (program->nodes, number))->live
             : NULL;
}

static SondeMoment
moment_of (int moment)
{
  return moment == 0 ? SONDE_MOMENT_BEFORE : SONDE_MOMENT_AFTER;
}

void
sonde_program_stop_at (SondeProgram *program, uint32_t number, int moment, int why,
                       const char *problem, const char *thread)
{
  static const SondeStopReason reasons[]
      = { SONDE_STOP_STEP, SONDE_STOP_UNTIL, SONDE_STOP_BEGINNING, SONDE_STOP_BREAKPOINT,
          SONDE_STOP_ERROR };
  const SondeLiveNode *found;

  pthread_mutex_lock (&program->lock);
  found = find_node (program, number);
  if (found != NULL && why >= 0 && why < (int) G_N_ELEMENTS (reasons))
    {
      SondeLiveNode node = *found;

      node.thread = thread;
      sonde_live_loop_stop_at (program->loop, &node, moment_of (moment), reasons[why], problem);
    }
  pthread_mutex_unlock (&program->lock);
}

int
sonde_program_would_stop (SondeProgram *program, uint32_t number, int moment)
{
  const SondeLiveNode *node;
  gboolean stops;

  pthread_mutex_lock (&program->lock);
  node = find_node (program, number);
  stops = node != NULL && sonde_live_loop_would_stop (program->loop, node, moment_of (moment));
  pthread_mutex_unlock (&program->lock);
  return stops;
}

int
sonde_program_matches (SondeProgram *program, uint32_t number, const char *pattern)
{
  const SondeLiveNode *node;
  gboolean matches;

  pthread_mutex_lock (&program->lock);
  node = find_node (program, number);
  matches = node != NULL && sonde_live_node_matches (node, pattern);
  pthread_mutex_unlock (&program->lock);
  return matches;
}

/* ---- origins ------------------------------------------------------------- */

SondeOrigin *
sonde_live_program_find_origin (gpointer data, const char *value, GError **error)
{
  SondeProgram *program = data;
  g_autoptr (SondeOrigin) origin = NULL;

  if (program->offers.find_origin == NULL)
    {
      refuse ("origin", error);
      return NULL;
    }
  origin = g_new0 (SondeOrigin, 1);
  origin->chain = g_ptr_array_new_with_free_func ((GDestroyNotify) sonde_origin_link_free);
  origin->step = MAX (program->step, 1);
  program->origin = origin;
  if (!take_answer (program, program->offers.find_origin (program->data, value), value, error))
    g_clear_pointer (&origin, sonde_origin_free);
  program->origin = NULL;
  if (origin != NULL && origin->cause == NULL)
    origin->cause = sonde_message_new ("nothing more is known");
  return g_steal_pointer (&origin);
}

void
sonde_program_add_link (SondeProgram *program, const char *node, const char *op, const char *value,
                        int phase, const int64_t *shape, int rank, int64_t element, double number)
{
  SondeOriginLink *link;

  if (program->origin == NULL || rank < 0 || rank > SONDE_MAX_RANK)
    return;
  link = g_new0 (SondeOriginLink, 1);
  link->node = g_strdup (node);
  link->op = g_strdup (op);
  link->value = g_strdup (value);
  link->phase = (SondePhase) CLAMP (phase, 0, SONDE_PROGRAM_OPTIMISER);
  link->shape.rank = rank;
  for (int i = 0; i < rank; i++)
    link->shape.dims[i] = shape[i];
  link->element = element;
  link->iteration = -1;
  link->number = number;
  link->step = program->origin->step;
  g_ptr_array_add (program->origin->chain, link);
}

/* The last link becomes what is to blame. */
static void
take_blame (SondeOrigin *origin)
{
  g_autoptr (GPtrArray) chain = g_ptr_array_ref (origin->chain);
  SondeOriginLink *link;

  if (chain->len == 0)
    return;
  link = g_ptr_array_index (chain, chain->len - 1);
  origin->cause_value = g_steal_pointer (&link->value);
  origin->cause_shape = link->shape;
  origin->cause_element = link->element;
  origin->cause_number = link->number;
  g_ptr_array_set_size (chain, (int) chain->len - 1);
}

void
sonde_program_set_cause (SondeProgram *program, const char *node, const char *cause, int has_blame)
{
  SondeOrigin *origin = program->origin;

  if (origin == NULL)
    return;
  g_clear_pointer (&origin->first_bad_node, g_free);
  g_clear_pointer (&origin->cause, sonde_message_free);
  origin->first_bad_node = g_strdup (node);
  origin->cause = cause != NULL ? sonde_message_new_text (cause) : sonde_message_new_empty ();
  if (has_blame)
    take_blame (origin);
}

void
sonde_program_add_cause (SondeProgram *program, const char *id, const char *const *arguments)
{
  if (program->origin != NULL && program->origin->cause != NULL)
    sonde_message_add_part (program->origin->cause, id, arguments);
}

/* ---- captures ------------------------------------------------------------ */

gboolean
sonde_live_program_save_capture (gpointer data, const char *path, const char *const *values,
                                 gboolean batch, GError **error)
{
  SondeProgram *program = data;
  const char *const none[] = { NULL };

  if (program->offers.save_capture == NULL)
    return refuse ("captures", error);
  return take_answer (
      program,
      program->offers.save_capture (program->data, path, values != NULL ? values : none, batch),
      path, error);
}

/* ---- profiles ------------------------------------------------------------ */

void
sonde_program_set_profile (SondeProgram *program, int recording, uint64_t steps, uint64_t bytes,
                           const char *trace)
{
  if (program->profile == NULL)
    return;
  program->profile->status
      = (SondeSpanLogStatus){ .recording = recording != 0, .steps = steps, .bytes = bytes };
  g_free (program->profile->trace);
  program->profile->trace = trace != NULL ? g_filename_display_name (trace) : NULL;
}

gboolean
sonde_live_program_profile (gpointer data, SondeLiveProfile *profile, GError **error)
{
  SondeProgram *program = data;
  gboolean done;

  if (program->offers.profile == NULL)
    return refuse ("profiles", error);
  program->profile = profile;
  done = take_answer (program,
                      program->offers.profile (program->data, (int) profile->kind, profile->n_steps,
                                               profile->folder),
                      "profile", error);
  program->profile = NULL;
  if (!done)
    g_clear_pointer (&profile->trace, g_free);
  return done;
}

/* ---- memory -------------------------------------------------------------- */

void
sonde_program_add_sharing (SondeProgram *program, const char *value)
{
  if (program->sharing != NULL)
    g_strv_builder_add (program->sharing, value);
}

char **
sonde_live_program_list_sharing (gpointer data, const char *value)
{
  SondeProgram *program = data;
  g_autoptr (GStrvBuilder) sharing = g_strv_builder_new ();

  program->sharing = sharing;
  if (program->offers.list_sharing != NULL)
    program->offers.list_sharing (program->data, value);
  program->sharing = NULL;
  return g_strv_builder_end (sharing);
}
