/* SPDX-License-Identifier: Apache-2.0
 * Reading the folder. Files are looked for where they are written for a sample; of two samples with
 * one place neither gets them. */
#include "data/explanations/sonde-explanation-folder.h"

#include <errno.h>
#include <math.h>
#include <string.h>
#include <unistd.h>

#include "data/base/sonde-error.h"
#include "data/base/sonde-path-gate.h"

#define PREDICTIONS "predictions.tsv"
#define TRIAGE "triage.tsv"
#define HEADER "file\ttrue\tpredicted\t"
#define MAX_TABLE_BYTES (256 << 20)
#define MAX_ROWS 1000000
#define MAX_CLASSES 65536
#define MAX_METHODS 64
#define MAX_FILES 1000000 /* of maps, and of boxes */
#define MAX_BOX_FILES 4096
#define MAX_BOX_BYTES (4 << 20)
#define MAX_FAULTS 100

/* @samples, @places: name and place of a sample → SondeExplanationSample; NULL: of several */
typedef struct
{
  const char *folder;
  SondeExplanationFolder *result;
  GHashTable *classes; /* name → number + 1 */
  GHashTable *samples, *places;
  guint n_files, n_boxes;
} Reading;

static void
add_fault (Reading *reading, const char *sentence)
{
  if (reading->result->faults->len < MAX_FAULTS)
    g_ptr_array_add (reading->result->faults, g_strdup (sentence));
}

/* ---- tables -------------------------------------------------------------- */

/* @fields: (array length=n): of the columns that were asked for, "" where there is none; may be
 * changed */
typedef gboolean (*RowFunction) (Reading *reading, char **fields, GError **error);

/* Which column of the header each name is; G_MAXUINT: none. */
static void
find_columns (char *header, const char *const *names, guint *at)
{
  g_auto (GStrv) columns = g_strsplit (header, "\t", 64);

  for (guint i = 0; names[i] != NULL; i++)
    {
      at[i] = G_MAXUINT;
      for (guint k = 0; columns[k] != NULL; k++)
        if (g_str_equal (columns[k], names[i]))
          at[i] = k;
    }
}

/* Cuts the line at its tabs. */
static void
take_fields (char *line, const guint *at, char **fields, guint n)
{
  char *empty = line + strlen (line);
  guint column = 0;

  for (guint i = 0; i < n; i++)
    fields[i] = empty;
  for (char *field = line, *tab; field != NULL; field = tab, column++)
    {
      tab = strchr (field, '\t');
      if (tab != NULL)
        *tab++ = '\0';
      for (guint i = 0; i < n; i++)
        if (at[i] == column)
          fields[i] = field;
    }
}

/* At most 16 columns are asked for. */
static gboolean
read_table (Reading *reading, const char *name, const char *const *names, RowFunction take,
            GError **error)
{
  g_autoptr (GBytes) bytes
      = sonde_path_gate_read (NULL, reading->folder, name, MAX_TABLE_BYTES, error);
  g_autofree char *text = NULL;
  gsize length = 0, n_rows = 0;
  guint at[16], n = 0;
  char *fields[16];

  if (bytes == NULL)
    return FALSE;
  text = g_bytes_unref_to_data (g_steal_pointer (&bytes), &length); /* there is a NUL behind it */
  text = g_realloc (text, length + 1);
  text[length] = '\0';
  while (names[n] != NULL)
    n++;
  for (char *line = text, *end; line != NULL && *line != '\0'; line = end, n_rows++)
    {
      end = strchr (line, '\n');
      if (end != NULL)
        *end++ = '\0';
      if (n_rows == 0)
        {
          find_columns (line, names, at);
          continue;
        }
      if (n_rows > MAX_ROWS)
        {
          sonde_set_error (error, SONDE_DATA_ERROR, SONDE_DATA_ERROR_LIMIT,
                           "%s has more than %d rows.", name, MAX_ROWS);
          return FALSE;
        }
      take_fields (line, at, fields, n);
      if (!take (reading, fields, error))
        return FALSE;
    }
  return TRUE;
}

/* NaN for what is no probability. */
static double
take_probability (const char *text)
{
  char *end;
  double p = g_ascii_strtod (text, &end);

  return end != text && *end == '\0' && p >= 0 && p <= 1 ? p : NAN;
}

/* ---- samples ------------------------------------------------------------- */

/* The number of a class, by the order in which they come; -1: it is not known. */
static int
number_class (Reading *reading, const char *name)
{
  guint number = GPOINTER_TO_UINT (g_hash_table_lookup (reading->classes, name));

  if (*name == '\0')
    return -1;
  if (number == 0 && g_hash_table_size (reading->classes) >= MAX_CLASSES)
    return -1;
  if (number == 0)
    {
      number = g_hash_table_size (reading->classes) + 1;
      g_hash_table_insert (reading->classes, g_strdup (name), GUINT_TO_POINTER (number));
    }
  return (int) number - 1;
}

enum
{
  FILE_NAME,
  LABEL,
  PREDICTED,
  P_LABEL,
  P_PREDICTED,
  REASON,
};

/* @name: of the row, made valid UTF-8. (transfer full) */
static SondeSampleResult *
make_result (Reading *reading, const char *name, char **fields)
{
  SondeSampleResult *result = sonde_sample_result_new (reading->result->samples->len, name);

  result->label_name = g_utf8_make_valid (fields[LABEL], -1);
  result->predicted_name = g_utf8_make_valid (fields[PREDICTED], -1);
  result->label = number_class (reading, result->label_name);
  result->predicted = number_class (reading, result->predicted_name);
  result->p_label = take_probability (fields[P_LABEL]);
  result->p_predicted = take_probability (fields[P_PREDICTED]);
  result->category = sonde_error_category_from_name (fields[REASON]);
  return result;
}

static gboolean
take_prediction (Reading *reading, char **fields, GError **error)
{
  g_autofree char *name = g_utf8_make_valid (fields[FILE_NAME], -1), *place = NULL;
  SondeExplanationSample *sample;

  if (*name == '\0' || g_hash_table_contains (reading->samples, name))
    {
      g_autofree char *fault = g_strdup_printf (
          _ ("predictions.tsv has two rows for “%s”: the later is left out."), name);

      add_fault (reading, fault);
      return TRUE;
    }
  sample = sonde_explanation_sample_new (make_result (reading, name, fields));
  sample->image = g_strdup (fields[FILE_NAME]);
  g_ptr_array_add (reading->result->samples, sample);
  g_hash_table_insert (reading->samples, sample->result->name, sample);
  place = sonde_explanation_dup_place (*fields[LABEL] != '\0' ? fields[LABEL] : NULL,
                                       fields[FILE_NAME]);
  g_hash_table_insert (reading->places, g_strdup (place),
                       g_hash_table_contains (reading->places, place) ? NULL : sample);
  return TRUE;
}

/* Evidence of a row. */
static gboolean
take_evidence (Reading *reading, char **fields, GError **error)
{
  g_autofree char *name = g_utf8_make_valid (fields[0], -1),
                  *evidence = g_utf8_make_valid (fields[2], -1);
  SondeExplanationSample *sample = g_hash_table_lookup (reading->samples, name);
  SondeErrorCategory category = sonde_error_category_from_name (fields[1]);

  if (sample == NULL || category == SONDE_N_CATEGORIES)
    return TRUE;
  sample->result->category = category;
  sonde_message_free (sample->result->evidence);
  sample->result->evidence = *evidence != '\0' ? sonde_message_new_text (evidence) : NULL;
  return TRUE;
}

/* ---- files of samples ---------------------------------------------------- */

/* @path: of the file below the folder */
typedef void (*FileFunction) (Reading *reading, SondeExplanationSample *sample, const char *path,
                              gpointer data);

static int
compare_names (gconstpointer a, gconstpointer b)
{
  return strcmp (*(const char *const *) a, *(const char *const *) b);
}

/* Names in a folder, sorted. (transfer full): empty where there is none */
static GPtrArray *
list_names (Reading *reading, const char *inside)
{
  g_autofree char *path = g_build_filename (reading->folder, inside, NULL);
  GPtrArray *names = g_ptr_array_new_with_free_func (g_free);
  g_autoptr (GDir) dir = g_dir_open (path, 0, NULL);
  const char *name;

  while (dir != NULL && (name = g_dir_read_name (dir)) != NULL && names->len < MAX_FILES)
    g_ptr_array_add (names, g_strdup (name));
  g_ptr_array_sort (names, compare_names);
  return names;
}

/* All INSIDE/CLASS/NAME with that ending. */
static void
for_each_file (Reading *reading, const char *inside, const char *ending, FileFunction function,
               gpointer data)
{
  g_autoptr (GPtrArray) classes = list_names (reading, inside);

  for (guint c = 0; c < classes->len; c++)
    {
      g_autofree char *class_folder
          = g_build_filename (inside, g_ptr_array_index (classes, c), NULL);
      g_autoptr (GPtrArray) names = list_names (reading, class_folder);

      for (guint i = 0; i < names->len && reading->n_files < MAX_FILES; i++)
        {
          const char *name = g_ptr_array_index (names, i);
          g_autofree char *place = NULL, *path = NULL;
          gpointer sample = NULL;

          if (!g_str_has_suffix (name, ending))
            continue;
          reading->n_files++;
          place = g_strdup_printf ("%s/%.*s", (char *) g_ptr_array_index (classes, c),
                                   (int) (strlen (name) - strlen (ending)), name);
          path = g_build_filename (class_folder, name, NULL);
          if (g_hash_table_lookup_extended (reading->places, place, NULL, &sample)
              && sample != NULL)
            function (reading, sample, path, data);
          else if (g_hash_table_contains (reading->places, place))
            {
              g_autofree char *fault
                  = g_strdup_printf (_ ("“%s” could belong to any of several samples with this "
                                        "name and is not shown."),
                                     path);

              add_fault (reading, fault);
            }
        }
    }
}

/* What maps of one method are of. */
typedef struct
{
  const char *method, *target_is;
} Kind;

static void
take_map (Reading *reading, SondeExplanationSample *sample, const char *path, gpointer data)
{
  const Kind *kind = data;
  const char *name = reading->result->target;
  gboolean of_class = g_str_equal (kind->target_is, "class");
  gint64 target = !of_class      ? sample->result->predicted
                  : name != NULL ? number_class (reading, name)
                                 : -1;
  SondeAttributionMap *map;

  if (g_str_equal (kind->target_is, "true"))
    target = sample->result->label;
  map = sonde_attribution_map_new (sample->result->sample, kind->method, target);
  map->target_is = g_strdup (kind->target_is);
  map->target_name = of_class ? g_strdup (name) : NULL;
  map->path = g_strdup (path);
  sonde_explanation_sample_take_map (sample, map);
}

static void
find_maps (Reading *reading)
{
  static const char *const targets[] = { "predicted", "true", "class", "contrast" };
  g_autoptr (GPtrArray) methods = list_names (reading, "maps");

  if (methods->len > MAX_METHODS)
    add_fault (reading, _ ("There are maps of more than 64 methods; the rest are left out."));
  for (guint m = 0; m < MIN (methods->len, MAX_METHODS); m++)
    for (gsize t = 0; t < G_N_ELEMENTS (targets); t++)
      {
        g_autofree char *method = g_utf8_make_valid (g_ptr_array_index (methods, m), -1);
        g_autofree char *inside
            = g_build_filename ("maps", g_ptr_array_index (methods, m), targets[t], NULL);
        Kind kind = { method, targets[t] };

        for_each_file (reading, inside, ".npy", take_map, &kind);
      }
}

/* Numbers of classes are the model's in the file, and ours in the sample: the goal says which class
 * it is. */
static void
take_boxes (Reading *reading, SondeExplanationSample *sample, const char *path, gpointer data)
{
  g_autoptr (GError) error = NULL;
  g_autoptr (GBytes) bytes = NULL;
  SondeCounterfactual *boxes;

  if (reading->n_boxes++ >= MAX_BOX_FILES)
    return;
  bytes = sonde_path_gate_read (NULL, reading->folder, path, MAX_BOX_BYTES, &error);
  boxes = bytes != NULL ? sonde_counterfactual_parse_json (bytes, path, &error) : NULL;
  if (boxes == NULL)
    {
      add_fault (reading, sonde_error_get_text (error));
      return;
    }
  boxes->target
      = boxes->goal == SONDE_OCCLUSION_FLIP ? sample->result->label : sample->result->predicted;
  sonde_explanation_sample_take_counterfactual (sample, boxes);
}

static void
find_boxes (Reading *reading)
{
  static const char *const goals[] = { "hoc/unmasking", "hoc/masking", "hoc/flip" };

  for (gsize i = 0; i < G_N_ELEMENTS (goals); i++)
    for_each_file (reading, goals[i], ".json", take_boxes, NULL);
  if (reading->n_boxes > MAX_BOX_FILES)
    add_fault (reading,
               _ ("There are more than 4096 counterfactual files; the rest are left out."));
}

/* ---- the folder ---------------------------------------------------------- */

gboolean
sonde_explanation_folder_is (const char *folder)
{
  char head[sizeof HEADER] = "";
  int fd = sonde_path_gate_open (NULL, folder, PREDICTIONS, NULL, NULL);
  ssize_t n;

  if (fd < 0)
    return FALSE;
  do
    n = read (fd, head, sizeof head - 1);
  while (n < 0 && errno == EINTR);
  close (fd);
  return n == (ssize_t) strlen (HEADER) && g_str_equal (head, HEADER);
}

void
sonde_explanation_folder_free (SondeExplanationFolder *folder)
{
  if (folder == NULL)
    return;
  sonde_explanation_settings_free (folder->settings);
  g_free (folder->missing);
  g_free (folder->target);
  g_free (folder->images);
  g_ptr_array_unref (folder->samples);
  g_ptr_array_unref (folder->faults);
  g_free (folder);
}

static gboolean
read_tables (Reading *reading, GError **error)
{
  static const char *const columns[]
      = { "file", "true", "predicted", "p_true", "p_predicted", "reason", NULL };
  static const char *const of_triage[] = { "file", "reason", "evidence", NULL };
  g_autoptr (GError) reason = NULL;

  if (!read_table (reading, PREDICTIONS, columns, take_prediction, error))
    return FALSE;
  if (!read_table (reading, TRIAGE, of_triage, take_evidence, &reason)
      && !g_error_matches (reason, SONDE_DATA_ERROR, SONDE_DATA_ERROR_NOT_FOUND))
    add_fault (reading, sonde_error_get_text (reason));
  return TRUE;
}

SondeExplanationFolder *
sonde_explanation_folder_read (const char *folder, GError **error)
{
  g_autoptr (SondeExplanationFolder) result = g_new0 (SondeExplanationFolder, 1);
  g_autoptr (GHashTable) classes = g_hash_table_new_full (g_str_hash, g_str_equal, g_free, NULL);
  g_autoptr (GHashTable) samples = g_hash_table_new (g_str_hash, g_str_equal);
  g_autoptr (GHashTable) places = g_hash_table_new_full (g_str_hash, g_str_equal, g_free, NULL);
  Reading reading = { folder, result, classes, samples, places, 0, 0 };

  result->settings = sonde_explanation_settings_read (folder, &result->target, &result->missing);
  result->images = sonde_explanation_settings_find_images (result->settings);
  result->samples = g_ptr_array_new_with_free_func ((GDestroyNotify) sonde_explanation_sample_free);
  result->faults = g_ptr_array_new_with_free_func (g_free);
  if (!read_tables (&reading, error))
    return NULL;
  find_maps (&reading);
  find_boxes (&reading);
  return g_steal_pointer (&result);
}
