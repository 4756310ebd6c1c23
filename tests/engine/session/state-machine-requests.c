/* SPDX-License-Identifier: Apache-2.0
 * Every kind of request, with bodies drawn at random; all are valid, many make no sense. */
#include "tests/engine/session/state-machine.h"

#include <math.h>

static const char *const expressions[] = {
  "nan(x) || absmax(x) > 1e4",
  "mean(abs(x - prev(x))) < 1e-9",
  "1 / 0",
  "0 / 0 > nan",
  "inf == inf",
  "max(v1) > 0",
  "v0 + v1",
  "v_first * 2",
  "sum(v_twice)",
  "zeros(v0) > 0.5",
  "hits % 2 == 0",
  "(",
  "nothing + 1",
  "words",
  "update(x) > 0",
  "stats(big).mean > 1",
};
static const char *const watches[] = {
  "preset tensor_overflow",
  "preset recommended",
  "preset recommended nostop",
  "preset tensor_too_large max_gt=0.1 on *",
  "preset tensor_all_zero zero_percentage_ge=10",
  "max(x) > 0.5 on v*",
  "nan(x) on kind:output",
  "1 / 0 > 2",
  "absmax(x) > inf on *",
  "preset nothing",
  "preset tensor_too_small max_lt=abc",
  "x > on",
  "max(x) > -1 on kind:tensor nostop",
  "mean(x) < 1e9 on v1 inputs",
};

#define PICK(list) list[machine_draw (machine, G_N_ELEMENTS (list))]

static char *
file_of (Machine *machine, const char *name)
{
  return g_build_filename (machine->fixture.directory, name, NULL);
}

/* ---- running ------------------------------------------------------------- */

static SondeSessionRequest *
make_open (Machine *machine)
{
  const SondeOpenRequest open
      = { .subject = machine_draw (machine, 6) == 0 ? "none" : machine->net->subject,
          .replace = machine_draw (machine, 4) == 0 };

  return sonde_session_request_open (&open);
}

static SondeSessionRequest *
make_control (Machine *machine)
{
  return sonde_session_request_control (machine_draw (machine, 3) > 0);
}

static SondeSessionRequest *
make_resume (Machine *machine)
{
  const SondeResume resume
      = { .kind = (SondeResumeKind) machine_draw (machine, SONDE_RESUME_OUT + 1),
          .count = machine_draw (machine, 5) == 0 ? G_MAXUINT64 : machine_draw (machine, 4),
          .target = machine_word (machine) };

  return sonde_session_request_resume (&resume);
}

static SondeSessionRequest *
make_pause (Machine *machine)
{
  return sonde_session_request_pause ();
}

static SondeSessionRequest *
make_restart (Machine *machine)
{
  return sonde_session_request_restart ();
}

static SondeSessionRequest *
make_go_back (Machine *machine)
{
  const SondeBack back
      = { .kind = (SondeBackKind) machine_draw (machine, SONDE_BACK_RUN + 1),
          .count = machine_draw (machine, 6) == 0 ? G_MAXUINT64 : machine_draw (machine, 4),
          .target = machine_word (machine) };

  return sonde_session_request_go_back (&back);
}

static SondeSessionRequest *
make_rewind (Machine *machine)
{
  g_autofree char *path = file_of (machine, "batch.npz");

  return sonde_session_request_rewind (machine_draw (machine, 2) == 0 ? path : NULL);
}

/* ---- stops --------------------------------------------------------------- */

static SondeSessionRequest *
make_add_breakpoint (Machine *machine)
{
  const SondeBreakpointSpec spec = {
    .pattern = machine_word (machine),
    .moment = (SondeMoment) machine_draw (machine, 2),
    .temporary = machine_draw (machine, 4) == 0,
    .ignore = machine_draw (machine, 4) == 0 ? machine_draw (machine, 3) : 0,
    .either = machine_draw (machine, 2) == 0,
    .condition = machine_draw (machine, 3) == 0 ? PICK (expressions) : NULL,
    .hit_condition = machine_draw (machine, 6) == 0 ? "hits >= 2" : NULL,
    .log = machine_draw (machine, 5) == 0 ? "value {absmax(v1)} of {nothing} {" : NULL,
  };

  return sonde_session_request_add_breakpoint (&spec);
}

static guint
draw_id (Machine *machine)
{
  return machine_draw (machine, machine->last_id + 2);
}

static SondeSessionRequest *
make_remove (Machine *machine)
{
  return sonde_session_request_remove_breakpoint (draw_id (machine));
}

static SondeSessionRequest *
make_enable (Machine *machine)
{
  return sonde_session_request_enable_breakpoint (draw_id (machine),
                                                  machine_draw (machine, 2) == 0);
}

static SondeSessionRequest *
make_ignore (Machine *machine)
{
  return sonde_session_request_ignore_breakpoint (draw_id (machine), machine_draw (machine, 3));
}

static SondeSessionRequest *
make_list (Machine *machine)
{
  return sonde_session_request_list_breakpoints ();
}

static SondeSessionRequest *
make_add_watch (Machine *machine)
{
  return sonde_session_request_add_watch (PICK (watches));
}

static SondeSessionRequest *
make_list_watches (Machine *machine)
{
  return sonde_session_request_list_watches ();
}

static SondeSessionRequest *
make_list_hits (Machine *machine)
{
  return sonde_session_request_list_watch_hits (draw_id (machine));
}

static SondeSessionRequest *
make_recheck (Machine *machine)
{
  return sonde_session_request_recheck (machine_draw (machine, 3));
}

/* ---- looking ------------------------------------------------------------- */

static SondeSessionRequest *
in_some_frame (Machine *machine, SondeSessionRequest *request)
{
  static const guint frames[] = { 0, 0, 1, 2, 3, 9, G_MAXUINT32 - 1, SONDE_SESSION_FRAME_SELECTED };

  return sonde_session_request_in_frame (request, PICK (frames));
}

static SondeSessionRequest *
make_status (Machine *machine)
{
  return sonde_session_request_status ();
}

static SondeSessionRequest *
make_graph (Machine *machine)
{
  return in_some_frame (
      machine, sonde_session_request_graph ((SondeSessionGraph) machine_draw (machine, 2)));
}

static SondeSessionRequest *
make_listing (Machine *machine)
{
  return in_some_frame (
      machine, sonde_session_request_listing ((SondeSessionGraph) machine_draw (machine, 2)));
}

static SondeSessionRequest *
make_steps (Machine *machine)
{
  return in_some_frame (machine, sonde_session_request_steps ());
}

static SondeSessionRequest *
make_values (Machine *machine)
{
  return in_some_frame (machine, sonde_session_request_values (machine_draw (machine, 2) == 0
                                                                   ? NULL
                                                                   : machine_word (machine)));
}

static SondeSessionRequest *
make_frames (Machine *machine)
{
  return sonde_session_request_frames ();
}

static SondeSessionRequest *
make_select_frame (Machine *machine)
{
  return sonde_session_request_select_frame (machine_draw (machine, 4));
}

static SondeSessionRequest *
make_statistics (Machine *machine)
{
  return sonde_session_request_statistics (machine_word (machine));
}

static SondeSessionRequest *
make_histogram (Machine *machine)
{
  return sonde_session_request_histogram (machine_word (machine));
}

static SondeSessionRequest *
make_tensor (Machine *machine)
{
  static const char *const slices[] = { "", "", "[0]", "[0, 1:]", "[9]", "[", "[::-1]" };
  g_autofree char *name = g_strconcat (machine_word (machine), PICK (slices), NULL);

  return sonde_session_request_tensor (name);
}

static SondeSessionRequest *
make_save (Machine *machine)
{
  g_autofree char *path = file_of (machine, machine_draw (machine, 4) == 0 ? "no/v.npy" : "v.npy");

  return sonde_session_request_save (machine_word (machine), path);
}

static SondeSessionRequest *
make_evaluate (Machine *machine)
{
  SondeSessionWant want = (SondeSessionWant) machine_draw (machine, SONDE_SESSION_WANT_CHECKED + 1);
  g_autofree char *path = file_of (machine, "v.npy");

  return sonde_session_request_evaluate (
      machine_draw (machine, 2) == 0 ? PICK (expressions) : machine_word (machine), want, path);
}

static SondeSessionRequest *
make_capture (Machine *machine)
{
  g_autofree char *path = file_of (machine, "c.sondecap");
  g_autoptr (GPtrArray) stops = g_ptr_array_new ();
  const char *const values[] = { machine_word (machine), NULL };

  return sonde_session_request_capture (path, values, stops);
}

/* ---- changing ------------------------------------------------------------ */

static SondeSessionRequest *
make_set (Machine *machine)
{
  static const char *const whats[]
      = { "0", "-1.5", "nan", "inf", "v0", "x * 2", "file:/nothing.npy", "1e99", "" };
  static const char *const slices[] = { "", "", "[0]", "[0, 0]", "[7]" };
  g_autofree char *target = g_strconcat (machine_word (machine), PICK (slices), NULL);

  return sonde_session_request_set (target, PICK (whats));
}

static SondeSessionRequest *
make_set_attribute (Machine *machine)
{
  static const char *const keys[] = { "axis", "keepdims", "to", "nothing", "body" };
  static const char *const values[] = { "0", "1", "-1", "[1, 1]", "text", "" };

  return sonde_session_request_set_attribute (machine_word (machine), PICK (keys), PICK (values));
}

static SondeSessionRequest *
make_bypass (Machine *machine)
{
  return sonde_session_request_bypass (machine_word (machine));
}

static SondeSessionRequest *
make_rerun (Machine *machine)
{
  static const char *const precisions[] = { NULL, NULL, "f64", "bf16", "f16", "f8" };
  static const char *const devices[] = { NULL, NULL, "reference", "cpu", "moon" };
  const SondeRerunOptions spec = { .node = machine_word (machine),
                                   .precision = PICK (precisions),
                                   .device = PICK (devices),
                                   .take = machine_draw (machine, 4) == 0 };

  return sonde_session_request_rerun (&spec);
}

static SondeSessionRequest *
make_branch (Machine *machine)
{
  static const char *const names[] = { NULL, "1", "2", "other", "main", "9" };

  return sonde_session_request_branch (
      (SondeBranchRequest) machine_draw (machine, SONDE_BRANCH_EDITS + 1), PICK (names));
}

static SondeSessionRequest *
make_diff (Machine *machine)
{
  static const char *const others[]
      = { NULL, "1", "2", "v0@1", "v1@prev", "file:/nothing.npy", "v1 + 1" };

  return sonde_session_request_diff (machine_draw (machine, 2) == 0 ? machine_word (machine) : "1",
                                     PICK (others));
}

/* ---- finding ------------------------------------------------------------- */

static SondeSessionRequest *
make_origin (Machine *machine)
{
  return sonde_session_request_origin (machine_word (machine));
}

static SondeSessionRequest *
make_reduce (Machine *machine)
{
  g_autofree char *path = file_of (machine, "m.onnx");

  return sonde_session_request_reduce (
      machine_draw (machine, 2) == 0 ? NULL : machine_word (machine), path);
}

static SondeSessionRequest *
make_diverge (Machine *machine)
{
  static const char *const devices[] = { NULL, "reference", "cpu", "moon" };
  static const char *const precisions[] = { NULL, "f64", "bf16", "f16", "f7" };
  const SondeDivergeRequest diverge
      = { .device = PICK (devices),
          .precision = PICK (precisions),
          .optimise_off = machine_draw (machine, 2) == 0,
          .threads = 1,
          .pattern = machine_draw (machine, 3) == 0 ? machine_word (machine) : NULL };

  return sonde_session_request_diverge (&diverge);
}

static SondeSessionRequest *
make_precision (Machine *machine)
{
  g_autofree char *path = file_of (machine, "recipe.toml");

  return sonde_session_request_precision (path, machine_draw (machine, 2) == 0 ? NULL : "f16",
                                          machine_draw (machine, 2) * 0.01, NULL);
}

static SondeSessionRequest *
make_profile_start (Machine *machine)
{
  static const double factors[] = { 0, 0, 1.5, -1, NAN };
  const SondeSpanLogOptions options
      = { .n_steps = machine_draw (machine, 3), .slower = PICK (factors) };

  return sonde_session_request_profile_start (&options);
}

static SondeSessionRequest *
make_profile_stop (Machine *machine)
{
  return sonde_session_request_profile_stop ();
}

static SondeSessionRequest *
make_profile_status (Machine *machine)
{
  return sonde_session_request_profile_status ();
}

static SondeSessionRequest *
make_profile_keep (Machine *machine)
{
  g_autofree char *path = file_of (machine, "profile");

  return sonde_session_request_profile_keep (path);
}

/* ---- the table ----------------------------------------------------------- */

const MachineRequest machine_requests[] = {
  { "status", make_status, 4, FALSE, FALSE, FALSE },
  { "open", make_open, 1, TRUE, FALSE, FALSE },
  { "control", make_control, 4, FALSE, FALSE, FALSE },
  { "resume", make_resume, 30, TRUE, FALSE, FALSE },
  { "pause", make_pause, 6, TRUE, FALSE, FALSE },
  { "restart", make_restart, 3, TRUE, FALSE, FALSE },
  { "go-back", make_go_back, 8, TRUE, FALSE, FALSE },
  { "rewind", make_rewind, 1, TRUE, FALSE, FALSE },
  { "add-breakpoint", make_add_breakpoint, 12, TRUE, FALSE, FALSE },
  { "remove", make_remove, 4, TRUE, FALSE, FALSE },
  { "enable", make_enable, 4, TRUE, FALSE, FALSE },
  { "ignore", make_ignore, 3, TRUE, FALSE, FALSE },
  { "list-breakpoints", make_list, 3, FALSE, FALSE, FALSE },
  { "add-watch", make_add_watch, 8, TRUE, FALSE, FALSE },
  { "list-watches", make_list_watches, 3, FALSE, FALSE, FALSE },
  { "list-hits", make_list_hits, 3, FALSE, FALSE, FALSE },
  { "recheck", make_recheck, 3, FALSE, FALSE, FALSE },
  { "graph", make_graph, 3, FALSE, FALSE, FALSE },
  { "listing", make_listing, 3, FALSE, FALSE, FALSE },
  { "steps", make_steps, 3, FALSE, FALSE, FALSE },
  { "values", make_values, 4, FALSE, FALSE, FALSE },
  { "frames", make_frames, 4, FALSE, FALSE, FALSE },
  { "select-frame", make_select_frame, 4, TRUE, FALSE, FALSE },
  { "statistics", make_statistics, 4, FALSE, TRUE, FALSE },
  { "histogram", make_histogram, 2, FALSE, TRUE, FALSE },
  { "tensor", make_tensor, 8, FALSE, TRUE, FALSE },
  { "save", make_save, 2, FALSE, TRUE, FALSE },
  { "evaluate", make_evaluate, 8, FALSE, TRUE, FALSE },
  { "capture", make_capture, 1, FALSE, FALSE, FALSE },
  { "set", make_set, 4, TRUE, FALSE, TRUE },
  { "attr", make_set_attribute, 3, TRUE, FALSE, TRUE },
  { "bypass", make_bypass, 2, TRUE, FALSE, TRUE },
  { "rerun", make_rerun, 4, TRUE, FALSE, TRUE },
  { "branch", make_branch, 4, FALSE, FALSE, TRUE },
  { "diff", make_diff, 4, FALSE, FALSE, FALSE },
  { "origin", make_origin, 3, FALSE, FALSE, FALSE },
  { "reduce", make_reduce, 1, FALSE, FALSE, FALSE },
  { "diverge", make_diverge, 2, TRUE, FALSE, FALSE },
  { "precision", make_precision, 1, TRUE, FALSE, FALSE },
  { "profile-start", make_profile_start, 3, TRUE, FALSE, FALSE },
  { "profile-stop", make_profile_stop, 2, TRUE, FALSE, FALSE },
  { "profile-keep", make_profile_keep, 1, TRUE, FALSE, FALSE },
  { "profile-status", make_profile_status, 3, FALSE, FALSE, FALSE },
};
const guint machine_n_requests = G_N_ELEMENTS (machine_requests);
