/* SPDX-License-Identifier: Apache-2.0
 * The table of what can be done. */
#include "app/debugger/sonde-debug-actions.h"

#include "data/base/sonde-text.h"

struct _SondeDebugActions
{
  GObject parent_instance;

  SondeDebugSession *session;
  GSimpleActionGroup *group;
  gboolean started, has_subject;
  SondeDebugFind find_profile; /* (nullable) */
  gpointer profile_data;
};

G_DEFINE_FINAL_TYPE (SondeDebugActions, sonde_debug_actions, G_TYPE_OBJECT)

enum
{
  ASKED,
  UPDATED,
  N_SIGNALS
};

static guint signals[N_SIGNALS];

/* What must hold. */
typedef enum
{
  NEEDS_PAUSE = 1 << 0,    /* it stands somewhere, before the end */
  NEEDS_POSITION = 1 << 1, /* it stands somewhere, or is over */
  NEEDS_RUNNING = 1 << 2,
  NEEDS_CONTROL = 1 << 3,
  NEEDS_STARTED = 1 << 4,
  NEEDS_SUBJECT = 1 << 5, /* an inference that was opened here */
  NEEDS_TRAINING = 1 << 6,
  NEEDS_BEGUN = 1 << 7,   /* something has run */
  NEEDS_PROFILE = 1 << 8, /* the profile that the window shows has the node */
  NEEDS_OWN = 1 << 9,     /* the graph is the engine's, and not PyTorch's */
} Needs;

typedef void (*Do) (SondeDebugSession *session, const char *node);

/**
 * Row: one action
 * @title: message id; @word: (nullable): the same in a word, for a button
 * @resume: SondeResumeKind; NO_RESUME for others
 * @act: (nullable): what it does with the node that is looked at; NULL with NO_RESUME: "asked" is
 * emitted
 */
typedef struct
{
  const char *name, *title, *word;
  guint key;
  GdkModifierType modifiers;
  Needs needs;
  int resume;
  Do act;
} Row;

#define NO_RESUME (-1)
#define GO (NEEDS_CONTROL | NEEDS_PAUSE)
#define GO_BACK (NEEDS_CONTROL | NEEDS_POSITION | NEEDS_BEGUN)

/* ---- what they do -------------------------------------------------------- */

static void
do_pause (SondeDebugSession *session, const char *node)
{
  sonde_debug_session_pause (session);
}

static void
do_restart (SondeDebugSession *session, const char *node)
{
  sonde_debug_session_restart (session);
}

static void
do_back (SondeDebugSession *session, const char *node)
{
  const SondeBack back = { .kind = SONDE_BACK_STEPS, .count = 1 };

  sonde_debug_session_go_back (session, &back);
}

static void
do_reverse (SondeDebugSession *session, const char *node)
{
  const SondeBack back = { .kind = SONDE_BACK_REVERSE };

  sonde_debug_session_go_back (session, &back);
}

static void
do_restart_node (SondeDebugSession *session, const char *node)
{
  const SondeBack back = { .kind = SONDE_BACK_NODE, .target = node };

  if (node != NULL)
    sonde_debug_session_go_back (session, &back);
}

static void
do_rewind (SondeDebugSession *session, const char *node)
{
  sonde_debug_session_rewind (session);
}

static void
do_breakpoint (SondeDebugSession *session, const char *node)
{
  if (node != NULL)
    sonde_debug_session_toggle_breakpoint (session, node);
}

static void
do_bypass (SondeDebugSession *session, const char *node)
{
  if (node != NULL)
    sonde_debug_session_bypass (session, node);
}

static void
do_branch (SondeDebugSession *session, const char *node)
{
  sonde_debug_session_branch (session, SONDE_BRANCH_MAKE, NULL);
}

static const Row rows[] = {
  { "continue", N_ ("Continue"), NC_ ("debugger button", "Continue"), GDK_KEY_F5, 0, GO,
    SONDE_RESUME_CONTINUE, NULL },
  { "pause", N_ ("Pause"), NC_ ("debugger button", "Pause"), GDK_KEY_F6, 0,
    NEEDS_CONTROL | NEEDS_RUNNING, NO_RESUME, do_pause },
  { "next", N_ ("Step Over (Scope)"), NC_ ("debugger button", "Over"), GDK_KEY_F10, 0, GO,
    SONDE_RESUME_NEXT, NULL },
  { "step", N_ ("Step Into"), NC_ ("debugger button", "Into"), GDK_KEY_F11, 0, GO,
    SONDE_RESUME_INTO, NULL },
  { "out", N_ ("Step Out"), NC_ ("debugger button", "Out"), GDK_KEY_F11, GDK_SHIFT_MASK, GO,
    SONDE_RESUME_OUT, NULL },
  { "back", N_ ("Step Back"), NC_ ("debugger button", "Back"), GDK_KEY_F10, GDK_SHIFT_MASK, GO_BACK,
    NO_RESUME, do_back },
  { "until", N_ ("Run to Selected Node"), NC_ ("debugger button", "Run To"), GDK_KEY_F10,
    GDK_CONTROL_MASK, GO, SONDE_RESUME_UNTIL, NULL },
  { "reverse", N_ ("Reverse Continue"), NULL, GDK_KEY_F5, GDK_ALT_MASK, GO_BACK, NO_RESUME,
    do_reverse },
  { "restart", N_ ("Restart"), NC_ ("debugger button", "Restart"), GDK_KEY_F5,
    GDK_CONTROL_MASK | GDK_SHIFT_MASK, NEEDS_CONTROL | NEEDS_POSITION, NO_RESUME, do_restart },
  { "restart-node", N_ ("Go Back to Selected Node"), NULL, 0, 0, GO_BACK, NO_RESUME,
    do_restart_node },
  { "rewind", N_ ("Rewind Training Step"), NULL, 0, 0,
    NEEDS_CONTROL | NEEDS_POSITION | NEEDS_TRAINING, NO_RESUME, do_rewind },
  { "breakpoint", N_ ("Toggle Breakpoint at Selected Node"), NC_ ("debugger button", "Breakpoint"),
    GDK_KEY_F9, 0, NEEDS_CONTROL, NO_RESUME, do_breakpoint },
  { "watch", N_ ("Add Watchpoint…"), NC_ ("debugger button", "Watch"), GDK_KEY_F9, GDK_CONTROL_MASK,
    NEEDS_CONTROL, NO_RESUME, NULL },
  { "go-to", N_ ("Go to Node…"), NULL, GDK_KEY_g, GDK_CONTROL_MASK, NEEDS_STARTED, NO_RESUME,
    NULL },
  { "bypass", N_ ("Bypass Selected Node"), NULL, 0, 0, GO | NEEDS_OWN, NO_RESUME, do_bypass },
  { "rerun", N_ ("Re-Run Node…"), NULL, 0, 0, GO_BACK | NEEDS_OWN, NO_RESUME, NULL },
  { "attr", N_ ("Edit Attributes of Selected Node…"), NULL, 0, 0, GO | NEEDS_OWN, NO_RESUME, NULL },
  { "branch", N_ ("Branch Here"), NULL, 0, 0, GO | NEEDS_OWN, NO_RESUME, do_branch },
  { "diff", N_ ("Compare Values or Branches…"), NULL, 0, 0, NEEDS_POSITION, NO_RESUME, NULL },
  { "origin", N_ ("Find Origin of NaN or Infinity…"), NULL, 0, 0, NEEDS_POSITION | NEEDS_BEGUN,
    NO_RESUME, NULL },
  { "diverge", N_ ("Find First Divergent Node…"), NULL, 0, 0, NEEDS_POSITION, NO_RESUME, NULL },
  { "reduce", N_ ("Find Minimal Failing Case…"), NULL, 0, 0, NEEDS_POSITION | NEEDS_OWN, NO_RESUME,
    NULL },
  { "precision", N_ ("Search for Mixed Precision…"), NULL, 0, 0, NEEDS_POSITION | NEEDS_OWN,
    NO_RESUME, NULL },
  { "to-profiler", N_ ("Show in Profiler"), NULL, 0, 0, NEEDS_PROFILE, NO_RESUME, NULL },
  { "input", N_ ("Choose Input File…"), NC_ ("debugger button", "Input…"), 0, 0,
    NEEDS_CONTROL | NEEDS_SUBJECT, NO_RESUME, NULL },
  { "random-input", N_ ("Use Random Input"), NULL, 0, 0, NEEDS_CONTROL | NEEDS_SUBJECT, NO_RESUME,
    NULL },
  { "end", N_ ("End Session"), NC_ ("debugger button", "End"), GDK_KEY_F5, GDK_SHIFT_MASK,
    NEEDS_STARTED, NO_RESUME, NULL },
};

static const Row *
find_row (const char *name)
{
  for (gsize i = 0; i < G_N_ELEMENTS (rows); i++)
    if (g_str_equal (rows[i].name, name))
      return &rows[i];
  return NULL;
}

/* ---- whether ------------------------------------------------------------- */

static gboolean
stands (const SondeSessionStatus *status)
{
  return status->state == SONDE_SESSION_PAUSED || status->state == SONDE_SESSION_READY;
}

/* Why not, as far as the session's state goes. (nullable) (static): a sentence */
static const char *
reason_of_state (SondeDebugActions *self, const SondeSessionStatus *status, Needs needs)
{
  gboolean has_position = stands (status) || status->state == SONDE_SESSION_ENDED;

  if ((needs & NEEDS_CONTROL) && !status->in_control)
    return _ ("Another client is in control.");
  if ((needs & NEEDS_RUNNING) && status->state != SONDE_SESSION_RUNNING)
    return _ ("The run is already paused or has ended.");
  if ((needs & (NEEDS_PAUSE | NEEDS_POSITION)) && status->state == SONDE_SESSION_RUNNING)
    return _ ("The run is in progress; press F6 to pause it.");
  if ((needs & NEEDS_PAUSE) && status->state == SONDE_SESSION_ENDED)
    return _ ("The run has ended; restart it first.");
  if ((needs & (NEEDS_PAUSE | NEEDS_POSITION)) && !has_position)
    return _ ("The session is still loading.");
  if ((needs & NEEDS_OWN) && status->facts.kind == SONDE_ACTIVITY_PYTORCH)
    return _ ("Not available here: the graph is PyTorch's.");
  if ((needs & NEEDS_TRAINING) && status->facts.kind != SONDE_ACTIVITY_TRAINING
      && status->facts.kind != SONDE_ACTIVITY_PYTORCH)
    return _ ("Only a training run can be rewound.");
  if ((needs & NEEDS_BEGUN) && status->state == SONDE_SESSION_READY)
    return _ ("No node has been executed yet.");
  if ((needs & NEEDS_SUBJECT)
      && (!self->has_subject || status->facts.kind != SONDE_ACTIVITY_INFERENCE))
    return _ ("Only a model opened in this window accepts another input.");
  return NULL;
}

/* The node that is looked at, else the one it stands before. */
static const char *
chosen_node (SondeDebugActions *self)
{
  const SondeSessionStatus *status = sonde_debug_session_get_status (self->session);
  guint focus = sonde_debug_session_get_focus (self->session);

  if (focus == SONDE_DEBUG_NO_STEP && status != NULL)
    focus = sonde_stop_get_outermost (&status->stop);
  return sonde_debug_steps_get_name (sonde_debug_session_get_steps (self->session), focus);
}

static gboolean
has_profile (SondeDebugActions *self)
{
  const char *node = chosen_node (self);

  return node != NULL && self->find_profile != NULL
         && self->find_profile (self->profile_data, node);
}

/* (transfer full) (nullable): NULL: it can be done */
static char *
dup_reason (SondeDebugActions *self, const Row *row)
{
  const SondeSessionStatus *status = sonde_debug_session_get_status (self->session);

  if (row->needs == NEEDS_STARTED ? !self->started : status == NULL)
    return g_strdup (_ ("Nothing is being debugged."));
  if (row->needs == NEEDS_STARTED)
    return NULL;
  if ((row->needs & NEEDS_PROFILE) && !has_profile (self))
    return g_strdup (_ ("The Profiler page shows no profile that has this node."));
  return g_strdup (reason_of_state (self, status, row->needs));
}

static void
update (SondeDebugActions *self)
{
  for (gsize i = 0; i < G_N_ELEMENTS (rows); i++)
    {
      g_autofree char *reason = dup_reason (self, &rows[i]);
      GAction *action = g_action_map_lookup_action (G_ACTION_MAP (self->group), rows[i].name);

      g_simple_action_set_enabled (G_SIMPLE_ACTION (action), reason == NULL);
    }
  g_signal_emit (self, signals[UPDATED], 0);
}

void
sonde_debug_actions_set_started (SondeDebugActions *actions, gboolean started, gboolean subject)
{
  actions->started = started;
  actions->has_subject = subject;
  update (actions);
}

gboolean
sonde_debug_actions_get_started (SondeDebugActions *actions)
{
  return actions->started;
}

void
sonde_debug_actions_set_profile (SondeDebugActions *actions, SondeDebugFind find, gpointer data)
{
  actions->find_profile = find;
  actions->profile_data = data;
  update (actions);
}

void
sonde_debug_actions_profile_changed (SondeDebugActions *actions)
{
  update (actions);
}

const char *
sonde_debug_actions_get_node (SondeDebugActions *actions)
{
  return chosen_node (actions);
}

const char *
sonde_debug_actions_get_title (const char *name)
{
  const Row *row = find_row (name);

  return row != NULL ? _ (row->title) : NULL;
}

const char *
sonde_debug_actions_get_word (const char *name)
{
  const Row *row = find_row (name);

  return row != NULL && row->word != NULL
             ? g_dpgettext2 (GETTEXT_PACKAGE, "debugger button", row->word)
             : NULL;
}

char *
sonde_debug_actions_dup_tooltip (SondeDebugActions *actions, const char *name)
{
  const Row *row = find_row (name);
  g_autofree char *key
      = row->key != 0 ? gtk_accelerator_get_label (row->key, row->modifiers) : NULL;
  g_autofree char *reason = dup_reason (actions, row), *title = NULL;

  /* Translators: an action and its key, as “Continue (F5)”. */
  title = key != NULL ? g_strdup_printf (_ ("%s (%s)"), _ (row->title), key)
                      : g_strdup (_ (row->title));
  return g_strjoin ("\n", title, reason, NULL);
}

/* ---- doing --------------------------------------------------------------- */

static void
do_row (SondeDebugActions *self, const Row *row)
{
  const char *node = chosen_node (self);

  if (row->resume >= 0)
    sonde_debug_session_resume (self->session, (SondeResumeKind) row->resume,
                                row->resume == SONDE_RESUME_UNTIL ? node : NULL);
  else if (row->act != NULL)
    row->act (self->session, node);
  else
    g_signal_emit (self, signals[ASKED], 0, row->name);
}

static void
on_activate (GSimpleAction *action, GVariant *parameter, gpointer data)
{
  do_row (data, find_row (g_action_get_name (G_ACTION (action))));
}

gboolean
sonde_debug_actions_press (SondeDebugActions *actions, guint key, GdkModifierType modifiers)
{
  guint lower = gdk_keyval_to_lower (key);

  for (gsize i = 0; i < G_N_ELEMENTS (rows); i++)
    if (rows[i].key != 0 && rows[i].key == lower && rows[i].modifiers == modifiers)
      {
        g_action_group_activate_action (G_ACTION_GROUP (actions->group), rows[i].name, NULL);
        return TRUE;
      }
  return FALSE;
}

char **
sonde_debug_actions_dup_keys (void)
{
  g_autoptr (GStrvBuilder) keys = g_strv_builder_new ();

  for (gsize i = 0; i < G_N_ELEMENTS (rows); i++)
    if (rows[i].key != 0)
      {
        g_autofree char *name = gtk_accelerator_name (rows[i].key, rows[i].modifiers);

        g_strv_builder_add (keys, name);
      }
  return g_strv_builder_end (keys);
}

GActionGroup *
sonde_debug_actions_get_group (SondeDebugActions *actions)
{
  return G_ACTION_GROUP (actions->group);
}

/* ---- class --------------------------------------------------------------- */

static void
sonde_debug_actions_dispose (GObject *object)
{
  SondeDebugActions *self = SONDE_DEBUG_ACTIONS (object);

  if (self->group != NULL)
    for (gsize i = 0; i < G_N_ELEMENTS (rows); i++)
      g_signal_handlers_disconnect_by_data (
          g_action_map_lookup_action (G_ACTION_MAP (self->group), rows[i].name), self);
  g_clear_object (&self->group);
  g_clear_object (&self->session);
  G_OBJECT_CLASS (sonde_debug_actions_parent_class)->dispose (object);
}

static void
sonde_debug_actions_class_init (SondeDebugActionsClass *klass)
{
  GType type = G_TYPE_FROM_CLASS (klass);

  G_OBJECT_CLASS (klass)->dispose = sonde_debug_actions_dispose;
  signals[ASKED] = g_signal_new ("asked", type, G_SIGNAL_RUN_LAST, 0, NULL, NULL, NULL, G_TYPE_NONE,
                                 1, G_TYPE_STRING);
  signals[UPDATED]
      = g_signal_new ("updated", type, G_SIGNAL_RUN_LAST, 0, NULL, NULL, NULL, G_TYPE_NONE, 0);
}

static void
sonde_debug_actions_init (SondeDebugActions *self)
{
  self->group = g_simple_action_group_new ();
  for (gsize i = 0; i < G_N_ELEMENTS (rows); i++)
    {
      g_autoptr (GSimpleAction) action = g_simple_action_new (rows[i].name, NULL);

      g_signal_connect (action, "activate", G_CALLBACK (on_activate), self);
      g_action_map_add_action (G_ACTION_MAP (self->group), G_ACTION (action));
    }
}

SondeDebugActions *
sonde_debug_actions_new (SondeDebugSession *session)
{
  SondeDebugActions *self = g_object_new (SONDE_TYPE_DEBUG_ACTIONS, NULL);

  self->session = g_object_ref (session);
  g_signal_connect_object (session, "changed", G_CALLBACK (update), self, G_CONNECT_SWAPPED);
  g_signal_connect_object (session, "over", G_CALLBACK (update), self, G_CONNECT_SWAPPED);
  /* whether the profile has the node that is looked at */
  g_signal_connect_object (session, "focus", G_CALLBACK (update), self, G_CONNECT_SWAPPED);
  update (self);
  return self;
}
