/* SPDX-License-Identifier: Apache-2.0
 * The memory timeline: by hand on small graphs; nothing lies over anything else and the kinds sum to
 * what is allocated, in every step; the peak against what the device's allocator gave out; each
 * alternative against a plan that was really made so. */
#include "engine/profile/sonde-memory-timeline.h"

#include "data/arrays/sonde-npz.h"
#include "data/models/sonde-model-file.h"
#include "engine/nn/sonde-zoo.h"
#include "engine/ops/sonde-build.h"
#include "engine/plan/sonde-execution.h"
#include "tests/engine/plan/graph-lines.h"
#include "tests/engine/plan/training-net.h"

#include <math.h>
#include <string.h>

/* ---- a device that counts, and computes in place on demand ---------------- */

/* @klass: that of a device with entries replaced; one device at a time */
static struct
{
  SondeDeviceClass klass;
  const SondeDeviceClass *base;
  GHashTable *blocks; /* memory -> bytes */
  gsize bytes, most;
  const char *in_place; /* a node that may write over any of its inputs */
} counter;

static void *
count_allocate (SondeDevice *device, gsize bytes, GError **error)
{
  void *memory = counter.base->allocate (device, bytes, error);

  g_assert_true (g_hash_table_insert (counter.blocks, memory, GSIZE_TO_POINTER (bytes)));
  counter.bytes += bytes;
  counter.most = MAX (counter.most, counter.bytes);
  return memory;
}

static void
count_release (SondeDevice *device, void *memory)
{
  counter.bytes -= GPOINTER_TO_SIZE (g_hash_table_lookup (counter.blocks, memory));
  g_hash_table_remove (counter.blocks, memory);
  counter.base->release (device, memory);
}

static SondeKernel *
prepare (SondeDevice *device, SondePrepareRequest *request, GError **error)
{
  SondeKernel *kernel = counter.base->prepare (device, request, error);

  if (counter.in_place != NULL && g_str_equal (request->nodes[0]->name, counter.in_place))
    {
      request->in_place = TRUE;
      request->in_place_output = 0;
      request->in_place_inputs = G_MAXUINT64;
    }
  return kernel;
}

static SondeDevice *
open_counting (const char *in_place)
{
  g_autoptr (GError) error = NULL;
  SondeDevice *device = sonde_device_open ("cpu", 1, &error);

  g_assert_no_error (error);
  g_clear_pointer (&counter.blocks, g_hash_table_unref);
  counter.klass = *device->klass;
  counter.base = device->klass;
  counter.blocks = g_hash_table_new (NULL, NULL);
  counter.bytes = counter.most = 0;
  counter.in_place = in_place;
  counter.klass.allocate = count_allocate;
  counter.klass.release = count_release;
  counter.klass.prepare = prepare;
  device->klass = &counter.klass;
  return device;
}

/* ---- what always holds --------------------------------------------------- */

static const SondeLifetime *
lifetime_at (const SondeMemoryTimeline *timeline, guint i)
{
  return &g_array_index (timeline->lifetimes, SondeLifetime, i);
}

/* No byte of two values in one step; all that lives is in what is allocated. */
static void
check_step (const SondeMemoryTimeline *timeline, guint step)
{
  guint64 by_kind[SONDE_MEMORY_N_KINDS], sum = 0, lives = 0;
  guint n = timeline->lifetimes->len;

  sonde_memory_timeline_count (timeline, step, by_kind);
  for (guint i = 0; i < SONDE_MEMORY_N_KINDS; i++)
    sum += by_kind[i];
  g_assert_cmpuint (sum, ==, timeline->held_bytes[step]);
  g_assert_cmpuint (sum, <=, timeline->peak_bytes);

  for (guint i = 0; i < n; i++)
    {
      const SondeLifetime *a = lifetime_at (timeline, i);

      if (a->from > step || a->until < step)
        continue;
      lives += a->bytes;
      for (guint j = 0; j < i; j++)
        {
          const SondeLifetime *b = lifetime_at (timeline, j);

          if (b->from <= step && b->until >= step && a->offset < b->offset + b->bytes
              && b->offset < a->offset + a->bytes)
            g_error ("step %u: “%s” lies over “%s”", step, a->value, b->value);
        }
    }
  g_assert_cmpuint (lives, <=, timeline->held_bytes[step]);
}

static void
check_timeline (const SondeMemoryTimeline *timeline)
{
  guint64 sum = 0;

  for (guint i = 0; i < timeline->lifetimes->len; i++)
    {
      const SondeLifetime *lifetime = lifetime_at (timeline, i);

      g_assert_nonnull (lifetime->value);
      g_assert_cmpuint (lifetime->from, <=, lifetime->until);
      g_assert_cmpuint (lifetime->until, <, timeline->n_steps);
      g_assert_true (i == 0 || lifetime_at (timeline, i - 1)->from <= lifetime->from);
      if (lifetime->bytes == 0)
        g_assert_nonnull (lifetime->shares);
    }
  for (guint k = 0; k < timeline->n_steps; k++)
    check_step (timeline, k);
  for (guint i = 0; i < SONDE_MEMORY_N_KINDS; i++)
    sum += timeline->by_kind[i];
  g_assert_cmpuint (sum, ==, timeline->peak_bytes);
  g_assert_cmpuint (timeline->held_bytes[timeline->peak_step], ==, timeline->peak_bytes);
  for (guint i = 0; i + 1 < timeline->alternatives->len; i++)
    g_assert_cmpuint (
        g_array_index (timeline->alternatives, SondeMemoryAlternative, i).peak_bytes, <=,
        g_array_index (timeline->alternatives, SondeMemoryAlternative, i + 1).peak_bytes);
}

static SondePlan *
make_plan (SondeGraph *graph, SondeDevice *device, const SondePlanOptions *options)
{
  g_autoptr (GError) error = NULL;
  SondePlan *plan = sonde_plan_new (graph, device, options, &error);

  g_assert_no_error (error);
  return plan;
}

static SondeProfileFacts *
look (SondePlan *plan)
{
  SondeProfileFacts *facts = sonde_profile_facts_new ("model");

  sonde_memory_timeline_of_plan (facts, plan, NULL);
  check_timeline (&facts->memory);
  return facts;
}

/* ---- by hand ------------------------------------------------------------- */

static const SondeLifetime *
find (const SondeMemoryTimeline *timeline, const char *value, SondeMemoryKind kind)
{
  for (guint i = 0; i < timeline->lifetimes->len; i++)
    if (g_str_equal (lifetime_at (timeline, i)->value, value)
        && lifetime_at (timeline, i)->kind == kind)
      return lifetime_at (timeline, i);
  g_error ("no lifetime of “%s”", value);
}

/* x (4096 bytes) → a = Softmax x → b = Softmax a → c = Relu b, over b → y = Softmax (c + a), over
 * one of both. a, b, c take 4096 bytes each, a and one of the others live together. */
static void
test_by_hand (void)
{
  static const char *const lines[]
      = { "Softmax x > a", "Softmax a > b", "Relu b > c", "Add c a > d", "Softmax d > y", NULL };
  const SondePlanOptions options = { .no_fusion = TRUE };
  g_autoptr (SondeGraph) graph = graph_of_lines ("hand", "8x128", lines);
  g_autoptr (SondeDevice) device = open_counting (NULL);
  g_autoptr (SondePlan) plan = make_plan (graph, device, &options);
  g_autoptr (SondeProfileFacts) facts = look (plan);
  const SondeMemoryTimeline *timeline = &facts->memory;
  const SondeLifetime *a = find (timeline, "a", SONDE_MEMORY_OF_ACTIVATION),
                      *b = find (timeline, "b", SONDE_MEMORY_OF_ACTIVATION),
                      *c = find (timeline, "c", SONDE_MEMORY_OF_ACTIVATION),
                      *d = find (timeline, "d", SONDE_MEMORY_OF_ACTIVATION),
                      *x = find (timeline, "x", SONDE_MEMORY_OF_INPUT);

  g_assert_cmpuint (timeline->n_steps, ==, 5);
  g_assert_cmpuint (timeline->peak_bytes, ==, 3 * 4096);
  g_assert_cmpuint (timeline->by_kind[SONDE_MEMORY_OF_INPUT], ==, 4096);
  g_assert_cmpuint (timeline->by_kind[SONDE_MEMORY_OF_ACTIVATION], ==, 2 * 4096);
  g_assert_cmpuint (timeline->peak_step, ==, 1);
  g_assert_true (x->from == 0 && x->until == 4 && x->node == NULL);
  g_assert_true (a->from == 0 && a->until >= 2 && a->bytes == 4096);
  g_assert_cmpstr (a->last_reader, ==, timeline->steps[3]);
  g_assert_true (b->from == 1 && b->until == 1);
  g_assert_true (c->from == 2 && c->offset == b->offset);
  g_assert_cmpstr (c->shares, ==, "b");
  g_assert_cmpstr (c->node, ==, timeline->steps[2]);
  g_assert_cmpuint (d->from, ==, 3);
  g_assert_true (d->offset == a->offset || d->offset == c->offset);
}

/* Nothing to do: weights alone are the memory of a plan without steps. */
static void
test_no_steps (void)
{
  g_autoptr (SondeGraph) graph = sonde_graph_new ("empty");
  g_autoptr (SondeDevice) device = open_counting (NULL);
  g_autoptr (SondeTensor) tensor = graph_lines_random ("16x16");
  g_autoptr (SondePlan) plan = NULL;
  g_autoptr (SondeProfileFacts) facts = NULL;

  sonde_graph_set_opset (graph, "", 21);
  sonde_graph_add_output (graph,
                          sonde_graph_add_initialiser (graph, "w", tensor, SONDE_ROLE_PARAMETER));
  plan = make_plan (graph, device, NULL);
  facts = look (plan);
  g_assert_cmpuint (facts->memory.n_steps, ==, 1);
  g_assert_cmpuint (facts->memory.by_kind[SONDE_MEMORY_OF_WEIGHT], >=, 1024);
}

/* ---- training ------------------------------------------------------------ */

static void
test_training_plan (void)
{
  const char *optimisers[] = { NULL, "sgd", "adam" };

  for (gsize o = 0; o < G_N_ELEMENTS (optimisers); o++)
    for (guint mode = 0; mode < 3; mode++)
      {
        const SondePlanOptions options
            = { .memory = mode == 2 ? SONDE_MEMORY_KEEP : SONDE_MEMORY_PLAN,
                .update_in_place = mode == 1 };
        g_autoptr (TrainingNet) net = training_net_new (4, 28, optimisers[o]);
        g_autoptr (SondeDevice) device = open_counting (NULL);
        g_autoptr (SondePlan) plan = make_plan (net->graph, device, &options);
        g_autoptr (SondeProfileFacts) facts = look (plan);

        g_assert_cmpuint (facts->memory.by_kind[SONDE_MEMORY_OF_WEIGHT], >, 0);
        g_assert_cmpuint (facts->memory.by_kind[SONDE_MEMORY_OF_INPUT], >=, 4 * 28 * 28 * 4);
        g_assert_cmpint (facts->memory.by_kind[SONDE_MEMORY_OF_OPTIMISER] > 0, ==,
                         optimisers[o] != NULL);
      }
}

typedef struct
{
  SondeBatchSource base;
  SondeShape sample;
} Source;

static gboolean
load (SondeBatchSource *base, gboolean test, guint epoch, guint batch, SondeTensor **inputs,
      SondeTensor **labels, GError **error)
{
  Source *source = (Source *) base;
  guint n = MIN (16, (test ? base->n_test : base->n_samples) - batch * 16);
  SondeShape shape = { source->sample.rank + 1, { n } }, classes = { 1, { n } };

  memcpy (shape.dims + 1, source->sample.dims, (gsize) source->sample.rank * sizeof *shape.dims);
  inputs[0] = random_f32 (&shape, 1, 3 + batch);
  *labels = sonde_tensor_new (SONDE_DTYPE_I64, &classes);
  for (guint i = 0; i < n; i++)
    sonde_tensor_set_double (*labels, i, i % 2);
  return TRUE;
}

/* Peak and kinds are what the trainer plans, and what its device then gives out. */
static void
check_training (const char *model, guint n_samples, guint n_test, guint accumulate,
                gboolean in_place)
{
  const SondeZooInput input = { .channels = 3, .height = 16, .width = 16, .classes = 10 };
  const SondeTrainerOptions options = { .loss = "cross-entropy",
                                        .optimiser = "sgd",
                                        .momentum = 0.9,
                                        .learning_rate = 0.01,
                                        .batch = 16,
                                        .epochs = 2,
                                        .threads = 1,
                                        .accumulate = accumulate,
                                        .update_in_place = in_place };
  Source source = { { n_samples, n_test, load }, sonde_shape_make (3, 3, 16, 16) };
  g_autoptr (GError) error = NULL;
  g_autoptr (SondeGraph) graph = sonde_zoo_build_for (model, &input, 3, &error);
  g_autoptr (SondeTrainer) trainer = sonde_trainer_new (graph, &source.base, &options, &error);
  g_autoptr (SondeProfileFacts) facts = sonde_profile_facts_new ("recipe");
  double peak;

  g_assert_no_error (error);
  sonde_memory_timeline_of_training (facts, trainer);
  check_timeline (&facts->memory);
  g_assert_cmpuint (facts->memory.peak_bytes, ==, sonde_trainer_get_planned_bytes (trainer));
  g_assert_cmpuint (facts->memory.by_kind[SONDE_MEMORY_OF_OPTIMISER], >, 0);
  g_assert_cmpuint (facts->memory.alternatives->len, >, 0);

  g_assert_cmpint (sonde_trainer_run (trainer, &error), ==, SONDE_RUN_DONE);
  peak = (double) sonde_trainer_get_peak_bytes (trainer);
  g_test_message ("%s, %u samples, %u test%s: planned %" G_GUINT64_FORMAT ", measured %.0f", model,
                  n_samples, n_test, in_place ? ", in place" : "", facts->memory.peak_bytes, peak);
  g_assert_cmpfloat (fabs (peak / (double) facts->memory.peak_bytes - 1), <=, 0.01);
}

static void
test_training (void)
{
  check_training ("lenet", 32, 0, 1, FALSE);
  check_training ("lenet", 40, 12, 1, FALSE);
  check_training ("lenet", 40, 12, 1, TRUE);
  check_training ("lenet", 40, 20, 2, TRUE);
  check_training ("resnet20", 40, 12, 1, FALSE);
}

/* ---- models -------------------------------------------------------------- */

static SondeGraph *
load_model (const char *name)
{
  const char *shared = g_getenv ("SONDE_SHARED");
  g_autofree char *file = g_strconcat (name, ".onnx", NULL);
  g_autofree char *path = g_build_filename (shared, "models", name, file, NULL);
  g_autoptr (GError) error = NULL;
  g_autoptr (SondeGraph) original = sonde_model_load (NULL, path, &error);
  SondeGraph *graph;

  g_assert_no_error (error);
  graph = sonde_prepare_inference (original, &error);
  g_assert_no_error (error);
  return graph;
}

static guint64
count_constants (const SondeGraph *graph)
{
  guint64 bytes = 0;

  for (guint i = 0; i < graph->values->len; i++)
    {
      const SondeGraphValue *value = g_ptr_array_index (graph->values, i);
      SondeTensor *tensor = value != NULL && value->constant != NULL
                                ? sonde_value_get_tensor (value->constant)
                                : NULL;

      bytes += tensor != NULL ? sonde_tensor_n_bytes (tensor) : 0;
    }
  return bytes;
}

static void
check_model (const char *name, SondeMemoryMode mode)
{
  const char *shared = g_getenv ("SONDE_SHARED");
  g_autofree char *path = g_build_filename (shared, "models", name, "inputs.npy", NULL);
  g_autoptr (GError) error = NULL;
  g_autoptr (SondeGraph) graph = load_model (name);
  g_autoptr (SondeDevice) device = open_counting (NULL);
  g_autoptr (SondeTensor) input = sonde_npy_read (NULL, path, &error);
  SondeGraphValue *x = g_ptr_array_index (graph->inputs, 0);
  const SondeBinding binding = { x->name, sonde_type_tensor (input->dtype, &input->shape) };
  const SondePlanOptions options = { .memory = mode, .bindings = &binding, .n_bindings = 1 };
  g_autoptr (SondePlan) plan = NULL;
  g_autoptr (SondeExecution) execution = NULL;
  g_autoptr (SondeProfileFacts) facts = NULL;
  guint64 measured;

  g_assert_no_error (error);
  plan = make_plan (graph, device, &options);
  facts = look (plan);
  execution = sonde_execution_new (plan, &error);
  g_assert_no_error (error);
  g_assert_true (sonde_execution_set_input (execution, x->name, input, &error));
  g_assert_cmpint (sonde_execution_run (execution, &error), ==, SONDE_RUN_DONE);
  measured = counter.most + count_constants (graph);
  g_test_message ("%s: planned %" G_GUINT64_FORMAT ", allocated %" G_GUINT64_FORMAT
                  ", %u alternatives",
                  name, facts->memory.peak_bytes, measured, facts->memory.alternatives->len);
  g_assert_cmpfloat (fabs ((double) measured / (double) facts->memory.peak_bytes - 1), <=, 0.01);
}

static void
test_models (void)
{
  static const char *const names[]
      = { "lenet-mnist", "mlp", "bn-resnet", "dwnet", "transformer", "unet" };

  for (gsize i = 0; i < G_N_ELEMENTS (names); i++)
    {
      check_model (names[i], SONDE_MEMORY_PLAN);
      check_model (names[i], SONDE_MEMORY_KEEP);
    }
}

/* ---- alternatives -------------------------------------------------------- */

/* Node by node; recomputing value @again right before node @before, for it and all after it. */
static SondeGraph *
build_random (guint seed, guint n, guint again, guint before)
{
  static const char *const unary[] = { "Relu", "Identity", "Softmax", "LpNormalization" };
  SondeGraph *graph = sonde_graph_new ("random");
  g_autoptr (GRand) random = g_rand_new_with_seed (seed);
  g_autofree SondeGraphValue **values = g_new0 (SondeGraphValue *, n + 1);
  SondeShape shapes[] = { sonde_shape_make (2, 16, 64), sonde_shape_make (2, 1, 64) };
  SondeType type = sonde_type_tensor (SONDE_DTYPE_F32, &shapes[0]),
            row = sonde_type_tensor (SONDE_DTYPE_F32, &shapes[1]);
  SondeGraphValue *narrow;
  g_autofree guint *first = g_new0 (guint, n + 1);
  g_autofree guint *second = g_new0 (guint, n + 1);
  g_autofree int *kinds = g_new0 (int, n + 1);

  sonde_graph_set_opset (graph, "", 21);
  values[0] = sonde_graph_add_input (graph, "x", &type);
  narrow = sonde_graph_add_input (graph, "row", &row);
  for (guint i = 1; i <= n; i++)
    {
      kinds[i] = g_rand_int_range (random, 0, 6);
      first[i] = (guint) g_rand_int_range (random, MAX (0, (int) i - 3), (int) i);
      second[i] = (guint) g_rand_int_range (random, MAX (0, (int) i - 12), (int) i);
    }
  for (guint i = 1; i <= n; i++)
    for (guint copy = i == before ? 0 : 1; copy < 2; copy++)
      {
        guint node = copy == 0 ? again : i;
        SondeGraphValue *a = values[first[node]], *b = values[second[node]];

        values[node] = kinds[node] < 4    ? sonde_build_unary (graph, unary[kinds[node]], a)
                       : kinds[node] == 4 ? sonde_build_binary (graph, "Mul", a, narrow)
                                          : sonde_build_binary (graph, "Add", a, b);
      }
  sonde_graph_add_output (graph, values[n]);
  return graph;
}

/* The node of @value and, behind the peak, its first reader: G_MAXUINT for none, or where a view of
 * it may be one. */
static guint
find_index (const SondeGraph *graph, const SondeMemoryTimeline *timeline, const char *value,
            guint *before)
{
  const SondeGraphValue *made = sonde_graph_find_value (graph, value);
  gboolean viewed = FALSE;
  guint index = G_MAXUINT;

  *before = G_MAXUINT;
  for (guint i = 0; i < graph->nodes->len; i++)
    {
      const SondeNode *node = g_ptr_array_index (graph->nodes, i);

      index = node == made->producer ? i : index;
      if (!g_ptr_array_find (node->inputs, made, NULL))
        continue;
      if (*before == G_MAXUINT && i > timeline->peak_step)
        *before = i;
      viewed = viewed || g_str_equal (node->op, "Identity");
    }
  if (viewed)
    *before = G_MAXUINT;
  return index;
}

/* Recomputed: the graph really has the node twice. */
static void
test_recomputed (void)
{
  const SondePlanOptions options = { .no_fusion = TRUE };
  guint n_checked = 0, n_lower = 0;

  for (guint seed = 0; seed < 40; seed++)
    {
      g_autoptr (SondeGraph) graph = build_random (seed, 24, 0, 0);
      g_autoptr (SondeDevice) device = open_counting (NULL);
      g_autoptr (SondePlan) plan = make_plan (graph, device, &options);
      g_autoptr (SondeProfileFacts) facts = look (plan);

      g_assert_cmpuint (sonde_plan_get_n_steps (plan), ==, graph->nodes->len);
      for (guint i = 0; i < facts->memory.alternatives->len; i++)
        {
          const SondeMemoryAlternative *alternative
              = &g_array_index (facts->memory.alternatives, SondeMemoryAlternative, i);
          guint before, index = find_index (graph, &facts->memory, alternative->value, &before);
          g_autoptr (SondeGraph) other = NULL;
          g_autoptr (SondePlan) anew = NULL;
          SondePlanMemory memory;

          if (alternative->change != SONDE_MEMORY_RECOMPUTE || before == G_MAXUINT)
            continue;
          other = build_random (seed, 24, index + 1, before + 1);
          anew = make_plan (other, device, &options);
          sonde_plan_get_memory (anew, &memory);
          n_checked++;
          n_lower += alternative->peak_bytes < facts->memory.peak_bytes;
          g_test_message ("seed %u, %s: %" G_GUINT64_FORMAT " of %" G_GUINT64_FORMAT, seed,
                          alternative->value, alternative->peak_bytes, facts->memory.peak_bytes);
          g_assert_cmpfloat (fabs ((double) alternative->peak_bytes / (double) memory.bytes - 1),
                             <=, 0.01);
        }
    }
  g_test_message ("%u checked, %u lower the peak", n_checked, n_lower);
  g_assert_cmpuint (n_checked, >, 20);
  g_assert_cmpuint (n_lower, >, 3);
}

/* In place: the device really says that the node may write over its inputs. */
static void
test_in_place (void)
{
  const SondePlanOptions options = { .no_fusion = TRUE };
  guint n_checked = 0, n_lower = 0;

  for (guint seed = 0; seed < 30; seed++)
    {
      g_autoptr (SondeGraph) graph = build_random (seed, 24, 0, 0);
      g_autoptr (SondeDevice) plain = open_counting (NULL);
      g_autoptr (SondePlan) plan = make_plan (graph, plain, &options);
      g_autoptr (SondeProfileFacts) facts = look (plan);

      g_clear_pointer (&plan, sonde_plan_unref);
      for (guint i = 0; i < facts->memory.alternatives->len; i++)
        {
          const SondeMemoryAlternative *alternative
              = &g_array_index (facts->memory.alternatives, SondeMemoryAlternative, i);
          const SondeGraphValue *value = sonde_graph_find_value (graph, alternative->value);
          g_autoptr (SondeDevice) device = NULL;
          g_autoptr (SondePlan) anew = NULL;
          SondePlanMemory memory;

          if (alternative->change != SONDE_MEMORY_IN_PLACE)
            continue;
          device = open_counting (value->producer->name);
          anew = make_plan (graph, device, &options);
          sonde_plan_get_memory (anew, &memory);
          n_checked++;
          n_lower += alternative->peak_bytes < facts->memory.peak_bytes;
          g_assert_cmpfloat (fabs ((double) alternative->peak_bytes / (double) memory.bytes - 1),
                             <=, 0.01);
        }
    }
  g_test_message ("%u checked, %u lower the peak", n_checked, n_lower);
  g_assert_cmpuint (n_checked, >, 10);
  g_assert_cmpuint (n_lower, >, 3);
}

/* Ended at its last reader: nothing pins it. */
static void
test_earlier (void)
{
  guint n_checked = 0, n_lower = 0;

  for (guint seed = 0; seed < 30; seed++)
    {
      g_autoptr (SondeGraph) graph = build_random (seed, 24, 0, 0);
      const SondeNode *node = g_ptr_array_index (graph->nodes, 3 + seed % 8);
      const SondeGraphValue *value = g_ptr_array_index (node->outputs, 0);
      const char *const pinned[] = { value->name, NULL };
      const SondePlanOptions options = { .no_fusion = TRUE, .pinned = pinned };
      const SondePlanOptions free_options = { .no_fusion = TRUE };
      g_autoptr (SondeDevice) device = open_counting (NULL);
      g_autoptr (SondePlan) plan = make_plan (graph, device, &options);
      g_autoptr (SondeProfileFacts) facts = look (plan);
      g_autoptr (SondePlan) anew = make_plan (graph, device, &free_options);
      SondePlanMemory memory;

      sonde_plan_get_memory (anew, &memory);
      for (guint i = 0; i < facts->memory.alternatives->len; i++)
        {
          const SondeMemoryAlternative *alternative
              = &g_array_index (facts->memory.alternatives, SondeMemoryAlternative, i);

          if (alternative->change != SONDE_MEMORY_EARLIER
              || !g_str_equal (alternative->value, value->name))
            continue;
          n_checked++;
          n_lower += alternative->peak_bytes < facts->memory.peak_bytes;
          g_assert_cmpfloat (fabs ((double) alternative->peak_bytes / (double) memory.bytes - 1),
                             <=, 0.01);
        }
    }
  g_test_message ("%u checked, %u lower the peak", n_checked, n_lower);
  g_assert_cmpuint (n_checked, >, 5);
  g_assert_cmpuint (n_lower, >, 3);
}

/* Fused and in blocked layouts: the skip of a small U-Net, recomputed before it is read. */
static void
test_fused (void)
{
  static const char *const lines[] = {
    "Conv x #8x3x3x3 > a | pads=1,1,1,1",
    "Relu a > skip",
    "MaxPool skip > p | kernel_shape=2,2 strides=2,2",
    "Conv p #32x8x3x3 > b | pads=1,1,1,1",
    "Relu b > b2",
    "Conv b2 #32x32x3x3 > c | pads=1,1,1,1",
    "Relu c > c2",
    "Conv c2 #32x32x3x3 > d | pads=1,1,1,1",
    "Relu d > d2",
    "ConvTranspose d2 #32x4x2x2 > u | strides=2,2",
    "Concat u skip > both | axis=1",
    "Conv both #2x12x3x3 > y | pads=1,1,1,1",
    NULL,
  };
  const char *again[G_N_ELEMENTS (lines) + 2];
  const guint before = 10;
  g_autoptr (SondeGraph) graph = graph_of_lines ("u", "1x3x64x64", lines);
  g_autoptr (SondeDevice) device = open_counting (NULL);
  g_autoptr (SondePlan) plan = make_plan (graph, device, NULL), anew = NULL;
  g_autoptr (SondeProfileFacts) facts = look (plan);
  g_autoptr (SondeGraph) other = NULL;
  guint n_checked = 0;

  memcpy (again, lines, before * sizeof *again);
  again[before] = "Conv x #8x3x3x3 > a2 | pads=1,1,1,1";
  again[before + 1] = "Relu a2 > skip2";
  again[before + 2] = "Concat u skip2 > both | axis=1";
  memcpy (again + before + 3, lines + before + 1,
          (G_N_ELEMENTS (lines) - before - 1) * sizeof *again);
  other = graph_of_lines ("u2", "1x3x64x64", again);
  anew = make_plan (other, device, NULL);

  for (guint i = 0; i < facts->memory.alternatives->len; i++)
    {
      const SondeMemoryAlternative *alternative
          = &g_array_index (facts->memory.alternatives, SondeMemoryAlternative, i);
      const double lower = (double) facts->memory.peak_bytes - (double) alternative->peak_bytes,
                   really = (double) sonde_plan_get_arena_bytes (plan)
                            - (double) sonde_plan_get_arena_bytes (anew);

      g_test_message ("%s %s: lower by %.0f, really %.0f", alternative->value,
                      sonde_memory_change_get_name (alternative->change), lower, really);
      if (alternative->change != SONDE_MEMORY_RECOMPUTE
          || !g_str_equal (alternative->value, "skip"))
        continue;
      g_assert_cmpfloat (fabs (lower - really), <=, 0.01 * (double) facts->memory.peak_bytes);
      g_assert_cmpfloat (lower, >, 0.05 * (double) facts->memory.peak_bytes);
      n_checked++;
    }
  g_assert_cmpuint (n_checked, ==, 1);
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/engine/profile/memory-timeline/by-hand", test_by_hand);
  g_test_add_func ("/engine/profile/memory-timeline/no-steps", test_no_steps);
  g_test_add_func ("/engine/profile/memory-timeline/training-plan", test_training_plan);
  g_test_add_func ("/engine/profile/memory-timeline/training", test_training);
  g_test_add_func ("/engine/profile/memory-timeline/models", test_models);
  g_test_add_func ("/engine/profile/memory-timeline/recomputed", test_recomputed);
  g_test_add_func ("/engine/profile/memory-timeline/in-place", test_in_place);
  g_test_add_func ("/engine/profile/memory-timeline/earlier", test_earlier);
  g_test_add_func ("/engine/profile/memory-timeline/fused", test_fused);
  return g_test_run ();
}
