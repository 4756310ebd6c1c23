/* SPDX-License-Identifier: Apache-2.0
 * Lines to commands and back, constructors, and what wrong lines say. */
#include <string.h>

#include "engine/commands/sonde-command.h"

/* @canonical: (nullable): NULL: as @line */
typedef struct
{
  const char *line;
  const char *canonical;
} Row;

/* A line and the command's own line; that one is read as the same command. */
static const Row rows[] = {
  { "break conv1" },
  { "b conv1", "break conv1" },
  { "  break   conv1  ", "break conv1" },
  { "break \"a b\"" },
  { "break a b", "break \"a b\"" },
  { "break a b after", "break \"a b\" after" },
  { "break \"after\"", "break after" },
  { "break x if max(x) > 3" },
  { "break x if(max(x) > 3)", "break x if (max(x) > 3)" },
  { "break x before if hits > 2" },
  { "break \"x if y\" if z" },
  { "tb op:Relu", "tbreak op:Relu" },
  { "catch error" },
  { "info ops" },
  { "i ops conv*", "info ops conv*" },
  { "catch error if step > 3" },
  { "log n1 \"n1 made {count(v1)}\"" },
  { "log n1 after \"loss {state(x, \"m 1\")} now\" if step > 1",
    "log n1 after \"loss {state(x, \\\"m 1\\\")} now\" if step > 1" },
  { "log \"n 1\" \"word\"" },
  { "watch nan(x) on op:* inputs nostop" },
  { "w preset recommended", "watch preset recommended" },
  { "recheck" },
  { "recheck 3", "recheck step:3" },
  { "info b", "info breakpoints" },
  { "i hits 2", "info hits 2" },
  { "info nodes op*" },
  { "info values" },
  { "info values conv*" },
  { "info val \"a *\"", "info values \"a *\"" },
  { "enable" },
  { "disable 2" },
  { "ignore 1 20" },
  { "clear 3" },
  { "r", "run" },
  { "c", "continue" },
  { "pause" },
  { "s", "step" },
  { "step 3" },
  { "n 1", "next" },
  { "into" },
  { "out 2" },
  { "u step:3", "until step:3" },
  { "until a b", "until \"a b\"" },
  { "back 2" },
  { "reverse" },
  { "restart" },
  { "restart \"a b\"" },
  { "rewind" },
  { "rewind my batch.npz", "rewind \"my batch.npz\"" },
  { "up" },
  { "down 2" },
  { "list" },
  { "l conv1", "list conv1" },
  { "print x[0, :4]" },
  { "p \"a b\"", "print \"a b\"" },
  { "print 'a b'", "print \"a b\"" },
  { "print P' - P", "print \"P' - P\"" },
  { "print \"a b\" + \"c\"", "print \"\\\"a b\\\" + \\\"c\\\"\"" },
  { "stats state(w, momentum)" },
  { "save x f.npy" },
  { "save x[0, 1] \"my file.npy\"" },
  { "save a b f.npy", "save \"a b\" f.npy" },
  { "display" },
  { "display x" },
  { "undisplay 1" },
  { "set x[0] = 3" },
  { "set x = file:a b.npy" },
  { "set \"a b\" = x * 2" },
  { "set \"3.bias\" = 2", "set 3.bias = 2" },
  { "set \"3.bias\"[0, :2] = 2", "set 3.bias[0, :2] = 2" },
  { "attr conv1.pads = [1, 1]" },
  { "attr \"a b\".axis = 0" },
  { "bypass relu" },
  { "branch" },
  { "branch new" },
  { "branch new one" },
  { "branch one" },
  { "branch 2" },
  { "origin x[0, 3]" },
  { "diverge --device reference" },
  { "diverge --reference", "diverge --device reference" },
  { "diverge --reference \"my values.npz\" --rtol 0.5 --node 'conv *'",
    "diverge --reference \"my values.npz\" --rtol 0.5 --node \"conv *\"" },
  { "diverge --dump DIR", "diverge --reference DIR" },
  { "diverge --precision f64 --threads 2" },
  { "diverge --optimise off" },
  { "diverge --model a.onnx --weights b.npz" },
  { "precision F.ini --tolerance 0.5" },
  { "precision \"my recipe.ini\" --tolerance 0.5 --precision f16 --value a --value \"b c\"" },
  { "precision --tolerance 0.5 F.ini", "precision F.ini --tolerance 0.5" },
  { "profile start" },
  { "profile start 20" },
  { "profile sta when step_ms>3*median", "profile start when step_ms > 3*median" },
  { "profile start 5 when  step_ms  >  1.5 * median", "profile start 5 when step_ms > 1.5*median" },
  { "profile stop" },
  { "profile save" },
  { "profile save runs/a" },
  { "profile save 'my run'", "profile save \"my run\"" },
  { "info profile" },
  { "rerun n0 --precision f64 --take" },
  { "rerun a b --reference", "rerun \"a b\" --device reference" },
  { "diff a b" },
  { "diff \"a + b\" c[0, 1]" },
  { "diff branch" },
  { "capture save \"my file.sondecap\" x conv*" },
  { "cap o f.sondecap", "capture open f.sondecap" },
  { "reduce f.onnx" },
  { "reduce \"my file.onnx\" n 1", "reduce \"my file.onnx\" \"n 1\"" },
  { "reduce my file.onnx n1", "reduce \"my file.onnx\" n1" },
  { "detach" },
  { "help" },
  { "h print", "help print" },
  { "q", "quit" },
};

static void
check_row (const Row *row)
{
  g_autoptr (GError) error = NULL;
  g_autoptr (SondeCommand) command = sonde_command_parse (row->line, &error), again = NULL;
  g_autofree char *line = NULL, *second = NULL;

  g_assert_no_error (error);
  line = sonde_command_to_line (command);
  g_assert_cmpstr (line, ==, row->canonical != NULL ? row->canonical : row->line);
  again = sonde_command_parse (line, &error);
  g_assert_no_error (error);
  second = sonde_command_to_line (again);
  g_assert_cmpstr (second, ==, line);
}

static void
test_lines (void)
{
  for (gsize i = 0; i < G_N_ELEMENTS (rows); i++)
    check_row (&rows[i]);
}

static void
test_nothing (void)
{
  static const char *const lines[] = { "", "   ", "# print x", "  #" };

  for (gsize i = 0; i < G_N_ELEMENTS (lines); i++)
    {
      g_autoptr (GError) error = NULL;

      g_assert_null (sonde_command_parse (lines[i], &error));
      g_assert_no_error (error);
    }
}

/* A wrong line, and what is said. */
static void
test_wrong (void)
{
  static const Row wrong[] = {
    { "break", "phase:forward" },
    { "log n1", "log NODE" },
    { "log \"text\"", "log NODE" },
    { "ignore 1", "ID COUNT" },
    { "enable x", "“x”" },
    { "step 0", "at least 1" },
    { "continue 2", "no arguments" },
    { "info", "breakpoints|watches" },
    { "info zzz", "Unknown topic “zzz”; topics of info: breakpoints, watches, hits" },
    { "info st", "stack|state" },
    { "info state now", "“info state” takes no arguments" },
    { "print", "info values" },
    { "save x", ".npy" },
    { "set x", "Usage: set" },
    { "bypass", "list" },
    { "origin", "origin VALUE" },
    { "diverge", "No reference given" },
    { "diverge --rtol", "has no value" },
    { "diverge --rtol x --device cpu", "“x”" },
    { "diverge --what x", "Unknown option" },
    { "precision a.ini b.ini --tolerance 1", "More than one file" },
    { "precision a.ini", "Tolerance missing" },
    { "precision a.ini --tolerance -1", "at least 0" },
    { "precision a.txt --tolerance 1", ".ini" },
    { "profile", "start [N]" },
    { "profile st", "start [N]" },
    { "profile start 0", "at least 1" },
    { "profile start -1", "at least 1" },
    { "profile start 99999999999999999999", "at least 1" },
    { "profile start 1.5", "number of steps" },
    { "profile start 3 4", "“4” is not expected" },
    { "profile start 3 whenever", "“whenever” is not expected" },
    { "profile start when", "K*median" },
    { "profile start when step_ms", "K*median" },
    { "profile start when step_ms > median", "K*median" },
    { "profile start when step_ms < 3*median", "K*median" },
    { "profile start when step_ms > 3*mean", "K*median" },
    { "profile start when step_ms > 3*median 5", "K*median" },
    { "profile start when step_ms > 0*median", "positive" },
    { "profile start when step_ms > -2*median", "positive" },
    { "profile start when step_ms > nan*median", "positive" },
    { "profile start when step_ms > inf*median", "positive" },
    { "profile start when step_ms > 1e999*median", "positive" },
    { "profile start when step_ms > 0x2*median", "positive" },
    { "profile start when loss > 3*median", "K*median" },
    { "profile stop now", "takes no arguments" },
    { "info profile now", "takes no arguments" },
    { "rerun", "rerun NODE" },
    { "rerun --take", "rerun NODE" },
    { "rerun n0 --what", "unknown option" },
    { "diff", "diff A B" },
    { "diff a b c", "diff A B" },
    { "capture", "save FILE.sondecap" },
    { "capture save", "File missing" },
    { "reduce x.txt", ".onnx" },
    { "watch", "preset" },
    { "frobnicate", "Unknown command" },
  };

  for (gsize i = 0; i < G_N_ELEMENTS (wrong); i++)
    {
      g_autoptr (GError) error = NULL;

      g_assert_null (sonde_command_parse (wrong[i].line, &error));
      g_assert_nonnull (error);
      if (strstr (error->message, wrong[i].canonical) == NULL)
        g_error ("“%s” says “%s”", wrong[i].line, error->message);
    }
}

static void
check_made (SondeCommand *made, const char *expected)
{
  g_autoptr (SondeCommand) command = made;
  g_autofree char *line = sonde_command_to_line (command);

  g_assert_cmpstr (line, ==, expected);
}

/* What a program makes is what a line makes. */
static void
test_constructors (void)
{
  const char *const values[] = { "a", "b c", NULL };

  check_made (sonde_command_new_break (&(SondeBreakpointSpec){
                  .pattern = "a b", .either = TRUE, .condition = "nan(x)" }),
              "break \"a b\" if nan(x)");
  check_made (sonde_command_new_break (&(SondeBreakpointSpec){
                  .pattern = "n", .moment = SONDE_MOMENT_AFTER, .log = "here" }),
              "log n after \"here\"");
  check_made (
      sonde_command_new_resume (&(SondeResume){ .kind = SONDE_RESUME_UNTIL, .target = "step:3" }),
      "until step:3");
  check_made (sonde_command_new_resume (&(SondeResume){ .kind = SONDE_RESUME_STEP, .count = 2 }),
              "step 2");
  check_made (sonde_command_new_back (&(SondeBack){ .kind = SONDE_BACK_NODE, .target = "n 1" }),
              "restart \"n 1\"");
  check_made (sonde_command_new_restart (), "restart");
  check_made (sonde_command_new_select_frame (-2), "down 2");
  check_made (sonde_command_new_attr ("n", "axis", "1"), "attr n.axis = 1");
  check_made (sonde_command_new_branch (SONDE_BRANCH_SWITCH, "2"), "branch 2");
  check_made (sonde_command_new_branch (SONDE_BRANCH_MAKE, NULL), "branch new");
  check_made (sonde_command_new_precision ("my file.ini", "f16", 0.5, values),
              "precision \"my file.ini\" --tolerance 0.5 --precision f16 --value a --value \"b "
              "c\"");
  check_made (sonde_command_new_diverge (&(SondeDivergeRequest){ .model_path = "a b.onnx" }),
              "diverge --model \"a b.onnx\"");
  check_made (
      sonde_command_new_profile_start (&(SondeSpanLogOptions){ .n_steps = 4, .slower = 2.5 }),
      "profile start 4 when step_ms > 2.5*median");
  check_made (sonde_command_new_profile_stop (), "profile stop");
  check_made (sonde_command_new_profile_save (NULL), "profile save");
  check_made (sonde_command_new_profile_save ("my run"), "profile save \"my run\"");
  check_made (sonde_command_new_info_profile (), "info profile");
  check_made (sonde_command_new_capture_save ("f.sondecap", NULL), "capture save f.sondecap");
  check_made (sonde_command_new_rerun (&(SondeRerunOptions){ .node = "n", .device = "cpu" }),
              "rerun n --device cpu");
}

static void
check_effect (const char *line, SondeCommandEffect effect)
{
  g_autoptr (SondeCommand) command = sonde_command_parse (line, NULL);

  g_assert_cmpint (sonde_command_get_effect (command), ==, effect);
}

static void
test_effects (void)
{
  check_effect ("print x", SONDE_COMMAND_QUERIES);
  check_effect ("pause", SONDE_COMMAND_QUERIES);
  check_effect ("set x = 1", SONDE_COMMAND_CHANGES);
  check_effect ("up", SONDE_COMMAND_CHANGES);
  check_effect ("step", SONDE_COMMAND_RESUMES);
  check_effect ("rewind", SONDE_COMMAND_RESUMES);
  check_effect ("quit", SONDE_COMMAND_LEAVES);
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/engine/commands/parse/lines", test_lines);
  g_test_add_func ("/engine/commands/parse/nothing", test_nothing);
  g_test_add_func ("/engine/commands/parse/wrong", test_wrong);
  g_test_add_func ("/engine/commands/parse/constructors", test_constructors);
  g_test_add_func ("/engine/commands/parse/effects", test_effects);
  return g_test_run ();
}
