/* SPDX-License-Identifier: Apache-2.0
 * Bytes of PyTorch's and ONNX Runtime's operators from what a trace records: by hand from sizes, strides and types, and
 * whose they are where operators call each other. */
#include "data/traces/sonde-torch-bytes.h"

#include <math.h>
#include <string.h>
#include <unistd.h>

#include "data/profiles/sonde-profile.h"
#include "data/traces/sonde-trace-file.h"

#define TORCH(events) "{\"schemaVersion\":1,\"traceEvents\":[" events "]}"
#define NODE(sizes)                                                                                \
  "[{\"cat\":\"Session\",\"name\":\"model_loading_uri\",\"ph\":\"X\",\"pid\":1,\"tid\":1,\"ts\":"  \
  "0,"                                                                                             \
  "\"dur\":1,\"args\":{}},{\"cat\":\"Node\",\"name\":\"a_kernel_time\",\"ph\":\"X\",\"pid\":1,"    \
  "\"tid\":1,\"ts\":5,\"dur\":2,\"args\":{\"op_name\":\"Add\"," sizes "}}]"

typedef struct
{
  const char *name, *dims, *strides, *types;
  gint64 bytes; /* -1: not told */
} Case;

static const Case cases[] = {
  /* [3, 5] · [5, 7] -> [3, 7] */
  { "aten::mm", "[[3,5],[5,7]]", "[]", "[\"float\",\"float\"]", 4 * (15 + 35 + 21) },
  { "aten::mm", "[[3,5],[5,7]]", "[]", "[\"c10::BFloat16\",\"c10::BFloat16\"]",
    2 * (15 + 35 + 21) },
  { "aten::addmm", "[[7],[3,5],[5,7],[],[]]", "[]",
    "[\"double\",\"double\",\"double\",\"Scalar\",\"Scalar\"]", 8 * (7 + 15 + 35 + 21) },
  /* an expanded bias lies there once */
  { "aten::addmm", "[[3,7],[3,5],[5,7],[],[]]", "[[0,1],[5,1],[7,1],[],[]]",
    "[\"float\",\"float\",\"float\",\"Scalar\",\"Scalar\"]", 4 * (7 + 15 + 35 + 21) },
  { "aten::relu", "[[4,6]]", "[[6,1]]", "[\"float\"]", 4 * 48 },
  /* a row is added to each row */
  { "aten::add", "[[4,6],[6],[]]", "[[6,1],[1],[]]", "[\"float\",\"float\",\"Scalar\"]",
    4 * (24 + 6 + 24) },
  { "aten::mul", "[[4,1],[1,6]]", "[[1,1],[6,1]]", "[\"c10::Half\",\"c10::Half\"]",
    2 * (4 + 6 + 24) },
  { "aten::add_", "[[4,6],[4,6],[]]", "[]", "[\"float\",\"float\",\"Scalar\"]", 4 * 72 },
  { "aten::copy_", "[[4,6],[4,6],[]]", "[[6,1],[0,1],[]]", "[\"float\",\"long int\",\"Scalar\"]",
    4 * 24 + 8 * 6 },
  { "aten::zero_", "[[4,6]]", "[]", "[\"bool\"]", 24 },
  { "aten::add_", "[[],[],[]]", "[[],[],[]]", "[\"long int\",\"long int\",\"Scalar\"]", 24 },
  /* what does not tell, or does not fit */
  { "aten::relu", "[[4,6]]", "[]", "[]", -1 },
  { "aten::relu", "[[4,6]]", "[]", "[\"nothing\"]", -1 },
  { "aten::relu", "[[4,-6]]", "[]", "[\"float\"]", -1 },
  { "aten::add", "[[4,6],[5,6]]", "[]", "[\"float\",\"float\"]", -1 },
  { "aten::add", "[[4,6],[4,6]]", "[]", "[\"float\",\"long int\"]", -1 },
  { "aten::max_pool2d", "[[4,6]]", "[]", "[\"float\"]", -1 },
  { "aten::mm", "[[3,5],[6,7]]", "[]", "[\"float\",\"float\"]", -1 },
  { "aten::mm", "[[9000000000000000000,5],[5,9000000000000000000]]", "[]", "[\"float\",\"float\"]",
    -1 },
};

static SondeProfile *
profile_of (const char *text)
{
  g_autofree char *path = NULL;
  g_autoptr (GError) error = NULL;
  int fd = g_file_open_tmp ("bytes-XXXXXX", &path, &error);
  SondeTrace *trace;

  g_assert_no_error (error);
  close (fd);
  g_assert_true (g_file_set_contents (path, text, -1, &error));
  trace = sonde_trace_file_read (NULL, path, &error);
  g_assert_no_error (error);
  unlink (path);
  return sonde_profile_new (trace, NULL, NULL);
}

static const SondeProfileOperator *
find (const SondeProfile *profile, const char *op)
{
  for (guint i = 0; i < profile->operators->len; i++)
    if (strcmp (sonde_profile_get_operator (profile, i)->op, op) == 0)
      return sonde_profile_get_operator (profile, i);
  g_error ("no operator %s", op);
}

static void
assert_bytes (const SondeProfileOperator *op, gint64 bytes, double ns)
{
  g_assert_cmpint (sonde_profile_operator_get_told_bytes (op), ==, bytes);
  if (bytes >= 0)
    g_assert_cmpfloat_with_epsilon (op->gbs, (double) bytes / ns, 1e-9);
  else
    g_assert_true (isnan (op->gbs) || op->gbs > 1e9);
}

static void
test_pytorch (void)
{
  for (gsize i = 0; i < G_N_ELEMENTS (cases); i++)
    {
      g_autofree char *text = g_strdup_printf (
          TORCH ("{\"ph\":\"X\",\"cat\":\"cpu_op\",\"pid\":1,\"tid\":1,\"name\":\"%s\",\"ts\":1,"
                 "\"dur\":2,\"args\":{\"Input Dims\":%s,\"Input Strides\":%s,\"Input type\":%s}}"),
          cases[i].name, cases[i].dims, cases[i].strides, cases[i].types);
      g_autoptr (SondeProfile) profile = profile_of (text);

      g_test_message ("%s %s", cases[i].name, cases[i].dims);
      assert_bytes (find (profile, cases[i].name), cases[i].bytes, 2000);
    }
}

#define EVENT(name, start, end, dims, types)                                                       \
  "{\"ph\":\"X\",\"cat\":\"cpu_op\",\"pid\":1,\"tid\":1,\"name\":\"" name "\",\"ts\":" #start      \
  ",\"dur\":" #end ",\"args\":{\"Input Dims\":" dims ",\"Input type\":" types "}},"

/* A product that copies its bias stays a product; of two that move the same the inner one has it. */
static void
test_callers (void)
{
  g_autoptr (SondeProfile) profile = profile_of (
      TORCH (EVENT ("aten::addmm", 0, 10, "[[7],[3,5],[5,7]]", "[\"float\",\"float\",\"float\"]")
                 EVENT ("aten::copy_", 2, 1, "[[3,7],[3,7]]", "[\"float\",\"float\"]")
                     EVENT ("aten::relu", 20, 6, "[[4,6]]", "[\"float\"]")
                         EVENT ("aten::clamp_min", 21, 4, "[[4,6],[]]", "[\"float\",\"Scalar\"]")));
  const SondeProfileOperator *product = find (profile, "aten::addmm");

  g_assert_cmpfloat (product->told_flops, ==, 2 * 3 * 5 * 7);
  assert_bytes (product, 4 * (7 + 15 + 35 + 21), 9000);
  assert_bytes (find (profile, "aten::copy_"), 4 * 42, 1000);
  g_assert_cmpuint (find (profile, "aten::relu")->n_moving, ==, 0);
  assert_bytes (find (profile, "aten::clamp_min"), 4 * 48, 4000);
}

/* The sizes that ONNX Runtime writes, as text, if it writes all three. */
static void
test_onnxruntime (void)
{
  g_autoptr (SondeProfile) all = profile_of (
      NODE ("\"output_size\":\"100\",\"parameter_size\":\"20\",\"activation_size\":\"300\""));
  g_autoptr (SondeProfile) some = profile_of (NODE ("\"output_size\":\"100\""));
  g_autoptr (SondeProfile) wrong = profile_of (
      NODE ("\"output_size\":\"-1\",\"parameter_size\":\"x\",\"activation_size\":\"3\""));

  assert_bytes (find (all, "Add"), 420, 2000);
  assert_bytes (find (some, "Add"), -1, 0);
  assert_bytes (find (wrong, "Add"), -1, 0);
}

int
main (int argc, char *argv[])
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/data/profiles/torch-bytes/pytorch", test_pytorch);
  g_test_add_func ("/data/profiles/torch-bytes/callers", test_callers);
  g_test_add_func ("/data/profiles/torch-bytes/onnxruntime", test_onnxruntime);
  return g_test_run ();
}
