/* SPDX-License-Identifier: Apache-2.0 */
#include "engine/profile/sonde-ceilings-measure.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "data/base/sonde-clock.h"
#include "data/base/sonde-error.h"
#include "data/base/sonde-io.h"
#include "engine/ops/sonde-build.h"
#include "engine/plan/sonde-execution.h"

#define MOST_TRIAD_BYTES ((gsize) 1000 * 1000 * 1000)
#define CHAIN 256 /* steps of the overhead's graph */
#define CHAIN_RUNS 200

/* ---- the last cache ---------------------------------------------------------- */

/* A small text of the system, without its line end. (transfer full) (nullable) */
static char *
read_line (const char *path)
{
  g_autofree char *text = NULL;

  if (!g_file_get_contents (path, &text, NULL, NULL))
    return NULL;
  return g_strchomp (g_steal_pointer (&text));
}

/* Of the cache @index of processor @cpu; its bytes, level, and who shares it. */
static gboolean
read_cache (guint cpu, guint index, guint64 *bytes, guint64 *level, char **shared)
{
  static const char *const names[] = { "size", "level", "shared_cpu_list" };
  g_autofree char *texts[3] = { NULL };
  char *end;

  for (gsize i = 0; i < G_N_ELEMENTS (names); i++)
    {
      g_autofree char *path = g_strdup_printf ("/sys/devices/system/cpu/cpu%u/cache/index%u/%s",
                                               cpu, index, names[i]);

      texts[i] = read_line (path);
    }
  *bytes = texts[0] != NULL ? g_ascii_strtoull (texts[0], &end, 10) : 0;
  if (*bytes > 0)
    *bytes <<= *end == 'K' ? 10 : *end == 'M' ? 20 : 0;
  *level = texts[1] != NULL ? g_ascii_strtoull (texts[1], NULL, 10) : 0;
  *shared = g_steal_pointer (&texts[2]);
  for (gsize i = 0; i < G_N_ELEMENTS (names); i++)
    g_clear_pointer (&texts[i], g_free);
  return *bytes > 0 && *shared != NULL;
}

gsize
sonde_last_cache_bytes (void)
{
  g_autoptr (GHashTable) seen = g_hash_table_new_full (g_str_hash, g_str_equal, g_free, NULL);
  guint64 last = 0, sum = 0;
  long n_cpus = sysconf (_SC_NPROCESSORS_ONLN);

  for (guint cpu = 0; (long) cpu < n_cpus; cpu++)
    for (guint index = 0; index < 8; index++)
      {
        char *shared = NULL;
        guint64 bytes, level;

        if (!read_cache (cpu, index, &bytes, &level, &shared) || level < last)
          {
            g_free (shared);
            continue;
          }
        if (level > last)
          {
            g_hash_table_remove_all (seen);
            sum = 0;
          }
        last = level;
        sum += g_hash_table_add (seen, shared) ? bytes : 0;
      }
  return sum > 0 ? (gsize) sum : (gsize) 32 << 20;
}

/* ---- times of runs ----------------------------------------------------------- */

/* The shortest two; G_MAXINT64: there is none. */
typedef struct
{
  gint64 best, second;
} Shortest;

static void
note_time (Shortest *shortest, gint64 ns)
{
  const gint64 time = MAX (ns, 1);

  shortest->second = MIN (shortest->second, MAX (shortest->best, time));
  shortest->best = MIN (shortest->best, time);
}

/* What @work in a run is in a ns of it. */
static void
to_rates (const Shortest *shortest, double work, SondeCeilingMeasure *measure)
{
  measure->best = work / (double) shortest->best;
  measure->second = shortest->second < G_MAXINT64 ? work / (double) shortest->second : NAN;
}

/* ---- products ---------------------------------------------------------------- */

/* Small whole numbers of both signs, or of one where there is no other. */
static SondeTensor *
make_matrix (SondeDtype dtype, gint64 side)
{
  SondeShape shape = sonde_shape_make (2, side, side);
  SondeTensor *tensor = sonde_tensor_new (dtype, &shape);
  gint64 n = sonde_tensor_n_elements (tensor);

  if (dtype == SONDE_DTYPE_F32)
    for (gint64 i = 0; i < n; i++)
      ((float *) (void *) tensor->data)[i] = (float) (i % 13) - 6;
  else
    for (gint64 i = 0; i < n; i++)
      sonde_tensor_set_double (tensor, i, (double) (i % 13) - (dtype == SONDE_DTYPE_U8 ? 0 : 6));
  return tensor;
}

/* A graph of one product. Integers of 8 bits are multiplied as the processor does: unsigned by
 * signed. @right: what the weights are. */
static SondeGraph *
make_product (SondeDtype dtype, SondeTensor *right, GError **error)
{
  g_autoptr (SondeGraph) graph = sonde_graph_new ("product");
  gboolean integer = dtype == SONDE_DTYPE_I8;
  SondeType type = sonde_type_tensor (integer ? SONDE_DTYPE_U8 : dtype, &right->shape);
  SondeGraphValue *operands[2];
  SondeNode *node;

  sonde_graph_set_opset (graph, "", 17);
  operands[0] = sonde_graph_add_input (graph, "a", &type);
  operands[1] = sonde_graph_add_initialiser (graph, "b", right, SONDE_ROLE_CONSTANT);
  node = sonde_graph_add_node (graph, "product", "", integer ? "MatMulInteger" : "MatMul", operands,
                               2, 1);
  if (!sonde_build_infer (graph, node, error))
    return NULL;
  sonde_graph_add_output (graph, sonde_node_get_output (node, 0));
  return g_steal_pointer (&graph);
}

/* An execution of @graph, ready to run. */
static SondeExecution *
prepare (SondeGraph *graph, SondeDevice *device, gboolean no_fusion, GError **error)
{
  SondePlanOptions options = { .no_fusion = no_fusion };
  g_autoptr (SondePlan) plan = sonde_plan_new (graph, device, &options, error);

  return plan != NULL ? sonde_execution_new (plan, error) : NULL;
}

/* Of @n_runs. None begins that would end after @limit_ns. */
static gboolean
time_runs (SondeExecution *execution, guint n_runs, gint64 limit_ns, Shortest *shortest,
           GError **error)
{
  gint64 begin = sonde_clock_monotonic_ns (NULL), now = begin;

  *shortest = (Shortest){ G_MAXINT64, G_MAXINT64 };
  for (guint i = 0; i < n_runs && (i == 0 || now - begin + shortest->best < limit_ns); i++)
    {
      gint64 before = sonde_clock_monotonic_ns (NULL);

      if (sonde_execution_run (execution, error) != SONDE_RUN_DONE)
        return FALSE;
      now = sonde_clock_monotonic_ns (NULL);
      note_time (shortest, now - before);
    }
  return TRUE;
}

static gboolean
is_fast (const SondePlan *plan)
{
  for (guint i = 0; i < sonde_plan_get_n_steps (plan); i++)
    if (g_str_has_prefix (sonde_plan_get_step (plan, i)->implementation, "reference"))
      return FALSE;
  return TRUE;
}

gboolean
sonde_measure_product (SondeDevice *device, SondeDtype dtype, gint64 side, guint n_runs,
                       gint64 limit_ns, SondeCeilingMeasure *gflops, GError **error)
{
  g_autoptr (SondeTensor) right = make_matrix (dtype, side);
  g_autoptr (SondeTensor) left
      = make_matrix (dtype == SONDE_DTYPE_I8 ? SONDE_DTYPE_U8 : dtype, side);
  g_autoptr (SondeGraph) graph = make_product (dtype, right, error);
  g_autoptr (SondeExecution) execution
      = graph != NULL ? prepare (graph, device, FALSE, error) : NULL;
  Shortest shortest;

  if (execution == NULL || !sonde_execution_set_input (execution, "a", left, error))
    return FALSE;
  if (!is_fast (sonde_execution_get_plan (execution)))
    {
      sonde_set_error (error, SONDE_ENGINE_ERROR, SONDE_ENGINE_ERROR_UNSUPPORTED,
                       "The device “%s” multiplies %s only by its plain reference kernel.",
                       device->klass->name, sonde_dtype_name (dtype));
      return FALSE;
    }
  if (!time_runs (execution, n_runs, limit_ns, &shortest, error))
    return FALSE;
  to_rates (&shortest, 2.0 * (double) side * (double) side * (double) side, gflops);
  return TRUE;
}

/* ---- memory ------------------------------------------------------------------ */

typedef struct
{
  float *a;
  const float *b, *c;
  float s;
  gint64 n, n_parts;
} Triad;

static void
run_triad (gint64 part, gpointer data)
{
  const Triad *triad = data;
  float *restrict a = triad->a;
  const float *restrict b = triad->b, *restrict c = triad->c;
  const float s = triad->s;
  gint64 end = triad->n * (part + 1) / triad->n_parts;

  for (gint64 i = triad->n * part / triad->n_parts; i < end; i++)
    a[i] = b[i] + s * c[i];
}

/* Each thread touches first what it will read. */
static void
fill_triad (gint64 part, gpointer data)
{
  Triad *triad = data;
  gint64 begin = triad->n * part / triad->n_parts, end = triad->n * (part + 1) / triad->n_parts;

  for (gint64 i = begin; i < end; i++)
    {
      triad->a[i] = 0;
      ((float *) triad->b)[i] = 1;
      ((float *) triad->c)[i] = 2;
    }
}

static void
run_parts (SondeDevice *device, gint64 n, void (*run) (gint64 part, gpointer data), gpointer data)
{
  if (device->klass->parts != NULL)
    device->klass->parts (device, n, run, data);
  else
    for (gint64 part = 0; part < n; part++)
      run (part, data);
}

gboolean
sonde_measure_triad (SondeDevice *device, guint n_threads, gint64 limit_ns,
                     SondeCeilingMeasure *gbs, GError **error)
{
  gsize bytes = MIN (4 * sonde_last_cache_bytes (), MOST_TRIAD_BYTES) / 3;
  void *arrays[3] = { NULL };
  Triad triad = { .s = 0.5f, .n = (gint64) (bytes / sizeof (float)), .n_parts = n_threads };
  Shortest shortest = { G_MAXINT64, G_MAXINT64 };
  gint64 begin, now;
  gboolean good = TRUE;

  if (!device->klass->host_memory)
    {
      sonde_set_error (error, SONDE_ENGINE_ERROR, SONDE_ENGINE_ERROR_UNSUPPORTED,
                       "The memory of the device “%s” cannot be measured from here.",
                       device->klass->name);
      return FALSE;
    }
  for (gsize i = 0; i < G_N_ELEMENTS (arrays) && good; i++)
    good = (arrays[i] = device->klass->allocate (device, bytes, error)) != NULL;
  triad.a = arrays[0];
  triad.b = arrays[1];
  triad.c = arrays[2];
  if (good)
    run_parts (device, n_threads, fill_triad, &triad);
  now = begin = sonde_clock_monotonic_ns (NULL);
  for (guint i = 0; good && i < SONDE_CEILING_RUNS && (i == 0 || now - begin < limit_ns); i++)
    {
      gint64 before = sonde_clock_monotonic_ns (NULL);

      run_parts (device, n_threads, run_triad, &triad);
      now = sonde_clock_monotonic_ns (NULL);
      note_time (&shortest, now - before);
    }
  to_rates (&shortest, 12.0 * (double) triad.n, gbs);
  for (gsize i = 0; i < G_N_ELEMENTS (arrays); i++)
    if (arrays[i] != NULL)
      device->klass->release (device, arrays[i]);
  return good;
}

/* ---- steps ------------------------------------------------------------------- */

gboolean
sonde_measure_overhead (SondeDevice *device, SondeCeilingMeasure *overhead_us, GError **error)
{
  g_autoptr (SondeGraph) graph = sonde_graph_new ("steps");
  SondeShape shape = sonde_shape_make (1, 1);
  SondeType type = sonde_type_tensor (SONDE_DTYPE_F32, &shape);
  g_autoptr (SondeTensor) one = sonde_tensor_new (SONDE_DTYPE_F32, &shape);
  g_autoptr (SondeExecution) execution = NULL;
  SondeGraphValue *value;
  Shortest shortest;

  sonde_graph_set_opset (graph, "", 17);
  value = sonde_graph_add_input (graph, "x", &type);
  for (guint i = 0; i < CHAIN; i++)
    {
      SondeNode *node = sonde_graph_add_node (graph, NULL, "", "Neg", &value, 1, 1);

      if (!sonde_build_infer (graph, node, error))
        return FALSE;
      value = sonde_node_get_output (node, 0);
    }
  sonde_graph_add_output (graph, value);
  sonde_tensor_set_double (one, 0, 1);
  execution = prepare (graph, device, TRUE, error);
  if (execution == NULL || !sonde_execution_set_input (execution, "x", one, error))
    return FALSE;
  if (!time_runs (execution, CHAIN_RUNS, 50 * 1000 * 1000, &shortest, error))
    return FALSE;
  overhead_us->best = (double) shortest.best / 1e3 / CHAIN;
  overhead_us->second = shortest.second < G_MAXINT64 ? (double) shortest.second / 1e3 / CHAIN : NAN;
  return TRUE;
}
