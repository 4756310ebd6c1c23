/* SPDX-License-Identifier: Apache-2.0
 * Places are links to lines; the browser scrolls the sources to what is clicked. All that comes from files
 * is escaped. */
#include "data/sources/porting/sonde-port-html.h"

#include <string.h>

#include "data/base/sonde-text.h"

#define MAX_PLACES 200 /* of an API */

static const char style[]
    = "html{color-scheme:light dark}body{margin:0;font:14px/1.45 system-ui,sans-serif;display:flex;"
      "flex-direction:column;height:100vh}header{padding:12px 16px;border-bottom:1px solid #8886}"
      "h1{font-size:18px;margin:0 0 6px}h2{font-size:15px;margin:18px 0 6px}"
      "main{flex:1;display:flex;min-height:0}main>div{overflow:auto;padding:8px 16px}"
      ".table{flex:1 1 52%}small "
      "a{display:inline-block}td:nth-child(2){min-width:26ch}td:nth-child(4){min-width:28ch}."
      "sources{flex:1 1 48%;border-left:1px "
      "solid #8886}"
      "table{border-collapse:collapse;width:100%;margin-bottom:18px}td,th{text-align:left;vertical-"
      "align:top;"
      "padding:4px 8px;border-bottom:1px solid "
      "#8883}td{overflow-wrap:anywhere}th{white-space:nowrap}"
      "td.n,td:first-child:has(.v){white-space:nowrap}td.n,th.n{text-align:right}"
      "code,pre{font:12px/1.5 ui-monospace,monospace}pre{margin:0;white-space:pre-wrap}"
      ".v{display:inline-block;padding:0 8px;border-radius:9px;border:1px solid currentColor;"
      "white-space:nowrap}.custom{color:#c64600}.ask{color:#9141ac}.unknown{color:#77767b}"
      ".wrap{color:#986a00}.differs{color:#1a5fb4}.same{color:#26794a}.host{color:#77767b}"
      "a{color:inherit}.l{display:block;scroll-margin-top:40vh}.l i{display:inline-block;width:5ch;"
      "margin-right:1ch;text-align:right;font-style:normal;opacity:.55;user-select:none}"
      ".u{background:#f6d32d2e}:target{background:#f6d32d8c;outline:1px solid #986a00}"
      "@media(prefers-color-scheme:dark){.custom{color:#ffa348}.ask{color:#dc8add}"
      ".wrap{color:#f8e45c}.differs{color:#99c1f1}.same{color:#8ff0a4}.unknown,.host{color:#c0bfbc}"
      "}";

static void
append_escaped (GString *html, const char *text, gsize length)
{
  g_autofree char *valid = g_utf8_make_valid (text, (gssize) length);
  g_autofree char *escaped = g_markup_escape_text (valid, -1);

  g_string_append (html, escaped);
}

static void
append_text (GString *html, const char *text)
{
  append_escaped (html, text, strlen (text));
}

static const char *
path_of (const SondePortReport *report, guint32 file)
{
  return sonde_source_project_get_file (report->project, file)->path;
}

static void
append_verdict (GString *html, SondePortVerdict verdict)
{
  g_string_append_printf (html, "<span class=\"v %s\">", sonde_port_verdict_get_name (verdict));
  append_text (html, sonde_port_verdict_get_title (verdict));
  g_string_append (html, "</span>");
}

static void
append_head (GString *html, const char *title)
{
  g_string_append (html, "<!DOCTYPE html>\n<html><head><meta charset=\"utf-8\"><title>");
  append_text (html, title);
  g_string_append_printf (html, "</title><style>%s</style></head><body>\n<header><h1>", style);
  append_text (html, title);
  g_string_append (html, "</h1>");
}

static void
append_summary (GString *html, const SondePortReport *report)
{
  for (guint i = 0; i < SONDE_PORT_N_VERDICTS; i++)
    {
      g_autofree char *text = NULL;

      if (report->summary[i].n_apis == 0)
        continue;
      append_verdict (html, i);
      text = g_strdup_printf (_ (" %u names, %u uses "), report->summary[i].n_apis,
                              report->summary[i].n_references);
      append_text (html, text);
    }
  g_string_append (html, "</header>\n<main><div class=\"table\">");
}

static void
append_place (GString *html, const SondePortReport *report, const SondePortReference *reference)
{
  g_string_append_printf (html, "<a href=\"#f%u-%u\">", reference->file, reference->line);
  append_text (html, path_of (report, reference->file));
  g_string_append_printf (html, ":%u</a> ", reference->line);
}

static void
append_counterpart (GString *html, const SondePortReport *report, const SondePortApi *api)
{
  const char *counterpart = api->row == NULL                            ? ""
                            : report->target == SONDE_PORT_TO_MINDSPORE ? api->row->mindspore
                                                                        : api->row->onnx;

  g_string_append (html, "<code>");
  append_text (html, counterpart);
  g_string_append (html, "</code>");
  if (api->verdict == SONDE_PORT_DIFFERS)
    {
      g_string_append (html, "<br>");
      append_text (html, api->row->difference);
    }
  if (api->sketch != NULL)
    {
      g_string_append (html, "<pre>");
      append_text (html, api->verdict == SONDE_PORT_ASK ? sonde_port_get_question (api->row->kind)
                                                        : api->sketch);
      g_string_append (html, "</pre>");
    }
}

/* @first: places of the API are order[first[0]] up to order[first[1]] */
static void
append_api (GString *html, const SondePortReport *report, guint i, const guint32 *first,
            const guint32 *order)
{
  const SondePortApi *api = sonde_port_report_get_api (report, i);

  g_string_append (html, "<tr><td>");
  append_verdict (html, api->verdict);
  g_string_append (html, "</td><td><code>");
  append_text (html, api->api);
  g_string_append (html, "</code><br><small>");
  for (guint32 j = first[0]; j < first[1] && j < first[0] + MAX_PLACES; j++)
    append_place (html, report, &g_array_index (report->references, SondePortReference, order[j]));
  g_string_append_printf (html, "</small></td><td class=\"n\">%u</td><td>", api->n_references);
  append_counterpart (html, report, api);
  g_string_append (html, "</td></tr>\n");
}

static void
append_columns (GString *html, const char *const *columns, gsize n)
{
  g_string_append (html, "<table><tr>");
  for (gsize i = 0; i < n; i++)
    {
      g_string_append (html, "<th>");
      append_text (html, _ (columns[i]));
      g_string_append (html, "</th>");
    }
  g_string_append (html, "</tr>\n");
}

static void
append_apis (GString *html, const SondePortReport *report)
{
  static const char *const columns[]
      = { N_ ("Verdict"), N_ ("Name"), N_ ("Uses"), N_ ("Counterpart") };
  guint n = report->apis->len;
  g_autofree guint32 *first = g_new0 (guint32, n + 2);
  g_autofree guint32 *order = g_new (guint32, report->references->len + 1);

  /* Counting sort: first[i + 1] walks from the beginning of API i to its end. */
  for (guint i = 0; i < report->references->len; i++)
    first[g_array_index (report->references, SondePortReference, i).api + 2]++;
  for (guint i = 2; i < n + 2; i++)
    first[i] += first[i - 1];
  for (guint i = 0; i < report->references->len; i++)
    order[first[g_array_index (report->references, SondePortReference, i).api + 1]++] = i;
  append_columns (html, columns, G_N_ELEMENTS (columns));
  for (guint i = 0; i < n; i++)
    append_api (html, report, i, &first[i], order);
  g_string_append (html, "</table>\n");
}

static void
append_blockers (GString *html, const SondePortReport *report)
{
  static const char *const columns[] = { N_ ("Name"), N_ ("Names freed"), N_ ("Uses freed") };

  if (report->blockers->len == 0)
    return;
  g_string_append (html, "<h2>");
  append_text (html, _ ("What blocks most"));
  g_string_append (html, "</h2>");
  append_columns (html, columns, G_N_ELEMENTS (columns));
  for (guint i = 0; i < MIN (report->blockers->len, 20); i++)
    {
      const SondePortBlocker *blocker = &g_array_index (report->blockers, SondePortBlocker, i);

      g_string_append (html, "<tr><td><code>");
      append_text (html, blocker->name);
      g_string_append_printf (html,
                              "</code></td><td class=\"n\">%u</td><td class=\"n\">%u</td></tr>\n",
                              blocker->n_apis, blocker->n_references);
    }
  g_string_append (html, "</table>\n");
}

static void
append_limits (GString *html, const SondePortReport *report)
{
  if (report->limits->len == 0)
    return;
  g_string_append (html, "<h2>");
  append_text (html, _ ("Limits"));
  g_string_append (html, "</h2><table>");
  for (guint i = 0; i < report->limits->len; i++)
    {
      const SondePortLimit *limit = &g_array_index (report->limits, SondePortLimit, i);

      g_string_append_printf (html, "<tr><td><a href=\"#f%u-%u\">", limit->file, limit->line);
      append_text (html, path_of (report, limit->file));
      g_string_append_printf (html, ":%u</a></td><td><code>", limit->line);
      append_text (html, sonde_port_report_get_api (report, limit->api)->api);
      g_string_append (html, "</code></td><td>");
      append_text (html, sonde_port_limit_describe (limit->kind, FALSE));
      g_string_append (html, "</td></tr>\n");
    }
  g_string_append (html, "</table>\n");
}

static void
append_model (GString *html, const SondePortModel *model)
{
  static const char *const columns[] = { N_ ("Operator"), N_ ("Nodes"), N_ ("CPU") };

  g_string_append (html, "<h2>");
  append_text (html, model->path);
  g_string_append (html, "</h2>");
  append_columns (html, columns, G_N_ELEMENTS (columns));
  for (guint i = 0; i < model->operators->len; i++)
    {
      const SondePortOperator *op = &g_array_index (model->operators, SondePortOperator, i);

      g_string_append (html, "<tr><td><code>");
      append_text (html, op->op);
      g_string_append_printf (html, "</code></td><td class=\"n\">%u</td><td>", op->count);
      append_text (html, op->runs ? _ ("runs") : _ ("missing"));
      g_string_append (html, "</td></tr>\n");
    }
  g_string_append (html, "</table>\n");
}

/* One line; a used one has a mark that links lead to. @used: the first use in it (nullable) */
static void
append_line (GString *html, const SondePortReport *report, guint32 file, guint32 line,
             const char *text, gsize length, const SondePortReference *used)
{
  if (used == NULL)
    g_string_append_printf (html, "<span class=\"l\"><i>%u</i>", line);
  else
    {
      const SondePortApi *api = sonde_port_report_get_api (report, used->api);

      g_string_append_printf (html, "<span class=\"l u\" id=\"f%u-%u\" title=\"", file, line);
      append_text (html, api->api);
      g_string_append (html, ": ");
      append_text (html, sonde_port_verdict_get_title (api->verdict));
      g_string_append_printf (html, "\"><i class=\"%s\">%u</i>",
                              sonde_port_verdict_get_name (api->verdict), line);
    }
  append_escaped (html, text, length);
  g_string_append (html, "</span>");
}

static gsize
line_length (const char *at, const char *end)
{
  const char *stop = at;

  while (stop < end && *stop != '\n' && *stop != '\r')
    stop++;
  return (gsize) (stop - at);
}

/* The text of a file; @next: of its references, in the order of the lines. */
static void
append_lines (GString *html, const SondePortReport *report, guint32 file, GBytes *bytes, guint next)
{
  gsize length;
  const char *at = g_bytes_get_data (bytes, &length), *end = at + length;

  for (guint32 line = 1; at < end; line++)
    {
      gsize n = line_length (at, end);
      const SondePortReference *used = NULL;

      for (; next < report->references->len; next++)
        {
          const SondePortReference *reference
              = &g_array_index (report->references, SondePortReference, next);

          if (reference->file != file || reference->line > line)
            break;
          /* What costs most is shown: APIs are sorted by verdict. */
          if (used == NULL || reference->api < used->api)
            used = reference;
        }
      append_line (html, report, file, line, at, n, used);
      at += n;
      if (at + 1 < end && at[0] == '\r' && at[1] == '\n')
        at++;
      at++;
    }
}

static void
append_source (GString *html, const SondePortReport *report, const SondeIo *io, guint32 file,
               guint first, gsize *left)
{
  const SondeSourceFile *source = sonde_source_project_get_file (report->project, file);
  g_autoptr (GError) error = NULL;
  g_autoptr (GBytes) bytes = sonde_io_read_file (io, source->place, *left, &error);
  g_autoptr (GBytes) text = NULL;
  SondePythonDamage damage = { 0 };

  g_string_append (html, "<h2>");
  append_text (html, source->path);
  g_string_append (html, "</h2><pre>");
  if (bytes == NULL)
    append_text (html, _ ("The source is not shown: it is gone, or the page would be too large."));
  else
    {
      text = sonde_python_decode (bytes, &damage);
      append_lines (html, report, file, text, first);
      *left -= g_bytes_get_size (bytes);
    }
  g_string_append (html, "</pre>\n");
  sonde_python_damage_clear (&damage);
}

GString *
sonde_port_report_to_html (const SondePortReport *report, const SondeIo *io, const char *title)
{
  GString *html = g_string_sized_new (1 << 18);
  gsize left = SONDE_PORT_HTML_MAX_SOURCES;

  append_head (html, title);
  append_summary (html, report);
  append_blockers (html, report);
  append_apis (html, report);
  append_limits (html, report);
  for (guint i = 0; i < report->models->len; i++)
    append_model (html, report->models->pdata[i]);
  g_string_append (html, "</div><div class=\"sources\">");
  for (guint i = 0; i < report->references->len; i++)
    {
      guint32 file = g_array_index (report->references, SondePortReference, i).file;

      if (i == 0 || g_array_index (report->references, SondePortReference, i - 1).file != file)
        append_source (html, report, io, file, i, &left);
    }
  g_string_append (html, "</div></main></body></html>\n");
  return html;
}
