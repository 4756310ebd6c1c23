/* SPDX-License-Identifier: Apache-2.0 */
#include "engine/session/codec/sonde-codec-search.h"

#include "engine/session/codec/sonde-codec-message.h"
#include <string.h>

#include "engine/session/codec/sonde-codec-reply.h"

/* Copies the sizes of @shape. */
static gint64 *
write_dims (GPtrArray *memory, const SondeShape *shape, gsize *n)
{
  gint64 *dims;

  *n = (gsize) MAX (shape->rank, 0);
  dims = sonde_codec_alloc (memory, *n * sizeof (gint64));
  memcpy (dims, shape->dims, *n * sizeof (gint64));
  return dims;
}

/* ---- origin -------------------------------------------------------------- */

SondeSessionRequest *
sonde_session_request_origin (const char *value)
{
  SondeSessionRequest *request = sonde_session_request_new (SONDE__SESSION__REQUEST__BODY_ORIGIN,
                                                            SONDE_SESSION_REPLY_ORIGIN);

  request->message.origin->expression = sonde_codec_text (request->memory, value);
  return request;
}

static Sonde__Session__OriginLink *
write_place (GPtrArray *memory, const char *value, const SondeShape *shape, gint64 element,
             double number)
{
  Sonde__Session__OriginLink *message
      = sonde_codec_new (memory, &sonde__session__origin_link__descriptor);

  message->value = sonde_codec_text (memory, value);
  message->dims = write_dims (memory, shape, &message->n_dims);
  message->element = element;
  message->number = number;
  message->iteration = -1;
  return message;
}

static Sonde__Session__OriginLink *
write_link (GPtrArray *memory, const SondeOriginLink *link)
{
  Sonde__Session__OriginLink *message
      = write_place (memory, link->value, &link->shape, link->element, link->number);

  message->node = sonde_codec_text (memory, link->node);
  message->op = sonde_codec_text (memory, link->op);
  message->phase = link->phase;
  message->iteration = link->iteration;
  message->step = link->step;
  return message;
}

void
sonde_codec_write_origin (SondeSessionAnswer *answer, const SondeOrigin *origin)
{
  Sonde__Session__Origin *message
      = sonde_session_answer_body (answer, SONDE__SESSION__REPLY__BODY_ORIGIN);
  GPtrArray *memory = answer->memory;

  message->chain = sonde_codec_list (memory, origin->chain->len);
  message->n_chain = origin->chain->len;
  for (guint i = 0; i < origin->chain->len; i++)
    message->chain[i] = write_link (memory, g_ptr_array_index (origin->chain, i));
  if (origin->cause_value != NULL)
    message->to_blame = write_place (memory, origin->cause_value, &origin->cause_shape,
                                     origin->cause_element, origin->cause_number);
  message->first_bad_node = sonde_codec_text (memory, origin->first_bad_node);
  sonde_codec_write_message (memory, origin->cause, &message->cause, &message->cause_parts,
                             &message->n_cause_parts);
  message->executed_node = sonde_codec_text (memory, origin->executed_node);
  message->step = origin->step;
}

/* A place that makes no sense becomes a scalar's. */
static void
read_place (const Sonde__Session__OriginLink *message, SondeShape *shape, gint64 *element)
{
  *shape = sonde_shape_scalar ();
  *element = 0;
  if (message->n_dims > SONDE_MAX_RANK)
    return;
  shape->rank = (int) message->n_dims;
  for (gsize d = 0; d < message->n_dims; d++)
    shape->dims[d] = message->dims[d];
  if (message->element >= 0 && message->element < sonde_shape_n_elements (shape))
    *element = message->element;
  else
    *shape = sonde_shape_scalar ();
}

static SondeOriginLink *
read_link (const Sonde__Session__OriginLink *message)
{
  SondeOriginLink *link = g_new0 (SondeOriginLink, 1);

  link->node = sonde_codec_dup_optional (message->node);
  link->op = sonde_codec_dup_optional (message->op);
  link->value = sonde_codec_dup (message->value);
  link->phase = sonde_codec_phase (message->phase);
  link->iteration = message->iteration;
  link->number = message->number;
  link->step = message->step;
  read_place (message, &link->shape, &link->element);
  return link;
}

static gboolean
read_origin (const Sonde__Session__Reply *message, SondeSessionReply *reply,
             SondeReplySource *source, GError **error)
{
  const Sonde__Session__Origin *from = message->origin;
  SondeOrigin *origin = g_new0 (SondeOrigin, 1);

  origin->chain = g_ptr_array_new_with_free_func ((GDestroyNotify) sonde_origin_link_free);
  for (gsize i = 0; i < from->n_chain; i++)
    g_ptr_array_add (origin->chain, read_link (from->chain[i]));
  origin->first_bad_node = sonde_codec_dup_optional (from->first_bad_node);
  origin->cause = sonde_codec_read_message (from->cause, from->cause_parts, from->n_cause_parts);
  if (origin->cause == NULL)
    origin->cause = sonde_message_new_empty ();
  origin->executed_node = sonde_codec_dup_optional (from->executed_node);
  origin->step = from->step;
  if (from->to_blame != NULL)
    {
      origin->cause_value = sonde_codec_dup (from->to_blame->value);
      origin->cause_number = from->to_blame->number;
      read_place (from->to_blame, &origin->cause_shape, &origin->cause_element);
    }
  reply->origin = origin;
  return TRUE;
}

static void
clear_origin (SondeSessionReply *reply)
{
  g_clear_pointer (&reply->origin, sonde_origin_free);
}

const SondeReplyCodec sonde_codec_origin
    = { SONDE_SESSION_REPLY_ORIGIN, read_origin, clear_origin };

/* ---- reduction ----------------------------------------------------------- */

SondeSessionRequest *
sonde_session_request_reduce (const char *node, const char *path)
{
  SondeSessionRequest *request = sonde_session_request_new (SONDE__SESSION__REQUEST__BODY_REDUCE,
                                                            SONDE_SESSION_REPLY_REDUCTION);

  request->message.reduce->expression = sonde_codec_text (request->memory, node);
  request->message.reduce->path = sonde_codec_text (request->memory, path);
  return request;
}

void
sonde_codec_write_reduction (SondeSessionAnswer *answer, const SondeReducedCase *reduced)
{
  Sonde__Session__Reduction *message
      = sonde_session_answer_body (answer, SONDE__SESSION__REPLY__BODY_REDUCTION);
  GPtrArray *memory = answer->memory;

  message->model = sonde_codec_text (memory, reduced->model);
  message->names
      = sonde_codec_texts (memory, (const char *const *) reduced->names, &message->n_names);
  message->files
      = sonde_codec_texts (memory, (const char *const *) reduced->files, &message->n_files);
  message->n_nodes = reduced->n_nodes;
  message->command = sonde_codec_text (memory, reduced->command);
  message->node = sonde_codec_text (memory, reduced->node);
  message->value = sonde_codec_text (memory, reduced->value);
}

static gboolean
read_reduction (const Sonde__Session__Reply *message, SondeSessionReply *reply,
                SondeReplySource *source, GError **error)
{
  const Sonde__Session__Reduction *from = message->reduction;
  SondeReducedCase *reduced = g_new0 (SondeReducedCase, 1);

  reduced->model = sonde_codec_dup (from->model);
  reduced->names = sonde_codec_dup_texts (from->names, MIN (from->n_names, from->n_files));
  reduced->files = sonde_codec_dup_texts (from->files, MIN (from->n_names, from->n_files));
  reduced->n_nodes = from->n_nodes;
  reduced->command = sonde_codec_dup (from->command);
  reduced->node = sonde_codec_dup (from->node);
  reduced->value = sonde_codec_dup (from->value);
  reply->reduction = reduced;
  return TRUE;
}

static void
clear_reduction (SondeSessionReply *reply)
{
  g_clear_pointer (&reply->reduction, sonde_reduced_case_free);
}

const SondeReplyCodec sonde_codec_reduction
    = { SONDE_SESSION_REPLY_REDUCTION, read_reduction, clear_reduction };

/* ---- divergence ---------------------------------------------------------- */

SondeSessionRequest *
sonde_session_request_diverge (const SondeDivergeRequest *diverge)
{
  SondeSessionRequest *request = sonde_session_request_new (SONDE__SESSION__REQUEST__BODY_DIVERGE,
                                                            SONDE_SESSION_REPLY_DIVERGENCE);
  Sonde__Session__Diverge *message = request->message.diverge;
  GPtrArray *memory = request->memory;

  message->device = sonde_codec_text (memory, diverge->device);
  message->precision = sonde_codec_text (memory, diverge->precision);
  message->tensors_path = sonde_codec_text (memory, diverge->tensors_path);
  message->model_path = sonde_codec_text (memory, diverge->model_path);
  message->weights_path = sonde_codec_text (memory, diverge->weights_path);
  message->optimise_off = diverge->optimise_off;
  message->has_rtol = diverge->has_rtol;
  message->rtol = diverge->rtol;
  message->pattern = sonde_codec_text (memory, diverge->pattern);
  message->threads = diverge->threads;
  return request;
}

void
sonde_codec_read_diverge (const Sonde__Session__Diverge *message, SondeDivergeRequest *diverge)
{
  *diverge = (SondeDivergeRequest){
    .device = sonde_codec_null_if_empty (message->device),
    .precision = sonde_codec_null_if_empty (message->precision),
    .tensors_path = sonde_codec_null_if_empty (message->tensors_path),
    .model_path = sonde_codec_null_if_empty (message->model_path),
    .weights_path = sonde_codec_null_if_empty (message->weights_path),
    .optimise_off = message->optimise_off,
    .has_rtol = message->has_rtol,
    .rtol = message->rtol,
    .pattern = sonde_codec_null_if_empty (message->pattern),
    .threads = MIN (message->threads, 4096),
  };
}

SondeSessionRequest *
sonde_session_request_compare_step (const SondeStepComparisonRequest *asked)
{
  SondeSessionRequest *request = sonde_session_request_new (
      SONDE__SESSION__REQUEST__BODY_COMPARE_STEP, SONDE_SESSION_REPLY_DIVERGENCE);
  Sonde__Session__CompareStep *message = request->message.compare_step;

  message->model_path = sonde_codec_text (request->memory, asked->model_path);
  message->reference_path = sonde_codec_text (request->memory, asked->reference_path);
  message->order = sonde_codec_texts (request->memory, asked->order, &message->n_order);
  message->values_path = sonde_codec_text (request->memory, asked->values_path);
  message->weights_path = sonde_codec_text (request->memory, asked->weights_path);
  message->gradients = asked->gradients;
  message->has_rtol = asked->has_rtol;
  message->rtol = asked->rtol;
  message->pattern = sonde_codec_text (request->memory, asked->pattern);
  message->threads = asked->threads;
  return request;
}

void
sonde_codec_read_compare_step (const Sonde__Session__CompareStep *message,
                               SondeStepComparisonRequest *asked)
{
  *asked = (SondeStepComparisonRequest){
    .model_path = sonde_codec_null_if_empty (message->model_path),
    .reference_path = sonde_codec_null_if_empty (message->reference_path),
    .values_path = message->values_path,
    .weights_path = sonde_codec_null_if_empty (message->weights_path),
    .gradients = message->gradients,
    .has_rtol = message->has_rtol,
    .rtol = message->rtol,
    .pattern = sonde_codec_null_if_empty (message->pattern),
    .threads = MIN (message->threads, 4096),
  };
}

static Sonde__Session__Diverged *
write_diverged (GPtrArray *memory, const SondeDivergedValue *value)
{
  Sonde__Session__Diverged *message
      = sonde_codec_new (memory, &sonde__session__diverged__descriptor);

  message->node = sonde_codec_text (memory, value->node);
  message->op = sonde_codec_text (memory, value->op);
  message->value = sonde_codec_text (memory, value->value);
  message->reference = sonde_codec_text (memory, value->reference);
  message->phase = value->phase;
  message->own_error = value->own_error;
  message->inherited_error = value->inherited_error;
  message->largest = value->largest;
  message->tolerance = value->tolerance;
  message->over = value->over;
  message->n_fused = value->n_fused;
  message->n_nodes = value->n_nodes;
  message->index = value->index;
  message->dims = write_dims (memory, &value->shape, &message->n_dims);
  message->number = value->number;
  message->wanted = value->wanted;
  message->made_by
      = sonde_codec_texts (memory, (const char *const *) value->made_by, &message->n_made_by);
  return message;
}

void
sonde_codec_write_divergence (SondeSessionAnswer *answer, const SondeDivergence *divergence)
{
  Sonde__Session__Divergence *message
      = sonde_session_answer_body (answer, SONDE__SESSION__REPLY__BODY_DIVERGENCE);
  GPtrArray *memory = answer->memory;

  message->n_values = divergence->values->len;
  message->values = sonde_codec_list (memory, message->n_values);
  for (guint i = 0; i < divergence->values->len; i++)
    message->values[i] = write_diverged (memory, g_ptr_array_index (divergence->values, i));
  message->unmatched = sonde_codec_text_list (memory, divergence->unmatched, &message->n_unmatched);
  message->unused = sonde_codec_text_list (memory, divergence->unused, &message->n_unused);
  message->first = divergence->first;
  message->is_step = divergence->is_step;
  message->n_weights = divergence->n_weights;
  message->file_weights
      = sonde_codec_text_list (memory, divergence->file_weights, &message->n_file_weights);
}

static SondeDivergedValue *
read_diverged (const Sonde__Session__Diverged *message)
{
  SondeDivergedValue *value = g_new0 (SondeDivergedValue, 1);

  value->node = sonde_codec_dup (message->node);
  value->op = sonde_codec_dup (message->op);
  value->value = sonde_codec_dup (message->value);
  value->reference = sonde_codec_dup_optional (message->reference);
  value->phase = sonde_codec_phase (message->phase);
  value->own_error = message->own_error;
  value->inherited_error = message->inherited_error;
  value->largest = message->largest;
  value->tolerance = message->tolerance;
  value->over = message->over;
  value->n_fused = message->n_fused;
  value->n_nodes = message->n_nodes;
  value->index = message->index;
  value->shape.rank = (int) MIN (message->n_dims, SONDE_MAX_RANK);
  for (int d = 0; d < value->shape.rank; d++)
    value->shape.dims[d] = MAX (message->dims[d], 0);
  value->number = message->number;
  value->wanted = message->wanted;
  value->made_by = message->n_made_by > 0
                       ? sonde_codec_dup_texts (message->made_by, message->n_made_by)
                       : NULL;
  return value;
}

static gboolean
read_divergence (const Sonde__Session__Reply *message, SondeSessionReply *reply,
                 SondeReplySource *source, GError **error)
{
  const Sonde__Session__Divergence *from = message->divergence;
  SondeDivergence *divergence = sonde_divergence_new ();

  for (gsize i = 0; i < from->n_values; i++)
    g_ptr_array_add (divergence->values, read_diverged (from->values[i]));
  g_ptr_array_unref (divergence->unmatched);
  g_ptr_array_unref (divergence->unused);
  divergence->unmatched = sonde_codec_dup_text_list (from->unmatched, from->n_unmatched);
  divergence->unused = sonde_codec_dup_text_list (from->unused, from->n_unused);
  g_ptr_array_unref (divergence->file_weights);
  divergence->file_weights = sonde_codec_dup_text_list (from->file_weights, from->n_file_weights);
  divergence->is_step = from->is_step;
  divergence->n_weights = from->n_weights;
  divergence->first = from->first >= 0 && (gsize) from->first < from->n_values ? from->first : -1;
  reply->divergence = divergence;
  return TRUE;
}

static void
clear_divergence (SondeSessionReply *reply)
{
  g_clear_pointer (&reply->divergence, sonde_divergence_free);
}

const SondeReplyCodec sonde_codec_divergence
    = { SONDE_SESSION_REPLY_DIVERGENCE, read_divergence, clear_divergence };

/* ---- precision ----------------------------------------------------------- */

SondeSessionRequest *
sonde_session_request_precision (const char *path, const char *precision, double tolerance,
                                 const char *const *values)
{
  SondeSessionRequest *request = sonde_session_request_new (SONDE__SESSION__REQUEST__BODY_PRECISION,
                                                            SONDE_SESSION_REPLY_PRECISION);
  Sonde__Session__Precision *message = request->message.precision;

  message->path = sonde_codec_text (request->memory, path);
  message->precision = sonde_codec_text (request->memory, precision);
  message->tolerance = tolerance;
  message->values = sonde_codec_texts (request->memory, values, &message->n_values);
  return request;
}

void
sonde_codec_write_precision (SondeSessionAnswer *answer, const SondePrecisionFound *found)
{
  Sonde__Session__PrecisionFound *message
      = sonde_session_answer_body (answer, SONDE__SESSION__REPLY__BODY_PRECISION);
  GPtrArray *memory = answer->memory;

  message->precision = sonde_codec_text (memory, sonde_dtype_name (found->precision));
  message->tolerance = found->tolerance;
  message->reached = found->reached;
  message->lowest = found->lowest;
  message->n_nodes = found->n_nodes;
  message->n_runs = found->n_runs;
  message->whole_runs = found->whole_runs;
  message->kept = sonde_codec_text_list (memory, found->kept, &message->n_kept);
  message->values = sonde_codec_text_list (memory, found->values, &message->n_values);
}

static gboolean
read_precision (const Sonde__Session__Reply *message, SondeSessionReply *reply,
                SondeReplySource *source, GError **error)
{
  const Sonde__Session__PrecisionFound *from = message->precision;
  SondePrecisionFound *found = sonde_precision_found_new ();

  found->precision = sonde_dtype_from_name (from->precision);
  found->tolerance = from->tolerance;
  found->reached = from->reached;
  found->lowest = from->lowest;
  found->n_nodes = from->n_nodes;
  found->n_runs = from->n_runs;
  found->whole_runs = from->whole_runs;
  g_ptr_array_unref (found->kept);
  g_ptr_array_unref (found->values);
  found->kept = sonde_codec_dup_text_list (from->kept, from->n_kept);
  found->values = sonde_codec_dup_text_list (from->values, from->n_values);
  reply->precision = found;
  return TRUE;
}

static void
clear_precision (SondeSessionReply *reply)
{
  g_clear_pointer (&reply->precision, sonde_precision_found_free);
}

const SondeReplyCodec sonde_codec_precision
    = { SONDE_SESSION_REPLY_PRECISION, read_precision, clear_precision };
