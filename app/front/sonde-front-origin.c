/* SPDX-License-Identifier: Apache-2.0
 * Commands that find where a bad element comes from, and cut it out. */
#include "app/front/sonde-front-private.h"

#include <math.h>

#define SHOWN_LINKS 24 /* in text: the first and the last half of them */

static void
json_index (SondeJsonText *json, const char *name, const SondeShape *shape, gint64 element)
{
  gint64 index[SONDE_MAX_RANK];

  for (int d = shape->rank - 1; d >= 0; d--)
    {
      index[d] = element % MAX (shape->dims[d], 1);
      element /= MAX (shape->dims[d], 1);
    }
  sonde_json_text_begin_array (json, name);
  for (int d = 0; d < shape->rank; d++)
    sonde_json_text_int (json, NULL, index[d]);
  sonde_json_text_end_array (json);
}

static void
json_origin (SondeJsonText *json, const SondeOrigin *origin)
{
  sonde_json_text_begin_array (json, "chain");
  for (guint i = 0; i < origin->chain->len; i++)
    {
      const SondeOriginLink *link = g_ptr_array_index (origin->chain, i);

      sonde_json_text_begin_object (json, NULL);
      sonde_json_text_string (json, "node", link->node);
      sonde_json_text_string (json, "op", link->op);
      sonde_json_text_string (json, "value", link->value);
      json_index (json, "index", &link->shape, link->element);
      sonde_json_text_double (json, "number", link->number);
      if (link->node != NULL)
        sonde_json_text_string (json, "phase", sonde_phase_name (link->phase));
      if (link->iteration >= 0)
        sonde_json_text_int (json, "iteration", link->iteration);
      sonde_json_text_uint (json, "step", link->step);
      sonde_json_text_end_object (json);
    }
  sonde_json_text_end_array (json);
  sonde_json_text_string (json, "first_bad_node", origin->first_bad_node);
  sonde_json_text_string (json, "cause", origin->cause);
  sonde_json_text_string (json, "cause_value", origin->cause_value);
  if (origin->cause_value != NULL)
    {
      json_index (json, "cause_index", &origin->cause_shape, origin->cause_element);
      sonde_json_text_double (json, "cause_number", origin->cause_number);
    }
  sonde_json_text_uint (json, "step", origin->step);
}

static void
text_link (GString *text, const SondeOriginLink *link, guint64 asked)
{
  g_autofree char *place = sonde_shape_format_index (&link->shape, link->element);
  /* nothing else is in a chain */
  const char *number = isnan (link->number) ? "nan" : link->number > 0 ? "inf" : "-inf";

  g_string_append_printf (text, "  %s%s = %s", link->value, link->shape.rank > 0 ? place : "",
                          number);
  if (link->node != NULL)
    g_string_append_printf (text, "  made by %s (%s)", link->node, link->op);
  if (link->iteration >= 0)
    g_string_append_printf (text, " in iteration %" G_GINT64_FORMAT, link->iteration);
  if (link->step != asked)
    g_string_append_printf (text, ", step %" G_GUINT64_FORMAT, link->step);
  g_string_append_c (text, '\n');
}

static void
text_origin (GString *text, const SondeOrigin *origin)
{
  const guint n = origin->chain->len;

  for (guint i = 0; i < n; i++)
    if (i < SHOWN_LINKS / 2 || i + SHOWN_LINKS / 2 >= n)
      text_link (text, g_ptr_array_index (origin->chain, i), origin->step);
    else if (i == SHOWN_LINKS / 2)
      g_string_append_printf (text, "  … %u more\n", n - SHOWN_LINKS);
  if (origin->first_bad_node != NULL)
    g_string_append_printf (text, "%s is the first bad node: %s\n", origin->first_bad_node,
                            origin->cause);
  else
    g_string_append_printf (text, "no node is to blame: %s\n", origin->cause);
}

gboolean
sonde_front_run_origin (SondeFront *front, const char *arguments, SondeFrontAnswer *answer,
                        GError **error)
{
  g_autofree char *value = sonde_front_unquote (arguments);
  g_autoptr (SondeSessionReply) reply = NULL;

  if (*arguments == '\0')
    {
      g_set_error_literal (
          error, SONDE_ENGINE_ERROR, SONDE_ENGINE_ERROR_INVALID,
          "Of which element? origin VALUE[index], or origin VALUE for its first bad one.");
      return FALSE;
    }
  reply = sonde_front_call (front, sonde_session_request_origin (value), error);
  if (reply == NULL || reply->origin == NULL)
    return FALSE;
  if (front->options.json)
    json_origin (&answer->json, reply->origin);
  else
    text_origin (answer->text, reply->origin);
  return TRUE;
}

/* ---- reduce -------------------------------------------------------------- */

static void
json_reduction (SondeJsonText *json, const SondeReducedCase *info)
{
  sonde_json_text_string (json, "model", info->model);
  sonde_json_text_begin_array (json, "inputs");
  for (guint k = 0; info->names[k] != NULL; k++)
    {
      sonde_json_text_begin_object (json, NULL);
      sonde_json_text_string (json, "name", info->names[k]);
      sonde_json_text_string (json, "file", info->files[k]);
      sonde_json_text_end_object (json);
    }
  sonde_json_text_end_array (json);
  sonde_json_text_uint (json, "nodes", info->n_nodes);
  sonde_json_text_string (json, "shows", info->command); /* "command" is that of the answer */
  sonde_json_text_string (json, "node", info->node);
  sonde_json_text_string (json, "value", info->value);
}

static void
text_reduction (GString *text, const SondeReducedCase *info)
{
  g_string_append_printf (text, "%s: %u node%s that make%s %s\n", info->model, info->n_nodes,
                          info->n_nodes == 1 ? "" : "s", info->n_nodes == 1 ? "s" : "",
                          info->value);
  for (guint k = 0; info->names[k] != NULL; k++)
    g_string_append_printf (text, "  %s -> %s\n", info->names[k], info->files[k]);
  g_string_append_printf (text, "%s\n", info->command);
}

gboolean
sonde_front_run_reduce (SondeFront *front, const char *arguments, SondeFrontAnswer *answer,
                        GError **error)
{
  const char *end = strstr (arguments, ".onnx");
  g_autofree char *file = NULL, *node = NULL, *path = NULL, *rest = NULL;
  g_autoptr (SondeSessionReply) reply = NULL;

  while (end != NULL && end[5] != '\0' && strchr (" \t\"", end[5]) == NULL)
    end = strstr (end + 1, ".onnx");
  if (end == NULL)
    {
      g_set_error_literal (error, SONDE_ENGINE_ERROR, SONDE_ENGINE_ERROR_INVALID,
                           "Name a file that ends in .onnx: reduce FILE.onnx [NODE].");
      return FALSE;
    }
  end += strlen (".onnx") + (end[5] == '"');
  rest = g_strndup (arguments, (gsize) (end - arguments));
  file = sonde_front_unquote (rest);
  g_free (rest);
  rest = g_strstrip (g_strdup (end));
  node = sonde_front_unquote (rest);
  path = g_canonicalize_filename (file, NULL); /* the engine may be in another folder */
  reply = sonde_front_call (front, sonde_session_request_reduce (node, path), error);
  if (reply == NULL || reply->reduction == NULL)
    return FALSE;
  if (front->options.json)
    json_reduction (&answer->json, reply->reduction);
  else
    text_reduction (answer->text, reply->reduction);
  return TRUE;
}
