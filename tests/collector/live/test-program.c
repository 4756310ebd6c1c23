/* SPDX-License-Identifier: Apache-2.0
 * A program that is no part of Sonde and is debugged by libsonde-live. */
#include <glib/gstdio.h>
#include <math.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "data/arrays/sonde-npy.h"
#include "data/base/sonde-text.h"
#include "tests/collector/live/foreign-program.h"

static void
test_stops (void)
{
  Program program;

  begin (&program);
  stop_at (&program, "op:multiply", FALSE);
  {
    g_autoptr (SondeSessionEvent) event = go (&program, SONDE_RESUME_CONTINUE, NULL);
    const SondeStop *stop = &event->status->stop;

    g_assert_cmpstr (stop->node, ==, "lin/mul");
    g_assert_cmpstr (stop->source, ==, "train.py:3 in forward");
    g_assert_cmpstr (stop->thread, ==, "worker");
    g_assert_cmpint (event->status->facts.kind, ==, SONDE_ACTIVITY_PYTORCH);
    g_assert_cmpuint (stop->frames->len, ==, 3);
    g_assert_cmpstr (((SondeFrame *) g_ptr_array_index (stop->frames, 0))->at, ==, "lin");
    g_assert_cmpstr (((SondeFrame *) g_ptr_array_index (stop->frames, 1))->at_op, ==,
                     "return x * w");
  }
  tell (&program, sonde_session_request_remove_breakpoint (0));
  stop_at (&program, "lin", TRUE);
  {
    g_autoptr (SondeSessionEvent) event = go (&program, SONDE_RESUME_CONTINUE, NULL);
    g_autoptr (SondeSessionEvent) next = go (&program, SONDE_RESUME_STEP, NULL);

    g_assert_cmpstr (event->status->stop.node, ==, "lin");
    g_assert_cmpint (event->status->stop.moment, ==, SONDE_MOMENT_AFTER);
    g_assert_cmpstr (next->status->stop.node, ==, "lin/mul");
    g_assert_cmpuint (next->status->stop.step, ==, 2);
  }
  finish (&program);
}

/* Numbers where they lie: whole, in views, scalars; given back when they were read. */
static void
test_values (void)
{
  Program program;

  begin (&program);
  stop_at (&program, "lin/half", TRUE);
  sonde_session_event_free (go (&program, SONDE_RESUME_CONTINUE, NULL));
  {
    g_autoptr (SondeSessionReply) whole
        = ask (&program, sonde_session_request_statistics ("lin/mul"));
    g_autoptr (SondeSessionReply) half = ask (&program, sonde_session_request_tensor ("lin/half"));
    g_autoptr (SondeSessionReply) slice
        = ask (&program, sonde_session_request_tensor ("lin/half[1, 2]"));
    g_autoptr (SondeSessionReply) weight
        = ask (&program, sonde_session_request_tensor ("lin.weight"));
    g_autoptr (SondeSessionReply) steps = ask (&program, sonde_session_request_steps ());
    g_autoptr (SondeSessionReply) values = ask (&program, sonde_session_request_values ("*weight"));

    g_assert_cmpfloat (whole->statistics.max, ==, 11);
    g_assert_cmpint (half->tensor->shape.dims[0], ==, 2);
    g_assert_cmpfloat (sonde_tensor_get_double (half->tensor, 3), ==, 6);
    g_assert_cmpfloat (sonde_tensor_get_double (slice->tensor, 0), ==, 8);
    g_assert_cmpint (weight->tensor->shape.rank, ==, 0);
    g_assert_cmpuint (steps->steps->len, ==, 2);
    g_assert_cmpstr (((SondeStepInfo *) g_ptr_array_index (steps->steps, 1))->inputs[0], ==,
                     "lin/mul");
    g_assert_cmpuint (values->values->len, ==, 1);
  }
  g_assert_cmpint (program.n_released, ==, 4);
  tell_fails (&program, sonde_session_request_tensor ("nowhere"), SONDE_ENGINE_ERROR_NOT_FOUND,
              "There is no value “nowhere”.");
  tell_fails (&program, sonde_session_request_tensor ("prev(lin/mul)"), SONDE_ENGINE_ERROR_STATE,
              "Nothing is kept of the step before.");
  finish (&program);
}

/* What cannot be memory of a tensor is refused and given back. */
static void
test_broken (void)
{
  Program program;

  begin (&program);
  program.is_broken = TRUE;
  tell_fails (&program, sonde_session_request_tensor ("lin/mul"), SONDE_ENGINE_ERROR_UNSUPPORTED,
              "“lin/mul” cannot be had now.");
  g_assert_cmpint (program.n_released, ==, 1);
  g_assert_cmpuint (sonde_program_add_node (program.live, &(SondeProgramNode){ .op = "x" }), ==, 0);
  finish (&program);
}

static void
test_set (void)
{
  g_autofree char *folder = g_dir_make_tmp ("sonde-program-XXXXXX", NULL);
  g_autofree char *path = g_build_filename (folder, "w.npy", NULL);
  g_autofree char *source = g_strconcat ("file:", path, NULL);
  Program program;

  begin (&program);
  stop_at (&program, "lin/mul", FALSE);
  sonde_session_event_free (go (&program, SONDE_RESUME_CONTINUE, NULL));
  tell (&program, sonde_session_request_set ("lin.weight", "5"));
  tell (&program, sonde_session_request_save ("lin.weight", path));
  tell (&program, sonde_session_request_set ("lin.weight", "lin.weight * 2"));
  g_assert_cmpfloat (program.weight, ==, 10);
  tell (&program, sonde_session_request_set ("lin.weight", source));
  g_assert_cmpfloat (program.weight, ==, 5);
  tell_fails (&program, sonde_session_request_set ("lin/mul", "1"), SONDE_ENGINE_ERROR_UNSUPPORTED,
              "“lin/mul” cannot be had now.");
  tell_fails (&program, sonde_session_request_set ("lin.weight", "file:w.npy"),
              SONDE_ENGINE_ERROR_INVALID,
              "“w.npy” must be an absolute path: the engine may run in another folder.");
  finish (&program);
  g_unlink (path);
  g_rmdir (folder);
}

/* A weight is looked at when its step is over; only there, and not operators. */
static void
test_weights (void)
{
  Program program;

  begin (&program);
  tell (&program, sonde_session_request_add_watch ("preset weight_overflow"));
  tell (&program, sonde_session_request_add_watch ("lin.weight > 3"));
  g_assert_cmpint (program.flags[program.ids[MULTIPLY]], ==, 0);
  g_assert_true ((program.flags[program.ids[WEIGHT]] & SONDE_PROGRAM_AFTER) != 0);
  {
    g_autoptr (SondeSessionEvent) event = go (&program, SONDE_RESUME_CONTINUE, NULL);

    g_assert_cmpint (event->status->stop.reason, ==, SONDE_STOP_WATCHPOINT);
    g_assert_cmpstr (event->status->stop.node, ==, "lin.weight");
    g_assert_cmpuint (event->status->stop.step, ==, 3);
  }
  finish (&program);
}

/* A condition on NaN stops it, and the program tells something. */
static void
test_bad (void)
{
  Program program;

  begin (&program);
  program.breaks_at = 2;
  tell (&program, sonde_session_request_add_watch ("preset tensor_overflow"));
  {
    g_autoptr (SondeSessionEvent) event = go (&program, SONDE_RESUME_CONTINUE, NULL);

    g_assert_cmpint (event->status->stop.reason, ==, SONDE_STOP_WATCHPOINT);
    g_assert_cmpuint (event->status->stop.step, ==, 2);
  }
  g_assert_cmpint (atomic_load (&program.n_bad), ==, 1);
  finish (&program);
}

static void
assert_hit (Program *program, const char *condition, guint64 step, double actual)
{
  g_autoptr (SondeSessionEvent) event = go (program, SONDE_RESUME_CONTINUE, NULL);
  g_autoptr (SondeSessionReply) reply = ask (program, sonde_session_request_list_watch_hits (0));
  const SondeWatchHit *hit = g_ptr_array_index (reply->watch_hits, reply->watch_hits->len - 1);

  g_assert_cmpint (event->status->stop.reason, ==, SONDE_STOP_WATCHPOINT);
  g_assert_cmpstr (event->status->stop.node, ==, "lin.weight");
  g_assert_cmpuint (event->status->stop.step, ==, step);
  g_assert_cmpstr (hit->condition, ==, condition);
  g_assert_cmpstr (hit->value, ==, "lin.weight");
  if (!isnan (actual))
    g_assert_cmpfloat_with_epsilon (hit->actual, actual, 1e-6);
}

/* A weight against what it was: 1, 2, 3, 4, 4, 5; in the first step, before it is used. */
static void
test_changes (void)
{
  Program program;

  begin (&program);
  program.rests_at = 4;
  tell (&program, sonde_session_request_add_watch ("preset weight_initialization max_gt=0.5"));
  tell (&program,
        sonde_session_request_add_watch (
            "preset weight_change_too_small abs_mean_update_ratio_lt=0.34 on lin.weight"));
  tell (&program, sonde_session_request_add_watch ("preset weight_not_changed"));
  tell (&program, sonde_session_request_add_watch ("preset weight_change_too_large "
                                                   "abs_mean_update_ratio_gt=0.9"));
  g_assert_true ((program.flags[program.ids[WEIGHT]] & SONDE_PROGRAM_BEFORE) != 0);
  g_assert_false ((program.flags[program.ids[WEIGHT]] & SONDE_PROGRAM_LOOK) != 0);
  assert_hit (&program, "weight_initialization", 1, 1);
  assert_hit (&program, "weight_change_too_large", 1, 1);
  assert_hit (&program, "weight_change_too_small", 3, 1 / 3.0);
  assert_hit (&program, "weight_not_changed", 4, NAN);
  tell (&program, sonde_session_request_remove_breakpoint (0));
  g_assert_cmpint (program.flags[program.ids[WEIGHT]], ==, 0);
  finish (&program);
}

/* A value is read once, however many conditions look at it, also where their ranges need more. */
static void
test_conditions (void)
{
  Program program;

  begin (&program);
  tell (&program, sonde_session_request_add_watch ("preset tensor_overflow"));
  for (int k = 0; k < 10; k++)
    {
      g_autofree char *text
          = g_strdup_printf ("preset tensor_range range_start_inclusive=0 range_end_inclusive=%d "
                             "range_percentage_gt=1 nostop",
                             k);

      tell (&program, sonde_session_request_add_watch (text));
    }
  stop_at (&program, "lin", TRUE);
  sonde_session_event_free (go (&program, SONDE_RESUME_CONTINUE, NULL));
  g_assert_cmpint (program.n_released, ==, 3); /* one pass for eight ranges, two of their own */
  {
    g_autoptr (SondeSessionReply) reply = ask (&program, sonde_session_request_list_watch_hits (0));

    g_assert_cmpuint (reply->watch_hits->len, ==, 10);
    for (int k = 0; k < 10; k++) /* of 12 numbers from 0 on, k + 1 are in the range */
      g_assert_cmpfloat_with_epsilon (
          ((SondeWatchHit *) g_ptr_array_index (reply->watch_hits, k))->actual,
          100 * (k + 1) / 12.0, 1e-9);
  }
  finish (&program);
}

/* Nothing armed: no flag is set; somebody asks: the program is called. */
static void
test_flags (void)
{
  const SondeResume on = { .kind = SONDE_RESUME_CONTINUE };
  Program program;

  begin (&program);
  g_assert_false (sonde_program_is_armed (program.live));
  g_assert_true (sonde_program_is_heard (program.live));
  for (int k = 0; k < N_NODES; k++)
    g_assert_cmpint (program.flags[program.ids[k]], ==, 0);
  tell (&program, sonde_session_request_resume (&on));
  tell (&program, sonde_session_request_list_breakpoints ());
  tell (&program, sonde_session_request_pause ());
  {
    g_autoptr (SondeSessionEvent) event = wait_for (&program, SONDE_SESSION_PAUSED);

    g_assert_cmpint (event->status->stop.reason, ==, SONDE_STOP_PAUSE);
  }
  finish (&program);
}

/* A debugger that dies takes its breakpoints along; the program goes on. */
static void
test_lost (void)
{
  Program program;
  guint64 before;

  begin (&program);
  stop_at (&program, "lin/*", FALSE);
  sonde_session_event_free (go (&program, SONDE_RESUME_CONTINUE, NULL));
  before = atomic_load (&program.n_steps);
  g_clear_object (&program.client);
  while (atomic_load (&program.n_steps) < before + 10)
    g_thread_yield ();
  g_assert_false (sonde_program_is_armed (program.live));
  finish (&program);
}

/* Others can attach to what listens, and only its owner. */
static void
test_listens (void)
{
  g_autofree char *folder = g_dir_make_tmp ("sonde-program-XXXXXX", NULL);
  g_autofree char *directory = g_build_filename (folder, "sonde", NULL);
  g_autofree char *token = g_strdup_printf ("%s/%d.token", directory, (int) getpid ());
  g_autofree char *socket = g_strdup_printf ("%s/%d.sock", directory, (int) getpid ());
  char *error = NULL;
  SondeProgram *live;
  struct stat status;

  g_setenv ("XDG_RUNTIME_DIR", folder, TRUE);
  live = sonde_program_new (&program_hooks, NULL, "toy", TRUE, &error);
  g_assert_null (error);
  g_assert_cmpstr (sonde_program_get_socket (live), ==, socket);
  g_assert_cmpint (stat (directory, &status), ==, 0);
  g_assert_cmpint (status.st_mode & 0777, ==, 0700);
  g_assert_cmpint (stat (socket, &status), ==, 0);
  g_assert_cmpint (status.st_mode & 0777, ==, 0600);
  sonde_program_free (live);
  g_assert_false (g_file_test (token, G_FILE_TEST_EXISTS));
  g_rmdir (directory);
  g_assert_cmpint (g_mkdir (directory, 0755), ==, 0); /* others may enter */
  g_assert_null (sonde_program_new (&program_hooks, NULL, "toy", TRUE, &error));
  g_assert_nonnull (error);
  sonde_program_free_text (error);
  g_rmdir (directory);
  g_rmdir (folder);
}

/* A child after a fork() has nothing of the session open, and the parent's goes on. */
static void
test_fork (void)
{
  Program program;
  struct stat of_socket, there;
  int status, fds[2];
  pid_t child;

  begin (&program);
  g_assert_cmpint (socketpair (AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, fds), ==, 0);
  g_assert_cmpint (fstat (fds[1], &of_socket), ==, 0);
  g_assert_true (sonde_program_add_fd (program.live, fds[1]));
  sonde_program_before_fork (program.live);
  child = fork ();
  if (child == 0)
    {
      sonde_program_after_fork (program.live, TRUE);
      _exit (fstat (fds[1], &there) == 0 && there.st_ino == of_socket.st_ino ? 1 : 0);
    }
  sonde_program_after_fork (program.live, FALSE);
  g_assert_cmpint (waitpid (child, &status, 0), ==, child);
  g_assert_cmpint (status, ==, 0);
  stop_at (&program, "lin", FALSE);
  sonde_session_event_free (go (&program, SONDE_RESUME_CONTINUE, NULL));
  close (fds[0]);
  finish (&program);
}

/* An error is stopped at where it comes from, once, and goes on with the program. */
static void
test_errors (void)
{
  Program program;

  begin (&program);
  program.fails_at = 2;
  stop_at (&program, SONDE_BREAKPOINT_ERRORS, FALSE);
  {
    g_autoptr (SondeSessionEvent) event = go (&program, SONDE_RESUME_CONTINUE, NULL);
    g_autoptr (SondeSessionEvent) next = go (&program, SONDE_RESUME_STEP, NULL);
    const SondeStop *stop = &event->status->stop;

    g_assert_cmpint (stop->reason, ==, SONDE_STOP_ERROR);
    g_assert_cmpstr (stop->node, ==, "lin/mul");
    g_assert_cmpstr (stop->error, ==, "ShapeError: 4×3 by 2");
    g_assert_cmpstr (stop->source, ==, "train.py:3 in forward");
    g_assert_cmpuint (stop->step, ==, 2);
    g_assert_cmpuint (stop->n_breakpoints, ==, 1);
    g_assert_cmpuint (next->status->stop.step, ==, 3); /* of step 2 nothing came after it */
    g_assert_null (next->status->stop.error);
  }
  finish (&program);
}

/* An error that nobody waits for stops nothing, nor one that was switched off; other things cannot be caught. */
static void
test_errors_ignored (void)
{
  const SondeBreakpointSpec other = { .pattern = "catch:signal" };
  Program program;

  begin (&program);
  program.fails_at = 2;
  stop_at (&program, SONDE_BREAKPOINT_ERRORS, FALSE);
  tell (&program, sonde_session_request_enable_breakpoint (1, FALSE));
  tell_fails (&program, sonde_session_request_add_breakpoint (&other), SONDE_ENGINE_ERROR_INVALID,
              "“signal” cannot be caught; errors can: catch error.");
  {
    g_autoptr (SondeSessionEvent) event = go (&program, SONDE_RESUME_UNTIL, "step:3");

    g_assert_cmpint (event->status->stop.reason, ==, SONDE_STOP_UNTIL);
    g_assert_cmpuint (event->status->stop.step, ==, 3);
  }
  finish (&program);
}

/* ---- what a program may offer -------------------------------------------- */

static int
check_into (void *data, const char *node)
{
  sonde_program_set_problem (((Program *) data)->live, "Nothing is inside.");
  return g_str_equal (node, "lin/half") ? SONDE_PROGRAM_UNABLE : SONDE_PROGRAM_DONE;
}

static int
go_back (void *data, int kind, uint64_t count, const char *target)
{
  Program *program = data;

  if (kind == SONDE_PROGRAM_BACK_NODE
      && !sonde_program_matches (program->live, program->ids[MULTIPLY], target))
    {
      sonde_program_set_problem (program->live, "It has not come by.");
      return SONDE_PROGRAM_UNKNOWN;
    }
  g_assert_true (sonde_program_would_stop (program->live, program->ids[HALF], 0));
  program->goes_back = TRUE;
  return SONDE_PROGRAM_DONE;
}

static int
find_origin (void *data, const char *value)
{
  SondeProgram *live = ((Program *) data)->live;

  sonde_program_add_link (live, "lin/half", "slice", value, 0, (const int64_t[]){ 2, 3 }, 2, 4,
                          NAN);
  sonde_program_add_link (live, NULL, NULL, "x", 0, NULL, 0, 0, 0);
  sonde_program_set_cause (live, "lin/half", "division by 0", 1);
  return SONDE_PROGRAM_DONE;
}

static int
save_capture (void *data, const char *path, const char *const *values, int batch)
{
  g_assert_cmpstr (path, ==, "/tmp/nowhere.json");
  g_assert_cmpstr (values[0], ==, "lin/*");
  g_assert_null (values[1]);
  g_assert_cmpint (batch, ==, 0);
  return SONDE_PROGRAM_DONE;
}

/* Two steps were recorded of what was asked for. */
static int
profile (void *data, int kind, uint64_t n_steps, const char *folder)
{
  SondeProgram *live = ((Program *) data)->live;

  if (kind == SONDE_PROGRAM_PROFILE_STOP)
    {
      sonde_program_set_problem (live, "No profile is being recorded.");
      return SONDE_PROGRAM_ABSENT;
    }
  if (kind == SONDE_PROGRAM_PROFILE_KEEP)
    g_assert_cmpstr (folder, ==, "/tmp/run");
  sonde_program_set_profile (live, kind == SONDE_PROGRAM_PROFILE_START, n_steps + 2, 40,
                             kind == SONDE_PROGRAM_PROFILE_KEEP ? "/tmp/run/traces/a.json" : NULL);
  return SONDE_PROGRAM_DONE;
}

static void
begin_at_half (Program *program, const SondeProgramOffers *offers)
{
  begin (program);
  sonde_program_offer (program->live, offers);
  stop_at (program, "lin/half", FALSE);
  sonde_session_event_free (go (program, SONDE_RESUME_CONTINUE, NULL));
}

/* A way back is the program's own; it says where it stands then. */
static void
test_back (void)
{
  const SondeProgramOffers offers = { .size = sizeof offers, .go_back = go_back };
  const SondeBack back = { .kind = SONDE_BACK_NODE, .target = "lin/mul" },
                  nowhere = { .kind = SONDE_BACK_NODE, .target = "b" };
  Program program;

  begin_at_half (&program, &offers);
  tell_fails (&program, sonde_session_request_go_back (&nowhere), SONDE_ENGINE_ERROR_NOT_FOUND,
              "It has not come by.");
  tell (&program, sonde_session_request_go_back (&back));
  {
    g_autoptr (SondeSessionEvent) event = wait_for (&program, SONDE_SESSION_PAUSED);

    g_assert_cmpint (event->status->stop.reason, ==, SONDE_STOP_UNTIL);
    g_assert_cmpstr (event->status->stop.node, ==, "lin/mul");
    g_assert_cmpstr (event->status->stop.thread, ==, "worker");
  }
  finish (&program);
}

static void
test_offers (void)
{
  const SondeProgramOffers offers = { .size = sizeof offers,
                                      .check_into = check_into,
                                      .find_origin = find_origin,
                                      .save_capture = save_capture };
  const SondeResume into = { .kind = SONDE_RESUME_INTO };
  const char *const values[] = { "lin/*", NULL };
  Program program;

  begin_at_half (&program, &offers);
  tell_fails (&program, sonde_session_request_resume (&into), SONDE_ENGINE_ERROR_UNSUPPORTED,
              "Nothing is inside.");
  {
    g_autoptr (SondeSessionReply) reply = ask (&program, sonde_session_request_origin ("lin/half"));
    const SondeOrigin *origin = reply->origin;
    const SondeOriginLink *link = g_ptr_array_index (origin->chain, 0);

    g_assert_cmpuint (origin->chain->len, ==, 1);
    g_assert_cmpint (link->element, ==, 4);
    g_assert_cmpstr (origin->first_bad_node, ==, "lin/half");
    g_assert_cmpstr (sonde_message_get_english (origin->cause), ==, "division by 0");
    g_assert_cmpstr (origin->cause_value, ==, "x");
  }
  tell (&program, sonde_session_request_capture ("/tmp/nowhere.json", values, NULL));
  finish (&program);
}

/* A view with gaps, one with a NaN, and what is none. */
static void
test_measure (void)
{
  float numbers[] = { 1, -7, 2, -7, NAN, -7 };
  SondeProgramTensor tensor
      = { .type = 2, .rank = 1, .dims = { 3 }, .strides = { 2 }, .data = numbers };
  SondeProgramStatistics statistics;

  g_assert_cmpint (sonde_program_measure (&tensor, &statistics), ==, 0);
  g_assert_cmpint (statistics.count, ==, 3);
  g_assert_cmpint (statistics.nan, ==, 1);
  g_assert_cmpfloat (statistics.mean, ==, 1.5);
  g_assert_cmpfloat (statistics.max, ==, 2);
  tensor.strides[0] = -2;
  g_assert_cmpint (sonde_program_measure (&tensor, &statistics), !=, 0);
  tensor.rank = -1;
  g_assert_cmpint (sonde_program_measure (&tensor, &statistics), !=, 0);
}

static void
test_profile (void)
{
  const SondeProgramOffers offers = { .size = sizeof offers, .profile = profile };
  Program program;

  begin_at_half (&program, &offers);
  {
    g_autoptr (SondeSessionReply) started = ask (
        &program, sonde_session_request_profile_start (&(SondeSpanLogOptions){ .n_steps = 5 }));
    g_autoptr (SondeSessionReply) status = ask (&program, sonde_session_request_profile_status ());
    g_autoptr (SondeSessionReply) kept
        = ask (&program, sonde_session_request_profile_keep ("/tmp/run"));

    g_assert_true (started->profile.recording);
    g_assert_cmpuint (started->profile.steps, ==, 7);
    g_assert_null (started->path);
    g_assert_false (status->profile.recording);
    g_assert_cmpuint (status->profile.bytes, ==, 40);
    g_assert_cmpstr (kept->path, ==, "/tmp/run/traces/a.json");
  }
  tell_fails (&program, sonde_session_request_profile_stop (), SONDE_ENGINE_ERROR_STATE,
              "No profile is being recorded.");
  tell_fails (&program, sonde_session_request_profile_keep ("run"), SONDE_ENGINE_ERROR_INVALID,
              "“run” must be an absolute path: the engine may run in another folder.");
  finish (&program);
}

/* What is not offered is refused, and what changes the graph, by name. */
static void
test_refused (void)
{
  const SondeProgramOffers none = { .size = sizeof (size_t) };
  const SondeBack back = { .kind = SONDE_BACK_STEPS, .count = 1 };
  Program program;

  begin_at_half (&program, &none);
  tell_fails (&program, sonde_session_request_go_back (&back), SONDE_ENGINE_ERROR_UNSUPPORTED,
              "This program does not offer that: going back.");
  tell_fails (&program, sonde_session_request_origin ("lin/half"), SONDE_ENGINE_ERROR_UNSUPPORTED,
              "This program does not offer that: origin.");
  tell_fails (&program, sonde_session_request_bypass ("lin/half"), SONDE_ENGINE_ERROR_UNSUPPORTED,
              "bypass changes the graph, and here it is PyTorch's.");
  finish (&program);
}

int
main (int argc, char *argv[])
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/collector/live/program/stops", test_stops);
  g_test_add_func ("/collector/live/program/measure", test_measure);
  g_test_add_func ("/collector/live/program/values", test_values);
  g_test_add_func ("/collector/live/program/broken", test_broken);
  g_test_add_func ("/collector/live/program/set", test_set);
  g_test_add_func ("/collector/live/program/weights", test_weights);
  g_test_add_func ("/collector/live/program/bad", test_bad);
  g_test_add_func ("/collector/live/program/changes", test_changes);
  g_test_add_func ("/collector/live/program/conditions", test_conditions);
  g_test_add_func ("/collector/live/program/flags", test_flags);
  g_test_add_func ("/collector/live/program/lost", test_lost);
  g_test_add_func ("/collector/live/program/listens", test_listens);
  g_test_add_func ("/collector/live/program/fork", test_fork);
  g_test_add_func ("/collector/live/program/errors", test_errors);
  g_test_add_func ("/collector/live/program/errors-ignored", test_errors_ignored);
  g_test_add_func ("/collector/live/program/back", test_back);
  g_test_add_func ("/collector/live/program/offers", test_offers);
  g_test_add_func ("/collector/live/program/profile", test_profile);
  g_test_add_func ("/collector/live/program/refused", test_refused);
  return g_test_run ();
}
