/* SPDX-License-Identifier: Apache-2.0
 * Requests that change what runs, and what comes back. */
#include "engine/session/sonde-session-client-private.h"

#include "engine/session/sonde-session-server-private.h"

#define NEW(KIND, type, member)                                                                    \
  sonde_session_request_new (SONDE__SESSION__REQUEST__BODY_##KIND,                                 \
                             sizeof (Sonde__Session__##type),                                      \
                             (void (*) (void *)) sonde__session__##member##__init)

SondeSessionRequest *
sonde_session_request_set (const char *target, const char *what)
{
  SondeSessionRequest *request = NEW (SET, SetValue, set_value);

  request->message.set->target = sonde_session_request_keep (request, target);
  request->message.set->what = sonde_session_request_keep (request, what);
  return request;
}

static SondeSessionRequest *
change_node (gboolean bypass, const char *node, const char *key, const char *value)
{
  SondeSessionRequest *request = NEW (CHANGE_NODE, ChangeNode, change_node);

  request->message.change_node->bypass = bypass;
  request->message.change_node->node = sonde_session_request_keep (request, node);
  request->message.change_node->key = sonde_session_request_keep (request, key);
  request->message.change_node->value = sonde_session_request_keep (request, value);
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
sonde_session_request_rerun (const SondeRerunOptions *spec)
{
  SondeSessionRequest *request = NEW (RERUN, Rerun, rerun);

  request->message.rerun->node = sonde_session_request_keep (request, spec->node);
  request->message.rerun->precision = sonde_session_request_keep (request, spec->precision);
  request->message.rerun->device = sonde_session_request_keep (request, spec->device);
  request->message.rerun->take = spec->take;
  return request;
}

SondeSessionRequest *
sonde_session_request_branch (SondeBranchRequest what, const char *name)
{
  SondeSessionRequest *request = NEW (BRANCH, Branch, branch);

  request->message.branch->what = what;
  request->message.branch->name = sonde_session_request_keep (request, name);
  return request;
}

SondeSessionRequest *
sonde_session_request_diff (const char *a, const char *b)
{
  SondeSessionRequest *request = NEW (DIFF, Diff, diff);

  request->message.diff->a = sonde_session_request_keep (request, a);
  request->message.diff->b = sonde_session_request_keep (request, b);
  return request;
}

/* ---- what comes back ----------------------------------------------------- */

/* What cannot be is a scalar of no type. */
static void
decode_form (const Sonde__Session__Tensor *message, SondeDtype *dtype, SondeShape *shape)
{
  if (message != NULL && sonde_session_decode_form (message, dtype, shape, NULL))
    return;
  *dtype = SONDE_DTYPE_INVALID;
  *shape = sonde_shape_scalar ();
}

static SondeEdit *
decode_edit (const Sonde__Session__Edit *from)
{
  SondeEdit *edit = g_new0 (SondeEdit, 1);

  edit->number = from->number;
  edit->kind = sonde_edit_kind (from->kind);
  edit->text = sonde_session_dup_text (from->text);
  edit->step = from->step;
  edit->position = from->position;
  edit->node = sonde_session_dup_text (from->node);
  edit->branch = from->branch;
  edit->value = sonde_session_dup_text (from->value);
  edit->slice = sonde_session_dup_optional (from->slice);
  decode_form (from->form, &edit->dtype, &edit->shape);
  edit->count = from->count;
  edit->changed = from->changed;
  edit->truncated = from->truncated;
  edit->has_statistics = from->before != NULL && from->after != NULL;
  if (edit->has_statistics)
    {
      sonde_session_decode_statistics (from->before, &edit->before);
      sonde_session_decode_statistics (from->after, &edit->after);
    }
  edit->is_single = from->single;
  edit->before_number = from->before_number;
  edit->after_number = from->after_number;
  edit->readers = sonde_session_dup_texts (from->readers, from->n_readers);
  edit->stale = sonde_session_dup_texts (from->stale, from->n_stale);
  edit->effect = from->effect;
  edit->warning = sonde_session_dup_optional (from->warning);
  return edit;
}

static SondeDifference *
decode_difference (const Sonde__Session__Difference *from)
{
  SondeDifference *difference = g_new0 (SondeDifference, 1);

  difference->value = sonde_session_dup_text (from->value);
  difference->node = sonde_session_dup_optional (from->node);
  difference->op = sonde_session_dup_optional (from->op);
  difference->place = sonde_session_dup_optional (from->place);
  decode_form (from->form, &difference->dtype, &difference->shape);
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
    sonde_session_decode_statistics (from->a, &difference->a);
  if (from->b != NULL)
    sonde_session_decode_statistics (from->b, &difference->b);
  difference->problem = sonde_session_dup_optional (from->problem);
  return difference;
}

static SondeBranch *
decode_branch (const Sonde__Session__BranchInfo *from)
{
  SondeBranch *info = g_new0 (SondeBranch, 1);

  info->number = from->number;
  info->parent = from->parent;
  info->name = sonde_session_dup_text (from->name);
  info->text = sonde_session_dup_text (from->text);
  info->current = from->current;
  info->position = from->position;
  info->n_steps = from->n_steps;
  info->node = sonde_session_dup_text (from->node);
  info->bytes = from->bytes;
  return info;
}

void
sonde_session_decode_changes (const Sonde__Session__Reply *message, SondeSessionReply *reply)
{
  reply->edits = g_ptr_array_new_with_free_func ((GDestroyNotify) sonde_edit_free);
  for (gsize i = 0; i < message->n_edits; i++)
    g_ptr_array_add (reply->edits, decode_edit (message->edits[i]));
  reply->differences = g_ptr_array_new_with_free_func ((GDestroyNotify) sonde_difference_free);
  for (gsize i = 0; i < message->n_differences; i++)
    g_ptr_array_add (reply->differences, decode_difference (message->differences[i]));
  reply->branches = g_ptr_array_new_with_free_func ((GDestroyNotify) sonde_branch_free);
  for (gsize i = 0; i < message->n_branches; i++)
    g_ptr_array_add (reply->branches, decode_branch (message->branches[i]));
  reply->note = sonde_session_dup_optional (message->note);
}
