/* SPDX-License-Identifier: Apache-2.0
 * `sonde inspect`: files by their format, arrays, datasets. */
#include <string.h>
#include <sys/stat.h>

#include <glib/gstdio.h>

#include "app/cli/sonde-cli-inspect-private.h"
#include "app/cli/sonde-cli-table.h"
#include "app/worker/sonde-weights.h"
#include "data/base/sonde-error.h"
#include "data/base/sonde-text.h"
#include "data/datasets/sonde-dataset.h"
#include "data/models/sonde-model-file.h"
#include "data/traces/sonde-trace-file.h"
#include "data/values/sonde-statistics.h"

/* ---- arrays -------------------------------------------------------------- */

static void
add_tensor_members (JsonObject *object, SondeTensor *tensor)
{
  SondeType type = sonde_type_tensor (tensor->dtype, &tensor->shape);

  json_object_set_string_member (object, "dtype", sonde_dtype_name (tensor->dtype));
  json_object_set_array_member (object, "shape", sonde_inspect_make_shape (&type));
}

/* "" for text, which has no numbers */
static char *
format_number (const SondeTensor *tensor, double value)
{
  return tensor->dtype == SONDE_DTYPE_STRING ? g_strdup ("") : g_strdup_printf ("%.6g", value);
}

static void
add_tensor_row (SondeTable *table, const char *name, SondeTensor *tensor)
{
  g_autofree char *shape = sonde_shape_to_string (&tensor->shape);
  g_autofree char *min = NULL, *max = NULL, *mean = NULL;
  SondeStatistics statistics;

  sonde_statistics_compute (tensor, &statistics);
  min = format_number (tensor, statistics.min);
  max = format_number (tensor, statistics.max);
  mean = format_number (tensor, statistics.mean);
  sonde_table_add (table, name, sonde_dtype_name (tensor->dtype), shape, min, max, mean, NULL);
}

static const char *const tensor_columns[]
    = { N_ ("<ARRAY"), N_ ("<DTYPE"), N_ ("<SHAPE"), N_ (">MIN"), N_ (">MAX"), N_ (">MEAN"), NULL };

static void
add_array (SondeFindings *findings, const char *path, const char *format, SondeTensor *tensor)
{
  g_autoptr (SondeTable) table = sonde_table_new (tensor_columns);
  g_autofree char *name = g_path_get_basename (path);
  JsonObject *object;

  if (findings->text)
    {
      sonde_inspect_print_head (path, format);
      add_tensor_row (table, name, tensor);
      sonde_table_print (table, 2);
      sonde_cli_print ("\n");
      return;
    }
  object = sonde_inspect_finding_new (path, format);
  add_tensor_members (object, tensor);
  json_array_add_object_element (findings->arrays, object);
}

static gboolean
inspect_npy (SondeFindings *findings, const char *path, GError **error)
{
  g_autoptr (SondeTensor) tensor = sonde_npy_read (NULL, path, error);

  if (tensor != NULL)
    add_array (findings, path, "npy", tensor);
  return tensor != NULL;
}

static gboolean
inspect_tensor_proto (SondeFindings *findings, const char *path, GError **error)
{
  g_autoptr (SondeTensor) tensor = sonde_model_read_tensor (NULL, path, error);

  if (tensor != NULL)
    add_array (findings, path, "onnx tensor", tensor);
  return tensor != NULL;
}

/* Named arrays; the format is called as its ending. */
static gboolean
inspect_arrays (SondeFindings *findings, const char *path, GError **error)
{
  g_autoptr (SondeNamedTensors) tensors = sonde_weights_read (NULL, path, error);
  const char *format = strrchr (path, '.') + 1;
  g_autoptr (SondeTable) table = sonde_table_new (tensor_columns);
  JsonArray *arrays;
  JsonObject *object;

  if (tensors == NULL)
    return FALSE;
  arrays = json_array_new ();
  for (gsize i = 0; i < sonde_named_tensors_get_size (tensors); i++)
    {
      SondeTensor *tensor = sonde_named_tensors_get_tensor (tensors, i);
      JsonObject *member = json_object_new ();

      if (findings->text)
        add_tensor_row (table, sonde_named_tensors_get_name (tensors, i), tensor);
      sonde_inspect_set_text (member, "name", sonde_named_tensors_get_name (tensors, i));
      add_tensor_members (member, tensor);
      json_array_add_object_element (arrays, member);
    }
  if (findings->text)
    {
      sonde_inspect_print_head (path, format);
      sonde_table_print (table, 2);
      sonde_cli_print ("\n");
    }
  object = sonde_inspect_finding_new (path, format);
  json_object_set_array_member (object, "arrays", arrays);
  json_array_add_object_element (findings->arrays, object);
  return TRUE;
}

/* ---- files by name, then by content -------------------------------------- */

static gboolean
has_events (const char *path)
{
  g_autoptr (SondeTrace) trace = sonde_trace_file_read (NULL, path, NULL);

  return trace != NULL && trace->n_events > 0;
}

static gboolean
is_empty (const char *path)
{
  GStatBuf status;

  return g_stat (path, &status) == 0 && S_ISREG (status.st_mode) && status.st_size == 0;
}

/* Protobuf does not say what it is: a profile of TensorFlow begins with a name, but a tensor may begin as
 * a trace of Perfetto does. */
static gboolean
inspect_pb (SondeFindings *findings, const char *path, GError **error)
{
  g_autoptr (GError) problem = NULL;
  SondeTraceFormat format;
  gboolean is_trace = sonde_trace_file_sniff (NULL, path, &format);
  const char *model = sonde_model_sniff (NULL, path, NULL);

  if (g_strcmp0 (model, "graphdef") == 0 || g_strcmp0 (model, "savedmodel") == 0)
    return sonde_inspect_model (findings, path, model, error);
  if (is_trace && format == SONDE_TRACE_XSPACE)
    return sonde_inspect_trace (findings, path, error);
  if (inspect_tensor_proto (findings, path, &problem))
    return TRUE;
  if (is_trace && has_events (path))
    return sonde_inspect_trace (findings, path, error);
  g_propagate_error (error, g_steal_pointer (&problem));
  return FALSE;
}

static const struct
{
  const char *suffix;
  gboolean (*inspect) (SondeFindings *findings, const char *path, GError **error);
} readers[] = {
  { ".npy", inspect_npy },     { ".npz", inspect_arrays }, { ".safetensors", inspect_arrays },
  { ".ckpt", inspect_arrays }, { ".pt", inspect_arrays },  { ".pth", inspect_arrays },
  { ".pb", inspect_pb },
};

gboolean
sonde_inspect_is_trace (const char *path)
{
  g_autofree char *name = g_path_get_basename (path);
  SondeTraceFormat format;

  if (g_str_has_suffix (name, ".xplane.pb"))
    return sonde_trace_file_sniff (NULL, path, &format) && format == SONDE_TRACE_XSPACE;
  if (strcmp (name, "trace_view.json") == 0 || g_str_has_suffix (name, ".trace.json.gz"))
    return sonde_trace_file_sniff (NULL, path, &format) && format == SONDE_TRACE_CHROME;
  return FALSE;
}

gboolean
sonde_inspect_file (SondeFindings *findings, const char *path, GError **error)
{
  g_autoptr (GError) problem = NULL;
  const char *format;

  for (gsize i = 0; i < G_N_ELEMENTS (readers); i++)
    if (g_str_has_suffix (path, readers[i].suffix))
      return readers[i].inspect (findings, path, error);
  format = sonde_model_sniff (NULL, path, &problem);
  if (problem != NULL)
    return g_propagate_error (error, g_steal_pointer (&problem)), FALSE;
  if (format != NULL || g_str_has_suffix (path, ".onnx"))
    return sonde_inspect_model (findings, path, format ? format : "onnx", error);
  if (sonde_trace_file_sniff (NULL, path, NULL))
    return sonde_inspect_trace (findings, path, error);
  if (is_empty (path))
    sonde_set_error (error, SONDE_DATA_ERROR, SONDE_DATA_ERROR_UNSUPPORTED, "“%s” is empty.", path);
  else
    sonde_set_error (
        error, SONDE_DATA_ERROR, SONDE_DATA_ERROR_UNSUPPORTED,
        "“%s” has an unknown format; supported are records (Sonde, TensorBoard, MindSpore, "
        "CSV), models (ONNX, MindIR, Caffe, Keras, PyTorch, TensorFlow, TFLite), arrays (.npy, "
        ".npz, .safetensors, .ckpt, .pt) and traces (Chrome JSON, Perfetto, XSpace, perf "
        "script, collapsed stacks).",
        path);
  return FALSE;
}

/* ---- datasets ------------------------------------------------------------ */

static JsonObject *
make_dataset (const char *path, const SondeDataset *dataset)
{
  JsonObject *object = sonde_inspect_finding_new (path, dataset->klass->name);
  JsonArray *shape = json_array_new (), *classes = json_array_new ();

  json_object_set_int_member (object, "samples", dataset->n);
  json_array_add_int_element (shape, dataset->channels);
  json_array_add_int_element (shape, dataset->height);
  json_array_add_int_element (shape, dataset->width);
  json_object_set_array_member (object, "shape", shape);
  for (guint i = 0; i < dataset->n_classes; i++)
    json_array_add_string_element (classes, dataset->classes[i]);
  json_object_set_array_member (object, "classes", classes);
  json_object_set_int_member (object, "test_samples",
                              dataset->test_begin >= 0 ? dataset->n - dataset->test_begin : 0);
  return object;
}

static void
print_dataset (const char *path, const SondeDataset *dataset)
{
  g_autofree char *count = sonde_cli_format_count (dataset->n);
  g_autofree char *head = g_strdup_printf (_ ("%s dataset, %s samples of %d×%d×%d, %u classes"),
                                           dataset->klass->name, count, dataset->channels,
                                           dataset->height, dataset->width, dataset->n_classes);

  sonde_inspect_print_head (path, head);
  for (guint i = 0; i < dataset->n_classes; i++)
    {
      g_autofree char *name = sonde_cli_make_printable (dataset->classes[i]);

      sonde_cli_print ("%s%s", i == 0 ? "  " : ", ", name);
    }
  sonde_cli_print ("\n\n");
}

static gboolean
inspect_dataset (SondeFindings *findings, const char *path)
{
  g_autofree char *program = sonde_cli_dup_program ();
  const char *arguments[] = { program, "image-helper", NULL };
  SondeDatasetOptions options = { .decoder = sonde_image_decoder_new (arguments) };
  g_autoptr (SondeDataset) dataset = sonde_dataset_open (path, &options, NULL);

  if (dataset == NULL)
    return FALSE;
  if (findings->text)
    print_dataset (path, dataset);
  else
    json_array_add_object_element (findings->datasets, make_dataset (path, dataset));
  return TRUE;
}

static int
compare_names (gconstpointer a, gconstpointer b)
{
  return strcmp (*(const char *const *) a, *(const char *const *) b);
}

/* A .pb in a folder is a tensor of a model's test data as a rule. */
static gboolean
has_known_ending (const char *name)
{
  for (gsize i = 0; i < G_N_ELEMENTS (readers); i++)
    if (g_str_has_suffix (name, readers[i].suffix))
      return readers[i].inspect != inspect_pb;
  return sonde_model_has_extension (name);
}

/* Weights of a net whose layers stand in a file beside are no model of their own. */
static void
drop_halves (GPtrArray *names)
{
  gboolean has_nets = FALSE;

  for (guint i = 0; i < names->len; i++)
    has_nets |= g_str_has_suffix (names->pdata[i], ".prototxt");
  for (guint i = names->len; has_nets && i > 0; i--)
    if (g_str_has_suffix (names->pdata[i - 1], ".caffemodel"))
      g_ptr_array_remove_index (names, i - 1);
}

/* Names of regular files in @path with an extension of a known format, sorted. */
static GPtrArray *
list_files (const char *path)
{
  GPtrArray *names = g_ptr_array_new_with_free_func (g_free);
  g_autoptr (GDir) dir = g_dir_open (path, 0, NULL);
  const char *name;

  while (dir != NULL && (name = g_dir_read_name (dir)) != NULL)
    if (has_known_ending (name))
      g_ptr_array_add (names, g_build_filename (path, name, NULL));
  g_ptr_array_sort (names, compare_names);
  drop_halves (names);
  return names;
}

gboolean
sonde_inspect_folder (SondeFindings *findings, const char *path, GError **error)
{
  g_autoptr (GPtrArray) files = list_files (path);
  const char *model = sonde_model_sniff (NULL, path, NULL);
  guint n_traces;

  if (model != NULL)
    return sonde_inspect_model (findings, path, model, error);
  if (!sonde_inspect_traces (findings, path, &n_traces, error))
    return FALSE;
  if (n_traces > 0 || inspect_dataset (findings, path))
    return TRUE;
  if (files->len == 0)
    {
      sonde_set_error (
          error, SONDE_DATA_ERROR, SONDE_DATA_ERROR_NOT_FOUND,
          "“%s” contains no run (records of Sonde, TensorBoard, MindSpore, CSV), dataset, "
          "model or array.",
          path);
      return FALSE;
    }
  for (guint i = 0; i < files->len; i++)
    if (!sonde_inspect_file (findings, g_ptr_array_index (files, i), error))
      return FALSE;
  return TRUE;
}
