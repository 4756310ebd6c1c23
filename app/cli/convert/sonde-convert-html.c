/* SPDX-License-Identifier: Apache-2.0
 * The report of a conversion as one page without anything from elsewhere: problems first, a row a node. */
#include "app/cli/convert/sonde-convert-report.h"

#include <string.h>

#include "data/base/sonde-format.h"
#include "data/base/sonde-text.h"

#define MOST_REPEATED 12 /* of a name, in front of what was added to it */

static const char style[]
    = "body{font:15px/1.5 sans-serif;color:#241f31;background:#fff;max-width:70em;margin:2em "
      "auto;padding:0 1em}"
      "h1{font-size:1.5em;overflow-wrap:anywhere}h2{font-size:1.15em;margin-top:2em}"
      "table{border-collapse:collapse;width:100%}th,td{text-align:left;padding:.3em .8em;"
      "border-bottom:1px solid #deddda;vertical-align:top}td{overflow-wrap:anywhere}"
      "th,td.k{white-space:nowrap;overflow-wrap:normal}.facts th{width:16em}"
      "th.n,td.n{text-align:right}.notes code{font-size:12px}code{font:13px monospace}"
      ".unsupported,.error{color:#a51d2d;font-weight:bold}.approximate,.warning{color:#8f4c00}"
      "@media(prefers-color-scheme:dark){body{color:#fff;background:#1e1e1e}"
      "th,td{border-color:#444}.unsupported,.error{color:#ff938c}.approximate,.warning{color:#"
      "ffc057}}";

static void
add (GString *page, const char *format, ...)
{
  va_list arguments;
  g_autofree char *text = NULL;

  va_start (arguments, format);
  text = g_markup_vprintf_escaped (format, arguments);
  va_end (arguments);
  g_string_append (page, text);
}

static void
add_fact (GString *page, const char *name, const char *value)
{
  if (value != NULL)
    add (page, "<tr><th>%s</th><td>%s</td></tr>", name, value);
}

static void
add_facts (GString *page, const SondeConvertReport *report)
{
  const SondeConversion *conversion = report->conversion;
  g_autofree char *nodes = g_strdup_printf ("%u → %u", conversion->nodes->len, report->n_nodes_out);
  g_autofree char *bytes = sonde_format_count ((gint64) report->bytes);
  g_autofree char *check
      = report->check.done ? g_strdup_printf ("%.3g", report->check.error) : NULL;

  g_string_append (page, "<table class=\"facts\">");
  add_fact (page, _ ("Format"), conversion->format);
  add_fact (page, _ ("Version"), conversion->format_version);
  add_fact (page, _ ("Written by"), conversion->producer);
  add_fact (page, _ ("Signature"), conversion->signature);
  add_fact (page, _ ("Nodes"), nodes);
  add_fact (page, _ ("Output"),
            report->output != NULL ? report->output : _ ("nothing was written"));
  add_fact (page, _ ("Bytes"), bytes);
  add_fact (page, _ ("Largest difference of the check"), check);
  if (report->verification != NULL && report->verification->first_value != NULL)
    add_fact (page, _ ("First value that differs"), report->verification->first_value);
  g_string_append (page, "</table>");
}

static void
add_notes (GString *page, const GPtrArray *notes)
{
  static const char *const names[] = { N_ ("information"), N_ ("warning"), N_ ("error") };
  static const char *const classes[] = { "information", "warning", "error" };

  if (notes->len == 0)
    return;
  add (page, "<h2>%s</h2><table class=\"notes\">", _ ("Notes"));
  for (int severity = SONDE_NOTE_ERROR; severity >= SONDE_NOTE_INFORMATION; severity--)
    for (guint i = 0; i < notes->len; i++)
      {
        const SondeConversionNote *note = notes->pdata[i];
        g_autofree char *what = sonde_message_dup_text (note->what);
        g_autofree char *advice
            = note->advice != NULL ? sonde_message_dup_text (note->advice) : g_strdup ("");

        if ((int) note->severity == severity)
          add (page,
               "<tr><td class=\"k %s\">%s</td><td><code>%s</code></td><td "
               "class=\"k\">%s</td><td>%s</td>"
               "<td>%s</td></tr>",
               classes[severity], _ (names[severity]), note->where,
               note->op != NULL ? note->op : "", what, advice);
      }
  g_string_append (page, "</table>");
}

static void
add_operators (GString *page, const SondeConvertReport *report)
{
  g_autoptr (GPtrArray) operators = sonde_convert_report_list_operators (report);

  add (page, "<h2>%s</h2><table><tr><th>%s</th><th class=\"n\">%s</th><th>%s</th><th>%s</th></tr>",
       _ ("Operators"), _ ("Operator"), _ ("Nodes"), _ ("How"), _ ("To"));
  for (guint i = 0; i < operators->len; i++)
    {
      const SondeConvertOperator *row = operators->pdata[i];
      const char *how = sonde_lowered_how_name (row->how);

      add (page,
           "<tr><td class=\"k\"><code>%s</code></td><td class=\"n\">%u</td><td class=\"k "
           "%s\">%s</td><td>",
           row->op, row->count, how, _ (how));
      for (guint k = 0; k < row->to->len; k++)
        add (page, "%s%s", k > 0 ? ", " : "", (const char *) row->to->pdata[k]);
      g_string_append (page, "</td></tr>");
    }
  g_string_append (page, "</table>");
}

static gint
compare_nodes (gconstpointer a, gconstpointer b)
{
  const SondeConvertedNode *one = *(SondeConvertedNode *const *) a;
  const SondeConvertedNode *other = *(SondeConvertedNode *const *) b;

  return (int) one->how - (int) other->how;
}

/* A name that may be long: of several joined by “;” the first, what a node of @source (nullable) adds to its
 * name alone; the whole is the tooltip. */
static void
add_name (GString *page, const char *name, const char *source)
{
  const gsize n = source != NULL ? strlen (source) : 0;
  g_autofree char *first = g_strndup (name, strcspn (name, ";"));

  if (n > MOST_REPEATED && strncmp (name, source, n) == 0 && name[n] != '\0')
    add (page, "<code title=\"%s\">%s</code>", name, name + n);
  else if (strlen (first) < strlen (name))
    add (page, "<code title=\"%s\">%s;…</code>", name, first);
  else
    add (page, "<code>%s</code>", name);
}

static void
add_nodes (GString *page, const GPtrArray *nodes)
{
  g_autoptr (GPtrArray) sorted = g_ptr_array_new ();

  for (guint i = 0; i < nodes->len; i++)
    g_ptr_array_add (sorted, nodes->pdata[i]);
  g_ptr_array_sort (sorted, compare_nodes);
  add (page, "<h2>%s</h2><table><tr><th>%s</th><th>%s</th><th>%s</th><th>%s</th></tr>", _ ("Nodes"),
       _ ("Node"), _ ("Operator"), _ ("How"), _ ("To"));
  for (guint i = 0; i < sorted->len; i++)
    {
      const SondeConvertedNode *node = sorted->pdata[i];
      const char *how = sonde_lowered_how_name (node->how);

      g_string_append (page, "<tr><td>");
      add_name (page, node->name, NULL);
      add (page, "</td><td class=\"k\"><code>%s</code></td><td class=\"k %s\">%s</td><td>",
           node->op, how, _ (how));
      for (guint k = 0; k < node->to->len; k++)
        {
          g_string_append (page, k > 0 ? ", " : "");
          add_name (page, ((const SondeNode *) node->to->pdata[k])->name, node->name);
        }
      g_string_append (page, "</td></tr>");
    }
  g_string_append (page, "</table>");
}

char *
sonde_convert_report_to_html (const SondeConvertReport *report)
{
  GString *page = g_string_new ("<!DOCTYPE html><html><head><meta charset=\"utf-8\"><title>");

  add (page, "%s", report->path);
  g_string_append (page, "</title><style>");
  g_string_append (page, style);
  add (page, "</style></head><body><h1>%s</h1>", report->path);
  add_facts (page, report);
  add_notes (page, report->conversion->notes);
  add_operators (page, report);
  add_nodes (page, report->conversion->nodes);
  g_string_append (page, "</body></html>\n");
  return g_string_free (page, FALSE);
}
