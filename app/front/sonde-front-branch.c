/* SPDX-License-Identifier: Apache-2.0
 * Commands that change nodes, and those about the branches that come of it. */
#include "app/front/sonde-front-private.h"

#include <string.h>

#include "engine/debug/sonde-change-node.h"

/* ---- attr, bypass -------------------------------------------------------- */

/* Where it stands now. */
static void
answer_place (SondeFront *front, SondeFrontAnswer *answer, const SondeSessionStatus *status)
{
  if (!front->options.json)
    {
      g_string_append_printf (answer->text, "Branch %u: %s", status->branch,
                              sonde_session_state_name (status->state));
      if (*status->stop.node != '\0')
        g_string_append_printf (answer->text, ", %s %s (%s)",
                                sonde_moment_name (status->stop.moment), status->stop.node,
                                status->stop.op);
      g_string_append_c (answer->text, '\n');
      return;
    }
  sonde_json_text_uint (&answer->json, "branch", status->branch);
  sonde_json_text_string (&answer->json, "state", sonde_session_state_name (status->state));
  sonde_json_text_string (&answer->json, "node", status->stop.node);
  sonde_json_text_string (&answer->json, "op", status->stop.op);
  sonde_json_text_string (&answer->json, "when", sonde_moment_name (status->stop.moment));
  sonde_json_text_uint (&answer->json, "position", status->stop.position);
  sonde_json_text_uint (&answer->json, "positions", status->stop.n_steps);
  sonde_json_text_uint (&answer->json, "step", status->stop.step);
}

static gboolean
change_node (SondeFront *front, SondeSessionRequest *request, SondeFrontAnswer *answer,
             GError **error)
{
  g_autoptr (SondeSessionReply) reply = sonde_front_call (front, request, error);
  const SondeEdit *edit;

  if (reply == NULL || reply->edits->len == 0 || reply->status == NULL)
    return FALSE;
  edit = g_ptr_array_index (reply->edits, 0);
  if (front->options.json)
    sonde_json_text_string (&answer->json, "event", "branch");
  answer_place (front, answer, reply->status);
  if (front->options.json)
    {
      sonde_json_text_uint (&answer->json, "edit", edit->number);
      sonde_json_text_string (&answer->json, "kind", edit->kind);
      sonde_json_text_string (&answer->json, "text", edit->text);
      sonde_json_text_string (&answer->json, "name", edit->value);
      sonde_json_text_string (&answer->json, "note", reply->note);
    }
  else
    g_string_append_printf (answer->text, "%u: %s. %s\n", edit->number, edit->text,
                            reply->note != NULL ? reply->note : "");
  front->listed_to = 0;
  return TRUE;
}

gboolean
sonde_front_run_attr (SondeFront *front, const char *arguments, SondeFrontAnswer *answer,
                      GError **error)
{
  g_autoptr (SondeNodeChange) change = sonde_node_change_parse_attribute (arguments, error);
  g_autofree char *node = NULL;

  if (change == NULL)
    return FALSE;
  node = sonde_front_unquote (change->node);
  return change_node (front, sonde_session_request_set_attribute (node, change->key, change->value),
                      answer, error);
}

gboolean
sonde_front_run_bypass (SondeFront *front, const char *arguments, SondeFrontAnswer *answer,
                        GError **error)
{
  g_autofree char *node = sonde_front_unquote (arguments);

  if (*node == '\0')
    {
      g_set_error_literal (error, SONDE_ENGINE_ERROR, SONDE_ENGINE_ERROR_INVALID,
                           "Bypass which node? list shows them.");
      return FALSE;
    }
  return change_node (front, sonde_session_request_bypass (node), answer, error);
}

/* ---- branch -------------------------------------------------------------- */

static void
answer_branch (SondeFront *front, SondeFrontAnswer *answer, const SondeBranch *info)
{
  SondeJsonText *json = &answer->json;

  if (!front->options.json)
    {
      g_string_append_printf (answer->text, "%s %u: %s, position %u of %u%s%s",
                              info->current ? "*" : " ", info->number, info->name, info->position,
                              info->n_steps, *info->node != '\0' ? ", before " : "", info->node);
      if (info->parent > 0)
        g_string_append_printf (answer->text, "; of %u by %s", info->parent, info->text);
      g_string_append_printf (answer->text, " (%.1f MB)\n", (double) info->bytes / 1e6);
      return;
    }
  sonde_json_text_begin_object (json, NULL);
  sonde_json_text_uint (json, "branch", info->number);
  sonde_json_text_string (json, "name", info->name);
  sonde_json_text_boolean (json, "current", info->current);
  sonde_json_text_uint (json, "parent", info->parent);
  sonde_json_text_string (json, "text", info->text);
  sonde_json_text_string (json, "node", info->node);
  sonde_json_text_uint (json, "position", info->position);
  sonde_json_text_uint (json, "positions", info->n_steps);
  sonde_json_text_uint (json, "bytes", info->bytes);
  sonde_json_text_end_object (json);
}

/* A word that is a branch's number or name. */
static gboolean
is_branch (const SondeSessionReply *reply, const char *word)
{
  guint64 number = 0;

  if (g_ascii_string_to_unsigned (word, 10, 0, G_MAXUINT64, &number, NULL))
    return TRUE; /* if there is none of it the engine says so */
  for (guint i = 0; i < reply->branches->len; i++)
    if (g_str_equal (((const SondeBranch *) g_ptr_array_index (reply->branches, i))->name, word))
      return TRUE;
  return FALSE;
}

gboolean
sonde_front_run_branch (SondeFront *front, const char *arguments, SondeFrontAnswer *answer,
                        GError **error)
{
  gboolean make = g_str_equal (arguments, "new") || g_str_has_prefix (arguments, "new ");
  g_autofree char *name = sonde_front_unquote (
      make ? arguments + strlen ("new") + strspn (arguments + strlen ("new"), " ") : arguments);
  g_autoptr (SondeSessionReply) reply
      = sonde_front_call (front, sonde_session_request_branch (SONDE_BRANCH_LIST, NULL), error);

  if (reply == NULL)
    return FALSE;
  if (make || *name != '\0')
    {
      SondeBranchRequest what
          = !make && is_branch (reply, name) ? SONDE_BRANCH_SWITCH : SONDE_BRANCH_MAKE;
      SondeSessionReply *changed
          = sonde_front_call (front, sonde_session_request_branch (what, name), error);

      if (changed == NULL)
        return FALSE;
      sonde_session_reply_free (reply);
      reply = changed;
      front->listed_to = 0;
      if (front->options.json)
        sonde_json_text_string (&answer->json, "event", "branch");
    }
  if (reply->status != NULL)
    answer_place (front, answer, reply->status);
  if (front->options.json)
    sonde_json_text_begin_array (&answer->json, "branches");
  for (guint i = 0; i < reply->branches->len; i++)
    answer_branch (front, answer, g_ptr_array_index (reply->branches, i));
  if (front->options.json)
    sonde_json_text_end_array (&answer->json);
  return TRUE;
}
