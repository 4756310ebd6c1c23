/* SPDX-License-Identifier: Apache-2.0 */
#include "engine/session/codec/sonde-codec-changes.h"

#include "engine/session/codec/sonde-codec-message.h"
#include "engine/session/codec/sonde-codec-reply.h"

/* ---- requests ------------------------------------------------------------ */

static SondeSessionRequest *
new_request (Sonde__Session__Request__BodyCase kind)
{
  return sonde_session_request_new (kind, SONDE_SESSION_REPLY_CHANGES);
}

SondeSessionRequest *
sonde_session_request_set (const char *target, const char *what)
{
  SondeSessionRequest *request = new_request (SONDE__SESSION__REQUEST__BODY_SET);

  request->message.set->target = sonde_codec_text (request->memory, target);
  request->message.set->what = sonde_codec_text (request->memory, what);
  return request;
}

static SondeSessionRequest *
change_node (gboolean bypass, const char *node, const char *key, const char *value)
{
  SondeSessionRequest *request = new_request (SONDE__SESSION__REQUEST__BODY_CHANGE_NODE);
  Sonde__Session__ChangeNode *message = request->message.change_node;

  message->bypass = bypass;
  message->node = sonde_codec_text (request->memory, node);
  message->key = sonde_codec_text (request->memory, key);
  message->value = sonde_codec_text (request->memory, value);
  return request;
}

SondeSessionRequest *
sonde_session_request_set_attribute (const char *node, const char *key, const char *value)
{
  return change_node (FALSE, node, key, value);
}

SondeSessionRequest *
sonde_session_request_bypass (const char *node)
{
  return change_node (TRUE, node, NULL, NULL);
}

SondeSessionRequest *
sonde_session_request_rerun (const SondeRerunOptions *options)
{
  SondeSessionRequest *request = new_request (SONDE__SESSION__REQUEST__BODY_RERUN);
  Sonde__Session__Rerun *message = request->message.rerun;

  message->node = sonde_codec_text (request->memory, options->node);
  message->precision = sonde_codec_text (request->memory, options->precision);
  message->device = sonde_codec_text (request->memory, options->device);
  message->take = options->take;
  return request;
}

void
sonde_codec_read_rerun (const Sonde__Session__Rerun *message, SondeRerunOptions *options)
{
  *options = (SondeRerunOptions){
    .node = message->node,
    .precision = sonde_codec_null_if_empty (message->precision),
    .device = sonde_codec_null_if_empty (message->device),
    .take = message->take,
  };
}

SondeSessionRequest *
sonde_session_request_branch (SondeBranchRequest what, const char *name)
{
  SondeSessionRequest *request = sonde_session_request_new (
      SONDE__SESSION__REQUEST__BODY_BRANCH,
      what == SONDE_BRANCH_EDITS ? SONDE_SESSION_REPLY_CHANGES : SONDE_SESSION_REPLY_BRANCHES);

  request->message.branch->what = what;
  request->message.branch->name = sonde_codec_text (request->memory, name);
  return request;
}

SondeSessionRequest *
sonde_session_request_diff (const char *a, const char *b)
{
  SondeSessionRequest *request = new_request (SONDE__SESSION__REQUEST__BODY_DIFF);

  request->message.diff->a = sonde_codec_text (request->memory, a);
  request->message.diff->b = sonde_codec_text (request->memory, b);
  return request;
}

/* ---- edits --------------------------------------------------------------- */

static Sonde__Session__Changes *
body_of (SondeSessionAnswer *answer)
{
  return sonde_session_answer_body (answer, SONDE__SESSION__REPLY__BODY_CHANGES);
}

static Sonde__Session__Edit *
write_edit (GPtrArray *memory, const SondeEdit *edit)
{
  Sonde__Session__Edit *message = sonde_codec_new (memory, &sonde__session__edit__descriptor);

  message->number = edit->number;
  message->kind = sonde_codec_lend (edit->kind);
  message->text = sonde_codec_text (memory, edit->text);
  message->step = edit->step;
  message->position = edit->position;
  message->node = sonde_codec_text (memory, edit->node);
  message->branch = edit->branch;
  message->value = sonde_codec_text (memory, edit->value);
  message->slice = sonde_codec_text (memory, edit->slice);
  message->form = sonde_codec_write_form (memory, edit->dtype, &edit->shape);
  message->count = edit->count;
  message->changed = edit->changed;
  message->truncated = edit->truncated;
  if (edit->has_statistics)
    {
      message->before = sonde_codec_write_statistics (memory, &edit->before);
      message->after = sonde_codec_write_statistics (memory, &edit->after);
    }
  message->single = edit->is_single;
  message->before_number = edit->before_number;
  message->after_number = edit->after_number;
  message->readers
      = sonde_codec_texts (memory, (const char *const *) edit->readers, &message->n_readers);
  message->stale = sonde_codec_texts (memory, (const char *const *) edit->stale, &message->n_stale);
  message->effect = edit->effect;
  sonde_codec_write_message (memory, edit->warning, &message->warning, &message->warning_parts,
                             &message->n_warning_parts);
  return message;
}

void
sonde_codec_write_edits (SondeSessionAnswer *answer, const GPtrArray *edits)
{
  Sonde__Session__Changes *message = body_of (answer);

  message->edits = sonde_codec_list (answer->memory, edits->len);
  message->n_edits = edits->len;
  for (guint i = 0; i < edits->len; i++)
    message->edits[i] = write_edit (answer->memory, g_ptr_array_index (edits, i));
}

void
sonde_codec_write_note (SondeSessionAnswer *answer, const SondeMessage *note)
{
  Sonde__Session__Changes *message = body_of (answer);

  sonde_codec_write_message (answer->memory, note, &message->note, &message->note_parts,
                             &message->n_note_parts);
}

/* What cannot be is a scalar of no type. */
static void
read_form (const Sonde__Session__Tensor *message, SondeDtype *dtype, SondeShape *shape)
{
  if (message != NULL && sonde_codec_read_form (message, dtype, shape, NULL))
    return;
  *dtype = SONDE_DTYPE_INVALID;
  *shape = sonde_shape_scalar ();
}

static SondeEdit *
read_edit (const Sonde__Session__Edit *from)
{
  SondeEdit *edit = g_new0 (SondeEdit, 1);

  edit->number = from->number;
  edit->kind = sonde_edit_kind (from->kind);
  edit->text = sonde_codec_dup (from->text);
  edit->step = from->step;
  edit->position = from->position;
  edit->node = sonde_codec_dup (from->node);
  edit->branch = from->branch;
  edit->value = sonde_codec_dup (from->value);
  edit->slice = sonde_codec_dup_optional (from->slice);
  read_form (from->form, &edit->dtype, &edit->shape);
  edit->count = from->count;
  edit->changed = from->changed;
  edit->truncated = from->truncated;
  edit->has_statistics = from->before != NULL && from->after != NULL;
  if (edit->has_statistics)
    {
      sonde_codec_read_statistics (from->before, &edit->before);
      sonde_codec_read_statistics (from->after, &edit->after);
    }
  edit->is_single = from->single;
  edit->before_number = from->before_number;
  edit->after_number = from->after_number;
  edit->readers = sonde_codec_dup_texts (from->readers, from->n_readers);
  edit->stale = sonde_codec_dup_texts (from->stale, from->n_stale);
  edit->effect = from->effect;
  edit->warning
      = sonde_codec_read_message (from->warning, from->warning_parts, from->n_warning_parts);
  return edit;
}

/* ---- differences --------------------------------------------------------- */

static Sonde__Session__Difference *
write_difference (GPtrArray *memory, const SondeDifference *difference)
{
  Sonde__Session__Difference *message
      = sonde_codec_new (memory, &sonde__session__difference__descriptor);
  const SondeComparison *numbers = &difference->comparison;

  message->value = sonde_codec_text (memory, difference->value);
  message->node = sonde_codec_text (memory, difference->node);
  message->op = sonde_codec_text (memory, difference->op);
  message->place = sonde_codec_text (memory, difference->place);
  message->form = sonde_codec_write_form (memory, difference->dtype, &difference->shape);
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
  message->a = sonde_codec_write_statistics (memory, &difference->a);
  message->b = sonde_codec_write_statistics (memory, &difference->b);
  sonde_codec_write_message (memory, difference->problem, &message->problem,
                             &message->problem_parts, &message->n_problem_parts);
  return message;
}

void
sonde_codec_write_differences (SondeSessionAnswer *answer, const GPtrArray *differences,
                               gboolean of_branches)
{
  Sonde__Session__Changes *message = body_of (answer);

  message->branches = of_branches;
  message->differences = sonde_codec_list (answer->memory, differences->len);
  message->n_differences = differences->len;
  for (guint i = 0; i < differences->len; i++)
    message->differences[i] = write_difference (answer->memory, g_ptr_array_index (differences, i));
}

static SondeDifference *
read_difference (const Sonde__Session__Difference *from)
{
  SondeDifference *difference = g_new0 (SondeDifference, 1);

  difference->value = sonde_codec_dup (from->value);
  difference->node = sonde_codec_dup_optional (from->node);
  difference->op = sonde_codec_dup_optional (from->op);
  difference->place = sonde_codec_dup_optional (from->place);
  read_form (from->form, &difference->dtype, &difference->shape);
  difference->comparison = (SondeComparison){
    .count = from->count,
    .differing = from->differing,
    .nan_mismatch = from->nan_mismatch,
    .max_abs = from->max_abs,
    .max_rel = from->max_rel,
    .mean_abs = from->mean_abs,
    .rms = from->rms,
    .cosine = from->cosine,
    .max_reference = from->max_reference,
    .max_ulp = from->max_ulp,
    .index = from->index,
    .a = from->number_a,
    .b = from->number_b,
  };
  if (from->a != NULL)
    sonde_codec_read_statistics (from->a, &difference->a);
  if (from->b != NULL)
    sonde_codec_read_statistics (from->b, &difference->b);
  difference->problem
      = sonde_codec_read_message (from->problem, from->problem_parts, from->n_problem_parts);
  return difference;
}

/* ---- the reply of changes ------------------------------------------------ */

static gboolean
read_changes (const Sonde__Session__Reply *message, SondeSessionReply *reply,
              SondeReplySource *source, GError **error)
{
  const Sonde__Session__Changes *from = message->changes;

  reply->edits = g_ptr_array_new_with_free_func ((GDestroyNotify) sonde_edit_free);
  for (gsize i = 0; i < from->n_edits; i++)
    g_ptr_array_add (reply->edits, read_edit (from->edits[i]));
  reply->differences = g_ptr_array_new_with_free_func ((GDestroyNotify) sonde_difference_free);
  for (gsize i = 0; i < from->n_differences; i++)
    g_ptr_array_add (reply->differences, read_difference (from->differences[i]));
  reply->of_branches = from->branches;
  reply->note = sonde_codec_read_message (from->note, from->note_parts, from->n_note_parts);
  return TRUE;
}

static void
clear_changes (SondeSessionReply *reply)
{
  g_clear_pointer (&reply->edits, g_ptr_array_unref);
  g_clear_pointer (&reply->differences, g_ptr_array_unref);
  g_clear_pointer (&reply->note, sonde_message_free);
}

const SondeReplyCodec sonde_codec_changes
    = { SONDE_SESSION_REPLY_CHANGES, read_changes, clear_changes };

/* ---- branches ------------------------------------------------------------ */

static Sonde__Session__BranchInfo *
write_branch (GPtrArray *memory, const SondeBranch *branch)
{
  Sonde__Session__BranchInfo *message
      = sonde_codec_new (memory, &sonde__session__branch_info__descriptor);

  message->number = branch->number;
  message->parent = branch->parent;
  message->name = sonde_codec_text (memory, branch->name);
  message->text = sonde_codec_text (memory, branch->text);
  message->current = branch->current;
  message->n_steps = branch->n_steps;
  message->position = branch->position;
  message->node = sonde_codec_text (memory, branch->node);
  message->bytes = branch->bytes;
  return message;
}

void
sonde_codec_write_branches (SondeSessionAnswer *answer, const GPtrArray *branches)
{
  Sonde__Session__Branches *message
      = sonde_session_answer_body (answer, SONDE__SESSION__REPLY__BODY_BRANCHES);

  message->branches = sonde_codec_list (answer->memory, branches->len);
  message->n_branches = branches->len;
  for (guint i = 0; i < branches->len; i++)
    message->branches[i] = write_branch (answer->memory, g_ptr_array_index (branches, i));
}

static SondeBranch *
read_branch (const Sonde__Session__BranchInfo *from)
{
  SondeBranch *branch = g_new0 (SondeBranch, 1);

  branch->number = from->number;
  branch->parent = from->parent;
  branch->name = sonde_codec_dup (from->name);
  branch->text = sonde_codec_dup (from->text);
  branch->current = from->current;
  branch->position = from->position;
  branch->n_steps = from->n_steps;
  branch->node = sonde_codec_dup (from->node);
  branch->bytes = from->bytes;
  return branch;
}

static gboolean
read_branches (const Sonde__Session__Reply *message, SondeSessionReply *reply,
               SondeReplySource *source, GError **error)
{
  reply->branches = g_ptr_array_new_with_free_func ((GDestroyNotify) sonde_branch_free);
  for (gsize i = 0; i < message->branches->n_branches; i++)
    g_ptr_array_add (reply->branches, read_branch (message->branches->branches[i]));
  return TRUE;
}

static void
clear_branches (SondeSessionReply *reply)
{
  g_clear_pointer (&reply->branches, g_ptr_array_unref);
}

const SondeReplyCodec sonde_codec_branches
    = { SONDE_SESSION_REPLY_BRANCHES, read_branches, clear_branches };
