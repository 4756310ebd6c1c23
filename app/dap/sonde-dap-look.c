/* SPDX-License-Identifier: Apache-2.0
 * The stack and its scopes, the listing. */
#include "app/dap/sonde-dap-look.h"

#include "engine/ops/sonde-engine-error.h"

/* ---- frames -------------------------------------------------------------- */

/**
 * Row: one frame of the editor's stack; strings are owned
 * @name: as shown; @node: (nullable): whose values its scopes show; NULL for a label
 */
typedef struct
{
  char *name, *node;
} Row;

static void
row_clear (gpointer data)
{
  Row *row = data;

  g_free (row->name);
  g_free (row->node);
}

/* @name: (transfer full) */
static void
add_row (GArray *rows, char *name, const char *node)
{
  Row row = { name, g_strdup (node) };

  g_array_append_val (rows, row);
}

/* Scopes and functions around a node, from the inside. */
static void
add_labels (GArray *rows, const SondeFrame *frame)
{
  for (guint i = 0; i < frame->scopes->len; i++)
    {
      const SondeFrameScope *scope = g_ptr_array_index (frame->scopes, i);

      add_row (rows,
               scope->function != NULL
                   ? g_strdup_printf (_ ("%s (function %s)"), scope->scope, scope->function)
                   : g_strdup (scope->scope),
               NULL);
    }
}

/* The innermost node, the enclosing loops and branches, each with its scopes, the graph. (transfer
 * full) */
static GArray *
list_rows (const SondeDap *dap)
{
  const GPtrArray *frames = dap->status->stop.frames;
  GArray *rows = g_array_new (FALSE, FALSE, sizeof (Row));
  const char *body = "";
  gint64 iteration = -1;

  g_array_set_clear_func (rows, row_clear);
  for (guint i = 0; frames != NULL && i < frames->len; i++)
    {
      const SondeFrame *frame = g_ptr_array_index (frames, i);
      g_autofree char *name
          = *body != '\0' ? g_strdup_printf ("%s %s", frame->at, body) : g_strdup (frame->at);

      if (iteration >= 0)
        add_row (rows, g_strdup_printf (_ ("%s (iteration %" PRIi64 ")"), name, iteration),
                 frame->at);
      else
        add_row (rows, g_strdup (name), frame->at);
      add_labels (rows, frame);
      body = frame->body;
      iteration = frame->iteration;
    }
  add_row (rows, g_strdup (dap->source->title), NULL);
  return rows;
}

static void
append_row (const SondeDap *dap, JsonBuilder *body, const Row *row, guint id)
{
  guint line = sonde_dap_source_find_line (dap->source, row->node);

  json_builder_begin_object (body);
  sonde_json_set_int (body, "id", id);
  sonde_json_set_string (body, "name", row->name);
  sonde_json_set_int (body, "line", line > 0 ? line - !dap->lines_at_1 : 0);
  sonde_json_set_int (body, "column", line > 0 ? dap->columns_at_1 : 0);
  if (line > 0)
    {
      sonde_json_begin_object (body, "source");
      sonde_dap_source_append (dap->source, body);
      json_builder_end_object (body);
    }
  sonde_json_set_boolean (body, "canRestart", id == 1);
  sonde_json_set_string (body, "presentationHint", row->node == NULL ? "label" : "normal");
  json_builder_end_object (body);
}

void
sonde_dap_stack_trace (SondeDapRequest *request)
{
  guint first = sonde_dap_get_uint (request->arguments, "startFrame", 0),
        levels = sonde_dap_get_uint (request->arguments, "levels", 0);
  g_autoptr (GArray) rows = NULL;
  JsonBuilder *body;

  if (!sonde_dap_need_pause (request))
    return;
  rows = list_rows (request->dap);
  body = sonde_dap_body_new ();
  sonde_json_begin_array (body, "stackFrames");
  for (guint i = first; i < rows->len && (levels == 0 || i - first < levels); i++)
    append_row (request->dap, body, &g_array_index (rows, Row, i), i + 1);
  json_builder_end_array (body);
  sonde_json_set_int (body, "totalFrames", rows->len);
  sonde_dap_request_reply (request, body);
}

/* ---- scopes -------------------------------------------------------------- */

void
sonde_dap_scopes (SondeDapRequest *request)
{
  static const struct
  {
    const char *name, *hint;
    SondeDapReferenceKind kind;
    gboolean expensive;
  } scopes[] = {
    { N_ ("Inputs"), "arguments", SONDE_DAP_INPUTS, FALSE },
    { N_ ("Outputs"), "returnValue", SONDE_DAP_OUTPUTS, FALSE },
    { N_ ("Attributes"), NULL, SONDE_DAP_ATTRIBUTES, FALSE },
    { N_ ("Weights"), NULL, SONDE_DAP_WEIGHTS, FALSE },
    { N_ ("Statistics"), NULL, SONDE_DAP_STATISTICS, TRUE },
  };
  gint64 id = sonde_dap_get_int (request->arguments, "frameId", 1);
  g_autoptr (GArray) rows = NULL;
  g_autoptr (GError) error = NULL;
  const char *node;
  JsonBuilder *body;

  if (!sonde_dap_need_pause (request))
    return;
  rows = list_rows (request->dap);
  if (id < 1 || id > rows->len)
    {
      sonde_set_error (&error, SONDE_ENGINE_ERROR, SONDE_ENGINE_ERROR_NOT_FOUND,
                       "There is no stack frame %" PRIi64 ".", id);
      sonde_dap_request_fail (request, error);
      return;
    }
  node = g_array_index (rows, Row, (guint) id - 1).node;
  body = sonde_dap_body_new ();
  sonde_json_begin_array (body, "scopes");
  for (gsize i = 0; node != NULL && i < G_N_ELEMENTS (scopes); i++) /* a label has none */
    {
      json_builder_begin_object (body);
      sonde_json_set_string (body, "name", _ (scopes[i].name));
      if (scopes[i].hint != NULL)
        sonde_json_set_string (body, "presentationHint", scopes[i].hint);
      sonde_json_set_int (
          body, "variablesReference",
          sonde_dap_variables_add (request->dap->variables, scopes[i].kind, node, NULL, NULL));
      sonde_json_set_boolean (body, "expensive", scopes[i].expensive);
      json_builder_end_object (body);
    }
  json_builder_end_array (body);
  sonde_dap_request_reply (request, body);
}

/* ---- the listing --------------------------------------------------------- */

void
sonde_dap_source (SondeDapRequest *request)
{
  const SondeDap *dap = request->dap;
  JsonObject *source = sonde_dap_get_object (request->arguments, "source");
  JsonBuilder *body;

  if (sonde_dap_get_int (request->arguments, "sourceReference", 0) != SONDE_DAP_LISTING
      && (source == NULL || !sonde_dap_source_is (dap->source, source)))
    {
      sonde_dap_request_refuse (request, SONDE_ENGINE_ERROR_NOT_FOUND,
                                N_ ("The only source is the listing of the graph, reference 1."));
      return;
    }
  body = sonde_dap_body_new ();
  sonde_json_set_string (body, "content", dap->source->text);
  sonde_json_set_string (body, "mimeType", "text/x-sonde-listing");
  sonde_dap_request_reply (request, body);
}

void
sonde_dap_loaded_sources (SondeDapRequest *request)
{
  JsonBuilder *body = sonde_dap_body_new ();

  sonde_json_begin_array (body, "sources");
  json_builder_begin_object (body);
  sonde_dap_source_append (request->dap->source, body);
  json_builder_end_object (body);
  json_builder_end_array (body);
  sonde_dap_request_reply (request, body);
}

void
sonde_dap_modules (SondeDapRequest *request)
{
  const SondeDapSource *source = request->dap->source;
  JsonBuilder *body = sonde_dap_body_new ();

  sonde_json_begin_array (body, "modules");
  json_builder_begin_object (body);
  sonde_json_set_int (body, "id", 1);
  sonde_json_set_string (body, "name", source->title);
  if (source->path != NULL)
    sonde_json_set_string (body, "path", source->path);
  json_builder_end_object (body);
  json_builder_end_array (body);
  sonde_json_set_int (body, "totalModules", 1);
  sonde_dap_request_reply (request, body);
}
