/* SPDX-License-Identifier: Apache-2.0
 * The table lies in the program as a compressed text; its cells are cut in place. */
#include "data/sources/porting/sonde-api-table.h"

#include <stdlib.h>
#include <string.h>

#include <gio/gio.h>

#include "data/sources/porting/sonde-api-resource.h"

#define FOLDER "/org/sonde/Sonde/sources/"
#define N_COLUMNS 9

struct _SondeApiTable
{
  char *text, *star_text; /* the cells point into them */
  GArray *rows;           /* of SondeApiRow, sorted by api */
  GHashTable *by_api;     /* api -> SondeApiRow */
  GHashTable *stars;      /* "module\tname" */
  GHashTable *star_modules;
  GHashTable *operators; /* of ONNX -> name in MindSpore */
  GPtrArray *methods;    /* of char, owned; NULL at the end */
};

/* Callable attributes of torch.Tensor (2.15) that str, bytes, list, dict, set, tuple, int, float, deque,
 * files, paths, patterns, loggers, argument parsers, ndarray, torch.nn.Module, Distribution or Optimizer
 * have, too, or a builtin function. Sorted. */
static const char *const colliding[] = {
  "abs",
  "absolute",
  "add",
  "all",
  "any",
  "argmax",
  "argmin",
  "argsort",
  "bfloat16",
  "bool",
  "clip",
  "conj",
  "cpu",
  "cuda",
  "cumprod",
  "cumsum",
  "detach",
  "diagonal",
  "dot",
  "double",
  "expand",
  "flatten",
  "float",
  "half",
  "index",
  "int",
  "ipu",
  "item",
  "log",
  "max",
  "mean",
  "min",
  "mode",
  "mtia",
  "nonzero",
  "pow",
  "prod",
  "put",
  "ravel",
  "repeat",
  "requires_grad_",
  "reshape",
  "resize",
  "round",
  "size",
  "sort",
  "split",
  "squeeze",
  "std",
  "sub",
  "sum",
  "swapaxes",
  "take",
  "to",
  "tolist",
  "trace",
  "transpose",
  "type",
  "values",
  "var",
  "view",
  "xpu",
};

static int
compare_names (const void *key, const void *element)
{
  return strcmp (key, *(const char *const *) element);
}

gboolean
sonde_api_method_collides (const char *method)
{
  return bsearch (method, colliding, G_N_ELEMENTS (colliding), sizeof colliding[0], compare_names)
         != NULL;
}

static char *
load (const char *name)
{
  g_autofree char *path = g_strconcat (FOLDER, name, NULL);
  g_autoptr (GError) error = NULL;
  g_autoptr (GBytes) bytes = g_resource_lookup_data (sonde_api_get_resource (), path, 0, &error);
  gsize length;
  const char *data;

  if (bytes == NULL)
    g_error ("%s", error->message); /* the program is not whole */
  data = g_bytes_get_data (bytes, &length);
  return g_strndup (data, length);
}

/* Cuts a line at its tabs. FALSE: too few. */
static gboolean
cut (char *line, const char **cells, guint n)
{
  for (guint i = 0; i < n; i++)
    {
      char *tab = strchr (line, '\t');

      cells[i] = line;
      if (tab == NULL)
        return i + 1 == n;
      *tab = '\0';
      line = tab + 1;
    }
  return TRUE;
}

static void
add_row (SondeApiTable *table, char *line)
{
  const char *cells[N_COLUMNS];
  SondeApiRow row;

  if (*line == '\0' || *line == '#' || !cut (line, cells, N_COLUMNS))
    return;
  row = (SondeApiRow){ .api = cells[0],
                       .mindspore = cells[1],
                       .relation = cells[2],
                       .difference = cells[3],
                       .kind = cells[4],
                       .onnx = cells[5],
                       .source = cells[6],
                       .also = cells[7],
                       .platforms = cells[8] };
  if (!g_str_equal (row.relation, "relation")) /* the head */
    g_array_append_val (table->rows, row);
}

static int
compare_rows (gconstpointer a, gconstpointer b)
{
  return strcmp (((const SondeApiRow *) a)->api, ((const SondeApiRow *) b)->api);
}

static void
read_lines (SondeApiTable *table, char *text, void (*add) (SondeApiTable *table, char *line))
{
  for (char *line = text, *next; line != NULL && *line != '\0'; line = next)
    {
      next = strchr (line, '\n');
      if (next != NULL)
        *next++ = '\0';
      add (table, line);
    }
}

static void
add_star (SondeApiTable *table, char *line)
{
  const char *tab = strchr (line, '\t');

  if (tab == NULL)
    return;
  g_hash_table_add (table->stars, line);
  g_hash_table_add (table->star_modules, g_strndup (line, (gsize) (tab - line)));
}

static void
index_row (SondeApiTable *table, const SondeApiRow *row)
{
  const char *method = row->api + strlen ("torch.Tensor.");

  g_hash_table_insert (table->by_api, (gpointer) row->api, (gpointer) row);
  if (*row->onnx != '\0' && strchr (row->onnx, ',') == NULL && *row->mindspore != '\0'
      && g_str_equal (row->relation, "same") && !g_hash_table_contains (table->operators, row->onnx)
      && !g_str_has_prefix (row->api, "torch.Tensor."))
    g_hash_table_insert (table->operators, (gpointer) row->onnx, (gpointer) row->mindspore);
  if (g_str_has_prefix (row->api, "torch.Tensor.") && *method != '_'
      && strchr (method, '.') == NULL)
    g_ptr_array_add (table->methods, g_strdup (method));
}

static gpointer
make_table (gpointer unused)
{
  SondeApiTable *table = g_new0 (SondeApiTable, 1);

  table->rows = g_array_new (FALSE, FALSE, sizeof (SondeApiRow));
  table->by_api = g_hash_table_new (g_str_hash, g_str_equal);
  table->stars = g_hash_table_new (g_str_hash, g_str_equal);
  table->star_modules = g_hash_table_new_full (g_str_hash, g_str_equal, g_free, NULL);
  table->operators = g_hash_table_new (g_str_hash, g_str_equal);
  table->methods = g_ptr_array_new_with_free_func (g_free);
  sonde_api_register_resource ();
  table->text = load ("api-map.tsv");
  read_lines (table, table->text, add_row);
  table->star_text = load ("star-names.tsv");
  read_lines (table, table->star_text, add_star);
  g_array_sort (table->rows, compare_rows);
  for (guint i = 0; i < table->rows->len; i++)
    index_row (table, &g_array_index (table->rows, SondeApiRow, i));
  g_ptr_array_add (table->methods, NULL);
  return table;
}

const SondeApiTable *
sonde_api_table_get (void)
{
  static GOnce once = G_ONCE_INIT;

  return g_once (&once, make_table, NULL);
}

guint
sonde_api_table_get_n_rows (const SondeApiTable *table)
{
  return table->rows->len;
}

const SondeApiRow *
sonde_api_table_get_row (const SondeApiTable *table, guint i)
{
  return &g_array_index (table->rows, SondeApiRow, i);
}

const SondeApiRow *
sonde_api_table_find (const SondeApiTable *table, const char *api)
{
  g_autofree char *prefix = g_str_has_prefix (api, "tensorflow.")
                                ? g_strconcat ("tf", strchr (api, '.'), NULL)
                                : g_strdup (api);

  for (char *end = prefix + strlen (prefix); end != NULL; end = strrchr (prefix, '.'))
    {
      const SondeApiRow *row;

      *end = '\0';
      row = g_hash_table_lookup (table->by_api, prefix);
      if (row != NULL)
        return row;
    }
  return NULL;
}

gboolean
sonde_api_table_star_has (const SondeApiTable *table, const char *module, const char *name)
{
  g_autofree char *key = g_strdup_printf ("%s\t%s", module, name);
  g_autofree char *api = NULL;

  if (g_hash_table_contains (table->star_modules, module))
    return g_hash_table_contains (table->stars, key);
  api = g_strdup_printf ("%s.%s", module, name);
  return *name != '_' && g_hash_table_contains (table->by_api, api);
}

const char *
sonde_api_table_find_operator (const SondeApiTable *table, const char *onnx)
{
  return g_hash_table_lookup (table->operators, onnx);
}

const char *const *
sonde_api_table_get_methods (const SondeApiTable *table)
{
  return (const char *const *) table->methods->pdata;
}
