/* SPDX-License-Identifier: Apache-2.0
 * One line an API with its verdict first, the places below, at the end what blocks most. */
#include "app/cli/scan/sonde-scan-print.h"

#include "app/cli/sonde-cli-table.h"
#include "data/base/sonde-text.h"

#define MAX_PLACES 6 /* of an API */
#define MAX_BLOCKERS 10
#define VERDICT_WIDTH 8

/* References by API: those of api i are order[first[i]] up to order[first[i + 1]]. */
typedef struct
{
  guint32 *first, *order;
} Places;

static Places
places_new (const SondePortReport *report)
{
  guint n = report->apis->len;
  Places places = { g_new0 (guint32, n + 2), g_new (guint32, report->references->len + 1) };
  guint32 *next = places.first + 1;

  for (guint i = 0; i < report->references->len; i++)
    next[g_array_index (report->references, SondePortReference, i).api + 1]++;
  for (guint i = 0; i < n; i++)
    next[i + 1] += next[i];
  for (guint i = 0; i < report->references->len; i++)
    places.order[next[g_array_index (report->references, SondePortReference, i).api]++] = i;
  return places;
}

static void
places_clear (Places *places)
{
  g_free (places->first);
  g_free (places->order);
}

static void
print_places (const SondePortReport *report, const Places *places, guint api)
{
  guint32 first = places->first[api], end = places->first[api + 1];
  GString *text = g_string_new (NULL);

  for (guint32 i = first; i < end && i < first + MAX_PLACES; i++)
    {
      const SondePortReference *reference
          = &g_array_index (report->references, SondePortReference, places->order[i]);
      const char *path = sonde_source_project_get_file (report->project, reference->file)->path;

      g_string_append_printf (text, "%s%s:%u", i > first ? "  " : "", path, reference->line);
    }
  if (end - first > MAX_PLACES)
    {
      g_string_append (text, "  ");
      g_string_append_printf (text, _ ("and %u more"), end - first - MAX_PLACES);
    }
  sonde_cli_print_wrapped (text->str, "         ", "         ");
  g_string_free (text, TRUE);
}

static void
print_counterpart (const SondePortReport *report, const SondePortApi *api)
{
  g_autofree char *sketch = NULL;

  if (report->target == SONDE_PORT_TO_MINDSPORE && api->row != NULL && *api->row->mindspore != '\0')
    sonde_cli_print (" → %s", api->row->mindspore);
  else if (report->target != SONDE_PORT_TO_MINDSPORE && api->row != NULL && *api->row->onnx != '\0')
    sonde_cli_print (" → %s", api->row->onnx);
  if (api->verdict == SONDE_PORT_DIFFERS && *api->row->difference != '\0')
    sonde_cli_print ("; %s", api->row->difference);
  if (api->verdict == SONDE_PORT_WRAP && report->target == SONDE_PORT_TO_MINDSPORE)
    sonde_cli_print (": %s", api->row->onnx);
}

static void
print_api (const SondePortReport *report, const Places *places, guint i)
{
  const SondePortApi *api = sonde_port_report_get_api (report, i);
  g_autofree char *name = sonde_cli_make_printable (api->api);

  sonde_cli_print ("%-*s %s", VERDICT_WIDTH, sonde_port_verdict_get_name (api->verdict), name);
  print_counterpart (report, api);
  sonde_cli_print ("  (%u)\n", api->n_references);
  print_places (report, places, i);
}

static void
print_files (const SondePortReport *report)
{
  guint n = sonde_source_project_get_n_files (report->project);

  for (guint i = 0; i < n; i++)
    {
      const SondeSourceFile *file = sonde_source_project_get_file (report->project, i);
      const SondeMessage *message
          = file->module != NULL ? file->module->damage.message : file->error;
      g_autofree char *path = sonde_cli_make_printable (file->path);
      g_autofree char *text = NULL;

      if (message == NULL)
        continue;
      text = sonde_cli_make_printable (sonde_message_get_text (message));
      if (file->module != NULL)
        sonde_cli_print (_ ("damaged  %s:%u: %s\n"), path, file->module->damage.line, text);
      else
        sonde_cli_print (_ ("unread   %s: %s\n"), path, text);
    }
}

static void
print_limits (const SondePortReport *report)
{
  for (guint i = 0; i < report->limits->len; i++)
    {
      const SondePortLimit *limit = &g_array_index (report->limits, SondePortLimit, i);
      g_autofree char *path = sonde_cli_make_printable (
          sonde_source_project_get_file (report->project, limit->file)->path);

      if (i == 0)
        sonde_cli_print ("\n%s\n", _ ("Limits"));
      sonde_cli_print ("  %s:%u: %s: %s\n", path, limit->line,
                       sonde_port_report_get_api (report, limit->api)->api,
                       sonde_port_limit_describe (limit->kind, FALSE));
    }
}

static void
print_arguments (const SondePortReport *report)
{
  for (guint i = 0; i < report->arguments->len; i++)
    {
      const SondePortArgument *argument = &g_array_index (report->arguments, SondePortArgument, i);
      const char *name
          = sonde_name_table_get (sonde_source_project_get_names (report->project), argument->name);
      const char *api = sonde_port_report_get_api (report, argument->api)->api;
      g_autofree char *path = sonde_cli_make_printable (
          sonde_source_project_get_file (report->project, argument->file)->path);

      if (i == 0)
        sonde_cli_print ("\n%s\n", _ ("Arguments"));
      if (argument->becomes != NULL)
        sonde_cli_print (_ ("  %s:%u: %s: %s is called %s there\n"), path, argument->line, api,
                         name, argument->becomes);
      else
        sonde_cli_print (_ ("  %s:%u: %s: the counterpart has no %s\n"), path, argument->line, api,
                         name);
    }
}

static void
print_possible (const SondePortReport *report)
{
  for (guint i = 0; i < report->possible->len; i++)
    {
      const SondePortPossible *possible = &g_array_index (report->possible, SondePortPossible, i);
      g_autofree char *path = sonde_cli_make_printable (
          sonde_source_project_get_file (report->project, possible->file)->path);

      if (i == 0)
        sonde_cli_print ("\n%s\n", _ ("Methods that are perhaps a tensor's"));
      sonde_cli_print (
          "  %s:%u: %s: %s\n", path, possible->line,
          sonde_name_table_get (sonde_source_project_get_names (report->project), possible->method),
          sonde_port_why_describe (possible->why, FALSE));
    }
}

static void
print_summary (const SondePortReport *report)
{
  static const char *const columns[]
      = { N_ ("<VERDICT"), N_ (">NAMES"), N_ (">USES"), N_ ("<MEANING"), NULL };
  g_autoptr (SondeTable) table = sonde_table_new (columns);

  for (guint i = 0; i < SONDE_PORT_N_VERDICTS; i++)
    {
      const SondePortCount *count = &report->summary[i];
      g_autofree char *apis = sonde_cli_format_count (count->n_apis);
      g_autofree char *references = sonde_cli_format_count (count->n_references);

      if (count->n_apis > 0)
        sonde_table_add (table, sonde_port_verdict_get_name (i), apis, references,
                         sonde_port_verdict_describe (i), NULL);
    }
  sonde_cli_print ("\n");
  sonde_table_print (table, 0);
}

static void
print_blockers (const SondePortReport *report)
{
  static const char *const columns[] = { N_ ("<BLOCKS MOST"), N_ (">NAMES"), N_ (">USES"), NULL };
  g_autoptr (SondeTable) table = sonde_table_new (columns);

  for (guint i = 0; i < report->blockers->len && i < MAX_BLOCKERS; i++)
    {
      const SondePortBlocker *blocker = &g_array_index (report->blockers, SondePortBlocker, i);
      g_autofree char *apis = sonde_cli_format_count (blocker->n_apis);
      g_autofree char *references = sonde_cli_format_count (blocker->n_references);

      sonde_table_add (table, blocker->name, apis, references, NULL);
    }
  if (report->blockers->len == 0)
    return;
  sonde_cli_print ("\n");
  sonde_table_print (table, 0);
}

static void
print_model (const SondePortModel *model)
{
  static const char *const columns[] = { N_ ("<OPERATOR"), N_ (">NODES"), N_ ("<CPU"), NULL };
  g_autoptr (SondeTable) table = sonde_table_new (columns);
  g_autofree char *path = sonde_cli_make_printable (model->path);

  sonde_cli_print (_ ("%s: %s model\n"), path, model->format);
  for (guint i = 0; i < model->operators->len; i++)
    {
      const SondePortOperator *op = &g_array_index (model->operators, SondePortOperator, i);
      g_autofree char *count = sonde_cli_format_count (op->count);

      sonde_table_add (table, op->op, count, op->runs ? _ ("runs") : _ ("missing"), NULL);
    }
  sonde_table_print (table, 2);
}

void
sonde_scan_print (const SondePortReport *report, gboolean possible)
{
  Places places;

  for (guint i = 0; i < report->models->len; i++)
    print_model (report->models->pdata[i]);
  if (report->project == NULL)
    return;
  places = places_new (report);
  print_files (report);
  for (guint i = 0; i < report->apis->len; i++)
    print_api (report, &places, i);
  places_clear (&places);
  print_limits (report);
  print_arguments (report);
  if (possible)
    print_possible (report);
  if (report->apis->len == 0)
    sonde_cli_print (_ ("No use of these frameworks was found in %u files.\n"),
                     sonde_source_project_get_n_files (report->project));
  print_summary (report);
  print_blockers (report);
}
