/* SPDX-License-Identifier: Apache-2.0
 * The folder of MindSpore's profiler: where its traces lie, and the tables beside them. */
#include <glib/gstdio.h>

#include "data/traces/sonde-trace-file.h"
#include "data/traces/sonde-trace-mindspore.h"
#include "tests/support/sonde-test-program.h"

static void
write_file (const char *folder, const char *name, const char *text)
{
  g_autofree char *path = g_build_filename (folder, name, NULL);
  g_autofree char *inner = g_path_get_dirname (path);

  g_assert_cmpint (g_mkdir_with_parents (inner, 0700), ==, 0);
  g_assert_true (g_file_set_contents (path, text, -1, NULL));
}

#define TRACE                                                                                      \
  "[{\"ph\":\"X\",\"name\":\"Net/A-op0\",\"pid\":2,\"tid\":0,\"ts\":\"2.5\",\"dur\":\"1\","        \
  "\"args\":{\"type\":\"HostCpuOps\"}},"                                                           \
  "{\"ph\":\"X\",\"name\":\"Net/B-op0\",\"pid\":2,\"tid\":0,\"ts\":\"1\",\"dur\":\"1\"},"          \
  "{\"ph\":\"X\",\"name\":\"Net\",\"pid\":3,\"tid\":0,\"ts\":\"1\",\"dur\":\"9\"}]"

static void
test_folders (void)
{
  g_autofree char *folder = sonde_test_folder_new ();
  g_autofree char *inner = g_build_filename (folder, "b_ascend_ms", NULL);
  g_autofree char *output = g_build_filename (inner, "ASCEND_PROFILER_OUTPUT", NULL);
  g_autoptr (GPtrArray) all = NULL, one = NULL, same = NULL, none = NULL;

  write_file (folder, "b_ascend_ms/ASCEND_PROFILER_OUTPUT/trace_view.json", TRACE);
  write_file (folder, "a_ascend_ms/ASCEND_PROFILER_OUTPUT/trace_view.json", TRACE);
  write_file (folder, "c_ascend_ms/ASCEND_PROFILER_OUTPUT/other.json", TRACE);
  write_file (folder, "d/ASCEND_PROFILER_OUTPUT/trace_view.json", TRACE);
  all = sonde_trace_list_folder (folder);
  g_assert_cmpint (all->len, ==, 2);
  g_assert_true (
      g_str_has_suffix (all->pdata[0], "a_ascend_ms/ASCEND_PROFILER_OUTPUT/trace_view.json"));
  one = sonde_trace_list_folder (inner);
  g_assert_cmpint (one->len, ==, 1);
  g_assert_cmpstr (one->pdata[0], ==, all->pdata[1]);
  same = sonde_trace_list_folder (output);
  g_assert_cmpint (same->len, ==, 1);
  g_assert_cmpstr (same->pdata[0], ==, all->pdata[1]);
  none = sonde_trace_list_folder ("/nowhere");
  g_assert_cmpint (none->len, ==, 0);
  sonde_test_folder_free (g_steal_pointer (&folder));
}

static void
test_types (void)
{
  g_autofree char *folder = sonde_test_folder_new ();
  g_autofree char *path
      = g_build_filename (folder, "x", "ASCEND_PROFILER_OUTPUT", "trace_view.json", NULL);
  g_autoptr (GError) error = NULL;
  g_autoptr (SondeTrace) trace = NULL;
  const SondeTraceOperator *operators;

  write_file (folder, "x/ASCEND_PROFILER_OUTPUT/trace_view.json", TRACE);
  write_file (folder, "x/ASCEND_PROFILER_OUTPUT/kernel_details.csv", "Name,Type\nNet/B-op0,BB\n");
  write_file (folder, "x/FRAMEWORK/cpu_op_detail_info_0.csv",
              "op_side,op_type,full_op_name\nHost,\"A,A\",Net/A-op0\nHost\nHost,C,Net/C\n");
  write_file (folder, "x/FRAMEWORK/cpu_op_detail_info_1.csv", "nothing\n1\n");
  write_file (folder, "x/FRAMEWORK/cpu_op_detail_info_2.csv", "");
  trace = sonde_trace_file_read (NULL, path, &error);
  g_assert_no_error (error);
  g_assert_cmpstr (trace->producer, ==, "mindspore");
  g_assert_cmpint (trace->operators->len, ==, 2);
  operators = (const SondeTraceOperator *) trace->operators->data;
  g_assert_cmpint (operators[0].span, ==, 0);
  g_assert_cmpstr (operators[0].type, ==, "BB");
  g_assert_cmpint (operators[1].span, ==, 1);
  g_assert_cmpstr (operators[1].type, ==, "A,A");
  sonde_test_folder_free (g_steal_pointer (&folder));
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/data/traces/mindspore/folders", test_folders);
  g_test_add_func ("/data/traces/mindspore/types", test_types);
  return g_test_run ();
}
