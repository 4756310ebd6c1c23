/* SPDX-License-Identifier: Apache-2.0
 * Fuzz target for what runs: bytes are choices, from which a small network grows; what the cpu
 * device makes of it, planned, fused, in its layouts, must agree with the plain kernels in double,
 * node by node. With libFuzzer, the entry is used; built alone, it replays files given as
 * arguments, or, without any, networks from a fixed seed. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "data/base/sonde-random.h"
#include "engine/plan/sonde-execution.h"
#include "tests/engine/fuzz-grow.h"
#include "tests/support/sonde-test-gradient.h"
#include "tests/support/sonde-test-tensor.h"

#define LARGEST 1e4 /* of a value that is compared */
#define TOLERANCE 1e-3
#define TOLERANCE_OF_STEPS 0.1
#define DOUBLE 11 /* of the numbers of types in ONNX */

int LLVMFuzzerTestOneInput (const uint8_t *data, size_t size);

/* ---- in double ----------------------------------------------------------- */

/* Which stands between integers and floats: its scales stay float32. */
static gboolean
is_quantising (const SondeNode *node)
{
  return g_str_has_suffix (node->op, "quantizeLinear") || g_str_has_prefix (node->op, "Quantize")
         || g_str_has_prefix (node->op, "QLinear");
}

/* The same network whose floats are doubles: (transfer full) */
static SondeGraph *
widen (SondeGraph *graph)
{
  SondeGraph *wide = sonde_graph_copy (graph, FALSE);

  for (guint i = 0; i < wide->nodes->len; i++)
    {
      SondeNode *node = wide->nodes->pdata[i];

      if (node != NULL && strcmp (node->op, "DequantizeLinear") == 0)
        sonde_node_set_int (node, "output_dtype", DOUBLE);
    }
  return wide;
}

static gboolean
is_scale (const SondeGraphValue *value)
{
  return value->users->len > 0 && is_quantising (value->users->pdata[0]);
}

static GHashTable *
wide_feeds (SondeGraph *graph)
{
  GHashTable *feeds = sonde_test_feeds_new ();

  for (guint i = 0; i < graph->values->len; i++)
    {
      SondeGraphValue *value = graph->values->pdata[i];
      g_autoptr (SondeTensor) narrow = NULL, wide = NULL;

      if (value == NULL || value->type.dtype != SONDE_DTYPE_F32
          || (value->constant != NULL && is_scale (value)))
        continue;
      if (value->role == SONDE_ROLE_INPUT)
        {
          SondeShape shape = shape_of (value);

          narrow = sonde_test_tensor_random (SONDE_DTYPE_F32, &shape, 1000 + value->id, -1, 1);
        }
      else if (value->constant != NULL)
        narrow = sonde_tensor_ref (sonde_value_get_tensor (value->constant));
      if (narrow == NULL)
        continue;
      wide = sonde_tensor_cast (narrow, SONDE_DTYPE_F64);
      sonde_test_feeds_set (feeds, value->name, wide);
    }
  return feeds;
}

/* Values behind a rounding to integers: where float and double fall to different sides, they differ
 * by steps. */
static GHashTable *
find_stepped (SondeGraph *graph)
{
  GHashTable *stepped = g_hash_table_new (NULL, NULL);
  g_autoptr (GPtrArray) order = sonde_graph_sort (graph, NULL);

  for (guint i = 0; i < order->len; i++)
    {
      SondeNode *node = order->pdata[i];
      gboolean found = is_quantising (node) && strcmp (node->op, "DequantizeLinear") != 0;

      for (guint k = 0; k < node->inputs->len; k++)
        found |= g_hash_table_contains (stepped, sonde_node_get_input (node, k));
      for (guint k = 0; found && k < node->outputs->len; k++)
        g_hash_table_add (stepped, sonde_node_get_output (node, k));
    }
  return stepped;
}

/* ---- running ------------------------------------------------------------- */

/**
 * Network: what all runs share
 * @graph: as grown; @wanted: its values in double, by name; @stepped: those behind a rounding
 */
typedef struct
{
  SondeGraph *graph;
  SondeDevice *device;
  GHashTable *feeds, *wanted, *stepped;
} Network;

typedef enum
{
  PLAIN, /* every value stays what it is */
  KEPT,  /* some values are read later */
  UNWATCHED,
} Form;

static void
compare (const Network *network, const SondeGraphValue *value, SondeTensor *got)
{
  SondeTensor *want = g_hash_table_lookup (network->wanted, value->name);
  g_autoptr (SondeTensor) wide = sonde_tensor_cast (got, SONDE_DTYPE_F64),
                          good = sonde_tensor_cast (want, SONDE_DTYPE_F64);
  const double *a = (const double *) (const void *) wide->data,
               *b = (const double *) (const void *) good->data;
  gint64 n = sonde_tensor_n_elements (want);
  double largest = 1, tolerance = g_hash_table_contains (network->stepped, value)
                                      ? TOLERANCE_OF_STEPS
                                      : TOLERANCE;

  if (!sonde_shape_equal (&wide->shape, &want->shape))
    g_error ("“%s” (%s) has another shape", value->name, value->producer->op);
  for (gint64 i = 0; i < n; i++)
    largest = fmax (largest, fabs (b[i]));
  if (got->dtype != SONDE_DTYPE_F32)
    tolerance = 2.0 / largest; /* integers */
  for (gint64 i = 0; i < n && largest < LARGEST; i++)
    if (!(fabs (a[i] - b[i]) <= tolerance * largest) && !(a[i] == b[i])
        && !(isnan (a[i]) && isnan (b[i])))
      g_error ("“%s” (%s): element %" G_GINT64_FORMAT " is %.9g, in double %.9g", value->name,
               value->producer->op, i, a[i], b[i]);
}

/* One in four of the values that nodes make. (transfer full) */
static GPtrArray *
choose_kept (SondeGraph *graph, guint form)
{
  GPtrArray *names = g_ptr_array_new ();

  for (guint i = 0; i < graph->values->len; i++)
    {
      SondeGraphValue *value = graph->values->pdata[i];

      if (value != NULL && value->producer != NULL && (form + i * 7) % 4 == 0)
        g_ptr_array_add (names, value->name);
    }
  g_ptr_array_add (names, NULL);
  return names;
}

static void
set_inputs (const Network *network, SondeGraph *graph, SondeExecution *execution)
{
  for (guint i = 0; i < graph->inputs->len; i++)
    {
      SondeGraphValue *input = graph->inputs->pdata[i];
      g_autoptr (GError) error = NULL;
      g_autoptr (SondeTensor) tensor
          = sonde_tensor_cast (g_hash_table_lookup (network->feeds, input->name), SONDE_DTYPE_F32);

      (void) sonde_execution_set_input (execution, input->name, tensor, &error);
      g_assert_no_error (error);
    }
}

/* Whatever can be read is right. What must be there: outputs, and with @memory KEEP or @kept what
 * these name. */
static void
check_values (const Network *network, SondeGraph *graph, SondeExecution *execution,
              const SondePlanOptions *options, Form form)
{
  for (guint i = 0; i < network->graph->values->len; i++)
    {
      SondeGraphValue *original = network->graph->values->pdata[i];
      SondeGraphValue *value
          = original && original->producer ? sonde_graph_find_value (graph, original->name) : NULL;
      gboolean output = value != NULL && g_ptr_array_find (graph->outputs, value, NULL);
      gboolean kept
          = value != NULL && options->kept != NULL && g_strv_contains (options->kept, value->name);
      g_autoptr (GError) error = NULL;
      g_autoptr (SondeTensor) got = NULL;

      if (value == NULL || (form == UNWATCHED && !output))
        continue;
      got = sonde_execution_read (execution, value, &error);
      if (output || kept || options->memory == SONDE_MEMORY_KEEP)
        g_assert_no_error (error);
      else if (got == NULL)
        g_assert_error (error, SONDE_ENGINE_ERROR, SONDE_ENGINE_ERROR_STATE);
      if (got != NULL)
        compare (network, original, got);
    }
}

static SondeGraph *
prepare (const Network *network, const SondePlanOptions *options, Form form, GError **error)
{
  g_autoptr (SondeGraph) graph = NULL;

  if (form == PLAIN)
    return sonde_prepare_inference (network->graph, error);
  if (form == KEPT)
    return sonde_prepare_kept_inference (network->graph, NULL, 0, options->kept, error);
  graph = sonde_prepare_unwatched_inference (network->graph, NULL, 0, error);
  return graph != NULL && sonde_pass_upcast (graph, error) ? g_steal_pointer (&graph) : NULL;
}

/* For whoever looks into a finding. */
static void
show (SondeGraph *graph, Form form)
{
  g_autofree char *listing = sonde_graph_listing (graph, NULL);

  if (g_getenv ("SONDE_FUZZ_SHOW") != NULL)
    printf ("# form %d\n%s\n", (int) form, listing);
}

static void
run_planned (const Network *network, const SondePlanOptions *options, Form form)
{
  g_autoptr (GError) error = NULL;
  g_autoptr (SondeGraph) graph = prepare (network, options, form, &error);
  g_autoptr (SondePlan) plan
      = graph ? sonde_plan_new (graph, network->device, options, &error) : NULL;
  g_autoptr (SondeExecution) execution = plan ? sonde_execution_new (plan, &error) : NULL;

  g_assert_no_error (error);
  show (graph, form);
  set_inputs (network, graph, execution);
  /* the second one finds what the first has left */
  for (int i = 0; i < 2; i++)
    {
      (void) sonde_execution_run (execution, &error);
      g_assert_no_error (error);
    }
  check_values (network, graph, execution, options, form);
}

/* Values by name, of a graph that is gone. */
static GHashTable *
evaluate (SondeGraph *wide, GHashTable *feeds)
{
  g_autoptr (GError) error = NULL;
  g_autoptr (GHashTable) values = sonde_test_evaluate (wide, feeds, &error);
  GHashTable *named = g_hash_table_new_full (g_str_hash, g_str_equal, g_free,
                                             (GDestroyNotify) sonde_tensor_unref);
  GHashTableIter iter;
  gpointer value, tensor;

  g_assert_no_error (error);
  g_hash_table_iter_init (&iter, values);
  while (g_hash_table_iter_next (&iter, &value, &tensor))
    g_hash_table_insert (named, g_strdup (((SondeGraphValue *) value)->name),
                         sonde_tensor_ref (tensor));
  return named;
}

int
LLVMFuzzerTestOneInput (const uint8_t *data, size_t size)
{
  guint form = size > 0 ? data[size - 1] : 0;
  g_autoptr (SondeDevice) device = sonde_device_open ("cpu", 1 + (form & 1), NULL);
  g_autoptr (SondeGraph) graph = grow_network (data, size), wide = widen (graph);
  g_autoptr (GHashTable) feeds = wide_feeds (graph), wanted = evaluate (wide, feeds),
                         stepped = find_stepped (graph);
  g_autoptr (GPtrArray) kept = choose_kept (graph, form);
  const Network network = { graph, device, feeds, wanted, stepped };
  SondePlanOptions options = { form & 2 ? SONDE_MEMORY_KEEP : SONDE_MEMORY_PLAN,
                               .no_fusion = (form & 12) == 12, .plain_layouts = (form & 48) == 48 };

  if (graph->outputs->len == 0)
    return 0;
  run_planned (&network, &options, PLAIN);
  run_planned (&network, &options, UNWATCHED);
  options.memory = SONDE_MEMORY_PLAN;
  options.kept = (const char *const *) kept->pdata;
  run_planned (&network, &options, KEPT);
  return 0;
}

#ifndef SONDE_LIBFUZZER

#define N_NETWORKS 800

static void
run_random (guint64 number)
{
  guint8 bytes[160];

  for (guint i = 0; i < sizeof bytes; i++)
    bytes[i] = (guint8) (sonde_random_uniform (11, number, i) * 256);
  LLVMFuzzerTestOneInput (bytes, sizeof bytes);
}

/* FILE…: replays them; FIRST-LAST: networks of these numbers; nothing: N_NETWORKS from the first
 * on. */
int
main (int argc, char **argv)
{
  guint64 first = 0, last = N_NETWORKS - 1;
  gboolean numbers
      = argc < 2
        || sscanf (argv[1], "%" G_GUINT64_FORMAT "-%" G_GUINT64_FORMAT, &first, &last) == 2;

  for (int i = 1; i < argc && !numbers; i++)
    {
      g_autofree char *text = NULL;
      gsize length = 0;

      if (g_file_get_contents (argv[i], &text, &length, NULL))
        LLVMFuzzerTestOneInput ((const uint8_t *) text, length);
    }
  setvbuf (stdout, NULL, _IOLBF, 0); /* what went well before a crash is there to see */
  for (guint64 number = first; numbers && number <= last; number++)
    {
      run_random (number);
      if ((number - first) % 100 == 99)
        printf ("ok %d networks to %d\n", (int) ((number - first) / 100 + 1), (int) number);
    }
  printf ("1..%d\n", numbers ? (int) ((last - first + 1) / 100) : 0);
  return 0;
}

#endif
