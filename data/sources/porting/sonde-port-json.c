/* SPDX-License-Identifier: Apache-2.0
 * JSON is appended piece by piece: a report of a million lines has a row for each third of them. */
#include "data/sources/porting/sonde-port-json.h"

#include <string.h>

/* In quotes, as RFC 8259 demands; what is not UTF-8 becomes U+FFFD. */
static void
append_text (GString *json, const char *text)
{
  g_autofree char *valid = g_utf8_validate (text, -1, NULL) ? NULL : g_utf8_make_valid (text, -1);

  g_string_append_c (json, '"');
  for (const char *at = valid != NULL ? valid : text; *at != '\0'; at++)
    if (*at == '"' || *at == '\\')
      {
        g_string_append_c (json, '\\');
        g_string_append_c (json, *at);
      }
    else if (*at == '\n')
      g_string_append (json, "\\n");
    else if ((guint8) *at < 0x20 || *at == 0x7f)
      g_string_append_printf (json, "\\u%04x", (guint) *at);
    else
      g_string_append_c (json, *at);
  g_string_append_c (json, '"');
}

static void
append_member (GString *json, const char *name, const char *text)
{
  if (json->str[json->len - 1] != '{')
    g_string_append_c (json, ',');
  g_string_append_printf (json, "\"%s\":", name);
  append_text (json, text);
}

static void
append_number (GString *json, const char *name, guint number)
{
  g_string_append_printf (json, "%s\"%s\":%u", json->str[json->len - 1] != '{' ? "," : "", name,
                          number);
}

/* Begins "name":[ with the comma before it. */
static void
begin_list (GString *json, const char *name)
{
  g_string_append_printf (json, "%s\"%s\":[", json->str[json->len - 1] != '{' ? "," : "", name);
}

/* Begins an element of a list. */
static void
begin_element (GString *json, char bracket)
{
  if (json->str[json->len - 1] != '[')
    g_string_append (json, ",\n");
  g_string_append_c (json, bracket);
}

static const char *
path_of (const SondePortReport *report, guint32 file)
{
  return sonde_source_project_get_file (report->project, file)->path;
}

static void
append_error (GString *json, const SondeSourceFile *file)
{
  const SondeMessage *message = file->module != NULL ? file->module->damage.message : file->error;
  guint line = file->module != NULL ? file->module->damage.line : 0;

  if (message == NULL)
    {
      g_string_append (json, ",\"error\":null");
      return;
    }
  g_string_append (json, ",\"error\":{");
  append_number (json, "line", line);
  append_member (json, "message", sonde_message_get_english (message));
  g_string_append_c (json, '}');
}

static void
append_limit (GString *json, const SondePortReport *report, const SondePortLimit *limit)
{
  begin_element (json, '{');
  append_number (json, "line", limit->line);
  append_member (json, "kind", sonde_port_limit_get_name (limit->kind));
  append_member (json, "api", sonde_port_report_get_api (report, limit->api)->api);
  append_member (json, "what", sonde_port_limit_describe (limit->kind, TRUE));
  g_string_append_c (json, '}');
}

/* Limits are in the order of the files. */
static void
append_files (GString *json, const SondePortReport *report)
{
  guint n = report->project != NULL ? sonde_source_project_get_n_files (report->project) : 0;
  guint limit = 0;

  begin_list (json, "files");
  for (guint i = 0; i < n; i++)
    {
      const SondeSourceFile *file = sonde_source_project_get_file (report->project, i);

      begin_element (json, '{');
      append_member (json, "path", file->path);
      append_number (json, "references", g_array_index (report->n_references_of_file, guint32, i));
      append_error (json, file);
      begin_list (json, "limits");
      for (; limit < report->limits->len
             && g_array_index (report->limits, SondePortLimit, limit).file == i;
           limit++)
        append_limit (json, report, &g_array_index (report->limits, SondePortLimit, limit));
      g_string_append (json, "]}");
    }
  g_string_append_c (json, ']');
}

static void
append_references (GString *json, const SondePortReport *report)
{
  begin_list (json, "references");
  for (guint i = 0; i < report->references->len; i++)
    {
      const SondePortReference *reference
          = &g_array_index (report->references, SondePortReference, i);
      const SondePortApi *api = sonde_port_report_get_api (report, reference->api);

      begin_element (json, '{');
      append_member (json, "file", path_of (report, reference->file));
      append_number (json, "line", reference->line);
      append_number (json, "column", reference->column);
      append_member (json, "api", api->api);
      append_member (json, "how", sonde_python_how_get_name (reference->how));
      append_member (json, "via", sonde_source_via_get_name (reference->via));
      append_member (json, "sure", reference->sure ? "yes" : "maybe");
      append_member (json, "verdict", sonde_port_verdict_get_name (api->verdict));
      g_string_append_c (json, '}');
    }
  g_string_append_c (json, ']');
}

static void
append_operators (GString *json, const SondePortApi *api)
{
  g_auto (GStrv) operators
      = api->row != NULL && *api->row->onnx != '\0' ? sonde_api_row_dup_operators (api->row) : NULL;

  begin_list (json, "onnx");
  for (guint i = 0; operators != NULL && operators[i] != NULL; i++)
    {
      if (i > 0)
        g_string_append_c (json, ',');
      append_text (json, operators[i]);
    }
  g_string_append_c (json, ']');
  begin_list (json, "missing");
  for (guint i = 0; i < api->missing->len; i++)
    {
      if (i > 0)
        g_string_append_c (json, ',');
      append_text (json, api->missing->pdata[i]);
    }
  g_string_append_c (json, ']');
}

static void
append_api (GString *json, const SondePortApi *api)
{
  begin_element (json, '{');
  append_member (json, "api", api->api);
  append_number (json, "count", api->n_references);
  append_number (json, "files", api->n_files);
  append_member (json, "kind", api->row != NULL ? api->row->kind : "");
  append_member (json, "verdict", sonde_port_verdict_get_name (api->verdict));
  append_member (json, "mindspore", api->row != NULL ? api->row->mindspore : "");
  append_member (json, "difference", api->row != NULL ? api->row->difference : "");
  append_operators (json, api);
  if (api->sketch != NULL)
    append_member (json, "sketch", api->sketch);
  else
    g_string_append (json, ",\"sketch\":null");
  append_member (json, "also", api->row != NULL ? api->row->also : "");
  append_member (json, "platforms", api->row != NULL ? api->row->platforms : "");
  g_string_append_c (json, '}');
}

static void
append_arguments (GString *json, const SondePortReport *report)
{
  begin_list (json, "arguments");
  for (guint i = 0; i < report->arguments->len; i++)
    {
      const SondePortArgument *argument = &g_array_index (report->arguments, SondePortArgument, i);

      begin_element (json, '{');
      append_member (json, "file", path_of (report, argument->file));
      append_number (json, "line", argument->line);
      append_member (json, "api", sonde_port_report_get_api (report, argument->api)->api);
      append_member (
          json, "argument",
          sonde_name_table_get (sonde_source_project_get_names (report->project), argument->name));
      if (argument->becomes != NULL)
        append_member (json, "becomes", argument->becomes);
      else
        g_string_append (json, ",\"becomes\":null");
      g_string_append_c (json, '}');
    }
  g_string_append_c (json, ']');
}

static void
append_possible (GString *json, const SondePortReport *report)
{
  begin_list (json, "possible");
  for (guint i = 0; i < report->possible->len; i++)
    {
      const SondePortPossible *possible = &g_array_index (report->possible, SondePortPossible, i);

      begin_element (json, '{');
      append_member (json, "file", path_of (report, possible->file));
      append_number (json, "line", possible->line);
      append_number (json, "column", possible->column);
      append_member (json, "method",
                     sonde_name_table_get (sonde_source_project_get_names (report->project),
                                           possible->method));
      append_member (json, "why", sonde_port_why_describe (possible->why, TRUE));
      g_string_append_c (json, '}');
    }
  g_string_append_c (json, ']');
}

static void
append_summary (GString *json, const SondePortReport *report)
{
  g_string_append (json, ",\"summary\":{");
  for (guint i = 0; i < SONDE_PORT_N_VERDICTS; i++)
    g_string_append_printf (json, "%s\"%s\":{\"apis\":%u,\"references\":%u}", i > 0 ? "," : "",
                            sonde_port_verdict_get_name (i), report->summary[i].n_apis,
                            report->summary[i].n_references);
  g_string_append_c (json, '}');
}

static void
append_model (GString *json, const SondePortModel *model)
{
  begin_element (json, '{');
  append_member (json, "path", model->path);
  append_member (json, "format", model->format);
  begin_list (json, "operators");
  for (guint i = 0; i < model->operators->len; i++)
    {
      const SondePortOperator *op = &g_array_index (model->operators, SondePortOperator, i);

      begin_element (json, '{');
      append_member (json, "op", op->op);
      append_number (json, "count", op->count);
      g_string_append_printf (json, ",\"devices\":{\"cpu\":\"%s\"}}",
                              op->runs ? "runs" : "missing");
    }
  g_string_append (json, "]}");
}

static void
append_blockers (GString *json, const SondePortReport *report)
{
  begin_list (json, "blockers");
  for (guint i = 0; i < report->blockers->len; i++)
    {
      const SondePortBlocker *blocker = &g_array_index (report->blockers, SondePortBlocker, i);

      begin_element (json, '{');
      append_member (json, "name", blocker->name);
      append_number (json, "apis", blocker->n_apis);
      append_number (json, "references", blocker->n_references);
      g_string_append_c (json, '}');
    }
  g_string_append_c (json, ']');
}

GString *
sonde_port_report_to_json (const SondePortReport *report)
{
  GString *json = g_string_sized_new (1 << 16);

  g_string_append_c (json, '{');
  append_member (json, "to", sonde_port_target_get_name (report->target));
  append_files (json, report);
  append_references (json, report);
  begin_list (json, "apis");
  for (guint i = 0; i < report->apis->len; i++)
    append_api (json, sonde_port_report_get_api (report, i));
  g_string_append_c (json, ']');
  append_possible (json, report);
  append_summary (json, report);
  begin_list (json, "models");
  for (guint i = 0; i < report->models->len; i++)
    append_model (json, report->models->pdata[i]);
  g_string_append_c (json, ']');
  append_blockers (json, report);
  append_arguments (json, report);
  g_string_append (json, "}\n");
  return json;
}

static void
append_field (GString *csv, const char *text, char after)
{
  if (strpbrk (text, ",\"\r\n") == NULL)
    g_string_append (csv, text);
  else
    {
      g_string_append_c (csv, '"');
      for (; *text != '\0'; text++)
        {
          if (*text == '"')
            g_string_append_c (csv, '"');
          g_string_append_c (csv, *text);
        }
      g_string_append_c (csv, '"');
    }
  g_string_append_c (csv, after);
}

GString *
sonde_port_report_to_csv (const SondePortReport *report)
{
  GString *csv = g_string_new (
      "file,line,column,api,how,via,sure,verdict,kind,mindspore,difference,onnx,missing\n");

  for (guint i = 0; i < report->references->len; i++)
    {
      const SondePortReference *reference
          = &g_array_index (report->references, SondePortReference, i);
      const SondePortApi *api = sonde_port_report_get_api (report, reference->api);
      const SondeApiRow *row = api->row;

      append_field (csv, path_of (report, reference->file), ',');
      g_string_append_printf (csv, "%u,%u,", reference->line, reference->column);
      append_field (csv, api->api, ',');
      g_string_append_printf (csv, "%s,%s,%s,%s,", sonde_python_how_get_name (reference->how),
                              sonde_source_via_get_name (reference->via),
                              reference->sure ? "yes" : "maybe",
                              sonde_port_verdict_get_name (api->verdict));
      append_field (csv, row != NULL ? row->kind : "", ',');
      append_field (csv, row != NULL ? row->mindspore : "", ',');
      append_field (csv, row != NULL ? row->difference : "", ',');
      append_field (csv, row != NULL ? row->onnx : "", ',');
      for (guint j = 0; j < api->missing->len; j++)
        g_string_append_printf (csv, "%s%s", j > 0 ? " " : "", (char *) api->missing->pdata[j]);
      g_string_append_c (csv, '\n');
    }
  return csv;
}
