/* SPDX-License-Identifier: Apache-2.0
 * Fuzz target for the way of a foreign model: loaded, prepared, planned, and run when it is small.
 * Whatever the bytes say, the answer is a result or an error of a known domain with a sentence.
 * With libFuzzer, the entry is used; built alone, it replays files and folders given as arguments,
 * or, without any, models of its own with bytes changed. */
#include <stdint.h>
#include <stdio.h>

#include "data/base/sonde-error.h"
#include "data/base/sonde-random.h"
#include "data/models/sonde-model-file.h"
#include "engine/plan/sonde-execution.h"
#include "tests/engine/model-text.h"

#define MOST_BYTES (16 << 20) /* of what is run */
#define MOST_NODES 200

int LLVMFuzzerTestOneInput (const uint8_t *data, size_t size);

static void
check_error (const GError *error)
{
  g_assert_nonnull (error);
  g_assert_true (error->domain == SONDE_DATA_ERROR || error->domain == SONDE_ENGINE_ERROR);
  g_assert_true (*error->message != '\0' && g_utf8_validate (error->message, -1, NULL));
}

/* What may run for ever, or take time that no size tells, is only planned. */
static gboolean
is_small (SondeGraph *graph, SondePlan *plan)
{
  guint n = 0;

  for (guint i = 0; i < graph->nodes->len; i++)
    {
      const SondeNode *node = graph->nodes->pdata[i];
      const SondeOpClass *klass = node ? sonde_op_table_find (node->domain, node->op) : NULL;

      n += node != NULL;
      if (node != NULL && (klass == NULL || (klass->flags & SONDE_OP_CONTROL) != 0))
        return FALSE;
    }
  for (guint i = 0; i < sonde_plan_get_n_steps (plan); i++)
    if (sonde_plan_get_step (plan, i)->cost.flops > 1e8)
      return FALSE;
  return n <= MOST_NODES
         && sonde_plan_get_arena_bytes (plan) + sonde_plan_get_weight_bytes (plan) <= MOST_BYTES;
}

static gboolean
set_inputs (SondeExecution *execution, SondeGraph *graph)
{
  for (guint i = 0; i < graph->inputs->len; i++)
    {
      SondeGraphValue *input = graph->inputs->pdata[i];
      SondeShape shape;
      gint64 n = 0;
      g_autoptr (SondeTensor) zeros = NULL;
      g_autoptr (SondeValue) value = NULL;

      if (input->constant != NULL)
        continue;
      if (input->type.kind != SONDE_VALUE_TENSOR || input->type.dtype == SONDE_DTYPE_INVALID
          || !sonde_type_get_shape (&input->type, &shape))
        return FALSE;
      n = sonde_shape_n_elements (&shape);
      if (n < 0 || n * (gint64) sonde_dtype_size (input->type.dtype) > MOST_BYTES)
        return FALSE;
      zeros = sonde_tensor_new (input->type.dtype, &shape);
      value = sonde_value_new_tensor (zeros);
      if (!sonde_execution_set_input_value (execution, input->name, value, NULL))
        return FALSE;
    }
  return TRUE;
}

static void
run (SondeGraph *graph, SondePlan *plan)
{
  g_autoptr (GError) error = NULL;
  g_autoptr (SondeExecution) execution = sonde_execution_new (plan, &error);

  if (execution == NULL)
    {
      check_error (error);
      return;
    }
  sonde_execution_set_memory_limit (execution, MOST_BYTES);
  if (!set_inputs (execution, graph))
    return;
  if (sonde_execution_run (execution, &error) != SONDE_RUN_DONE)
    {
      check_error (error);
      return;
    }
  for (guint k = 0; k < graph->outputs->len; k++)
    {
      g_autoptr (SondeValue) value
          = sonde_execution_read_value (execution, graph->outputs->pdata[k], &error);

      g_assert_no_error (error);
    }
}

int
LLVMFuzzerTestOneInput (const uint8_t *data, size_t size)
{
  g_autoptr (GError) error = NULL;
  g_autoptr (SondeGraph) original = sonde_model_parse (data, size, "fuzz", &error);
  g_autoptr (SondeGraph) graph = original ? sonde_prepare_inference (original, &error) : NULL;
  g_autoptr (SondeDevice) device = sonde_device_open (size % 2 == 0 ? "cpu" : "reference", 1, NULL);
  g_autoptr (SondePlan) plan = NULL;
  SondePlanOptions options = { 0 };

  if (graph != NULL)
    plan = sonde_plan_new (graph, device, &options, &error);
  if (plan == NULL)
    check_error (error);
  else if (is_small (graph, plan))
    run (graph, plan);
  return 0;
}

#ifndef SONDE_LIBFUZZER

static const char *const models[] = {
  "in x f32 1x4x6x6; const w f32 4x2x3x3 0.5; const b f32 4 1; node Conv x,w,b y group=2 "
  "pads=[1,0,1,0] strides=[1,2]; "
  "node Relu y z; node MaxPool z p kernel_shape=[2,2]; node Flatten p q axis=1; out q",
  "in x f32 2x3x4; const w f32 4x5 0.1; node MatMul x,w y; const a i64 1 1; node ReduceMean y m "
  "axes=[1]; "
  "node Softmax m s axis=-1; out s; out y",
  "in x f32 2x6; const s i64 3 2,-1,2; node Reshape x,s y; node Transpose y t perm=[2,0,1]; const "
  "i i64 2 1,0; "
  "node Gather t,i g axis=1; node Concat g,g c axis=0; out c",
  "opset - 13; in x f32 3x4; const s f32 4 0.1,0.2,0.3,0.4; const z u8 4 1,2,3,4; node "
  "QuantizeLinear x,s,z q axis=1; "
  "node DequantizeLinear q,s,z d axis=1; const f i64 2 0,1; const e i64 2 2,4; node Slice d,f,e k; "
  "out k",
  "in c bool -; in x f32 2; node If c y then_branch={node Relu x t; out t} else_branch={node Neg x "
  "t; out t}; out y",
  "const n i64 - 3; in x f32 2; node Loop n,_,x y,v body={in i i64 -; in c bool -; in a f32 2; "
  "node Add a,a b; "
  "node Identity c d; out d; out b; out a}; out y; out v",
  "opset - 6; in x f32 2x3x4; const w f32 3 2; node Mul x,w y broadcast=1 axis=1; const g f32 3 1; "
  "node BatchNormalization y,g,g,g,g z is_test=1; node Dropout z d is_test=1; out d",
  "in x f32 5x2x3; const w f32 1x16x3 0.1; const r f32 1x16x4 0.1; node LSTM x,w,r y,h "
  "hidden_size=4; out y; out h",
  "in x i32 4; const k i32 4 0,-1,3,0; node Div x,k y; node Mod x,k m; node Cast y f to=1; node "
  "Cast m b to=9; out f; out b",
  "in x f32 1x2x4x4; const s f32 4 1,1,2,2; node Resize x,_,s y mode='linear'; const p i64 8 "
  "0,0,1,1,0,0,1,1; "
  "node Pad y,p z mode='reflect'; const n i64 1 2; node TopK z,n v,i; out v; out i",
};

static guint n_replayed;

static void
replay_path (const char *path)
{
  g_autoptr (GDir) folder = g_dir_open (path, 0, NULL);
  g_autofree char *text = NULL;
  const char *name = NULL;
  gsize length = 0;

  if (folder == NULL && g_file_get_contents (path, &text, &length, NULL))
    {
      LLVMFuzzerTestOneInput ((const guint8 *) text, length);
      printf ("ok %u %s\n", ++n_replayed, path);
    }
  while (folder != NULL && (name = g_dir_read_name (folder)) != NULL)
    {
      g_autofree char *inner = g_build_filename (path, name, NULL);

      replay_path (inner);
    }
}

/* One to four bytes get other values, which are mostly small or large ones. */
static void
replay_changed (const GByteArray *bytes, guint64 seed)
{
  static const guint8 values[] = { 0, 1, 2, 3, 5, 7, 8, 16, 64, 0x7f, 0x80, 0xff };
  g_autofree guint8 *copy = g_memdup2 (bytes->data, bytes->len);
  guint n = 1 + (guint) (sonde_random_uniform (seed, 0, 0) * 4);

  for (guint i = 0; i < n; i++)
    {
      gsize at = (gsize) (sonde_random_uniform (seed, 1, i) * bytes->len);

      copy[at] = values[(gsize) (sonde_random_uniform (seed, 2, i) * G_N_ELEMENTS (values))];
    }
  LLVMFuzzerTestOneInput (copy, bytes->len);
}

int
main (int argc, char **argv)
{
  for (int i = 1; i < argc; i++)
    replay_path (argv[i]);
  for (gsize m = 0; argc < 2 && m < G_N_ELEMENTS (models); m++)
    {
      g_autoptr (GByteArray) bytes = model_of_text (models[m]);

      LLVMFuzzerTestOneInput (bytes->data, bytes->len);
      for (guint64 k = 0; k < 2000; k++)
        replay_changed (bytes, m * 100000 + k);
      printf ("ok %u model %d and 2000 changed ones\n", ++n_replayed, (int) m);
      fflush (stdout);
    }
  printf ("1..%u\n", n_replayed);
  return 0;
}

#endif
