/* SPDX-License-Identifier: Apache-2.0
 * Recurrent operators, normalisations, attention and com.microsoft from legalising to the numbers,
 * as far as neither the standard's cases nor those of tests/fixtures/contrib have them. */
#include "data/base/sonde-random.h"
#include "data/models/sonde-model-file.h"
#include "engine/passes/sonde-legalise.h"
#include "tests/engine/model-text.h"
#include "tests/support/sonde-test-gradient.h"
#include "tests/support/sonde-test-tensor.h"

#include <string.h>

#define MS "opset com.microsoft 1; "

/* @want: of the first output; NULL: it is refused with @message */
typedef struct
{
  const char *name;
  const char *text; /* for model_of_text() */
  const char *want;
  const char *message;
} Form;

static const Form forms[] = {
  { "batch-normalization-8/elements",
    "opset - 8; const x f32 2x2x1 1,2,3,4; const s f32 2x1 2,3; const b f32 2x1 0,1; const m f32 "
    "2x1 1; const v f32 2x1 1,4;"
    "node BatchNormalization x,s,b,m,v y epsilon=0.0 spatial=0; out y",
    "2x2x1: 0 2.5 4 5.5" },
  { "batch-normalization-1/test",
    "opset - 1; const x f32 1x2x1 1,2; const s f32 2 2,3; const b f32 2 0,1; const m f32 2 1; "
    "const v f32 2 1,4;"
    "node BatchNormalization x,s,b,m,v y epsilon=0.0 is_test=1 consumed_inputs=[0,0,0,1,1]; out y",
    "1x2x1: 0 2.5" },
  { "instance-normalization-1",
    "opset - 1; const x f32 1x1x2 1,3; const s f32 1 2; const b f32 1 1; "
    "node InstanceNormalization x,s,b y epsilon=0.0 consumed_inputs=[0]; out y",
    "1x1x2: -1 3" },
  { "mean-variance/axes",
    "const x f32 2x2 1,5,3,9; node MeanVarianceNormalization x y axes=[0]; out y",
    "2x2: -1 -1 1 1" },
  { "rnn-1/last-state",
    "opset - 1; const x f32 2x1x1 1,2; const w f32 1x1x1 0.5; const r f32 1x1x1 0; "
    "node RNN x,w,r _,y hidden_size=1 output_sequence=0; out y",
    "1x1x1: 0.7615941559557649" },
  { "gru-3/sequence",
    "opset - 3; const x f32 1x1x1 0; const w f32 1x3x1 0; const r f32 1x3x1 0; const b f32 1x6 "
    "0,0,1,0,0,0; "
    "node GRU x,w,r,b y hidden_size=1 output_sequence=1; out y",
    "1x1x1x1: 0.38079707797788243" },
  { "flex-attention/captured-bias",
    "opset ai.onnx.preview 1; const q f32 1x2x1x1 1,1; const k f32 1x1x2x1 0; const v f32 1x1x2x1 "
    "1,3; const bias f32 2 0,200;"
    "node ai.onnx.preview:FlexAttention q,k,v y score_mod={in s f32 1x2x1x2; node Add s,bias t; "
    "out t}; out y",
    "1x2x1x1: 3 3" },
  { "flex-attention/probabilities",
    "opset ai.onnx.preview 1; const q f32 1x1x1x1 0; const k f32 1x1x2x1 0; const v f32 1x1x2x1 "
    "1,3; const two f32 - 2;"
    "node ai.onnx.preview:FlexAttention q,k,v y prob_mod={in s f32 1x1x1x2; node Mul s,two t; out "
    "t}; out y",
    "1x1x1x1: 4" },

  { "bias-add",
    MS "const x f32 1x1x2 1,2; const b f32 2 10,20; const s f32 1x1x2 100,200; "
       "node com.microsoft:BiasAdd x,b,s y; out y",
    "1x1x2: 111 222" },
  { "bias-split-gelu",
    MS "const x f32 1x1x4 1,2,0,50; const b f32 4 1,1,0,0; node com.microsoft:BiasSplitGelu x,b y; "
       "out y",
    "1x1x2: 0 150" },
  { "nhwc-conv/weight-channels-last",
    MS "const x f32 1x1x2x3 1,2,3,4,5,6; const w f32 1x1x1x3 1,10,100; node com.microsoft:NhwcConv "
       "x,w y; out y",
    "1x1x2x1: 321 654" },
  { "rfft",
    MS "const x f32 1x4 1,2,3,4; node com.microsoft:Rfft x y signal_ndim=1 normalized=0 "
       "onesided=1; out y",
    "1x3x2: 10 0 -2 2 -2 0" },
  { "group-norm/silu",
    MS "const x f32 1x1x1x2 1,3; const s f32 2 0; const b f32 2 0,50; "
       "node com.microsoft:GroupNorm x,s,b y groups=1 activation=1; out y",
    "1x1x1x2: 0 50" },
  { "skip-group-norm/row-of-channels",
    MS "const x f32 1x1x2x1 1,2; const s f32 1 1; const b f32 1 5; const k f32 1x1 3; const d f32 "
       "1 1; "
       "node com.microsoft:SkipGroupNorm x,s,b,k,d _,z groups=1 activation=0; out z",
    "1x1x2x1: 5 6" },
  { "skip-simplified/inverse",
    MS "const x f32 1x2 1,1; const s f32 1x2 0.5,0.5; const g f32 2 1; "
       "node com.microsoft:SkipSimplifiedLayerNormalization x,s,g _,_,i epsilon=1.75; out i",
    "1x1: 0.5" },

  { "group-query/sink",
    MS "in q f32 1x2x32; const l i32 1 1; const t i32 - 2; const sink f32 2 1; "
       "node com.microsoft:GroupQueryAttention q,q,q,_,_,l,t,_,_,_,_,sink y num_heads=2 "
       "kv_num_heads=2; out y",
    NULL, "its input 11 is not implemented" },
  /* The sizes are as many as a mask of the run says, so that not even the rank is known. */
  { "attention/unknown-rank",
    MS "const d f32 1x2x2 1,0,0,1; const n i64 3 1,2,2; const c bool 3 1; const w f32 2x6 "
       "1,0,1,0,1,0,0,1,0,1,0,1; "
       "node Compress n,c m axis=0; node Reshape d,m x; node com.microsoft:Attention x,w y "
       "num_heads=1; out y",
    "1x2x2: 0.6697615493266569 0.3302384506733431 0.3302384506733431 0.6697615493266569" },
  { "attention/unknown-width",
    MS "in x f32 1x2x4; in w f32 4xN; node com.microsoft:Attention x,w y num_heads=2; out y", NULL,
    "the width of its projections is not known" },
  { "fused-conv/unknown-activation",
    MS "in x f32 1x1x2x2; in w f32 1x1x1x1; node com.microsoft:FusedConv x,w y activation='Odd'; "
       "out y",
    NULL, "its activation “Odd” is not implemented" },
  { "flex-attention/two-inputs",
    "opset ai.onnx.preview 1; in q f32 1x1x1x1; node ai.onnx.preview:FlexAttention q,q,q y "
    "score_mod={in s f32 1x1x1x1; "
    "in t f32 1; node Add s,t u; out u}; out y",
    NULL, "a body with 2 inputs and 1 outputs is not implemented" },
};

static void
check_value (SondeGraph *graph, const Form *form)
{
  g_autoptr (GError) error = NULL;
  g_autoptr (GHashTable) feeds = sonde_test_feeds_new (), values = NULL;
  g_autoptr (SondeTensor) want = sonde_test_tensor (SONDE_DTYPE_F32, form->want);

  g_assert_true (sonde_pass_infer (graph, NULL, 0, &error));
  g_assert_no_error (error);
  values = sonde_test_evaluate (graph, feeds, &error);
  g_assert_no_error (error);
  sonde_test_assert_close (g_hash_table_lookup (values, graph->outputs->pdata[0]), want, 1e-5, 1e-5,
                           form->name);
}

static void
test_form (gconstpointer data)
{
  const Form *form = data;
  g_autoptr (GError) error = NULL;
  g_autoptr (GByteArray) bytes = model_of_text (form->text);
  g_autoptr (SondeGraph) graph = sonde_model_parse (bytes->data, bytes->len, "form.onnx", &error);
  gboolean good;

  g_assert_no_error (error);
  good = sonde_pass_legalise (graph, &error);
  if (form->want != NULL)
    {
      g_assert_no_error (error);
      check_value (graph, form);
      return;
    }
  g_assert_false (good);
  g_assert_error (error, SONDE_ENGINE_ERROR, SONDE_ENGINE_ERROR_UNSUPPORTED);
  if (strstr (error->message, form->message) == NULL)
    g_error ("“%s” does not say “%s”", error->message, form->message);
}

/* ---- nodes as a hostile file may hold them ------------------------------- */

#define MOST_INPUTS 12
#define TRIALS 60

/* An input of a random type, sometimes of none, sometimes absent. */
static SondeGraphValue *
roll_input (SondeGraph *graph, guint64 stream, guint64 *at)
{
  static const SondeDtype dtypes[] = { SONDE_DTYPE_F32, SONDE_DTYPE_F32, SONDE_DTYPE_U8,
                                       SONDE_DTYPE_I8,  SONDE_DTYPE_I64, SONDE_DTYPE_STRING };
  SondeType type = { .kind = SONDE_VALUE_TENSOR };

  if (sonde_random_bits (1, stream, (*at)++) % 6 == 0)
    return NULL;
  if (sonde_random_bits (1, stream, (*at)++) % 6 == 0)
    return sonde_graph_add_input (graph, NULL, NULL);
  type.dtype = dtypes[sonde_random_bits (1, stream, (*at)++) % G_N_ELEMENTS (dtypes)];
  type.rank = (int) (sonde_random_bits (1, stream, (*at)++) % 6);
  for (int d = 0; d < type.rank; d++)
    type.dims[d].size = (gint64) (sonde_random_bits (1, stream, (*at)++) % 5) - 1;
  return sonde_graph_add_input (graph, NULL, &type);
}

static void
roll_attributes (SondeNode *node, guint64 stream, guint64 *at)
{
  static const char *const names[] = {
    "num_heads",  "kv_num_heads", "axis",  "do_rotary",     "bits",          "block_size", "K",
    "N",          "groups",       "group", "quantize_axis", "channels_last", "opset",      "transA",
    "transBatchB"
  };
  static const gint64 numbers[] = { G_MININT64, -1, 0, 1, 2, 4, 8, G_MAXINT32, G_MAXINT64 };
  const gint64 sizes[] = { 1, G_MAXINT64, 2 };

  for (gsize i = 0; i < G_N_ELEMENTS (names); i++)
    if (sonde_random_bits (1, stream, (*at)++) % 3 == 0)
      sonde_node_set_int (node, names[i],
                          numbers[sonde_random_bits (1, stream, (*at)++) % G_N_ELEMENTS (numbers)]);
  if (sonde_random_bits (1, stream, (*at)++) % 4 == 0)
    sonde_node_set_ints (node, "qkv_hidden_sizes", sizes, 3);
}

/* Whatever the operands are: a sentence, or a graph that can be looked at further. */
static void
test_hostile (gconstpointer data)
{
  const SondeLegalisation *row = data;

  for (guint64 trial = 0; trial < TRIALS; trial++)
    {
      guint64 stream = trial + 1000 * (guint64) (row - sonde_legalisations_contrib), at = 0;
      g_autoptr (SondeGraph) graph = sonde_graph_new ("hostile");
      g_autoptr (GError) error = NULL;
      SondeGraphValue *inputs[MOST_INPUTS];
      guint n = (guint) (sonde_random_bits (1, stream, at++) % (MOST_INPUTS + 1));
      SondeNode *node = NULL;

      for (guint k = 0; k < n; k++)
        inputs[k] = roll_input (graph, stream, &at);
      node = sonde_graph_add_node (graph, "node", row->domain ? row->domain : "", row->op, inputs,
                                   n, (guint) (sonde_random_bits (1, stream, at++) % 5));
      for (guint k = 0; k < node->outputs->len; k++)
        sonde_graph_add_output (graph, sonde_node_get_output (node, k));
      roll_attributes (node, stream, &at);
      if (!sonde_pass_legalise (graph, &error) || !sonde_pass_infer (graph, NULL, 0, &error))
        g_assert_nonnull (error);
    }
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  for (gsize i = 0; i < G_N_ELEMENTS (forms); i++)
    {
      g_autofree char *path = g_strdup_printf ("/engine/passes/legalise-neural/%s", forms[i].name);

      g_test_add_data_func (path, &forms[i], test_form);
    }
  for (const SondeLegalisation *row = sonde_legalisations_contrib; row->op != NULL; row++)
    {
      g_autofree char *path
          = g_strdup_printf ("/engine/passes/legalise-neural/hostile/%s", row->op);

      g_test_add_data_func (path, row, test_hostile);
    }
  return g_test_run ();
}
