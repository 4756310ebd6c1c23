/* SPDX-License-Identifier: Apache-2.0
 * Verdicts from the table's columns, and reports on small programs. */
#include <string.h>

#include <glib/gstdio.h>
#include <json-glib/json-glib.h>

#include "data/sources/porting/sonde-port-json.h"

/* A registry that knows all but one operator. */
static gboolean
has_operator (const char *op, gpointer data)
{
  return !g_str_equal (op, "Conv");
}

static SondePortJudge
judge_to (SondePortTarget target)
{
  return (SondePortJudge){ .table = sonde_api_table_get (),
                           .target = target,
                           .has_operator = has_operator };
}

static const char *
verdict_of (SondePortTarget target, const char *api)
{
  SondePortJudge judge = judge_to (target);

  return sonde_port_verdict_get_name (
      sonde_port_judge (&judge, sonde_api_table_find (judge.table, api), NULL));
}

static void
test_table (void)
{
  const SondeApiTable *table = sonde_api_table_get ();
  const SondeApiRow *row = sonde_api_table_find (table, "torch.nn.Conv2d");

  g_assert_cmpuint (sonde_api_table_get_n_rows (table), >, 4500);
  g_assert_cmpstr (row->mindspore, ==, "mindspore.mint.nn.Conv2d");
  g_assert_cmpstr (row->onnx, ==, "Conv");
  g_assert_cmpstr (row->platforms, ==, "A");
  g_assert_true (g_str_has_prefix (row->also, "mindspore.nn.Conv2d: differs"));
  g_assert_true (sonde_api_table_find (table, "torch.nn.Conv2d.weight.data") == row);
  g_assert_null (sonde_api_table_find (table, "torch"));
  g_assert_null (sonde_api_table_find (table, "torchish.nn"));
  g_assert_nonnull (sonde_api_table_find (table, "tensorflow.expand_dims"));
  g_assert_true (sonde_api_table_star_has (table, "torch", "sum"));
  g_assert_false (sonde_api_table_star_has (table, "torch.nn", "Unheard"));
  g_assert_true (sonde_api_table_star_has (table, "torchvision.ops", "nms"));
  g_assert_cmpstr (sonde_api_table_find_operator (table, "Relu"), !=, NULL);
  g_assert_true (sonde_api_method_collides ("sum"));
  g_assert_false (sonde_api_method_collides ("unsqueeze"));
}

static void
test_verdicts (void)
{
  static const struct
  {
    const char *api, *verdicts[3];
  } cases[] = {
    { "torch.nn.Conv2d", { "same", "same", "custom" } },
    { "torch.stft", { "differs", "wrap", "wrap" } },
    { "torch.Tensor.view", { "same", "same", "same" } },
    { "torch.argwhere", { "same", "wrap", "wrap" } },
    { "torch.utils.data.DataLoader", { "host", "host", "host" } },
    { "torch.nn.Module", { "ask", "ask", "ask" } },
    { "torch.float32", { "host", "host", "host" } },
    { "torch.nn.init.zeros_", { "custom", "custom", "custom" } },
    { "torch.nowhere", { "unknown", "unknown", "unknown" } },
  };

  for (gsize i = 0; i < G_N_ELEMENTS (cases); i++)
    for (SondePortTarget target = 0; target < 3; target++)
      g_assert_cmpstr (verdict_of (target, cases[i].api), ==, cases[i].verdicts[target]);
}

/* Every row has a verdict, and a sketch of at most five lines exactly where the verdict asks for one. */
static void
test_sketches (void)
{
  for (SondePortTarget target = 0; target < 3; target++)
    {
      SondePortJudge judge = judge_to (target);

      for (guint i = 0; i < sonde_api_table_get_n_rows (judge.table); i++)
        {
          const SondeApiRow *row = sonde_api_table_get_row (judge.table, i);
          SondePortVerdict verdict = sonde_port_judge (&judge, row, NULL);
          g_autofree char *sketch = sonde_port_sketch (&judge, row->api, row, verdict);
          g_auto (GStrv) lines = sketch != NULL ? g_strsplit (sketch, "\n", -1) : NULL;

          g_assert_true ((sketch == NULL)
                         == (verdict == SONDE_PORT_SAME || verdict == SONDE_PORT_HOST));
          g_assert_true (lines == NULL || (g_strv_length (lines) <= 5 && **lines != '\0'));
        }
    }
}

/* A folder with the files NAME, TEXT, …, NULL. (transfer full) */
static char *
make_folder (const char *first, ...)
{
  g_autoptr (GError) error = NULL;
  char *folder = g_dir_make_tmp ("sonde-scan-XXXXXX", &error);
  va_list arguments;

  g_assert_no_error (error);
  va_start (arguments, first);
  for (const char *name = first; name != NULL; name = va_arg (arguments, const char *))
    {
      g_autofree char *path = g_build_filename (folder, name, NULL);
      g_autofree char *parent = g_path_get_dirname (path);

      g_assert_cmpint (g_mkdir_with_parents (parent, 0755), ==, 0);
      g_file_set_contents (path, va_arg (arguments, const char *), -1, &error);
      g_assert_no_error (error);
    }
  va_end (arguments);
  return folder;
}

static void
remove_folder (char *folder)
{
  g_autofree char *quoted = g_shell_quote (folder);
  g_autofree char *command = g_strdup_printf ("rm -r %s", quoted);

  g_assert_true (g_spawn_command_line_sync (command, NULL, NULL, NULL, NULL));
  g_free (folder);
}

static SondePortReport *
scan (const char *folder, SondePortTarget target, gboolean all)
{
  const char *paths[] = { folder, NULL };
  SondePortOptions options = { .judge = judge_to (target), .all_possible = all };
  g_autoptr (GError) error = NULL;
  SondePortReport *report = sonde_port_report_new (NULL, paths, &options, &error);

  g_assert_no_error (error);
  return report;
}

/* "api line" of each reference in the order of the files. (transfer full) */
static char *
describe (const SondePortReport *report)
{
  GString *text = g_string_new (NULL);

  for (guint i = 0; i < report->references->len; i++)
    {
      const SondePortReference *reference
          = &g_array_index (report->references, SondePortReference, i);

      if (reference->how != SONDE_PYTHON_IMPORT)
        g_string_append_printf (
            text, "%s%s:%u %s", text->len > 0 ? ", " : "",
            sonde_source_project_get_file (report->project, reference->file)->path, reference->line,
            sonde_port_report_get_api (report, reference->api)->api);
    }
  return g_string_free (text, FALSE);
}

static void
assert_references (char *folder, const char *expected)
{
  g_autoptr (SondePortReport) report = scan (folder, SONDE_PORT_TO_MINDSPORE, FALSE);
  g_autofree char *described = describe (report);

  g_assert_cmpstr (described, ==, expected);
  remove_folder (folder);
}

/* Files that import each other: relative, absolute by the guessed package, in a circle, by star. */
static void
test_projects (void)
{
  assert_references (make_folder ("__init__.py", "from .a import nn, act\n", "a.py",
                                  "from torch import nn\nact = nn.ReLU\n", "sub/__init__.py", "",
                                  "sub/b.py", "from .. import nn as n, act\nn.Linear(1)\nact()\n",
                                  NULL),
                     "a.py:2 torch.nn.ReLU, sub/b.py:2 torch.nn.Linear, sub/b.py:3 torch.nn.ReLU");
  assert_references (make_folder ("__init__.py", "", "layers.py", "import torch.nn as nn\n", "m.py",
                                  "from pack.age.layers import nn\nnn.Linear(1)\n", NULL),
                     "m.py:2 torch.nn.Linear");
  assert_references (make_folder ("a.py", "from b import *\nfrom torch import nn\n", "b.py",
                                  "from a import *\nnn.Linear(1)\nunheard.x()\n", NULL),
                     "b.py:2 torch.nn.Linear");
  assert_references (
      make_folder ("a.py", "from b import x\n", "b.py", "from a import x\nx.y()\n", NULL), "");
  assert_references (
      make_folder ("src/p/__init__.py", "", "src/p/a.py",
                   "from torch.nn import functional as F\n__all__ = ['F']\n", "tools/run.py",
                   "import p.a\nfrom p.a import *\np.a.F.relu(1)\nF.gelu(1)\n", NULL),
      "tools/run.py:3 torch.nn.functional.relu, tools/run.py:4 "
      "torch.nn.functional.gelu");
}

/* Links are not followed; environments are left out. */
static void
test_walk (void)
{
  char *folder = make_folder ("a.py", "import torch\ntorch.abs(1)\n", ".git/b.py",
                              "import torch\ntorch.abs(1)\n", "env/pyvenv.cfg", "", "env/lib/c.py",
                              "import torch\ntorch.abs(1)\n", NULL);
  g_autofree char *loop = g_build_filename (folder, "loop", NULL);
  g_autofree char *passwd = g_build_filename (folder, "passwd.py", NULL);

  g_assert_cmpint (symlink (folder, loop), ==, 0);
  g_assert_cmpint (symlink ("/etc/passwd", passwd), ==, 0);
  assert_references (folder, "a.py:2 torch.abs");
}

static void
test_missing (void)
{
  char *folder = make_folder ("a.py", "import torch\ntorch.nn.Conv2d(1, 2, 3)\n", NULL);
  g_autoptr (SondePortReport) report = scan (folder, SONDE_PORT_TO_SONDE, FALSE);
  const SondePortApi *api = sonde_port_report_get_api (report, 0);
  const SondePortBlocker *blocker = &g_array_index (report->blockers, SondePortBlocker, 0);

  g_assert_cmpstr (api->api, ==, "torch.nn.Conv2d");
  g_assert_cmpstr (api->missing->pdata[0], ==, "Conv");
  g_assert_cmpstr (blocker->name, ==, "Conv");
  g_assert_cmpuint (blocker->n_references, ==, 1);
  remove_folder (folder);
}

static void
test_limits (void)
{
  char *folder = make_folder ("a.py",
                              "import torch\nfrom torch import nonzero\ntorch.where(a)\n"
                              "torch.where(a, b, c)\nnonzero(a)\ntorch.sparse.mm(a, b)\n",
                              NULL);
  g_autoptr (SondePortReport) report = scan (folder, SONDE_PORT_TO_ONNX, FALSE);
  const SondePortLimit *limits = (const SondePortLimit *) (gpointer) report->limits->data;

  g_assert_cmpuint (report->limits->len, ==, 3);
  g_assert_cmpuint (limits[0].line, ==, 3);
  g_assert_cmpuint (limits[1].line, ==, 5);
  g_assert_cmpuint (limits[2].line, ==, 6);
  g_assert_cmpint (limits[2].kind, ==, SONDE_PORT_LIMIT_SPARSE);
  remove_folder (folder);
}

static void
test_arguments (void)
{
  char *folder = make_folder ("a.py",
                              "import torch\ntorch.nn.Conv1d(1, 2, 3, bias=x)\n"
                              "torch.addmm(a, b, c, beta=1, out=d)\n",
                              NULL);
  g_autoptr (SondePortReport) report = scan (folder, SONDE_PORT_TO_MINDSPORE, FALSE);
  g_autoptr (SondePortReport) other = scan (folder, SONDE_PORT_TO_ONNX, FALSE);
  const SondePortArgument *found = (const SondePortArgument *) (gpointer) report->arguments->data;
  g_autofree char *becomes = NULL;

  g_assert_cmpuint (report->arguments->len, ==, 2);
  g_assert_cmpstr (found[0].becomes, ==, "has_bias");
  g_assert_null (found[1].becomes);
  g_assert_cmpuint (found[1].line, ==, 3);
  g_assert_false (sonde_port_argument_differs ("by name only: no out", "out", &becomes));
  g_assert_cmpuint (other->arguments->len, ==, 0);
  g_assert_false (sonde_port_argument_differs ("no output; default of out", "out", &becomes));
  remove_folder (folder);
}

static void
test_possible (void)
{
  char *folder = make_folder (
      "a.py",
      "import torch\nfrom torch import Tensor\n"
      "class A:\n  def forward(self, x):\n    x.sum().view(1)\n    y = x\n    y.unsqueeze(0)\n"
      "def f(t: Tensor, s: str):\n  torch.ones(1).sum()\n  t.split(1)\n  s.split(1)\n  "
      "np.abs(1).permute(0)\n",
      NULL);
  g_autoptr (SondePortReport) some = scan (folder, SONDE_PORT_TO_MINDSPORE, FALSE);
  g_autoptr (SondePortReport) all = scan (folder, SONDE_PORT_TO_MINDSPORE, TRUE);
  static const SondePortWhy expected[]
      = { SONDE_PORT_WHY_FORWARD, SONDE_PORT_WHY_NAME, SONDE_PORT_WHY_CALL,
          SONDE_PORT_WHY_ANNOTATED, SONDE_PORT_WHY_METHOD };

  g_assert_cmpuint (some->possible->len, ==, G_N_ELEMENTS (expected));
  for (guint i = 0; i < G_N_ELEMENTS (expected); i++)
    g_assert_cmpint (g_array_index (some->possible, SondePortPossible, i).why, ==, expected[i]);
  g_assert_cmpuint (all->possible->len, >, some->possible->len);
  remove_folder (folder);
}

static void
test_json (void)
{
  char *folder = make_folder ("a.py", "import torch\nx = torch.stft(\"\\n\")\n", "b\".py",
                              "import torch\nx = (\n", NULL);
  g_autoptr (SondePortReport) report = scan (folder, SONDE_PORT_TO_MINDSPORE, FALSE);
  g_autoptr (GString) json = sonde_port_report_to_json (report);
  g_autoptr (GString) csv = sonde_port_report_to_csv (report);
  g_autoptr (GError) error = NULL;
  g_autoptr (JsonNode) root = json_from_string (json->str, &error);
  JsonObject *object, *file, *api;

  g_assert_no_error (error);
  object = json_node_get_object (root);
  file = json_array_get_object_element (json_object_get_array_member (object, "files"), 1);
  g_assert_cmpstr (json_object_get_string_member (file, "path"), ==, "b\".py");
  g_assert_cmpint (
      json_object_get_int_member (json_object_get_object_member (file, "error"), "line"), ==, 2);
  api = json_array_get_object_element (json_object_get_array_member (object, "apis"), 1);
  g_assert_cmpstr (json_object_get_string_member (api, "api"), ==, "torch.stft");
  g_assert_cmpstr (json_object_get_string_member (api, "verdict"), ==, "differs");
  g_assert_true (g_str_has_prefix (json_object_get_string_member (api, "sketch"),
                                   "mindspore.ops.stft(x=input"));
  g_assert_nonnull (strstr (csv->str, "\na.py,2,5,torch.stft,call,import,yes,differs,spectral,"
                                      "mindspore.ops.stft,by name only:"));
  g_assert_nonnull (strstr (csv->str, "\n\"b\"\".py\",1,8,torch,import,"));
  remove_folder (folder);
}

static gboolean
always (gpointer data)
{
  return TRUE;
}

static void
test_errors (void)
{
  const char *nowhere[] = { "/nowhere/at/all", NULL }, *text[] = { "/etc/passwd", NULL };
  SondePortOptions options = { .judge = judge_to (SONDE_PORT_TO_ONNX) };
  g_autoptr (GError) missing = NULL, other = NULL, stopped = NULL;
  char *folder = make_folder ("a.py", "", NULL);
  const char *paths[] = { folder, NULL };

  g_assert_null (sonde_port_report_new (NULL, nowhere, &options, &missing));
  g_assert_cmpstr (missing->message, ==,
                   "cannot read “/nowhere/at/all”: No such file or directory");
  g_assert_null (sonde_port_report_new (NULL, text, &options, &other));
  options.cancelled = always;
  g_assert_null (sonde_port_report_new (NULL, paths, &options, &stopped));
  remove_folder (folder);
}

int
main (int argc, char *argv[])
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/sources/porting/table", test_table);
  g_test_add_func ("/sources/porting/verdicts", test_verdicts);
  g_test_add_func ("/sources/porting/sketches", test_sketches);
  g_test_add_func ("/sources/porting/projects", test_projects);
  g_test_add_func ("/sources/porting/walk", test_walk);
  g_test_add_func ("/sources/porting/missing", test_missing);
  g_test_add_func ("/sources/porting/limits", test_limits);
  g_test_add_func ("/sources/porting/arguments", test_arguments);
  g_test_add_func ("/sources/porting/possible", test_possible);
  g_test_add_func ("/sources/porting/json", test_json);
  g_test_add_func ("/sources/porting/errors", test_errors);
  return g_test_run ();
}
