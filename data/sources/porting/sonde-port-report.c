/* SPDX-License-Identifier: Apache-2.0
 * Gathering references, one row an API, counts and blockers. */
#include "data/sources/porting/sonde-port-report.h"

#include <string.h>

#include "data/base/sonde-error.h"
#include "data/sources/porting/sonde-port-report-private.h"

static const char *const default_frameworks[]
    = { "torch", "torchvision", "torchaudio", "torchtext", NULL };

typedef struct
{
  SondePortReport *report;
  const SondePortOptions *options;
  SondeSourceResolver *resolver;
  GHashTable *api_of_name; /* number of a name -> index + 1 */
  GArray *meanings;
} Maker;

static void
api_clear (gpointer data)
{
  SondePortApi *api = data;

  g_clear_pointer (&api->missing, g_ptr_array_unref);
  g_free (api->sketch);
}

static void
operator_clear (gpointer data)
{
  g_free (((SondePortOperator *) data)->op);
}

static void
argument_clear (gpointer data)
{
  g_free (((SondePortArgument *) data)->becomes);
}

static void
model_free (gpointer data)
{
  SondePortModel *model = data;

  g_free (model->path);
  g_free (model->format);
  g_array_unref (model->operators);
  g_free (model);
}

static SondePortReport *
report_alloc (SondePortTarget target)
{
  SondePortReport *report = g_new0 (SondePortReport, 1);

  report->target = target;
  report->references = g_array_new (FALSE, FALSE, sizeof (SondePortReference));
  report->apis = g_array_new (FALSE, FALSE, sizeof (SondePortApi));
  g_array_set_clear_func (report->apis, api_clear);
  report->limits = g_array_new (FALSE, FALSE, sizeof (SondePortLimit));
  report->arguments = g_array_new (FALSE, FALSE, sizeof (SondePortArgument));
  g_array_set_clear_func (report->arguments, argument_clear);
  report->possible = g_array_new (FALSE, FALSE, sizeof (SondePortPossible));
  report->models = g_ptr_array_new_with_free_func (model_free);
  report->blockers = g_array_new (FALSE, FALSE, sizeof (SondePortBlocker));
  report->n_references_of_file = g_array_new (FALSE, TRUE, sizeof (guint32));
  return report;
}

void
sonde_port_report_free (SondePortReport *report)
{
  if (report == NULL)
    return;
  g_array_unref (report->references);
  g_array_unref (report->apis);
  g_array_unref (report->limits);
  g_array_unref (report->arguments);
  g_array_unref (report->possible);
  g_ptr_array_unref (report->models);
  g_array_unref (report->blockers);
  g_array_unref (report->n_references_of_file);
  sonde_source_project_free (report->project);
  g_free (report);
}

static guint32
find_api (Maker *maker, guint32 name)
{
  SondePortReport *report = maker->report;
  gpointer known = g_hash_table_lookup (maker->api_of_name, GUINT_TO_POINTER (name));
  SondePortApi api = { .last_file = SONDE_SOURCE_NO_FILE };

  if (known != NULL)
    return GPOINTER_TO_UINT (known) - 1;
  api.api = sonde_name_table_get (sonde_source_project_get_names (report->project), name);
  api.row = sonde_api_table_find (maker->options->judge.table, api.api);
  api.missing = g_ptr_array_new_with_free_func (g_free);
  api.verdict = sonde_port_judge (&maker->options->judge, api.row, api.missing);
  api.sketch = sonde_port_sketch (&maker->options->judge, api.api, api.row, api.verdict);
  g_array_append_val (report->apis, api);
  g_hash_table_insert (maker->api_of_name, GUINT_TO_POINTER (name),
                       GUINT_TO_POINTER (report->apis->len));
  return report->apis->len - 1;
}

static void
add_reference (Maker *maker, guint32 file, const SondePythonReference *reference, guint32 name,
               SondeSourceVia via, gboolean sure)
{
  SondePortReport *report = maker->report;
  SondePortReference added = {
    .file = file,
    .line = reference->line,
    .column = reference->column,
    .api = find_api (maker, name),
    .scope = reference->scope,
    .arguments = reference->how == SONDE_PYTHON_IMPORT ? 0 : reference->arguments,
    .how = reference->how,
    .via = (guint8) via,
    .sure = sure != FALSE,
  };
  SondePortApi *api = &g_array_index (report->apis, SondePortApi, added.api);

  api->n_references++;
  api->n_files += api->last_file != file;
  api->last_file = file;
  g_array_index (report->n_references_of_file, guint32, file)++;
  g_array_append_val (report->references, added);
  sonde_port_find_limit (report, &added);
  sonde_port_check_arguments (report, &added);
}

/* A name that stands for another by an assignment or a default counts where it is used as what it
 * stands for: called, derived from, or a decorator. */
static gboolean
counts_renamed (guint8 how)
{
  return how == SONDE_PYTHON_CALL || how == SONDE_PYTHON_BASE || how == SONDE_PYTHON_DECORATOR;
}

static void
resolve_reference (Maker *maker, guint32 file, const SondePythonReference *reference)
{
  gboolean sure;

  if (reference->how == SONDE_PYTHON_IMPORT)
    {
      guint32 name = sonde_source_resolver_get_import (maker->resolver, reference);

      if (name != SONDE_NO_NAME)
        add_reference (maker, file, reference, name, SONDE_SOURCE_VIA_IMPORT, TRUE);
      return;
    }
  sure = sonde_source_resolver_look_up (maker->resolver, file, reference->scope, reference->first,
                                        reference->chain, maker->meanings);
  for (guint i = 0; i < maker->meanings->len; i++)
    {
      const SondeSourceMeaning *meaning = &g_array_index (maker->meanings, SondeSourceMeaning, i);

      if (meaning->path != SONDE_NO_NAME && (!meaning->renamed || counts_renamed (reference->how)))
        add_reference (maker, file, reference, meaning->path, meaning->via, sure);
    }
}

static gboolean
resolve_files (Maker *maker)
{
  SondePortReport *report = maker->report;
  guint n_files = sonde_source_project_get_n_files (report->project);

  g_array_set_size (report->n_references_of_file, n_files);
  for (guint i = 0; i < n_files; i++)
    {
      const SondePythonModule *module = sonde_source_project_get_file (report->project, i)->module;

      if (maker->options->cancelled != NULL && maker->options->cancelled (maker->options->data))
        return FALSE;
      for (guint j = 0; module != NULL && j < module->references->len; j++)
        resolve_reference (maker, i, &g_array_index (module->references, SondePythonReference, j));
      if (module != NULL)
        sonde_port_find_possible (report, maker->resolver, i, maker->options->all_possible,
                                  maker->meanings);
    }
  return TRUE;
}

static int
compare_apis (gconstpointer a, gconstpointer b, gpointer data)
{
  const SondePortApi *apis = data;
  const SondePortApi *left = &apis[*(const guint32 *) a], *right = &apis[*(const guint32 *) b];

  if (left->verdict != right->verdict)
    return left->verdict < right->verdict ? -1 : 1;
  if (left->n_references != right->n_references)
    return left->n_references > right->n_references ? -1 : 1;
  return strcmp (left->api, right->api);
}

/* Sorts the apis; what refers to them follows. */
static void
sort_apis (SondePortReport *report)
{
  guint n = report->apis->len;
  g_autofree guint32 *order = g_new (guint32, n + 1), *place = g_new (guint32, n + 1);
  g_autofree SondePortApi *old = g_memdup2 (report->apis->data, n * sizeof (SondePortApi));

  for (guint i = 0; i < n; i++)
    order[i] = i;
  g_qsort_with_data (order, (int) n, sizeof *order, compare_apis, old);
  for (guint i = 0; i < n; i++)
    {
      g_array_index (report->apis, SondePortApi, i) = old[order[i]];
      place[order[i]] = i;
    }
  for (guint i = 0; i < report->references->len; i++)
    {
      SondePortReference *reference = &g_array_index (report->references, SondePortReference, i);

      reference->api = place[reference->api];
    }
  for (guint i = 0; i < report->limits->len; i++)
    {
      SondePortLimit *limit = &g_array_index (report->limits, SondePortLimit, i);

      limit->api = place[limit->api];
    }
  for (guint i = 0; i < report->arguments->len; i++)
    {
      SondePortArgument *argument = &g_array_index (report->arguments, SondePortArgument, i);

      argument->api = place[argument->api];
    }
}

static void
block (SondePortReport *report, GHashTable *known, const char *name, const SondePortApi *api)
{
  gpointer place = g_hash_table_lookup (known, name);
  SondePortBlocker added = { .name = name };
  SondePortBlocker *blocker;

  if (place == NULL)
    {
      g_array_append_val (report->blockers, added);
      place = GUINT_TO_POINTER (report->blockers->len);
      g_hash_table_insert (known, (gpointer) name, place);
    }
  blocker = &g_array_index (report->blockers, SondePortBlocker, GPOINTER_TO_UINT (place) - 1);
  blocker->n_apis++;
  blocker->n_references += api->n_references;
}

static int
compare_blockers (gconstpointer a, gconstpointer b)
{
  const SondePortBlocker *left = a, *right = b;

  if (left->n_references != right->n_references)
    return left->n_references > right->n_references ? -1 : 1;
  return strcmp (left->name, right->name);
}

/* A missing operator blocks all names that need it; a name without operators blocks itself. */
static void
sum_up (SondePortReport *report)
{
  g_autoptr (GHashTable) known = g_hash_table_new (g_str_hash, g_str_equal);

  for (guint i = 0; i < report->apis->len; i++)
    {
      const SondePortApi *api = sonde_port_report_get_api (report, i);

      report->summary[api->verdict].n_apis++;
      report->summary[api->verdict].n_references += api->n_references;
      if (api->verdict != SONDE_PORT_CUSTOM)
        continue;
      for (guint j = 0; j < api->missing->len; j++)
        block (report, known, api->missing->pdata[j], api);
      if (api->missing->len == 0)
        block (report, known, api->api, api);
    }
  g_array_sort (report->blockers, compare_blockers);
}

static SondeSourceProject *
open_project (const SondeIo *io, const char *const *paths, const SondePortOptions *options,
              GError **error)
{
  g_autoptr (SondeSourceProject) project
      = sonde_source_project_new (sonde_api_table_get_methods (options->judge.table));
  gboolean several = g_strv_length ((char **) paths) > 1;

  for (guint i = 0; paths[i] != NULL; i++)
    {
      g_autofree char *folder = g_path_get_dirname (paths[i]);
      gboolean is_folder = g_file_test (paths[i], G_FILE_TEST_IS_DIR);

      if (!sonde_source_project_add (project, paths[i],
                                     several ? (is_folder ? paths[i] : folder) : NULL, error))
        return NULL;
    }
  if (!sonde_source_project_read (project, io, options->package, options->cancelled, options->data))
    {
      sonde_set_error (error, SONDE_DATA_ERROR, SONDE_DATA_ERROR_CANCELLED,
                       "The scan was stopped.");
      return NULL;
    }
  return g_steal_pointer (&project);
}

static gboolean
star_has (const char *module, const char *name, gpointer data)
{
  return sonde_api_table_star_has (data, module, name);
}

SondePortReport *
sonde_port_report_new (const SondeIo *io, const char *const *paths, const SondePortOptions *options,
                       GError **error)
{
  g_autoptr (SondePortReport) report = report_alloc (options->judge.target);
  SondePortOptions filled = *options;
  SondeSourcePackages packages
      = { .names = options->frameworks != NULL ? options->frameworks : default_frameworks,
          .star_has = star_has,
          .data = (gpointer) sonde_api_table_get () };
  Maker maker = { .report = report, .options = &filled };
  gboolean done;

  filled.judge.table = sonde_api_table_get ();
  if (paths[0] == NULL)
    return g_steal_pointer (&report);
  report->project = open_project (io, paths, &filled, error);
  if (report->project == NULL)
    return NULL;
  maker.resolver = sonde_source_resolver_new (report->project, &packages);
  maker.api_of_name = g_hash_table_new (NULL, NULL);
  maker.meanings = g_array_new (FALSE, FALSE, sizeof (SondeSourceMeaning));
  done = resolve_files (&maker);
  g_array_unref (maker.meanings);
  g_hash_table_unref (maker.api_of_name);
  sonde_source_resolver_free (maker.resolver);
  if (!done)
    {
      sonde_set_error (error, SONDE_DATA_ERROR, SONDE_DATA_ERROR_CANCELLED,
                       "The scan was stopped.");
      return NULL;
    }
  sort_apis (report);
  sum_up (report);
  return g_steal_pointer (&report);
}

SondePortModel *
sonde_port_report_add_model (SondePortReport *report, const char *path, const char *format)
{
  SondePortModel *model = g_new0 (SondePortModel, 1);

  model->path = g_strdup (path);
  model->format = g_strdup (format);
  model->operators = g_array_new (FALSE, FALSE, sizeof (SondePortOperator));
  g_array_set_clear_func (model->operators, operator_clear);
  g_ptr_array_add (report->models, model);
  return model;
}

void
sonde_port_model_add (SondePortModel *model, const char *op, guint count, gboolean runs)
{
  SondePortOperator added = { .op = g_strdup (op), .count = count, .runs = runs };

  g_array_append_val (model->operators, added);
}

char *
sonde_port_report_dup_scope (const SondePortReport *report, guint32 file, guint32 scope)
{
  const SondePythonModule *module = sonde_source_project_get_file (report->project, file)->module;
  const SondeNameTable *names = sonde_source_project_get_names (report->project);
  GString *text = g_string_new (NULL);

  while (scope != SONDE_PYTHON_NO_SCOPE)
    {
      const SondePythonScope *at = &g_array_index (module->scopes, SondePythonScope, scope);

      if (at->name != SONDE_NO_NAME)
        {
          if (text->len > 0)
            g_string_prepend_c (text, '.');
          g_string_prepend (text, sonde_name_table_get (names, at->name));
        }
      scope = at->parent;
    }
  return g_string_free (text, FALSE);
}
