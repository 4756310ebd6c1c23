/* SPDX-License-Identifier: Apache-2.0
 * Operations of PyTorch's operators from the sizes that a trace records: the formulas, hostile inputs, and
 * whose they are where operators call each other. */
#include "data/traces/sonde-torch-cost.h"

#include <math.h>
#include <string.h>
#include <unistd.h>

#include "data/profiles/sonde-operator-types.h"
#include "data/profiles/sonde-profile.h"
#include "data/traces/sonde-trace-file.h"

#define EVENT(name, start, end, args)                                                              \
  "{\"ph\":\"X\",\"cat\":\"cpu_op\",\"pid\":1,\"tid\":1,\"name\":\"" name "\",\"ts\":" #start      \
  ",\"dur\":" #end ",\"args\":{" args "}},"
#define CONVOLUTION_ARGS                                                                           \
  "\"Concrete Inputs\":[\"\",\"\",\"\",\"[2, 2]\",\"[1, 1]\",\"[1, 1]\",\"False\"],"               \
  "\"Input Dims\":[[2,3,8,8],[4,3,3,3],[4],[],[],[],[]]"
#define TRACE(events) "{\"schemaVersion\":1,\"traceEvents\":[" events "]}"

typedef struct
{
  const char *name, *dims, *concrete;
  double flops;
} Case;

/* By hand from the definitions: 2·M·N·K; 2·results·C/groups·k; both products of attention. */
static const Case cases[] = {
  { "aten::mm", "[[3,5],[5,7]]", "[]", 2 * 3 * 5 * 7 },
  { "aten::bmm", "[[4,3,5],[4,5,7]]", "[]", 2 * 4 * 3 * 5 * 7 },
  { "aten::addmm", "[[7],[3,5],[5,7]]", "[]", 2 * 3 * 5 * 7 },
  { "aten::baddbmm", "[[1],[4,3,5],[4,5,7]]", "[]", 2 * 4 * 3 * 5 * 7 },
  { "aten::linear", "[[2,3,5],[7,5],[7]]", "[]", 2 * 2 * 3 * 5 * 7 },
  { "aten::conv2d", "[[2,3,8,8],[4,3,3,3]]",
    "[\"\",\"\",\"\",\"[2, 2]\",\"[1, 1]\",\"[1, 1]\",\"1\"]", 2.0 * 2 * 4 * 4 * 4 * 3 * 9 },
  { "aten::conv1d", "[[2,4,9],[8,2,3]]", "[\"\",\"\",\"\",\"[1]\",\"[0]\",\"[2]\",\"2\"]",
    2.0 * 2 * 8 * 5 * 2 * 3 },
  { "aten::mkldnn_convolution", "[[1,1,6,6],[1,1,3,3]]",
    "[\"\",\"\",\"\",\"[1, 1]\",\"[2, 2]\",\"[1, 1]\",\"1\"]", 2.0 * 3 * 3 * 9 },
  { "aten::convolution", "[[1,4,5,5],[4,6,2,2]]",
    "[\"\",\"\",\"\",\"[2, 2]\",\"[0, 0]\",\"[1, 1]\",\"True\",\"[0, 0]\",\"1\"]",
    2.0 * 4 * 25 * 6 * 4 },
  { "aten::convolution_backward", "[[2,4,4,4],[2,3,8,8],[4,3,3,3]]",
    "[\"\",\"\",\"\",\"[4]\",\"[2, 2]\",\"[1, 1]\",\"[1, 1]\",\"False\",\"[0, 0]\",\"1\","
    "\"[False, True, True]\"]",
    2.0 * 2 * 4 * 16 * 3 * 9 },
  { "aten::scaled_dot_product_attention", "[[2,4,10,8],[2,4,12,8],[2,4,12,6]]", "[]",
    2.0 * 2 * 4 * 10 * 12 * (8 + 6) },
  /* what does not tell, or does not fit */
  { "aten::relu", "[[3,5]]", "[]", 0 },
  { "aten::mm", "[[3,5],[6,7]]", "[]", 0 },
  { "aten::mm", "[[3,5]]", "[]", 0 },
  { "aten::mm", "[[3,-5],[-5,7]]", "[]", 0 },
  { "aten::mm", "[[3,5.5],[5.5,7]]", "[]", 0 },
  { "aten::mm", "[[[3,5]],[[5,7]]]", "[]", 0 },
  { "aten::mm", "{}", "[]", 0 },
  { "aten::mm", "[[1,1,1,1,1,1,1,1,1],[1,1]]", "[]", 0 },
  { "aten::conv2d", "[[2,3,8,8],[4,3,3,3]]", "[]", 0 },
  { "aten::conv2d", "[[2,3,8,8],[4,3,3,3]]", "[\"\",\"\",\"\",\"[0, 0]\",\"[1]\",\"[1]\"]", 0 },
  { "aten::conv2d", "[[2,3,8,8],[4,3,3,3]]", "[\"\",\"\",\"\",\"[2, x]\",\"[1]\",\"[1]\"]", 0 },
  { "aten::conv2d", "[[2,3,2,2],[4,3,9,9]]", "[\"\",\"\",\"\",\"1\",\"0\",\"1\"]", 0 },
};

static SondeProfile *
profile_of (const char *text)
{
  g_autofree char *path = NULL;
  g_autoptr (GError) error = NULL;
  int fd = g_file_open_tmp ("torch-XXXXXX", &path, &error);
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
test_formulas (void)
{
  for (gsize i = 0; i < G_N_ELEMENTS (cases); i++)
    {
      g_autofree char *text = g_strdup_printf (
          TRACE ("{\"ph\":\"X\",\"cat\":\"cpu_op\",\"pid\":1,\"tid\":1,\"name\":\"%s\",\"ts\":1,"
                 "\"dur\":2,\"args\":{\"Input Dims\":%s,\"Concrete Inputs\":%s}}"),
          cases[i].name, cases[i].dims, cases[i].concrete);
      g_autoptr (SondeProfile) profile = profile_of (text);
      const SondeProfileOperator *op = find (profile, cases[i].name);

      g_test_message ("%s %s %s", cases[i].name, cases[i].dims, cases[i].concrete);
      g_assert_cmpfloat (op->told_flops, ==, cases[i].flops);
      g_assert_cmpint (sonde_profile_operator_get_told_flops (op), ==,
                       cases[i].flops > 0 ? (gint64) cases[i].flops : -1);
      if (cases[i].flops > 0) /* in 2 µs */
        g_assert_cmpfloat_with_epsilon (op->gflops, cases[i].flops / 2000, 1e-9);
      else
        g_assert_true (isnan (op->gflops));
    }
}

/* The innermost that tells them has them; of two calls the rate is over both. */
static void
test_callers (void)
{
  g_autoptr (SondeProfile) profile = profile_of (
      TRACE (EVENT ("aten::conv2d", 0, 10, CONVOLUTION_ARGS)
                 EVENT ("aten::convolution", 1, 8, CONVOLUTION_ARGS) EVENT ("aten::empty", 2, 1, "")
                     EVENT ("aten::mm", 20, 2, "\"Input Dims\":[[3,5],[5,7]]")
                         EVENT ("aten::mm", 30, 4, "\"Input Dims\":[[6,5],[5,7]]")));
  const SondeProfileOperator *outer = find (profile, "aten::conv2d"),
                             *inner = find (profile, "aten::convolution"),
                             *product = find (profile, "aten::mm");
  g_autoptr (GArray) types = sonde_operator_types_new (profile);

  g_assert_cmpuint (outer->n_told, ==, 0);
  g_assert_true (isnan (outer->gflops));
  g_assert_cmpfloat (inner->told_flops, ==, 2.0 * 2 * 4 * 4 * 4 * 3 * 9);
  g_assert_cmpint (inner->told_self_ns, ==, 7000);
  g_assert_cmpuint (product->n_told, ==, 2);
  g_assert_cmpfloat_with_epsilon (product->gflops, (210 + 420) / 6000.0, 1e-9);
  for (guint i = 0; i < types->len; i++)
    {
      const SondeProfileOperator *sum = &g_array_index (types, SondeOperatorType, i).sum;

      if (strcmp (sum->op, "aten::mm") == 0)
        g_assert_cmpfloat_with_epsilon (sum->gflops, (210 + 420) / 6000.0, 1e-9);
      if (strcmp (sum->op, "aten::conv2d") == 0)
        g_assert_true (isnan (sum->gflops));
    }
}

/* Beside kernels of a device the processor's time says nothing of the operations. */
static void
test_device (void)
{
  g_autoptr (SondeProfile) profile = profile_of (TRACE (EVENT (
      "aten::mm", 20, 2, "\"Input Dims\":[[3,5],[5,7]]") "{\"ph\":\"X\",\"cat\":\"kernel\",\"pid\":"
                                                         "0,\"tid\":7,\"name\":\"gemm\",\"ts\":23,"
                                                         "\"dur\":9}"));

  g_assert_cmpfloat (find (profile, "aten::mm")->told_flops, ==, 210);
  g_assert_true (isnan (find (profile, "aten::mm")->gflops));
}

int
main (int argc, char *argv[])
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/data/profiles/torch-cost/formulas", test_formulas);
  g_test_add_func ("/data/profiles/torch-cost/callers", test_callers);
  g_test_add_func ("/data/profiles/torch-cost/device", test_device);
  return g_test_run ();
}
