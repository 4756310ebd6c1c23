/* SPDX-License-Identifier: Apache-2.0
 * Edits, differences, branches -> messages. */
#include "engine/session/sonde-session-server-private.h"

static char **
keep_strings (SondeSessionAnswer *answer, char **strings, gsize *n)
{
  guint length = strings != NULL ? g_strv_length (strings) : 0;
  char **copy = sonde_session_answer_strings (answer, length);

  for (*n = 0; *n < length; (*n)++)
    copy[*n] = sonde_session_answer_strdup (answer, strings[*n]);
  return copy;
}

static Sonde__Session__Edit *
make_edit (SondeSessionAnswer *answer, const SondeEdit *edit)
{
  Sonde__Session__Edit *message = sonde_session_answer_alloc (answer, sizeof *message);

  sonde__session__edit__init (message);
  message->number = edit->number;
  message->kind = (char *) edit->kind;
  message->text = sonde_session_answer_strdup (answer, edit->text);
  message->step = edit->step;
  message->position = edit->position;
  message->node = sonde_session_answer_strdup (answer, edit->node);
  message->branch = edit->branch;
  message->value = sonde_session_answer_strdup (answer, edit->value);
  message->slice = sonde_session_answer_strdup (answer, edit->slice);
  message->form = sonde_session_make_form (answer, edit->dtype, &edit->shape);
  message->count = edit->count;
  message->changed = edit->changed;
  message->truncated = edit->truncated;
  if (edit->has_statistics)
    {
      message->before = sonde_session_make_statistics (answer, &edit->before);
      message->after = sonde_session_make_statistics (answer, &edit->after);
    }
  message->single = edit->is_single;
  message->before_number = edit->before_number;
  message->after_number = edit->after_number;
  message->readers = keep_strings (answer, edit->readers, &message->n_readers);
  message->stale = keep_strings (answer, edit->stale, &message->n_stale);
  message->effect = edit->effect;
  message->warning = sonde_session_answer_strdup (answer, edit->warning);
  return message;
}

void
sonde_session_answer_edits (SondeSessionAnswer *answer, GPtrArray *edits)
{
  answer->reply.edits
      = sonde_session_answer_alloc (answer, edits->len * sizeof (Sonde__Session__Edit *));
  answer->reply.n_edits = edits->len;
  for (guint i = 0; i < edits->len; i++)
    answer->reply.edits[i] = make_edit (answer, g_ptr_array_index (edits, i));
}

static Sonde__Session__Difference *
make_difference (SondeSessionAnswer *answer, const SondeDifference *difference)
{
  Sonde__Session__Difference *message = sonde_session_answer_alloc (answer, sizeof *message);
  const SondeComparison *numbers = &difference->comparison;

  sonde__session__difference__init (message);
  message->value = sonde_session_answer_strdup (answer, difference->value);
  message->node = sonde_session_answer_strdup (answer, difference->node);
  message->op = sonde_session_answer_strdup (answer, difference->op);
  message->place = sonde_session_answer_strdup (answer, difference->place);
  message->form = sonde_session_make_form (answer, difference->dtype, &difference->shape);
  message->count = numbers->count;
  message->differing = numbers->differing;
  message->nan_mismatch = numbers->nan_mismatch;
  message->max_abs = numbers->max_abs;
  message->max_rel = numbers->max_rel;
  message->mean_abs = numbers->mean_abs;
  message->rms = numbers->rms;
  message->cosine = numbers->cosine;
  message->max_reference = numbers->max_reference;
  message->max_ulp = numbers->max_ulp;
  message->index = numbers->index;
  message->number_a = numbers->a;
  message->number_b = numbers->b;
  message->a = sonde_session_make_statistics (answer, &difference->a);
  message->b = sonde_session_make_statistics (answer, &difference->b);
  message->problem = sonde_session_answer_strdup (answer, difference->problem);
  return message;
}

void
sonde_session_answer_differences (SondeSessionAnswer *answer, GPtrArray *differences)
{
  answer->reply.differences = sonde_session_answer_alloc (
      answer, differences->len * sizeof (Sonde__Session__Difference *));
  answer->reply.n_differences = differences->len;
  for (guint i = 0; i < differences->len; i++)
    answer->reply.differences[i] = make_difference (answer, g_ptr_array_index (differences, i));
}

Sonde__Session__BranchInfo *
sonde_session_make_branch (SondeSessionAnswer *answer, const SondeBranch *branch)
{
  Sonde__Session__BranchInfo *message = sonde_session_answer_alloc (answer, sizeof *message);

  sonde__session__branch_info__init (message);
  message->number = branch->number;
  message->parent = branch->parent;
  message->name = sonde_session_answer_strdup (answer, branch->name);
  message->text = sonde_session_answer_strdup (answer, branch->text);
  message->current = branch->current;
  message->n_steps = branch->n_steps;
  message->position = branch->position;
  message->node = sonde_session_answer_strdup (answer, branch->node);
  message->bytes = branch->bytes;
  return message;
}
