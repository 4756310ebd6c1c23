/* SPDX-License-Identifier: Apache-2.0
 * Quantised models with scales that are none (0, negative, NaN, infinite, too small or large for a
 * quotient), zero points at the ends of their type, and inputs of the same kind: every way a model
 * runs on the cpu gives what the plain kernels give, node by node, and nothing ends by a signal. */
#include "tests/engine/model-text.h"

#include <math.h>
#include <string.h>

#include "data/models/sonde-model-file.h"
#include "engine/plan/sonde-execution.h"

/* S is the scale in question, Z a zero point; other numbers are good. @overflows: with a scale near
 * the largest float or beyond it what is infinite and what is no number depends on the order of
 * sums, and is not compared */
static const struct
{
  const char *name, *text;
  gboolean overflows;
} models[] = {
  { "quantise",
    "in x f32 4x16; const s f32 - S; const z u8 - Z; node QuantizeLinear x,s,z y; out y" },
  { "quantise-axis", "in x f32 4x16; const s f32 16 0.1,S,0.2,S,0.5; const z u8 16 3; node "
                     "QuantizeLinear x,s,z y axis=1; out y" },
  { "quantise-run", "in x f32 4x16; in t f32 -; const k f32 - S; node Mul t,k s; const z i8 -; "
                    "node QuantizeLinear x,s,z y; out y" },
  { "dequantise",
    "in x u8 4x16; const s f32 - S; const z u8 - Z; node DequantizeLinear x,s,z y; out y" },
  { "dequantise-axis", "in x u8 4x16; const s f32 4 0.1,S,0.2,S; const z u8 4 Z; node "
                       "DequantizeLinear x,s,z y axis=0; out y" },
  { "round-trip", "in x f32 4x16; const s f32 - S; const z u8 - Z; node QuantizeLinear x,s,z q; "
                  "node DequantizeLinear q,s,z y; out y" },
  { "conv-input",
    "in x f32 1x4x6x6; const s f32 - S; const z u8 - Z; node QuantizeLinear x,s,z q; node "
    "DequantizeLinear q,s,z d; "
    "const w i8 8x4x3x3 5,-3,7,-100,127; const t f32 8 0.01; node DequantizeLinear w,t v axis=0; "
    "node Conv d,v c; "
    "const o f32 - 0.5; const p u8 - 9; node QuantizeLinear c,o,p e; node DequantizeLinear e,o,p "
    "y; out y",
    TRUE },
  { "conv-weights",
    "in x f32 1x4x6x6; const s f32 - 0.02; const z u8 - Z; node QuantizeLinear x,s,z q; node "
    "DequantizeLinear q,s,z d; "
    "const w i8 8x4x3x3 5,-3,7,-100,127; const t f32 8 0.01,S,0.02,S; node DequantizeLinear w,t v "
    "axis=0; "
    "node Conv d,v c; node Relu c r; const o f32 - 0.5; const p u8 - 0; node QuantizeLinear r,o,p "
    "e; "
    "node DequantizeLinear e,o,p y; out y",
    TRUE },
  { "conv-output", "in x f32 1x4x6x6; const s f32 - 0.02; const z u8 - Z; node QuantizeLinear "
                   "x,s,z q; node DequantizeLinear q,s,z d; "
                   "const w i8 8x4x3x3 5,-3,7,-100,127; const t f32 - 0.01; node DequantizeLinear "
                   "w,t v; node Conv d,v c; "
                   "const o f32 - S; const p u8 - Z; node QuantizeLinear c,o,p e; node "
                   "DequantizeLinear e,o,p y; out y" },
  { "matmul-input",
    "in x f32 4x16; const s f32 - S; const z u8 - Z; node QuantizeLinear x,s,z q; node "
    "DequantizeLinear q,s,z d; "
    "const w i8 16x8 5,-3,7,-100,127; const t f32 8 0.01; node DequantizeLinear w,t v axis=1; node "
    "MatMul d,v c; "
    "const o f32 - 0.5; const p u8 - 9; node QuantizeLinear c,o,p e; node DequantizeLinear e,o,p "
    "y; out y",
    TRUE },
  { "matmul-weights",
    "in x f32 4x16; const s f32 - 0.02; const z u8 - Z; node QuantizeLinear x,s,z q; node "
    "DequantizeLinear q,s,z d; "
    "const w i8 16x8 5,-3,7,-100,127; const t f32 8 0.01,S,0.02,S; node DequantizeLinear w,t v "
    "axis=1; "
    "node MatMul d,v c; out c",
    TRUE },
  { "gemm-output", "in x f32 4x16; const s f32 - 0.02; const z u8 - Z; node QuantizeLinear x,s,z "
                   "q; node DequantizeLinear q,s,z d; "
                   "const w i8 16x8 5,-3,7,-100,127; const t f32 - 0.01; node DequantizeLinear w,t "
                   "v; const b f32 8 1; node Gemm d,v,b c; "
                   "const o f32 - S; const p u8 - Z; node QuantizeLinear c,o,p e; node "
                   "DequantizeLinear e,o,p y; out y" },
  { "add",
    "in x f32 4x16; const s f32 - S; const z u8 - Z; node QuantizeLinear x,s,z q; node "
    "DequantizeLinear q,s,z d; "
    "const t f32 - 0.03; node QuantizeLinear x,t,z r; node DequantizeLinear r,t,z f; node Add d,f "
    "c; "
    "const o f32 - 0.05; node QuantizeLinear c,o,z e; node DequantizeLinear e,o,z y; out y" },
  { "pool",
    "in x f32 1x4x6x6; const s f32 - S; const z u8 - Z; node QuantizeLinear x,s,z q; node "
    "DequantizeLinear q,s,z d; "
    "node MaxPool d c kernel_shape=[2,2]; node QuantizeLinear c,s,z e; node DequantizeLinear e,s,z "
    "y; out y",
    TRUE },
  { "mean", "in x f32 1x4x6x6; const s f32 - S; const z u8 - Z; node QuantizeLinear x,s,z q; node "
            "DequantizeLinear q,s,z d; "
            "node GlobalAveragePool d c; node QuantizeLinear c,s,z e; node DequantizeLinear e,s,z "
            "y; out y" },
  { "move", "in x f32 4x16; const s f32 - S; const z u8 - Z; node QuantizeLinear x,s,z q; node "
            "DequantizeLinear q,s,z d; "
            "node Transpose d t perm=[1,0]; node Concat t,t c axis=1; node QuantizeLinear c,s,z e; "
            "node DequantizeLinear e,s,z y; out y" },
  { "qlinear-conv",
    "in x u8 1x4x6x6; const s f32 - S; const z u8 - Z; const w i8 8x4x3x3 5,-3,7,-100,127; const t "
    "f32 8 0.01; "
    "const u i8 8; const o f32 - 0.5; const p u8 - Z; node QLinearConv x,s,z,w,t,u,o,p y; out y" },
  { "qlinear-conv-output",
    "in x u8 1x4x6x6; const s f32 - 0.02; const z u8 - Z; const w i8 8x4x3x3 5,-3,7,-100,127; "
    "const t f32 - S; "
    "const u i8 -; const o f32 - S; const p u8 - Z; node QLinearConv x,s,z,w,t,u,o,p y; out y" },
  { "qlinear-matmul",
    "in x u8 4x16; const s f32 - S; const z u8 - Z; const w i8 16x8 5,-3,7,-100,127; const t f32 - "
    "0.01; const u i8 -; "
    "const o f32 - 0.5; const p u8 - Z; node QLinearMatMul x,s,z,w,t,u,o,p y; out y" },
  { "qlinear-matmul-output",
    "in x u8 4x16; const s f32 - 0.1; const z u8 - Z; const w i8 16x8 5,-3,7,-100,127; const t f32 "
    "- 0.01; "
    "const u i8 -; const o f32 - S; const p u8 - Z; node QLinearMatMul x,s,z,w,t,u,o,p y; out y" },
  { "qlinear-add", "opset - 17; opset com.microsoft 1; in x u8 4x16; const s f32 - S; const z u8 - "
                   "Z; const t f32 - 0.1; const o f32 - 0.2; "
                   "node com.microsoft:QLinearAdd x,s,z,x,t,z,o,z y; out y" },
  { "dynamic", "in x f32 4x16; const k f32 - S; node Mul x,k a; node DynamicQuantizeLinear a "
               "q,s,z; out q; out s; out z" },
  { "dynamic-product",
    "in x f32 4x16; const k f32 - S; node Mul x,k a; node DynamicQuantizeLinear a q,s,z; "
    "const w i8 16x8 5,-3,7,-100,127; const u i8 -; node MatMulInteger q,w,z,u m; node Cast m f "
    "to=1; "
    "const t f32 - 0.01; node Mul s,t v; node Mul f,v y; out y" },
  { "blocks", "opset - 21; in x f32 4x16; const s f32 4x4 0.1,S,0.2,S; const z u8 4x4 Z; node "
              "QuantizeLinear x,s,z q axis=1 block_size=4; "
              "node DequantizeLinear q,s,z y axis=1 block_size=4; out y" },
};

static const char *const scales[]
    = { "0", "-0", "-0.05", "nan", "inf", "-inf", "1e-45", "1e-38", "3e38", "-3e38", "0.05" };
static const char *const zeros[] = { "0", "128", "255" };

/* @text with every S and Z that stands alone behind a blank or a comma put in. (transfer full) */
static char *
fill (const char *text, const char *scale, const char *zero)
{
  GString *filled = g_string_new (NULL);

  for (const char *at = text; *at != '\0'; at++)
    {
      gboolean alone = at > text && (at[-1] == ' ' || at[-1] == ',')
                       && (at[1] == ';' || at[1] == ',' || at[1] == '\0');

      if (alone && (*at == 'S' || *at == 'Z'))
        g_string_append (filled, *at == 'S' ? scale : zero);
      else
        g_string_append_c (filled, *at);
    }
  return g_string_free (filled, FALSE);
}

/* All integers of a byte; floats of every size, and in @hostile ones that are none. */
static SondeTensor *
make_input (const SondeType *type, gboolean hostile)
{
  static const double odd[] = { NAN, INFINITY, -INFINITY, 3e38, -3e38, 1e-45, -0.0 };
  SondeShape shape = sonde_shape_scalar ();
  SondeTensor *tensor = NULL;

  (void) sonde_type_get_shape (type, &shape);
  tensor = sonde_tensor_new (type->dtype, &shape);
  for (gint64 i = 0; i < sonde_tensor_n_elements (tensor); i++)
    if (type->dtype != SONDE_DTYPE_F32)
      sonde_tensor_set_double (tensor, i, (double) (i * 37 % 256));
    else if (hostile && i % 5 == 2)
      sonde_tensor_set_double (tensor, i, odd[i / 5 % (gint64) G_N_ELEMENTS (odd)]);
    else
      sonde_tensor_set_double (tensor, i,
                               shape.rank == 0 ? 1 : (double) (i * 29 % 101 - 50) / 16.0);
  return tensor;
}

typedef enum
{
  PLAIN_REFERENCE, /* one node at a time */
  PLAIN,
  KEPT,
  UNWATCHED,
  N_WAYS,
} Way;

static SondeGraph *
prepare (SondeGraph *original, Way way, GPtrArray *names, GError **error)
{
  g_autoptr (SondeGraph) graph = NULL;

  if (way == PLAIN_REFERENCE || way == PLAIN)
    return sonde_prepare_inference (original, error);
  if (way == KEPT)
    return sonde_prepare_kept_inference (original, NULL, 0, (const char *const *) names->pdata,
                                         error);
  graph = sonde_prepare_unwatched_inference (original, NULL, 0, error);
  return graph != NULL && sonde_pass_upcast (graph, error) ? g_steal_pointer (&graph) : NULL;
}

/* NULL: refused, with a sentence. (transfer full) (element-type SondeTensor) */
static GPtrArray *
run (SondeGraph *original, Way way, gboolean hostile)
{
  g_autoptr (GError) error = NULL;
  g_autoptr (GPtrArray) names = g_ptr_array_new (),
                        outputs
                        = g_ptr_array_new_with_free_func ((GDestroyNotify) sonde_tensor_unref);
  g_autoptr (SondeDevice) device
      = sonde_device_open (way == PLAIN_REFERENCE ? "reference" : "cpu", 1, NULL);
  g_autoptr (SondeGraph) graph = NULL;
  g_autoptr (SondePlan) plan = NULL;
  g_autoptr (SondeExecution) execution = NULL;
  SondePlanOptions options = { .no_fusion = way == PLAIN_REFERENCE };

  for (guint i = 0; i < original->nodes->len; i++)
    g_ptr_array_add (names, sonde_node_get_output (original->nodes->pdata[i], 0)->name);
  g_ptr_array_add (names, NULL);
  options.kept = way == KEPT ? (const char *const *) names->pdata : NULL;
  graph = prepare (original, way, names, &error);
  plan = graph != NULL ? sonde_plan_new (graph, device, &options, &error) : NULL;
  execution = plan != NULL ? sonde_execution_new (plan, &error) : NULL;
  if (execution == NULL)
    {
      g_assert_true (error->domain == SONDE_ENGINE_ERROR && strlen (error->message) > 20);
      return NULL;
    }
  for (guint i = 0; i < graph->inputs->len; i++)
    {
      SondeGraphValue *input = graph->inputs->pdata[i];
      g_autoptr (SondeTensor) tensor = make_input (&input->type, hostile);

      g_assert_true (sonde_execution_set_input (execution, input->name, tensor, &error));
    }
  g_assert_cmpint (sonde_execution_run (execution, &error), ==, SONDE_RUN_DONE);
  for (guint k = 0; k < graph->outputs->len; k++)
    {
      g_ptr_array_add (outputs, sonde_execution_read (execution, graph->outputs->pdata[k], &error));
      g_assert_no_error (error);
    }
  return g_steal_pointer (&outputs);
}

/* Integers may round to the other side; floats are equal to the last places, or both no numbers. */
static gboolean
agree (SondeTensor *a, SondeTensor *b, double step, gint64 *where)
{
  for (gint64 i = 0; i < sonde_tensor_n_elements (a); i++)
    {
      double x = sonde_tensor_get_double (a, i), y = sonde_tensor_get_double (b, i);

      *where = i;
      if (!(x == y) && !(isnan (x) && isnan (y)) && !(fabs (x - y) <= step + 1e-4 * fabs (y)))
        return FALSE;
    }
  return TRUE;
}

static void
check_model (gsize m, const char *text, const char *scale, gboolean hostile)
{
  static const char *const ways[] = { "reference", "plain", "kept", "unwatched" };
  g_autoptr (GByteArray) bytes = model_of_text (text);
  g_autoptr (GError) error = NULL;
  g_autoptr (SondeGraph) original
      = sonde_model_parse (bytes->data, bytes->len, "hostile.onnx", &error);
  g_autoptr (GPtrArray) want = NULL;
  const char *name = models[m].name;
  gboolean compared = !models[m].overflows || !(fabs (g_ascii_strtod (scale, NULL)) > 1e30);

  g_assert_no_error (error);
  want = run (original, PLAIN_REFERENCE, hostile);
  for (Way way = PLAIN; way < N_WAYS; way++)
    {
      g_autoptr (GPtrArray) got = run (original, way, hostile);
      gint64 at = 0;

      if ((got == NULL) != (want == NULL))
        {
          g_test_message ("%s, scale %s: only one of %s and the reference refuses it", name, scale,
                          ways[way]);
          g_test_fail ();
        }
      for (guint k = 0; compared && got != NULL && want != NULL && k < got->len; k++)
        if (!agree (got->pdata[k], want->pdata[k],
                    ((SondeTensor *) got->pdata[k])->dtype == SONDE_DTYPE_F32 ? 0.5 : 1, &at))
          {
            g_test_message ("%s, scale %s%s: %s gives %g at %" G_GINT64_FORMAT ", the reference %g",
                            name, scale, hostile ? ", hostile input" : "", ways[way],
                            sonde_tensor_get_double (got->pdata[k], at), at,
                            sonde_tensor_get_double (want->pdata[k], at));
            g_test_fail ();
          }
    }
}

static void
test_model (gconstpointer data)
{
  gsize m = GPOINTER_TO_SIZE (data);

  for (gsize s = 0; s < G_N_ELEMENTS (scales); s++)
    for (gsize z = 0; z < G_N_ELEMENTS (zeros); z++)
      {
        g_autofree char *text = fill (models[m].text, scales[s], zeros[z]);

        check_model (m, text, scales[s], FALSE);
        check_model (m, text, scales[s], TRUE);
      }
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  for (gsize m = 0; m < G_N_ELEMENTS (models); m++)
    {
      g_autofree char *path = g_strdup_printf ("/engine/quantised-hostile/%s", models[m].name);

      g_test_add_data_func (path, GSIZE_TO_POINTER (m), test_model);
    }
  return g_test_run ();
}
