/* SPDX-License-Identifier: Apache-2.0
 * Gradients through If, Loop and Scan: models written as text, against central differences in
 * double, once and twice. */
#include "data/models/sonde-model-file.h"
#include "engine/nn/sonde-grad.h"
#include "tests/engine/model-text.h"
#include "tests/support/sonde-test-tensor.h"

#include <math.h>
#include <string.h>

#define MOST 8
#define STEP 1e-5

/**
 * Case:
 * @text: for model_of_text(); its float64 inputs are differentiated with respect to
 * @feeds: "NAME=TENSOR;…" as sonde_test_tensor() takes them; a shape alone: random numbers
 * @orders: how often it is differentiated
 */
typedef struct
{
  const char *name;
  const char *text;
  const char *feeds;
  int orders;
} Case;

#define IF_TEXT                                                                                    \
  "in c bool -; in x f64 3; in w f64 3; node If c y then_branch={node Mul x,w a; node Sin a b; "   \
  "out b} "                                                                                        \
  "else_branch={node Exp x e; node Mul e,x d; out d}; node Mul y,x z; out z"
#define LOOP_TEXT                                                                                  \
  "in n i64 -; in x f64 2x2; in w f64 2x2; node Loop n,_,x y,s body={in i i64 -; in c bool -; in " \
  "v f64 2x2; "                                                                                    \
  "node Identity c d; node MatMul v,w p; node Sin p q; node Mul q,v r; out d; out q; out r}; out " \
  "y; out s"
#define EXIT_TEXT                                                                                  \
  "in x f64 2; in w f64 2; const m i64 - 20; const limit f64 - 100; "                              \
  "node Loop m,_,x y,s body={in i i64 -; in c bool -; in v f64 2; node Mul v,w q; node MatMul "    \
  "q,q t; "                                                                                        \
  "node Less t,limit d; out d; out q; out t}; out y; out s"
#define GROW_TEXT                                                                                  \
  "in n i64 -; in x f64 K; in w f64 2; node Loop n,_,x y body={in i i64 -; in c bool -; in v f64 " \
  "?; "                                                                                            \
  "node Identity c d; node Sin v t; node Concat t,w q axis=0; node Mul q,q r; out d; out r}; out " \
  "y"
#define NESTED_TEXT                                                                                \
  "in x f64 2; in w f64 2; const n i64 - 3; const two i64 - 2; const zero i64 - 0; "               \
  "node Loop n,_,x y body={in i i64 -; in c bool -; in v f64 2; node Identity c d; node Mod "      \
  "i,two odd; "                                                                                    \
  "node Equal odd,zero even; "                                                                     \
  "node If even q then_branch={node Loop i,_,v u body={in j i64 -; in k bool -; in a f64 2; node " \
  "Identity k l; "                                                                                 \
  "node Mul a,w b; node Sin b e; node Add e,v g; out l; out g}; node Mul u,w z; out z} "           \
  "else_branch={node Exp v f; node Mul f,w h; out h}; out d; out q}; out y"
#define SCAN_TEXT                                                                                  \
  "in a f64 2; in x f64 3x2; in z f64 2x3; in w f64 2; "                                           \
  "node Scan a,x,z h,ys,zs num_scan_inputs=2 scan_input_axes=[0,1] scan_input_directions=[1,0] "   \
  "scan_output_axes=[1,-2] scan_output_directions=[0,1] body={in s f64 2; in p f64 2; in q f64 "   \
  "2; node Mul s,w b; "                                                                            \
  "node Add b,p e; node Sin e t; node Mul t,q r; node Mul r,p o; out t; out r; out o}; out h; "    \
  "out ys; out zs"

static const Case cases[] = {
  { "if/then", IF_TEXT, "c=scalar: 1;x=3;w=3", 2 },
  { "if/else", IF_TEXT, "c=scalar: 0;x=3;w=3", 2 },
  { "if/branch-of-a-capture",
    "in c bool -; in x f64 3; in w f64 3; node If c y then_branch={out x} else_branch={node Sin w "
    "s; out s}; out y",
    "c=scalar: 1;x=3;w=3", 1 },
  { "loop/three", LOOP_TEXT, "n=scalar: 3;x=2x2;w=2x2", 2 },
  { "loop/one", LOOP_TEXT, "n=scalar: 1;x=2x2;w=2x2", 1 },
  { "loop/none", LOOP_TEXT, "n=scalar: 0;x=2x2;w=2x2", 2 },
  { "loop/constant-count",
    "const n i64 - 4; in x f64 2; in w f64 2; node Loop n,_,x y body={in i i64 -; in c bool -; in "
    "v f64 2; "
    "node Identity c d; node Mul v,w p; node Sin p q; out d; out q}; out y",
    "x=2;w=2", 3 },
  { "loop/open-sizes",
    "in n i64 -; in x f64 NxK; in w f64 KxK; node Loop n,_,x y,s body={in i i64 -; in c bool -; in "
    "v f64 NxK; "
    "node Identity c d; node MatMul v,w p; node Sin p q; out d; out q; out p}; out y; out s",
    "n=scalar: 3;x=3x2;w=2x2", 2 },
  { "loop/early-exit", EXIT_TEXT, "x=2: 1.5 2.5;w=2: 1.7 1.4", 2 },
  { "loop/collected-only",
    "in n i64 -; in x f64 3; node Loop n,_ s body={in i i64 -; in c bool -; node Identity c d; "
    "node Cast i f to=11; "
    "node Mul x,f p; node Sin p q; out d; out q}; out s",
    "n=scalar: 4;x=3", 2 },
  { "loop/exchanged",
    "in n i64 -; in x f64 2; in z f64 2; node Loop n,_,x,z y,u body={in i i64 -; in c bool -; in v "
    "f64 2; in w f64 2; "
    "node Identity c d; node Mul v,w p; out d; out w; out p}; out u",
    "n=scalar: 4;x=2: 1.2 0.7;z=2: 0.9 1.1", 2 },
  { "loop/number",
    "in n i64 -; in x f64 2; node Loop n,_,x y body={in i i64 -; in c bool -; in v f64 2; node "
    "Identity c d; "
    "node Cast i f to=11; node Mul v,f p; node Cos p q; out d; out q}; out y",
    "n=scalar: 4;x=2", 1 },
  { "loop/growing", GROW_TEXT, "n=scalar: 3;x=2;w=2", 1 },
  { "loop/growing-none", GROW_TEXT, "n=scalar: 0;x=2;w=2", 1 },
  { "nested", NESTED_TEXT, "x=2;w=2", 1 },
  { "nested/loop-in-loop",
    "in x f64 2; in w f64 2; const n i64 - 3; const m i64 - 2; "
    "node Loop n,_,x y body={in i i64 -; in c bool -; in v f64 2; node Identity c d; "
    "node Loop m,_,v u body={in j i64 -; in k bool -; in a f64 2; node Identity k l; node Mul a,w "
    "b; node Sin b e; "
    "node Add e,v g; out l; out g}; out d; out u}; out y",
    "x=2;w=2", 2 },
  { "nested/if-in-if",
    "in c bool -; in e bool -; in x f64 3; in w f64 3; node If c y then_branch={node If e z "
    "then_branch={node Mul x,w a; node Exp a b; out b} else_branch={node Sin x s; node Mul s,w f; "
    "out f}; node Mul z,x g; "
    "out g} else_branch={node Mul x,x h; out h}; out y",
    "c=scalar: 1;e=scalar: 0;x=3;w=3", 2 },
  { "scan/both-ways", SCAN_TEXT, "a=2;x=3x2;z=2x3;w=2", 2 },
  { "scan/open-sizes",
    "in a f64 K; in x f64 TxK; in w f64 K; node Scan a,x h,ys num_scan_inputs=1 body={in s f64 K; "
    "in p f64 K; "
    "node Mul s,w b; node Add b,p e; node Sin e t; node Mul t,p r; out t; out r}; out h; out ys",
    "a=2;x=4x2;w=2", 2 },
  { "scan/in-loop",
    "in a f64 2; in x f64 3x2; const n i64 - 2; node Loop n,_,a y body={in i i64 -; in c bool -; "
    "in v f64 2; "
    "node Identity c d; node Scan v,x h num_scan_inputs=1 body={in s f64 2; in p f64 2; node Mul "
    "s,p b; node Sin b t; "
    "out t}; out d; out h}; out y",
    "a=2;x=3x2", 2 },
};

/* What PyTorch 2.15's autograd gives in double for the sum of all outputs. */
static const struct
{
  const char *name, *text, *feeds;
  const char *want[2]; /* with respect to x, w */
} references[] = {
  { "loop",
    "in n i64 -; in x f64 2x2; in w f64 2x2; node Loop n,_,x y,s body={in i i64 -; in c bool -; in "
    "v f64 2x2; "
    "node Identity c d; node MatMul v,w p; node Tanh p q; node Mul q,v r; out d; out q; out r}; "
    "out y; out s",
    "n=scalar: 3;x=2x2: 0.5 -0.3 0.2 0.8;w=2x2: 0.4 0.1 -0.6 0.9",
    { "2x2: 0.6351118405361638 -1.9885752002133428 -0.31198595389888545 2.331153730879117",
      "2x2: 1.1155714943976223 -1.3693781375511773 -0.9880369195412773 3.2377745017497848" } },
  { "early-exit",
    EXIT_TEXT,
    "x=2: 1.5 2.5;w=2: 1.7 1.4",
    { "2: 111.05200699999999 69.39967999999998", "2: 256.55269499999997 302.48399999999987" } },
  { "growing",
    GROW_TEXT,
    "n=scalar: 3;x=2: 0.5 -0.3;w=2: 0.4 0.9",
    { "2: 0.03868824638516798 -0.0014928803871981791",
      "2: 1.0644228341633157 5.156563069491887" } },
};

/* ---- running ------------------------------------------------------------- */

typedef struct
{
  guint n;
  const char *names[MOST];
  SondeTensor *tensors[MOST];
} Feeds;

static void
feeds_clear (Feeds *feeds)
{
  for (guint i = 0; i < feeds->n; i++)
    sonde_tensor_unref (feeds->tensors[i]);
}
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC (Feeds, feeds_clear)

static void
feeds_add (Feeds *feeds, SondeGraphValue *input, SondeTensor *tensor)
{
  g_assert_cmpuint (feeds->n, <, MOST);
  feeds->names[feeds->n] = g_intern_string (input->name);
  feeds->tensors[feeds->n++] = tensor;
}

static void
feeds_parse (Feeds *feeds, const SondeGraph *graph, const char *text)
{
  g_auto (GStrv) parts = g_strsplit (text, ";", -1);

  for (guint i = 0; parts[i] != NULL; i++)
    {
      char *shape = strchr (parts[i], '=') + 1;
      gboolean has_numbers = strchr (shape, ':') != NULL;
      SondeGraphValue *input = NULL;
      SondeTensor *tensor = NULL;

      shape[-1] = '\0';
      input = sonde_graph_find_value (graph, parts[i]);
      g_assert_nonnull (input);
      if (has_numbers)
        tensor = sonde_test_tensor (input->type.dtype, shape);
      else
        {
          g_autofree char *zeros = g_strconcat (shape, ": 0", NULL);
          g_autoptr (SondeTensor) like = sonde_test_tensor (input->type.dtype, zeros);

          tensor = sonde_test_tensor_random (input->type.dtype, &like->shape, i + 7, -1, 1);
        }
      feeds_add (feeds, input, tensor);
    }
}

static void
run (SondeGraph *graph, const Feeds *feeds, SondeTensor **outputs)
{
  g_autoptr (GError) error = NULL;
  g_autoptr (SondeDevice) device = sonde_device_open ("cpu", 1, &error);

  g_assert_no_error (error);
  sonde_graph_run (graph, device, feeds->names, feeds->tensors, feeds->n, outputs, &error);
  g_assert_no_error (error);
}

/* Σ seed · output */
static double
weigh (SondeGraph *graph, const Feeds *feeds, SondeTensor *const *seeds)
{
  guint n = graph->outputs->len;
  g_autofree SondeTensor **outputs = g_new0 (SondeTensor *, n);
  double sum = 0;

  run (graph, feeds, outputs);
  for (guint k = 0; k < n; k++)
    {
      for (gint64 i = 0; i < sonde_tensor_n_elements (outputs[k]); i++)
        sum += sonde_tensor_get_double (outputs[k], i) * sonde_tensor_get_double (seeds[k], i);
      sonde_tensor_unref (outputs[k]);
    }
  return sum;
}

/* ---- against differences ------------------------------------------------- */

/* Random seeds of the shapes that the outputs have with these inputs. */
static void
make_seeds (SondeGraph *graph, const Feeds *feeds, SondeTensor **seeds)
{
  run (graph, feeds, seeds);
  for (guint k = 0; k < graph->outputs->len; k++)
    {
      SondeTensor *random
          = sonde_test_tensor_random (SONDE_DTYPE_F64, &seeds[k]->shape, k + 99, -1, 1);

      sonde_tensor_unref (seeds[k]);
      seeds[k] = random;
    }
}

static void
compare_input (SondeGraph *graph, Feeds *feeds, guint at, SondeTensor *const *seeds,
               SondeTensor *gradient, const char *what)
{
  SondeTensor *tensor = feeds->tensors[at];

  g_assert_true (sonde_shape_equal (&tensor->shape, &gradient->shape));
  for (gint64 i = 0; i < sonde_tensor_n_elements (tensor); i++)
    {
      double old = sonde_tensor_get_double (tensor, i), up, down, slope,
             got = sonde_tensor_get_double (gradient, i);

      sonde_tensor_set_double (tensor, i, old + STEP);
      up = weigh (graph, feeds, seeds);
      sonde_tensor_set_double (tensor, i, old - STEP);
      down = weigh (graph, feeds, seeds);
      sonde_tensor_set_double (tensor, i, old);
      slope = (up - down) / (2 * STEP);
      if (fabs (slope - got) > 1e-6 * MAX (1, fabs (slope)))
        {
          g_test_message ("%s, input “%s”, element %" G_GINT64_FORMAT
                          ": %.12g, but differences give %.12g",
                          what, feeds->names[at], i, got, slope);
          g_test_fail ();
        }
    }
}

/* Returns: the gradient, of ones, as a graph of the same inputs */
static SondeGraph *
check_graph (SondeGraph *graph, Feeds *feeds, const char *what)
{
  guint n_outputs = graph->outputs->len, n_inputs = 0;
  SondeValueRef outputs[2 * MOST], inputs[MOST];
  SondeTensor *seeds[2 * MOST], *gradients[MOST];
  g_autoptr (GError) error = NULL;
  g_autoptr (SondeGraph) product = NULL;
  Feeds all = *feeds;
  SondeGraph *gradient = NULL;

  for (guint k = 0; k < n_outputs; k++)
    outputs[k] = SONDE_POSITION (k);
  for (guint i = 0; i < feeds->n; i++)
    if (feeds->tensors[i]->dtype == SONDE_DTYPE_F64)
      inputs[n_inputs++] = SONDE_VALUE (feeds->names[i]);
  product = sonde_grad (graph, outputs, n_outputs, inputs, n_inputs,
                        &(SondeGradOptions){ .give_seeds = TRUE }, &error);
  g_assert_no_error (error);
  make_seeds (graph, feeds, seeds);
  for (guint k = 0; k < n_outputs; k++)
    feeds_add (&all, product->inputs->pdata[product->inputs->len - n_outputs + k], seeds[k]);
  run (product, &all, gradients);
  n_inputs = 0;
  for (guint i = 0; i < feeds->n; i++)
    if (feeds->tensors[i]->dtype == SONDE_DTYPE_F64)
      {
        compare_input (graph, feeds, i, seeds, gradients[n_inputs], what);
        sonde_tensor_unref (gradients[n_inputs++]);
      }
  for (guint k = 0; k < n_outputs; k++)
    sonde_tensor_unref (seeds[k]);
  gradient = sonde_grad (graph, outputs, n_outputs, inputs, n_inputs, NULL, &error);
  g_assert_no_error (error);
  return gradient;
}

static void check_bodies (SondeGraph *graph, gboolean inside);

static void
check_node (SondeNode *node, gboolean inside)
{
  for (guint i = 0; i < node->attributes->len; i++)
    {
      const SondeAttribute *attribute = node->attributes->pdata[i];

      if (attribute->kind == SONDE_ATTRIBUTE_GRAPH)
        check_bodies (attribute->u.graph, inside || node->phase == SONDE_PHASE_BACKWARD);
    }
}

/* What is in the gradient of a body is gradient, and says of what. */
static void
check_bodies (SondeGraph *graph, gboolean inside)
{
  for (guint i = 0; i < graph->nodes->len; i++)
    {
      SondeNode *node = graph->nodes->pdata[i];

      if (node == NULL)
        continue;
      if (inside && (node->phase != SONDE_PHASE_BACKWARD || node->origins->len == 0))
        {
          g_test_message ("node “%s” is of the %s phase and has %u origins", node->name,
                          sonde_phase_name (node->phase), node->origins->len);
          g_test_fail ();
        }
      check_node (node, inside);
    }
}

static void
test_case (gconstpointer data)
{
  const Case *row = data;
  g_autoptr (GError) error = NULL;
  g_autoptr (GByteArray) bytes = model_of_text (row->text);
  g_autoptr (SondeGraph) original
      = sonde_model_parse (bytes->data, bytes->len, "case.onnx", &error);
  g_autoptr (SondeGraph) graph = NULL;
  g_auto (Feeds) feeds = { 0 };

  g_assert_no_error (error);
  graph = sonde_prepare_inference (original, &error);
  g_assert_no_error (error);
  feeds_parse (&feeds, graph, row->feeds);
  for (int order = 0; order < row->orders; order++)
    {
      g_autofree char *what = g_strdup_printf ("order %d", order + 1);
      SondeGraph *next = check_graph (graph, &feeds, what);

      sonde_graph_unref (graph);
      graph = next;
      check_bodies (graph, FALSE);
    }
}

static void
test_reference (gconstpointer data)
{
  gsize at = GPOINTER_TO_SIZE (data);
  g_autoptr (GError) error = NULL;
  g_autoptr (GByteArray) bytes = model_of_text (references[at].text);
  g_autoptr (SondeGraph) graph
      = sonde_model_parse (bytes->data, bytes->len, "reference.onnx", &error);
  g_autoptr (SondeGraph) gradient = NULL;
  g_auto (Feeds) feeds = { 0 };
  SondeValueRef outputs[] = { SONDE_POSITION (0), SONDE_POSITION (1) },
                inputs[] = { SONDE_VALUE ("x"), SONDE_VALUE ("w") };
  SondeTensor *gradients[2];

  g_assert_no_error (error);
  feeds_parse (&feeds, graph, references[at].feeds);
  gradient = sonde_grad (graph, outputs, graph->outputs->len, inputs, 2, NULL, &error);
  g_assert_no_error (error);
  run (gradient, &feeds, gradients);
  for (guint k = 0; k < 2; k++)
    {
      g_autoptr (SondeTensor) want = sonde_test_tensor (SONDE_DTYPE_F64, references[at].want[k]);

      sonde_test_assert_close (gradients[k], want, 1e-12, 1e-13, inputs[k].name);
      sonde_tensor_unref (gradients[k]);
    }
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  for (gsize i = 0; i < G_N_ELEMENTS (cases); i++)
    {
      g_autofree char *path = g_strconcat ("/passes/gradient-control/", cases[i].name, NULL);

      g_test_add_data_func (path, &cases[i], test_case);
    }
  for (gsize i = 0; i < G_N_ELEMENTS (references); i++)
    {
      g_autofree char *path
          = g_strconcat ("/passes/gradient-control/pytorch/", references[i].name, NULL);

      g_test_add_data_func (path, GSIZE_TO_POINTER (i), test_reference);
    }
  return g_test_run ();
}
