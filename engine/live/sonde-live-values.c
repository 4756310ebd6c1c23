/* SPDX-License-Identifier: Apache-2.0
 * Nodes and values of a loop that is not ours: lists, setting, saving, recommended watches. */
#include "engine/live/sonde-live-loop-private.h"

#include <fnmatch.h>
#include <string.h>

#include "engine/live/sonde-assign.h"
#include "engine/live/sonde-recommended.h"

/* ---- lists --------------------------------------------------------------- */

GPtrArray *
sonde_live_loop_list_steps (SondeLiveLoop *loop, GError **error)
{
  if (loop->hooks->list_steps != NULL)
    return loop->hooks->list_steps (loop->data);
  sonde_set_error (error, SONDE_ENGINE_ERROR, SONDE_ENGINE_ERROR_UNSUPPORTED,
                   "This run does not list its nodes.");
  return NULL;
}

char *
sonde_live_loop_dup_listing (const GPtrArray *steps)
{
  GString *text = g_string_new (NULL);

  for (guint i = 0; i < steps->len; i++)
    {
      const SondeStepInfo *step = g_ptr_array_index (steps, i);
      g_autofree char *outputs = step->outputs != NULL ? g_strjoinv (", ", step->outputs) : NULL;
      g_autofree char *inputs = step->inputs != NULL ? g_strjoinv (", ", step->inputs) : NULL;
      g_autofree char *types = step->types != NULL ? g_strjoinv (", ", step->types) : NULL;
      gboolean has_types = types != NULL && *types != '\0';

      g_string_append_printf (
          text, "%s: %s = %s (%s)%s%s\n", step->name, outputs != NULL ? outputs : "", step->op,
          inputs != NULL ? inputs : "", has_types ? "  # " : "", has_types ? types : "");
    }
  return g_string_free (text, FALSE);
}

GPtrArray *
sonde_live_loop_list_values (SondeLiveLoop *loop, const char *glob, GError **error)
{
  GPtrArray *values;

  if (loop->hooks->list_values == NULL)
    {
      sonde_set_error (error, SONDE_ENGINE_ERROR, SONDE_ENGINE_ERROR_UNSUPPORTED,
                       "This run does not list its values.");
      return NULL;
    }
  values = loop->hooks->list_values (loop->data);
  for (guint i = values->len; i > 0 && *glob != '\0'; i--)
    {
      const SondeValueInfo *value = g_ptr_array_index (values, i - 1);

      if (!g_str_equal (glob, value->name) && fnmatch (glob, value->name, 0) != 0)
        g_ptr_array_remove_index (values, i - 1);
    }
  return values;
}

/* ---- setting and saving -------------------------------------------------- */

/* The whole value of "VALUE[slice]"; a name may hold brackets itself. @name, @slice: (out) (transfer
 * full), @slice (nullable) */
static SondeTensor *
read_target (SondeLiveLoop *loop, const char *target, char **name, char **slice, GError **error)
{
  g_autoptr (GError) failure = NULL;
  SondeTensor *whole = loop->hooks->get_value (loop->data, target, FALSE, &failure);
  const char *bracket = strrchr (target, '[');

  if (whole != NULL || bracket == NULL || !g_str_has_suffix (target, "]")
      || !g_error_matches (failure, SONDE_ENGINE_ERROR, SONDE_ENGINE_ERROR_NOT_FOUND))
    {
      *name = g_strdup (target);
      if (whole == NULL)
        g_propagate_error (error, g_steal_pointer (&failure));
      return whole;
    }
  *name = g_strndup (target, (gsize) (bracket - target));
  *slice = g_strndup (bracket + 1, strlen (bracket + 1) - 1);
  return loop->hooks->get_value (loop->data, *name, FALSE, error);
}

/* The only element of the part, where it is one. */
static void
fill_number (SondeEdit *edit, SondeTensor *whole, double *number)
{
  g_autoptr (SondeTensor) part = sonde_tensor_slice (whole, edit->slice, NULL);

  edit->is_single
      = part != NULL && sonde_tensor_n_elements (part) == 1 && whole->dtype != SONDE_DTYPE_STRING;
  if (edit->is_single)
    *number = sonde_tensor_get_double (part, 0);
}

static void
fill_place (SondeEdit *edit, SondeLiveLoop *loop, const char *text)
{
  edit->number = ++loop->n_edits;
  edit->kind = sonde_edit_kind ("set");
  edit->text = g_strdup (text);
  edit->step = MAX (loop->step, 1);
  edit->node = g_strdup (loop->stop.node != NULL ? loop->stop.node : "");
  edit->branch = 1;
  edit->readers = g_new0 (char *, 1); /* nobody knows who reads it later */
  edit->stale = g_new0 (char *, 1);
  edit->effect = TRUE;
}

/* An edit of a view changes what it is a view of. */
static void
warn_of_sharing (SondeEdit *edit, SondeLiveLoop *loop)
{
  g_auto (GStrv) others = loop->hooks->list_sharing != NULL
                              ? loop->hooks->list_sharing (loop->data, edit->value)
                              : NULL;
  g_autofree char *names = NULL;

  if (others == NULL || others[0] == NULL || edit->changed == 0)
    return;
  names = g_strjoinv ("”, “", others);
  edit->warning = sonde_message_new ("It shares its memory with “%s”, which changed, too.", names);
}

SondeEdit *
sonde_live_loop_set (SondeLiveLoop *loop, const char *target, SondeTensor *source, const char *text,
                     GError **error)
{
  g_autoptr (SondeEdit) edit = g_new0 (SondeEdit, 1);
  g_autoptr (SondeTensor) read = NULL, whole = NULL;
  SondeAssignment assignment;

  if (loop->hooks->set_value == NULL)
    {
      sonde_set_error (error, SONDE_ENGINE_ERROR, SONDE_ENGINE_ERROR_UNSUPPORTED,
                       "Values of this run cannot be set.");
      return NULL;
    }
  read = read_target (loop, target, &edit->value, &edit->slice, error);
  if (read == NULL)
    return NULL;
  whole = sonde_tensor_copy (read);
  sonde_statistics_compute (whole, &edit->before);
  fill_number (edit, whole, &edit->before_number);
  if (!sonde_assign_slice (whole, edit->slice, source, &assignment, error)
      || !loop->hooks->set_value (loop->data, edit->value, whole, error))
    return NULL;
  edit->dtype = whole->dtype;
  edit->shape = whole->shape;
  edit->count = assignment.count;
  edit->changed = assignment.changed;
  edit->truncated = assignment.truncated;
  edit->has_statistics = TRUE;
  sonde_statistics_compute (whole, &edit->after);
  fill_number (edit, whole, &edit->after_number);
  fill_place (edit, loop, text);
  warn_of_sharing (edit, loop);
  return g_steal_pointer (&edit);
}

SondeTensor *
sonde_live_loop_load (SondeLiveLoop *loop, const char *path, GError **error)
{
  if (loop->hooks->load_value != NULL)
    return loop->hooks->load_value (loop->data, path, error);
  sonde_set_error (error, SONDE_ENGINE_ERROR, SONDE_ENGINE_ERROR_UNSUPPORTED,
                   "Values of this run cannot be set from a file.");
  return NULL;
}

gboolean
sonde_live_loop_save (SondeLiveLoop *loop, SondeTensor *tensor, const char *path, GError **error)
{
  if (loop->hooks->save_value != NULL)
    return loop->hooks->save_value (loop->data, tensor, path, error);
  sonde_set_error (error, SONDE_ENGINE_ERROR, SONDE_ENGINE_ERROR_UNSUPPORTED,
                   "Values of this run cannot be saved.");
  return FALSE;
}

/* ---- the recommended watches --------------------------------------------- */

static gboolean
has_op (const GPtrArray *steps, const char *op)
{
  for (guint i = 0; i < steps->len; i++)
    if (g_str_equal (((const SondeStepInfo *) g_ptr_array_index (steps, i))->op, op))
      return TRUE;
  return FALSE;
}

static gboolean
has_backward (const GPtrArray *steps)
{
  for (guint i = 0; i < steps->len; i++)
    if (((const SondeStepInfo *) g_ptr_array_index (steps, i))->phase == SONDE_PHASE_BACKWARD)
      return TRUE;
  return FALSE;
}

char **
sonde_live_loop_recommend (SondeLiveLoop *loop)
{
  g_autoptr (GStrvBuilder) texts = g_strv_builder_new ();
  g_autoptr (GPtrArray) steps = sonde_live_loop_list_steps (loop, NULL);
  const SondeRecommendedActivation *activation;

  if (steps != NULL && has_backward (steps))
    g_strv_builder_add (texts, SONDE_RECOMMENDED_GRADIENT " on phase:backward");
  g_strv_builder_add (texts, SONDE_RECOMMENDED_OVERFLOW);
  g_strv_builder_add (texts, SONDE_RECOMMENDED_ZERO);
  for (gsize i = 0; steps != NULL && (activation = sonde_recommended_activation (i)) != NULL; i++)
    if (has_op (steps, activation->op))
      g_strv_builder_add (texts, activation->text);
  return g_strv_builder_end (texts);
}

/* ---- searches, captures, profiles ----------------------------------------------- */

SondeOrigin *
sonde_live_loop_find_origin (SondeLiveLoop *loop, const char *value, GError **error)
{
  if (loop->hooks->find_origin != NULL)
    return loop->hooks->find_origin (loop->data, value, error);
  sonde_set_error (error, SONDE_ENGINE_ERROR, SONDE_ENGINE_ERROR_UNSUPPORTED,
                   "This program does not say where its values come from.");
  return NULL;
}

gboolean
sonde_live_loop_save_capture (SondeLiveLoop *loop, const char *path, const char *const *values,
                              gboolean batch, GError **error)
{
  if (loop->hooks->save_capture != NULL)
    return loop->hooks->save_capture (loop->data, path, values, batch, error);
  sonde_set_error (error, SONDE_ENGINE_ERROR, SONDE_ENGINE_ERROR_UNSUPPORTED,
                   "This program writes no captures.");
  return FALSE;
}

gboolean
sonde_live_loop_profile (SondeLiveLoop *loop, SondeLiveProfile *profile, GError **error)
{
  if (loop->hooks->profile != NULL)
    return loop->hooks->profile (loop->data, profile, error);
  sonde_set_error (error, SONDE_ENGINE_ERROR, SONDE_ENGINE_ERROR_UNSUPPORTED,
                   "Sonde does not run the nodes of this training and cannot profile them. Record "
                   "a trace with the framework's own profiler and open that.");
  return FALSE;
}
