/* SPDX-License-Identifier: Apache-2.0
 * Models that are wrong, one row each of the list of damage (OX1 to OX25; OX24 is in
 * tests/data/models): where it is found, the error's code, and what its message says. What the
 * reader of files finds has further rows in tests/data/models. */
#include "tests/engine/model-text.h"

#include <string.h>
#include <sys/mman.h>
#include <time.h>

#include "data/base/sonde-error.h"
#include "data/base/sonde-random.h"
#include "data/models/sonde-model-file.h"
#include "engine/plan/sonde-execution.h"
#include "tests/data/models/wire-builder.h"

#define MOST_ELEMENTS (1 << 22) /* of an input */
#define SECONDS_AT_MOST                                                                            \
  20.0 /* of the processor, which others may slow down four times; alone none takes 2 */

/* How far a model gets. */
typedef enum
{
  FAILS_TO_LOAD,    /* of SONDE_DATA_ERROR */
  FAILS_TO_PREPARE, /* of SONDE_ENGINE_ERROR, like the ones that follow */
  FAILS_TO_PLAN,
  FAILS_TO_RUN,
  RUNS,
} Outcome;

static const char *const outcome_names[]
    = { "fails to load", "fails to prepare", "fails to plan", "fails to run", "runs" };

typedef struct
{
  const char *row;  /* "OX1 cycle of one" */
  const char *text; /* for model_of_text() */
  Outcome outcome;
  int code;            /* of SONDE_DATA_ERROR where it fails to load, else of SONDE_ENGINE_ERROR */
  const char *message; /* part of it */
} Damage;

#define DAMAGED SONDE_DATA_ERROR_DAMAGED
#define LIMIT SONDE_DATA_ERROR_LIMIT
#define INVALID SONDE_ENGINE_ERROR_INVALID
#define SHAPE SONDE_ENGINE_ERROR_SHAPE
#define UNSUPPORTED SONDE_ENGINE_ERROR_UNSUPPORTED

#define IMAGE "in x f32 1x4x6x6; const w f32 4x4x3x3 1; "
#define LIST "in x f32 2x3; "

static const Damage damages[] = {
  { "OX1 cycle of one", "node Relu a a; out a", FAILS_TO_PREPARE, INVALID,
    "has a cycle: “Relu_a” → “Relu_a”" },
  { "OX1 cycle of two", "node Relu a b; node Relu b a; out a", FAILS_TO_PREPARE, INVALID,
    "has a cycle: “Relu_a” → “Relu_b” → “Relu_a”" },
  { "OX1 out of order", LIST "node Relu b c; node Relu x b; out c", RUNS, 0, NULL },
  { "OX2 input nobody makes", "node Add x,ghost y; in x f32 2; out y", FAILS_TO_LOAD, DAMAGED,
    "input 1 of node “Add_y” is “ghost”, which no node makes" },
  { "OX2 output nobody makes", LIST "out ghost", FAILS_TO_LOAD, DAMAGED, "output “ghost”" },
  { "OX3 two producers", LIST "node Relu x y; node Abs x y; out y", FAILS_TO_LOAD, DAMAGED,
    "defines the value “y” a second time" },
  { "OX4 initialiser of an output", LIST "const y f32 2x3; node Relu x y; out y", FAILS_TO_LOAD,
    DAMAGED, "“y” a second time" },
  { "OX4 two initialisers", "const w f32 2; const w f32 2; node Relu w y; out y", FAILS_TO_LOAD,
    DAMAGED, "“w” a second time, as an initialiser" },
  { "OX4 initialiser of an input", "in x f32 2; const x f32 2 1,2; node Relu x y; out y", RUNS, 0,
    NULL },
  { "OX5 nothing", "", FAILS_TO_PREPARE, INVALID, "has no outputs" },
  { "OX5 no outputs", LIST "node Relu x y", FAILS_TO_PREPARE, INVALID, "has no outputs" },
  { "OX5 node that makes nothing", LIST "node Relu x y; node Relu - -; out y", RUNS, 0, NULL },

  { "OX10 sizes that do not fit", "in x f32 Nx3; in y f32 4xN; node MatMul x,y z; out z f32 5x5",
    FAILS_TO_PREPARE, SHAPE, "(inputs: “x” float32 N×3, “y” float32 4×N)" },
  { "OX10 stated shape is not believed", LIST "node Relu x y; node Relu y z; out z f32 3x2", RUNS,
    0, NULL },
  { "OX11 attribute missing", LIST "node Concat x,x y; out y", FAILS_TO_PREPARE, INVALID,
    "node “Concat_y” (Concat) lacks the attribute “axis”" },
  { "OX11 attribute twice", LIST "node Softmax x y axis=0 axis=1; out y", FAILS_TO_LOAD, DAMAGED,
    "has the attribute “axis” twice" },
  { "OX11 attribute of another type", LIST "node Softmax x y axis='one'; out y", FAILS_TO_PREPARE,
    INVALID, "node “Softmax_y” (Softmax)" },
  { "OX11 attribute nobody knows", LIST "node Relu x y slope=1; out y", FAILS_TO_PREPARE, INVALID,
    "slope" },
  { "OX11 too few inputs", LIST "node Add x y; out y", FAILS_TO_PREPARE, INVALID,
    "node “Add_y” (Add)" },
  { "OX11 too many inputs", LIST "node Relu x,x,x y; out y", FAILS_TO_PREPARE, INVALID,
    "node “Relu_y” (Relu)" },

  { "OX12 kernel larger than input",
    "in x f32 1x1x2x2; const w f32 1x1x3x3; node Conv x,w y; out y", FAILS_TO_PREPARE, SHAPE,
    "a window of 3 does not fit size 2" },
  { "OX12 stride 0", IMAGE "node Conv x,w y strides=[0,1]; out y", FAILS_TO_PREPARE, INVALID,
    "strides" },
  { "OX12 dilation 0", IMAGE "node Conv x,w y dilations=[1,0]; out y", FAILS_TO_PREPARE, INVALID,
    "dilations" },
  { "OX12 group 0", IMAGE "node Conv x,w y group=0; out y", FAILS_TO_PREPARE, INVALID, "group" },
  { "OX12 group that does not divide", IMAGE "node Conv x,w y group=3; out y", FAILS_TO_PREPARE,
    SHAPE, "in 3 groups" },
  { "OX12 vast padding", IMAGE "node Conv x,w y pads=[-2147483648,0,0,0]; out y", FAILS_TO_PREPARE,
    SHAPE, "node “Conv_y” (Conv)" },
  { "OX12 endless padding",
    IMAGE "node Conv x,w y pads=[9223372036854775807,0,9223372036854775807,0]; out y",
    FAILS_TO_PREPARE, SHAPE, "node “Conv_y” (Conv)" },
  { "OX12 pool of stride 0", IMAGE "node MaxPool x y kernel_shape=[2,2] strides=[0,0]; out y",
    FAILS_TO_PREPARE, INVALID, "strides" },
  { "OX12 pool of kernel 0", IMAGE "node AveragePool x y kernel_shape=[0,2]; out y",
    FAILS_TO_PREPARE, INVALID, "kernel_shape" },

  { "OX13 perm repeated", LIST "node Transpose x y perm=[0,0]; out y", FAILS_TO_PREPARE, SHAPE,
    "perm" },
  { "OX13 perm out of range", LIST "node Transpose x y perm=[0,7]; out y", FAILS_TO_PREPARE, SHAPE,
    "perm" },
  { "OX13 split of a wrong sum", LIST "const s i64 2 1,1; node Split x,s y,z axis=1; out y; out z",
    FAILS_TO_PREPARE, SHAPE, "node “Split_y” (Split)" },
  { "OX13 split of a negative size",
    LIST "const s i64 2 -1,4; node Split x,s y,z axis=1; out y; out z", FAILS_TO_PREPARE, SHAPE,
    "node “Split_y” (Split)" },
  { "OX13 two unknown sizes", LIST "const s i64 2 -1,-1; node Reshape x,s y; out y",
    FAILS_TO_PREPARE, SHAPE, "node “Reshape_y” (Reshape)" },
  { "OX13 concat axis 99", LIST "node Concat x,x y axis=99; out y", FAILS_TO_PREPARE, SHAPE,
    "axis 99" },
  { "OX13 known index out of range", LIST "const i i64 1 -3; node Gather x,i y axis=0; out y",
    FAILS_TO_PREPARE, SHAPE, "index -3" },
  { "OX13 size beyond memory",
    "const s i64 3 1000000,1000000,1000000; node ConstantOfShape s y; out y", FAILS_TO_PREPARE,
    SHAPE, "ConstantOfShape_y" },
  { "OX13 expand to a negative size", LIST "const s i64 2 -5,3; node Expand x,s y; out y",
    FAILS_TO_PREPARE, SHAPE, "node “Expand_y” (Expand)" },
  { "OX13 range that never ends",
    "const a f32 - 0; const b f32 - 1; const d f32 - 0; node Range a,b,d y; out y",
    FAILS_TO_PREPARE, SHAPE, "node “Range_y” (Range)" },
  { "OX13 tile beyond memory", LIST "const r i64 2 4611686018427387904,4; node Tile x,r y; out y",
    FAILS_TO_PREPARE, SHAPE, "node “Tile_y” (Tile)" },
  { "OX13 topk of too many", LIST "const k i64 1 9; node TopK x,k y,z; out y", FAILS_TO_PREPARE,
    SHAPE, "node “TopK_y” (TopK)" },

  { "OX14 opset 0", "opset - 0; " LIST "node Relu x y; out y", FAILS_TO_LOAD, DAMAGED, "opset" },
  { "OX14 opset 999", "opset - 999; " LIST "node Relu x y; out y", FAILS_TO_PREPARE, UNSUPPORTED,
    "999" },
  { "OX14 opset twice", "opset - 17; opset ai.onnx 18; " LIST "node Relu x y; out y", FAILS_TO_LOAD,
    DAMAGED, "is imported twice" },
  { "OX14 no opset", "opset - -; " LIST "node Relu x y; out y", FAILS_TO_PREPARE, INVALID,
    "opset" },
  { "OX14 version 0 of the format", "ir 0; " LIST "node Relu x y; out y", RUNS, 0, NULL },
  { "OX14 version of a far future", "ir 1000000; " LIST "node Relu x y; out y", FAILS_TO_PREPARE,
    UNSUPPORTED, "version 1000000" },
  { "OX15 unknown operator", LIST "node Nonsense x y; node Nonsense y z; out z", FAILS_TO_PREPARE,
    UNSUPPORTED, "Nonsense (version 17), 2 nodes" },
  { "OX15 unknown domain", LIST "opset - 17; opset org.x 1; node org.x:Relu x y; out y",
    FAILS_TO_PREPARE, UNSUPPORTED, "org.x.Relu" },

  { "OX16 body without outputs", "in c bool -; node If c y then_branch={} else_branch={}; out y",
    FAILS_TO_PREPARE, SHAPE, "node “If_y” (If)" },
  { "OX16 body of too few outputs",
    "in c bool -; const a f32 1; node If c y,z then_branch={node Relu a t; out t} "
    "else_branch={node Neg a t; node Abs a u; out t; out u}; out y; out z",
    FAILS_TO_PREPARE, SHAPE, "has 2 outputs, but its then_branch gives 1" },
  { "OX16 scope",
    "in c bool -; const a f32 1 2; node If c y then_branch={node Relu a t; out t} "
    "else_branch={node Neg a t; out t}; out y",
    RUNS, 0, NULL },
  { "OX16 outer name defined again",
    "in c bool -; const a f32 1 -2; node If c y then_branch={const a f32 1 7; node Abs a t; out t} "
    "else_branch={node Neg a t; out t}; out y",
    RUNS, 0, NULL },
  { "OX16 outer name read and defined",
    "in c bool -; const a f32 1 -2; node If c y then_branch={node Abs a a; out a} "
    "else_branch={node Neg a t; out t}; out y",
    FAILS_TO_PREPARE, INVALID, "in a body of “If_y”: the graph “” has a cycle: “Abs_a” → “Abs_a”" },
  { "OX16 loop body of a wrong count",
    "const n i64 - 3; in x f32 1; node Loop n,_,x y body={in i i64 -; in c bool -; out c}; out y",
    FAILS_TO_PREPARE, SHAPE, "node “Loop_y” (Loop)" },
  { "OX17 loop that grows",
    "const n i64 - 9223372036854775807; in x f32 1; node Loop n,_,x y body={in i i64 -; in c bool "
    "-; in v f32 ?; node Concat v,v w axis=0; node Identity c d; out d; out w}; out y",
    FAILS_TO_RUN, SONDE_ENGINE_ERROR_MEMORY, "Loop_y" },

  { "OX18 function that calls itself",
    "opset - 17; opset f 1; function f A a b {node f:A a b}; in x f32 2; node f:A x y; out y",
    FAILS_TO_LOAD, DAMAGED, "“A” calls itself" },
  { "OX18 functions that call each other",
    "opset - 17; opset f 1; function f A a b {node f:B a b}; function f B a b {node f:A a b}; in x "
    "f32 2; node f:A x y; out y",
    FAILS_TO_LOAD, DAMAGED, "calls itself" },

  { "OX20 zero point of another type",
    "in x u8 2; const s f32 - 1; const z i8 -; node DequantizeLinear x,s,z y; out y",
    FAILS_TO_PREPARE, SHAPE, "the zero point is int8, but the input is uint8" },
  { "OX20 scale 0", "in x u8 2; const s f32 - 0; node DequantizeLinear x,s y; out y", RUNS, 0,
    NULL },
  { "OX20 scale not a number",
    "in x f32 2; const s f32 - nan; const z u8 -; node QuantizeLinear x,s,z y; out y", RUNS, 0,
    NULL },
  { "OX20 negative scale",
    "in x f32 2; const s f32 - -1; const z u8 -; node QuantizeLinear x,s,z y; out y", RUNS, 0,
    NULL },
  { "OX20 scales of a wrong count",
    "in x f32 2x3; const s f32 2 1; const z u8 2; node QuantizeLinear x,s,z y; out y",
    FAILS_TO_PREPARE, SHAPE, "there are 2 scales for the 3 indices of axis 1" },
  { "OX20 block of size -1",
    "opset - 21; in x f32 2x4; const s f32 2x2 1; node QuantizeLinear x,s y block_size=-1; out y",
    FAILS_TO_PREPARE, INVALID, "block_size" },

  { "OX22 new line and change of direction",
    "in a\nb\xe2\x80\xae f32 2; node Relu a\nb\xe2\x80\xae y\x1b; out y\x1b", RUNS, 0, NULL },
  { "OX22 no UTF-8", "in \xff\xfe f32 2; node Relu \xff\xfe y; out y", FAILS_TO_LOAD, DAMAGED,
    "UTF-8" },
  { "OX22 path as name", "in ../../x f32 2; node Relu ../../x <b>; out <b>", RUNS, 0, NULL },
};

/* ---- running ------------------------------------------------------------- */

static gboolean
set_inputs (SondeExecution *execution, SondeGraph *graph, GError **error)
{
  for (guint i = 0; i < graph->inputs->len; i++)
    {
      SondeGraphValue *input = graph->inputs->pdata[i];
      SondeShape shape = sonde_shape_scalar ();
      g_autoptr (SondeTensor) zeros = NULL;
      g_autoptr (SondeValue) value = NULL;

      if (input->constant != NULL)
        continue;
      if (sonde_type_get_shape (&input->type, &shape)
          && sonde_shape_n_elements (&shape) > MOST_ELEMENTS)
        {
          g_set_error (error, SONDE_ENGINE_ERROR, SONDE_ENGINE_ERROR_MEMORY,
                       "the test gives no input of this size");
          return FALSE;
        }
      if (input->type.dtype == SONDE_DTYPE_INVALID || sonde_shape_n_elements (&shape) < 0)
        {
          g_set_error (error, SONDE_ENGINE_ERROR, SONDE_ENGINE_ERROR_SHAPE,
                       "the test gives no input of this type");
          return FALSE;
        }
      zeros = sonde_tensor_new (input->type.dtype, &shape);
      value = sonde_value_new_tensor (zeros);
      if (!sonde_execution_set_input_value (execution, input->name, value, error))
        return FALSE;
    }
  return TRUE;
}

static Outcome
take_through (const guint8 *data, gsize length, GError **error)
{
  g_autoptr (SondeDevice) device = sonde_device_open ("cpu", 1, NULL);
  g_autoptr (SondeGraph) original = sonde_model_parse (data, length, "bad.onnx", error);
  g_autoptr (SondeGraph) graph = NULL;
  g_autoptr (SondePlan) plan = NULL;
  g_autoptr (SondeExecution) execution = NULL;
  SondePlanOptions options = { 0 };

  if (original == NULL)
    return FAILS_TO_LOAD;
  graph = sonde_prepare_inference (original, error);
  if (graph == NULL)
    return FAILS_TO_PREPARE;
  plan = sonde_plan_new (graph, device, &options, error);
  if (plan == NULL)
    return FAILS_TO_PLAN;
  execution = sonde_execution_new (plan, error);
  if (execution == NULL)
    return FAILS_TO_RUN;
  sonde_execution_set_memory_limit (execution, 1 << 24);
  if (!set_inputs (execution, graph, error)
      || sonde_execution_run (execution, error) != SONDE_RUN_DONE)
    return FAILS_TO_RUN;
  return RUNS;
}

static void
check_outcome (const Damage *row, Outcome outcome, const GError *error)
{
  GQuark domain = row->outcome == FAILS_TO_LOAD ? SONDE_DATA_ERROR : SONDE_ENGINE_ERROR;

  if (outcome != row->outcome)
    {
      g_test_message ("%s: %s (%s), but should: %s", row->row, outcome_names[outcome],
                      error ? error->message : "no error", outcome_names[row->outcome]);
      g_test_fail ();
    }
  else if (error != NULL
           && (!g_error_matches (error, domain, row->code)
               || strstr (error->message, row->message) == NULL))
    {
      g_test_message ("%s: “%s” (%s, %d), but should say “%s” (%d)", row->row, error->message,
                      g_quark_to_string (error->domain), error->code, row->message, row->code);
      g_test_fail ();
    }
}

static void
test_damage (gconstpointer data)
{
  const Damage *row = data;
  g_autoptr (GByteArray) bytes = model_of_text (row->text);
  g_autoptr (GError) error = NULL;
  double start = (double) clock () / CLOCKS_PER_SEC;
  Outcome outcome = take_through (bytes->data, bytes->len, &error);

  check_outcome (row, outcome, error);
  if (g_getenv ("SONDE_TEST_VALGRIND") == NULL)
    g_assert_cmpfloat ((double) clock () / CLOCKS_PER_SEC - start, <, SECONDS_AT_MOST);
}

/* ---- models of many parts ------------------------------------------------ */

static void
check_generated (const char *row, GString *text, Outcome outcome, int code, const char *message)
{
  const Damage damage = { row, text->str, outcome, code, message };

  test_damage (&damage);
  g_string_free (text, TRUE);
}

static void
test_long_cycle (void)
{
  GString *text = g_string_new ("node Relu v999 v0; out v0");

  for (int i = 1; i < 1000; i++)
    g_string_append_printf (text, "; node Relu v%d v%d", i - 1, i);
  check_generated ("OX1 cycle of a thousand", text, FAILS_TO_PREPARE, INVALID, "cycle");
}

/* One If in the other. */
static void
test_deep_bodies (void)
{
  for (int depth = 32; depth <= 34; depth += 2)
    {
      GString *text = g_string_new ("out t");

      for (int i = 0; i < depth; i++)
        {
          g_autofree char *inner = g_strdup (text->str);

          g_string_printf (text,
                           "node If c t then_branch={%s} else_branch={node Relu a t; out t}; out t",
                           i == 0 ? "node Neg a t; out t" : inner);
        }
      g_string_prepend (text, "in c bool -; const a f32 1; ");
      check_generated ("OX16 bodies in each other", text, depth <= 32 ? RUNS : FAILS_TO_LOAD, LIMIT,
                       "more of its own kind than the limit allows");
    }
}

static void
test_long_chain (void)
{
  GString *text = g_string_new ("in v0 f32 2");

  for (int i = 1; i <= 100000; i++)
    g_string_append_printf (text, "; node Relu v%d v%d", i - 1, i);
  g_string_append (text, "; out v100000");
  check_generated ("OX23 chain of 100,000", text, RUNS, 0, NULL);
}

/* Which all live until the last node reads them. */
static void
test_fan_out (void)
{
  GString *text = g_string_new ("in x f32 2; out y");

  for (int i = 0; i < 100000; i++)
    g_string_append_printf (text, "; node Relu x v%d", i);
  g_string_append (text, "; node Sum v0");
  for (int i = 1; i < 100000; i++)
    g_string_append_printf (text, ",v%d", i);
  g_string_append (text, " y");
  check_generated ("OX23 fan-out of 100,000", text, RUNS, 0, NULL);
}

static void
test_many_outputs (void)
{
  GString *text = g_string_new ("in x f32 2");

  for (int i = 0; i < 100000; i++)
    g_string_append_printf (text, "; node Relu x v%d; out v%d", i, i);
  check_generated ("OX23 100,000 outputs", text, RUNS, 0, NULL);
}

static void
test_many_bodies (void)
{
  GString *branches = g_string_new ("in c bool -; in v0 f32 1; const a f32 1; out v10000");
  GString *loops = g_string_new ("const n i64 - 2; in v0 f32 1; const a f32 1; out v10000");

  for (int i = 1; i <= 10000; i++)
    {
      g_string_append_printf (branches,
                              "; node If c v%d then_branch={node Add v%d,a t; out t} "
                              "else_branch={node Sub v%d,a t; out t}",
                              i, i - 1, i - 1);
      g_string_append_printf (
          loops,
          "; node Loop n,_,v%d v%d body={in i i64 -; in d bool -; in s f32 1; node Identity d e; "
          "node Add s,a r; out e; out r}",
          i - 1, i);
    }
  check_generated ("OX16 If beside each other", branches, RUNS, 0, NULL);
  check_generated ("OX16 Loop beside each other", loops, RUNS, 0, NULL);
}

static void
test_many_functions (void)
{
  GString *text = g_string_new ("opset - 17; opset f 1; in x f32 2; node f:F0 x y; out y");

  for (int i = 0; i < 100000; i++)
    g_string_append_printf (text, "; function f F%d a b {node Relu a b}", i);
  check_generated ("OX18 100,000 functions", text, FAILS_TO_LOAD, LIMIT, "functions");
}

static void
test_many_names (void)
{
  g_autofree char *prefix = g_strnfill (60, 'n');
  GString *text = g_string_new ("in x f32 2; out y");

  for (int i = 0; i < 100000; i++)
    g_string_append_printf (text, "; node Relu x %s%d", prefix, i);
  g_string_append_printf (text, "; node Relu %s99999 y", prefix);
  check_generated ("OX22 10^5 names of one prefix", text, RUNS, 0, NULL);
}

static void
test_long_names (void)
{
  g_autofree char *name = g_strnfill (1 << 20, 'n');
  GString *text = g_string_new (NULL);

  g_string_printf (text, "in %s f32 2; node Relu %s %sy; out %sy", name, name, name, name);
  check_generated ("OX22 names of a MiB", text, RUNS, 0, NULL);
}

/* ---- what the text cannot say -------------------------------------------- */

/* A model that gives the string tensor @strings; its bytes end with those of its last string. */
static GByteArray *
model_of_strings (const gint64 *size, const GByteArray *strings, gsize missing)
{
  GByteArray *tensor = wire_tensor ("s", 8, 1, size), *graph = wire_new (), *head = wire_new ();

  g_byte_array_append (tensor, strings->data, strings->len);
  wire_take (graph, 1, wire_node ("Identity", "s", "y"));
  wire_take (graph, 12, wire_value ("y"));
  wire_key (graph, 5, 2);
  wire_varint (graph, tensor->len + missing);
  g_byte_array_append (graph, tensor->data, tensor->len);
  wire_int (head, 1, 8);
  wire_bytes (head, 8, "\x10\x11", 2);
  wire_key (head, 7, 2);
  wire_varint (head, graph->len + missing);
  g_byte_array_append (head, graph->data, graph->len);
  g_byte_array_unref (tensor);
  g_byte_array_unref (graph);
  return head;
}

static void
check_bytes (const char *row, const guint8 *data, gsize length, Outcome outcome, int code,
             const char *message)
{
  const Damage damage = { row, NULL, outcome, code, message };
  g_autoptr (GError) error = NULL;
  double start = (double) clock () / CLOCKS_PER_SEC;
  Outcome got = take_through (data, length, &error);

  check_outcome (&damage, got, error);
  if (g_getenv ("SONDE_TEST_VALGRIND") == NULL)
    g_assert_cmpfloat ((double) clock () / CLOCKS_PER_SEC - start, <, SECONDS_AT_MOST);
}

static void
test_many_strings (void)
{
  const gint64 size = 1000000;
  g_autoptr (GByteArray) strings = wire_new (), model = NULL;

  for (gint64 i = 0; i < size; i++)
    wire_bytes (strings, 6, "text", 4);
  model = model_of_strings (&size, strings, 0);
  check_bytes ("OX9 10^6 strings", model->data, model->len, RUNS, 0, NULL);
}

/* Its memory is never touched: the length alone is refused. */
static void
test_long_string (void)
{
  const gint64 size = 1;
  const gsize length = (gsize) 1 << 30;
  g_autoptr (GByteArray) strings = wire_new (), model = NULL;
  guint8 *bytes = NULL;

  wire_key (strings, 6, 2);
  wire_varint (strings, length);
  model = model_of_strings (&size, strings, length);
  bytes = mmap (NULL, model->len + length, PROT_READ | PROT_WRITE,
                MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  g_assert_true (bytes != MAP_FAILED);
  memcpy (bytes, model->data, model->len);
  check_bytes ("OX9 string of 1 GiB", bytes, model->len + length, FAILS_TO_LOAD, LIMIT,
               "bytes that parsing may use");
  munmap (bytes, model->len + length);
}

/* The same symbol, two sizes of this run: the name is ignored, and the node that cannot take them is
 * named. */
static void
test_symbol_of_two_sizes (void)
{
  g_autoptr (GByteArray) bytes
      = model_of_text ("in x f32 Nx3; in y f32 Nx3; node Add x,y z; out z");
  g_autoptr (GError) error = NULL;
  g_autoptr (SondeGraph) original = sonde_model_parse (bytes->data, bytes->len, "bad.onnx", &error);
  g_autoptr (SondeGraph) graph = sonde_prepare_inference (original, &error);
  g_autoptr (SondeDevice) device = sonde_device_open ("cpu", 1, &error);
  SondeShape two = sonde_shape_make (2, 2, 3), four = sonde_shape_make (2, 4, 3);
  const SondeBinding bindings[] = {
    { "x", sonde_type_tensor (SONDE_DTYPE_F32, &two) },
    { "y", sonde_type_tensor (SONDE_DTYPE_F32, &four) },
  };
  const SondePlanOptions options = { .bindings = bindings, .n_bindings = G_N_ELEMENTS (bindings) };

  g_assert_no_error (error);
  g_assert_null (sonde_plan_new (graph, device, &options, &error));
  g_assert_error (error, SONDE_ENGINE_ERROR, SONDE_ENGINE_ERROR_SHAPE);
  g_assert_nonnull (strstr (error->message, "“Add_z”"));
  g_assert_nonnull (strstr (error->message, "sizes 2 and 4 differ"));
}

static void
test_many_inputs (void)
{
  GString *text = g_string_new ("in x f32 1; out y; node Concat x");

  for (int i = 1; i < 100000; i++)
    g_string_append (text, ",x");
  g_string_append (text, " y axis=0");
  check_generated ("OX23 Concat of 100,000", text, RUNS, 0, NULL);
}

/* Bytes behind a NUL are not overlooked. */
static void
test_name_with_nul (void)
{
  g_autoptr (GByteArray) bytes = model_of_text ("in aXb f32 2; node Relu aXb y; out y");
  guint n = 0;

  for (guint i = 0; i + 3 <= bytes->len; i++)
    if (memcmp (bytes->data + i, "aXb", 3) == 0)
      {
        bytes->data[i + 1] = 0;
        n++;
      }
  g_assert_cmpuint (n, ==, 2);
  check_bytes ("OX22 name with NUL", bytes->data, bytes->len, FAILS_TO_LOAD, DAMAGED, "NUL");
}

/* ---- loops that never end ------------------------------------------------ */

static const char *const endless[] = {
  /* nothing but the trip count ends it */
  "const n i64 - 9223372036854775807; in x f32 1; node Loop n,_,x y body={in i i64 -; in c bool -; "
  "in v f32 1; node Add v,v w; "
  "node Identity c d; out d; out w}; out y",
  /* the condition always holds, and the body has no node */
  "const t bool - 1; in x f32 1; node Loop _,t,x y body={in i i64 -; in c bool -; in v f32 1; out "
  "c; out v}; out y",
  /* one in another, and in a branch */
  "const n i64 - 9223372036854775807; const t bool - 1; in x f32 1; node If t y then_branch={node "
  "Loop n,_,x z body={in i i64 -; "
  "in c bool -; in v f32 1; node Loop n,_,v w body={in j i64 -; in e bool -; in r f32 1; node Neg "
  "r s; node Identity e f; out f; "
  "out s}; node Identity c d; out d; out w}; out z} else_branch={node Relu x u; out u}; out y",
};

typedef struct
{
  SondeObserver base;
  guint64 n;
} Counter;

static guint
want_all (SondeObserver *observer, SondeExecution *execution, guint step)
{
  return SONDE_WANT_AFTER;
}

/* Says stop in the middle of it. */
static SondeAnswer
count_step (SondeObserver *observer, SondeExecution *execution, guint step)
{
  return ++((Counter *) observer)->n == 1000 ? SONDE_ANSWER_STOP : SONDE_ANSWER_CONTINUE;
}

static SondeAnswer
count_body (SondeObserver *observer, SondeExecution *execution)
{
  return count_step (observer, execution, 0);
}

static gpointer
interrupt_later (gpointer data)
{
  g_usleep (20000); /* mostly it is inside by then; the test holds if not */
  sonde_execution_interrupt (data);
  return NULL;
}

static void
test_endless (gconstpointer data)
{
  g_autoptr (GByteArray) bytes = model_of_text (data);
  g_autoptr (GError) error = NULL;
  g_autoptr (SondeGraph) original = sonde_model_parse (bytes->data, bytes->len, "bad.onnx", &error);
  g_autoptr (SondeGraph) graph = sonde_prepare_unwatched_inference (original, NULL, 0, &error);

  for (int i = 0; i < 2; i++)
    {
      g_autoptr (SondeDevice) device = sonde_device_open (i == 0 ? "cpu" : "reference", 1, NULL);
      const SondePlanOptions options = { 0 };
      g_autoptr (SondePlan) plan = sonde_plan_new (graph, device, &options, &error);
      g_autoptr (SondeExecution) execution = sonde_execution_new (plan, &error);
      g_autoptr (GThread) thread = NULL;
      Counter counter
          = { { .wants = want_all, .after = count_step, .nested = TRUE, .body_begins = count_body },
              0 };

      g_assert_no_error (error);
      g_assert_true (set_inputs (execution, graph, &error));
      thread = g_thread_new ("interrupter", interrupt_later, execution);
      g_assert_cmpint (sonde_execution_run (execution, &error), ==, SONDE_RUN_PAUSED);
      g_thread_join (g_steal_pointer (&thread));
      sonde_execution_abandon (execution);
      sonde_execution_add_observer (execution, &counter.base);
      g_assert_cmpint (sonde_execution_run (execution, &error), ==, SONDE_RUN_STOPPED);
      g_assert_cmpuint (counter.n, ==, 1000);
      sonde_execution_remove_observer (execution, &counter.base);
    }
}

/* ---- cut and changed ----------------------------------------------------- */

static const char damaged_model[]
    = "in x f32 1x4x6x6; const w f32 4x4x3x3 0.5; const b f32 4 1; node Conv x,w,b c "
      "pads=[1,1,1,1] strides=[1,1]; node Relu c r; "
      "node MaxPool r p kernel_shape=[2,2]; const s i64 2 1,-1; node Reshape p,s f; const m f32 "
      "100x5 0.1; node MatMul f,m g; "
      "node Softmax g h axis=1; const t bool - 1; node If t y then_branch={node Relu h u; out u} "
      "else_branch={node Neg h v; out v}; out y";

static void
check_answered (const guint8 *data, gsize length, guint *n_run)
{
  g_autoptr (GError) error = NULL;
  Outcome outcome = take_through (data, length, &error);

  *n_run += outcome == RUNS;
  if (outcome != RUNS)
    g_assert_true (error->domain
                       == (outcome == FAILS_TO_LOAD ? SONDE_DATA_ERROR : SONDE_ENGINE_ERROR)
                   && g_utf8_validate (error->message, -1, NULL) && strlen (error->message) > 10);
}

/* Read-only memory behind which nothing can be read would be better still; the sanitizers see to
 * that. */
static void
test_cut (void)
{
  g_autoptr (GByteArray) bytes = model_of_text (damaged_model);
  guint n_run = 0;

  for (guint i = 0; i < 100; i++)
    {
      gsize length = (gsize) bytes->len * i / 100;
      g_autofree guint8 *copy = g_memdup2 (bytes->data, length);

      check_answered (copy, length, &n_run);
    }
  g_assert_cmpuint (n_run, ==, 0);
  check_answered (bytes->data, bytes->len, &n_run);
  g_assert_cmpuint (n_run, ==, 1);
}

/* Up to one byte of a hundred: with all of them few would get further than the reader. */
static void
test_changed (void)
{
  g_autoptr (GByteArray) bytes = model_of_text (damaged_model);
  guint n_run = 0;

  for (guint64 i = 0; i < 10000; i++)
    {
      g_autofree guint8 *copy = g_memdup2 (bytes->data, bytes->len);
      guint n = 1 + (guint) (sonde_random_uniform (25, i, 0) * (bytes->len / 100));

      for (guint k = 0; k < n; k++)
        copy[(gsize) (sonde_random_uniform (26, i, k) * bytes->len)]
            = (guint8) (sonde_random_uniform (27, i, k) * 256);
      check_answered (copy, bytes->len, &n_run);
    }
  g_test_message ("%u of 10,000 ran", n_run);
  g_assert_cmpuint (n_run, >, 100);
  g_assert_cmpuint (n_run, <, 9900);
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  for (gsize i = 0; i < G_N_ELEMENTS (damages); i++)
    {
      g_autofree char *name = g_strdelimit (g_strdup (damages[i].row), " ", '-');
      g_autofree char *path = g_strdup_printf ("/engine/damage/%s", name);

      g_test_add_data_func (path, &damages[i], test_damage);
    }
  g_test_add_func ("/engine/damage/OX1-cycle-of-a-thousand", test_long_cycle);
  g_test_add_func ("/engine/damage/OX16-bodies-in-each-other", test_deep_bodies);
  g_test_add_func ("/engine/damage/OX23-chain", test_long_chain);
  g_test_add_func ("/engine/damage/OX23-fan-out", test_fan_out);
  g_test_add_func ("/engine/damage/OX23-many-inputs", test_many_inputs);
  g_test_add_func ("/engine/damage/OX23-many-outputs", test_many_outputs);
  g_test_add_func ("/engine/damage/OX16-bodies-beside-each-other", test_many_bodies);
  g_test_add_func ("/engine/damage/OX18-many-functions", test_many_functions);
  g_test_add_func ("/engine/damage/OX22-many-names", test_many_names);
  g_test_add_func ("/engine/damage/OX22-long-names", test_long_names);
  g_test_add_func ("/engine/damage/OX22-name-with-nul", test_name_with_nul);
  for (gsize i = 0; i < G_N_ELEMENTS (endless); i++)
    {
      g_autofree char *path
          = g_strdup_printf ("/engine/damage/OX17-endless-%" G_GSIZE_FORMAT, i + 1);

      g_test_add_data_func (path, endless[i], test_endless);
    }
  g_test_add_func ("/engine/damage/OX25-cut", test_cut);
  g_test_add_func ("/engine/damage/OX25-changed", test_changed);
  g_test_add_func ("/engine/damage/OX9-many-strings", test_many_strings);
  g_test_add_func ("/engine/damage/OX9-long-string", test_long_string);
  g_test_add_func ("/engine/damage/OX10-symbol-of-two-sizes", test_symbol_of_two_sizes);
  return g_test_run ();
}
