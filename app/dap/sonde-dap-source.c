/* SPDX-License-Identifier: Apache-2.0
 * The source of a network is the listing of its executed graph, one node a line: served, and
 * written beside the model so that an editor can keep breakpoints in it. */
#include "app/dap/sonde-dap-private.h"

#include <string.h>

#include "data/base/sonde-io.h"

#define SUFFIX ".listing"

/* ---- lines and nodes ----------------------------------------------------- */

/* "  NAME: outputs = Op (…)" -> NAME; nodes of bodies are indented. NULL for what is no node.
 * (transfer full) */
static char *
name_on_line (const char *line)
{
  const char *start = line + strspn (line, " "), *colon = strstr (start, ": ");

  return colon != NULL && strstr (colon, " = ") != NULL ? g_strndup (start, (gsize) (colon - start))
                                                        : NULL;
}

static void
find_names (SondeDap *dap)
{
  g_auto (GStrv) lines = g_strsplit (dap->listing, "\n", -1);

  dap->line_names = g_ptr_array_new_with_free_func (g_free);
  for (guint i = 0; lines[i] != NULL; i++)
    g_ptr_array_add (dap->line_names, name_on_line (lines[i]));
}

const char *
sonde_dap_node_on_line (SondeDap *dap, guint line, guint *found)
{
  for (guint i = MAX (line, 1); i <= dap->line_names->len; i++)
    if (g_ptr_array_index (dap->line_names, i - 1) != NULL)
      {
        *found = i;
        return g_ptr_array_index (dap->line_names, i - 1);
      }
  return NULL;
}

guint
sonde_dap_line_of_node (SondeDap *dap, const char *name)
{
  for (guint i = 0; name != NULL && i < dap->line_names->len; i++)
    if (g_strcmp0 (g_ptr_array_index (dap->line_names, i), name) == 0)
      return i + 1;
  return 0;
}

/* ---- loading ------------------------------------------------------------- */

void
sonde_dap_clear_listing (SondeDap *dap)
{
  g_clear_pointer (&dap->listing_reply, sonde_session_reply_free);
  g_clear_pointer (&dap->line_names, g_ptr_array_unref);
  g_clear_pointer (&dap->listing_path, g_free);
  dap->listing = NULL;
}

static gboolean
write_listing (SondeDap *dap, const char *folder, const char *name)
{
  g_autofree char *file = g_strconcat (name, SUFFIX, NULL),
                  *path = g_build_filename (folder, file, NULL);

  if (!sonde_io_make_directories (NULL, folder, NULL)
      || !g_file_set_contents (path, dap->listing, (gssize) strlen (dap->listing), NULL))
    return FALSE;
  g_free (dap->listing_path);
  dap->listing_path = g_canonicalize_filename (path, NULL);
  return TRUE;
}

/* Beside the model, in the run's folder, or in the user's cache, whichever can be written. */
static void
place_listing (SondeDap *dap, const SondeSessionStatus *status)
{
  const char *subject = NULL;
  JsonObject *launch = dap->launch != NULL
                           ? sonde_dap_get_object (json_node_get_object (dap->launch), "arguments")
                           : NULL;
  g_autofree char *cache = g_build_filename (g_get_user_cache_dir (), "sonde", "listings", NULL);
  g_autofree char *safe = g_strdelimit (g_strdup (dap->title), "/ ", '-');

  if (launch != NULL)
    subject = sonde_dap_get_string (launch, "program") != NULL
                  ? sonde_dap_get_string (launch, "program")
                  : sonde_dap_get_string (launch, "model");
  if (subject == NULL && !dap->attached && dap->options->open != NULL)
    subject = dap->options->open->subject;
  if (subject != NULL && g_file_test (subject, G_FILE_TEST_IS_REGULAR))
    {
      g_autofree char *folder = g_path_get_dirname (subject), *name = g_path_get_basename (subject);

      if (write_listing (dap, folder, name))
        return;
    }
  if (status->facts.run_directory != NULL
      && write_listing (dap, status->facts.run_directory, "graph"))
    return;
  write_listing (dap, cache, safe);
}

gboolean
sonde_dap_load_listing (SondeDap *dap, GError **error)
{
  g_autoptr (SondeSessionReply) status
      = sonde_session_client_call (dap->client, sonde_session_request_status (), -1, error);

  if (status == NULL)
    return FALSE;
  sonde_dap_clear_listing (dap);
  dap->listing_reply = sonde_session_client_call (
      dap->client, sonde_session_request_listing (SONDE_SESSION_GRAPH_EXECUTED), -1, error);
  if (dap->listing_reply == NULL)
    return FALSE;
  g_free (dap->title);
  dap->title = g_strdup (status->status->facts.title != NULL ? status->status->facts.title : "run");
  dap->listing = dap->listing_reply->text;
  find_names (dap);
  place_listing (dap, status->status);
  return TRUE;
}

/* ---- the source ---------------------------------------------------------- */

static void
append_members (SondeDap *dap, SondeJsonText *body)
{
  g_autofree char *name = dap->listing_path != NULL ? g_path_get_basename (dap->listing_path)
                                                    : g_strconcat (dap->title, SUFFIX, NULL);

  sonde_json_text_string (body, "name", name);
  /* An editor opens the path; what could not be written is asked for by its reference. */
  if (dap->listing_path != NULL)
    sonde_json_text_string (body, "path", dap->listing_path);
  sonde_json_text_int (body, "sourceReference", dap->listing_path != NULL ? 0 : SONDE_DAP_LISTING);
  sonde_json_text_string (body, "origin", "executed graph");
}

void
sonde_dap_append_source (SondeDap *dap, SondeJsonText *body)
{
  sonde_json_text_begin_object (body, "source");
  append_members (dap, body);
  sonde_json_text_end_object (body);
}

gboolean
sonde_dap_is_listing (SondeDap *dap, JsonObject *source)
{
  const char *path = sonde_dap_get_string (source, "path"),
             *name = sonde_dap_get_string (source, "name");
  g_autofree char *full = path != NULL ? g_canonicalize_filename (path, NULL) : NULL;

  if (sonde_dap_get_int (source, "sourceReference", 0) == SONDE_DAP_LISTING)
    return TRUE;
  if (full != NULL)
    return g_strcmp0 (full, dap->listing_path) == 0 || g_str_has_suffix (full, SUFFIX);
  return name != NULL && g_str_has_suffix (name, SUFFIX);
}

gboolean
sonde_dap_source (SondeDap *dap, JsonNode *request, JsonObject *arguments, GError **error)
{
  JsonObject *source = sonde_dap_get_object (arguments, "source");
  SondeJsonText body;

  if (sonde_dap_get_int (arguments, "sourceReference", 0) != SONDE_DAP_LISTING
      && (source == NULL || !sonde_dap_is_listing (dap, source)))
    {
      g_set_error_literal (error, SONDE_ENGINE_ERROR, SONDE_ENGINE_ERROR_NOT_FOUND,
                           "The only source is the listing of the graph, reference 1.");
      return FALSE;
    }
  sonde_dap_body_init (&body);
  sonde_json_text_string (&body, "content", dap->listing);
  sonde_json_text_string (&body, "mimeType", "text/x-sonde-listing");
  sonde_dap_reply_body (dap, request, &body);
  return TRUE;
}

gboolean
sonde_dap_loaded_sources (SondeDap *dap, JsonNode *request, JsonObject *arguments, GError **error)
{
  SondeJsonText body;

  sonde_dap_body_init (&body);
  sonde_json_text_begin_array (&body, "sources");
  sonde_json_text_begin_object (&body, NULL);
  append_members (dap, &body);
  sonde_json_text_end_object (&body);
  sonde_json_text_end_array (&body);
  sonde_dap_reply_body (dap, request, &body);
  return TRUE;
}

gboolean
sonde_dap_modules (SondeDap *dap, JsonNode *request, JsonObject *arguments, GError **error)
{
  SondeJsonText body;

  sonde_dap_body_init (&body);
  sonde_json_text_begin_array (&body, "modules");
  sonde_json_text_begin_object (&body, NULL);
  sonde_json_text_int (&body, "id", 1);
  sonde_json_text_string (&body, "name", dap->title);
  if (dap->listing_path != NULL)
    sonde_json_text_string (&body, "path", dap->listing_path);
  sonde_json_text_end_object (&body);
  sonde_json_text_end_array (&body);
  sonde_json_text_int (&body, "totalModules", 1);
  sonde_dap_reply_body (dap, request, &body);
  return TRUE;
}

gboolean
sonde_dap_breakpoint_locations (SondeDap *dap, JsonNode *request, JsonObject *arguments,
                                GError **error)
{
  gint64 first = sonde_dap_get_int (arguments, "line", 0) + !dap->lines_at_1;
  gint64 last
      = sonde_dap_get_int (arguments, "endLine", first - !dap->lines_at_1) + !dap->lines_at_1;
  guint line = (guint) CLAMP (first, 0, G_MAXINT), found = 0;
  SondeJsonText body;

  sonde_dap_body_init (&body);
  sonde_json_text_begin_array (&body, "breakpoints");
  while (sonde_dap_node_on_line (dap, line, &found) != NULL && found <= last)
    {
      sonde_json_text_begin_object (&body, NULL);
      sonde_json_text_uint (&body, "line", found - !dap->lines_at_1);
      sonde_json_text_end_object (&body);
      line = found + 1;
    }
  sonde_json_text_end_array (&body);
  sonde_dap_reply_body (dap, request, &body);
  return TRUE;
}
