/* SPDX-License-Identifier: Apache-2.0
 * The base page: content or empty state in a stack, holds, and what pages ask of the window. */
#include "app/widgets/sonde-page.h"

#include "data/base/sonde-text.h"

typedef struct
{
  SondeWorkspace *workspace;
  GtkStack *stack;
  AdwStatusPage *empty;
  GtkWidget *button;
  char *status;
  guint holds;
  gboolean opened, is_empty, set_up;
  char *empty_icon, *empty_title, *empty_sentence;
  SondeRun *elsewhere; /* (nullable): has what the chosen run lacks */
} SondePagePrivate;

enum
{
  PROP_0,
  PROP_WORKSPACE,
  PROP_CONTENT,
  PROP_STATUS,
  PROP_SETTLED,
  N_PROPERTIES
};

enum
{
  GO,
  N_SIGNALS
};

static GParamSpec *properties[N_PROPERTIES];
static guint signals[N_SIGNALS];

G_DEFINE_ABSTRACT_TYPE_WITH_PRIVATE (SondePage, sonde_page, ADW_TYPE_BIN)

/* ---- search matches ------------------------------------------------------ */

SondeSearchMatch *
sonde_search_match_new (const char *key, const char *title, const char *detail, int score)
{
  SondeSearchMatch *match = g_new0 (SondeSearchMatch, 1);

  match->key = g_strdup (key);
  match->title = g_strdup (title);
  match->detail = g_strdup (detail);
  match->score = score;
  return match;
}

void
sonde_search_match_free (SondeSearchMatch *match)
{
  if (match == NULL)
    return;
  g_free (match->key);
  g_free (match->title);
  g_free (match->detail);
  g_free (match);
}

int
sonde_search_score (const char *text, const char *query)
{
  g_autofree char *lower = g_utf8_strdown (text, -1);

  if (g_str_equal (lower, query))
    return 100;
  if (g_str_has_prefix (lower, query))
    return 50;
  return strstr (lower, query) != NULL ? 10 : 0;
}

/* ---- empty state --------------------------------------------------------- */

static void
show_empty (SondePage *page)
{
  SondePagePrivate *priv = sonde_page_get_instance_private (page);
  gboolean loading = priv->workspace != NULL
                     && sonde_run_store_is_loading (sonde_workspace_get_store (priv->workspace));

  if (!priv->is_empty)
    return;
  adw_status_page_set_icon_name (priv->empty,
                                 loading ? "content-loading-symbolic" : priv->empty_icon);
  adw_status_page_set_title (priv->empty, loading ? _ ("Loading…") : priv->empty_title);
  adw_status_page_set_description (priv->empty, loading ? NULL : priv->empty_sentence);
  gtk_widget_set_visible (
      priv->button, !loading && gtk_actionable_get_action_name (GTK_ACTIONABLE (priv->button)));
  gtk_stack_set_visible_child_name (priv->stack, "empty");
}

/* The target before the name: a button in the window looks for the action at once, and one that
 * wants a parameter must find it. */
static void
set_action (GtkActionable *button, const char *detailed)
{
  g_autofree char *name = NULL;
  g_autoptr (GVariant) target = NULL;

  if (!g_action_parse_detailed_name (detailed, &name, &target, NULL))
    g_return_if_reached ();
  gtk_actionable_set_action_name (button, NULL);
  gtk_actionable_set_action_target_value (button, target);
  gtk_actionable_set_action_name (button, name);
}

void
sonde_page_set_empty (SondePage *page, const char *icon, const char *title, const char *sentence,
                      const char *button, const char *action)
{
  SondePagePrivate *priv = sonde_page_get_instance_private (page);

  g_return_if_fail (SONDE_IS_PAGE (page));
  g_free (priv->empty_icon);
  g_free (priv->empty_title);
  g_free (priv->empty_sentence);
  priv->empty_icon = g_strdup (icon);
  priv->empty_title = g_markup_escape_text (title, -1);
  priv->empty_sentence = g_markup_escape_text (sentence, -1);
  gtk_button_set_label (GTK_BUTTON (priv->button), button != NULL ? button : "");
  if (action != NULL)
    set_action (GTK_ACTIONABLE (priv->button), action);
  else
    gtk_actionable_set_action_name (GTK_ACTIONABLE (priv->button), NULL);
  priv->is_empty = TRUE;
  show_empty (page);
}

void
sonde_page_set_empty_of_run (SondePage *page, const SondeRecordKind *kinds, guint n_kinds,
                             const char *icon, const char *title, const char *sentence,
                             const char *button, const char *action)
{
  SondePagePrivate *priv = sonde_page_get_instance_private (page);
  g_autoptr (SondeRun) run = sonde_workspace_dup_run_with (priv->workspace, kinds, n_kinds);
  g_autofree char *more = NULL, *label = NULL, *show = NULL;

  g_set_object (&priv->elsewhere, run);
  if (run == NULL)
    {
      sonde_page_set_empty (page, icon, title, sentence, button, action);
      return;
    }
  if (priv->opened && sonde_workspace_prefer_run (priv->workspace, run))
    return;
  more = g_strdup_printf (_ ("%s The run “%s” has some."), sentence,
                          sonde_workspace_get_run_title (priv->workspace, run));
  label = g_strdup_printf (_ ("Show “%s”"), sonde_workspace_get_run_title (priv->workspace, run));
  show = g_strdup_printf ("win.show-run::%s", sonde_run_get_path (run));
  sonde_page_set_empty (page, icon, title, more, label, show);
}

gboolean
sonde_page_set_empty_of_broken_model (SondePage *page)
{
  SondeOpenedModel *model = sonde_workspace_get_model (sonde_page_get_workspace (page));

  if (model == NULL || sonde_opened_model_get_state (model) != SONDE_OPENED_MODEL_FAILED)
    return FALSE;
  sonde_page_set_empty (page, "dialog-warning-symbolic", _ ("Model Not Readable"),
                        sonde_opened_model_get_problem (model), _ ("Open Another File…"),
                        "win.open-file");
  return TRUE;
}

/* The window was opened on a model and holds no run. */
static void
set_empty_beside_model (SondePage *page, SondeOpenedModel *model)
{
  g_autofree char *name = g_path_get_basename (sonde_opened_model_get_path (model));
  g_autofree char *sentence = NULL;

  if (sonde_page_set_empty_of_broken_model (page))
    return;
  sentence = g_strdup_printf (_ ("“%s” is a model: this page shows what a run records. Train the "
                                 "model, or look at its graph."),
                              name);
  sonde_page_set_empty (page, "sonde-graph-symbolic", _ ("No Runs"), sentence, _ ("Show the Graph"),
                        "win.page::graph");
}

void
sonde_page_set_empty_without_runs (SondePage *page)
{
  SondeWorkspace *workspace = sonde_page_get_workspace (page);
  SondeOpenedModel *model = sonde_workspace_get_model (workspace);
  GPtrArray *problems = sonde_run_store_get_problems (sonde_workspace_get_store (workspace));
  const char *path = sonde_workspace_get_paths (workspace)[0];
  const char *missing = sonde_workspace_get_missing_path (workspace);
  g_autofree char *sentence = NULL;

  if (path == NULL)
    sonde_page_set_empty (
        page, "org.sonde.Sonde", _ ("See Inside a Network"),
        _ ("Open a folder that a training writes to, or start “sonde train lenet”."),
        _ ("Open a Folder…"), "win.open");
  else if (problems->len > 0)
    sonde_page_set_empty (page, "dialog-warning-symbolic", _ ("Nothing Readable"),
                          problems->pdata[0], _ ("Open Another Folder…"), "win.open");
  else if (missing != NULL)
    {
      sentence = g_strdup_printf (
          _ ("“%s” does not exist. Runs appear here automatically when a training creates it."),
          missing);
      sonde_page_set_empty (page, "dialog-warning-symbolic", _ ("Path Not Found"), sentence,
                            _ ("Open Another Folder…"), "win.open");
    }
  else if (model != NULL)
    set_empty_beside_model (page, model);
  else
    {
      sentence
          = g_strdup_printf (_ ("No runs in “%s” yet. New runs appear here automatically."), path);
      sonde_page_set_empty (page, "folder-symbolic", _ ("No Runs Yet"), sentence,
                            _ ("Open Another Folder…"), "win.open");
    }
}

void
sonde_page_set_filled (SondePage *page)
{
  SondePagePrivate *priv = sonde_page_get_instance_private (page);

  g_return_if_fail (SONDE_IS_PAGE (page));
  g_clear_object (&priv->elsewhere);
  priv->is_empty = FALSE;
  if (gtk_stack_get_child_by_name (priv->stack, "content") != NULL)
    gtk_stack_set_visible_child_name (priv->stack, "content");
}

void
sonde_page_set_content (SondePage *page, GtkWidget *content)
{
  SondePagePrivate *priv = sonde_page_get_instance_private (page);
  GtkWidget *old;

  g_return_if_fail (SONDE_IS_PAGE (page));
  old = gtk_stack_get_child_by_name (priv->stack, "content");
  if (old != NULL)
    gtk_stack_remove (priv->stack, old);
  if (content != NULL)
    gtk_stack_add_named (priv->stack, content, "content");
  if (content != NULL && !priv->is_empty)
    gtk_stack_set_visible_child_name (priv->stack, "content");
}

/* ---- settled ------------------------------------------------------------- */

gboolean
sonde_page_is_settled (SondePage *page)
{
  SondePagePrivate *priv = sonde_page_get_instance_private (page);

  g_return_val_if_fail (SONDE_IS_PAGE (page), TRUE);
  if (priv->holds > 0 || sonde_run_store_is_loading (sonde_workspace_get_store (priv->workspace)))
    return FALSE;
  return SONDE_PAGE_GET_CLASS (page)->is_settled == NULL
         || SONDE_PAGE_GET_CLASS (page)->is_settled (page);
}

void
sonde_page_settled_changed (SondePage *page)
{
  g_return_if_fail (SONDE_IS_PAGE (page));
  show_empty (page);
  g_object_notify_by_pspec (G_OBJECT (page), properties[PROP_SETTLED]);
}

void
sonde_page_hold (SondePage *page)
{
  SondePagePrivate *priv = sonde_page_get_instance_private (page);

  g_return_if_fail (SONDE_IS_PAGE (page));
  if (priv->holds++ == 0)
    sonde_page_settled_changed (page);
}

void
sonde_page_release (SondePage *page)
{
  SondePagePrivate *priv = sonde_page_get_instance_private (page);

  g_return_if_fail (SONDE_IS_PAGE (page) && priv->holds > 0);
  if (--priv->holds == 0)
    sonde_page_settled_changed (page);
}

/* ---- what a page is given and asks for ----------------------------------- */

SondeWorkspace *
sonde_page_get_workspace (SondePage *page)
{
  SondePagePrivate *priv = sonde_page_get_instance_private (page);

  g_return_val_if_fail (SONDE_IS_PAGE (page), NULL);
  return priv->workspace;
}

SondeRunStore *
sonde_page_get_store (SondePage *page)
{
  return sonde_workspace_get_store (sonde_page_get_workspace (page));
}

SondeStepCursor *
sonde_page_get_cursor (SondePage *page)
{
  return sonde_workspace_get_cursor (sonde_page_get_workspace (page));
}

gboolean
sonde_page_is_opened (SondePage *page)
{
  SondePagePrivate *priv = sonde_page_get_instance_private (page);

  g_return_val_if_fail (SONDE_IS_PAGE (page), FALSE);
  return priv->opened;
}

void
sonde_page_set_status (SondePage *page, const char *status)
{
  SondePagePrivate *priv = sonde_page_get_instance_private (page);

  g_return_if_fail (SONDE_IS_PAGE (page));
  if (g_strcmp0 (status, priv->status) == 0)
    return;
  g_free (priv->status);
  priv->status = g_strdup (status);
  g_object_notify_by_pspec (G_OBJECT (page), properties[PROP_STATUS]);
}

const char *
sonde_page_get_status (SondePage *page)
{
  SondePagePrivate *priv = sonde_page_get_instance_private (page);

  g_return_val_if_fail (SONDE_IS_PAGE (page), NULL);
  return priv->status;
}

void
sonde_page_go (SondePage *page, const char *name, const SondePageRequest *request)
{
  g_return_if_fail (SONDE_IS_PAGE (page));
  g_signal_emit (page, signals[GO], 0, name, request);
}

void
sonde_page_toast (SondePage *page, const char *sentence)
{
  sonde_workspace_report (sonde_page_get_workspace (page), sentence);
}

void
sonde_page_open (SondePage *page, const SondePageRequest *request)
{
  SondePagePrivate *priv = sonde_page_get_instance_private (page);
  SondePageClass *class = SONDE_PAGE_GET_CLASS (page);

  g_return_if_fail (SONDE_IS_PAGE (page));
  if (!priv->opened)
    {
      priv->opened = TRUE;
      if (priv->elsewhere != NULL)
        sonde_workspace_prefer_run (priv->workspace, priv->elsewhere);
      if (class->opened != NULL)
        class->opened (page);
    }
  if (request != NULL && class->show != NULL)
    class->show (page, request);
}

void
sonde_page_close (SondePage *page)
{
  SondePagePrivate *priv = sonde_page_get_instance_private (page);

  g_return_if_fail (SONDE_IS_PAGE (page));
  if (!priv->opened)
    return;
  priv->opened = FALSE;
  if (SONDE_PAGE_GET_CLASS (page)->closed != NULL)
    SONDE_PAGE_GET_CLASS (page)->closed (page);
}

void
sonde_page_search (SondePage *page, const char *query, GPtrArray *matches)
{
  g_return_if_fail (SONDE_IS_PAGE (page));
  if (SONDE_PAGE_GET_CLASS (page)->search != NULL)
    SONDE_PAGE_GET_CLASS (page)->search (page, query, matches);
}

/* ---- object -------------------------------------------------------------- */

static void
sonde_page_get_property (GObject *object, guint id, GValue *value, GParamSpec *pspec)
{
  SondePage *page = SONDE_PAGE (object);
  SondePagePrivate *priv = sonde_page_get_instance_private (page);

  if (id == PROP_WORKSPACE)
    g_value_set_object (value, priv->workspace);
  else if (id == PROP_CONTENT)
    g_value_set_object (value, gtk_stack_get_child_by_name (priv->stack, "content"));
  else if (id == PROP_STATUS)
    g_value_set_string (value, priv->status);
  else if (id == PROP_SETTLED)
    g_value_set_boolean (value, sonde_page_is_settled (page));
  else
    G_OBJECT_WARN_INVALID_PROPERTY_ID (object, id, pspec);
}

static void
sonde_page_set_property (GObject *object, guint id, const GValue *value, GParamSpec *pspec)
{
  SondePage *page = SONDE_PAGE (object);
  SondePagePrivate *priv = sonde_page_get_instance_private (page);

  if (id == PROP_WORKSPACE)
    priv->workspace = g_value_dup_object (value);
  else if (id == PROP_CONTENT)
    sonde_page_set_content (page, g_value_get_object (value));
  else if (id == PROP_STATUS)
    sonde_page_set_status (page, g_value_get_string (value));
  else
    G_OBJECT_WARN_INVALID_PROPERTY_ID (object, id, pspec);
}

static void
sonde_page_constructed (GObject *object)
{
  SondePage *page = SONDE_PAGE (object);

  G_OBJECT_CLASS (sonde_page_parent_class)->constructed (object);
  if (SONDE_PAGE_GET_CLASS (page)->set_up != NULL && sonde_page_get_workspace (page) != NULL)
    SONDE_PAGE_GET_CLASS (page)->set_up (page);
}

static void
sonde_page_dispose (GObject *object)
{
  SondePagePrivate *priv = sonde_page_get_instance_private (SONDE_PAGE (object));

  G_OBJECT_CLASS (sonde_page_parent_class)->dispose (object);
  g_clear_object (&priv->elsewhere);
  g_clear_object (&priv->workspace);
}

static void
sonde_page_finalize (GObject *object)
{
  SondePagePrivate *priv = sonde_page_get_instance_private (SONDE_PAGE (object));

  g_free (priv->status);
  g_free (priv->empty_icon);
  g_free (priv->empty_title);
  g_free (priv->empty_sentence);
  G_OBJECT_CLASS (sonde_page_parent_class)->finalize (object);
}

static void
sonde_page_class_init (SondePageClass *klass)
{
  GObjectClass *object_class = G_OBJECT_CLASS (klass);

  object_class->constructed = sonde_page_constructed;
  object_class->dispose = sonde_page_dispose;
  object_class->finalize = sonde_page_finalize;
  object_class->get_property = sonde_page_get_property;
  object_class->set_property = sonde_page_set_property;

  properties[PROP_WORKSPACE]
      = g_param_spec_object ("workspace", NULL, NULL, SONDE_TYPE_WORKSPACE,
                             G_PARAM_READWRITE | G_PARAM_CONSTRUCT_ONLY | G_PARAM_STATIC_STRINGS);
  properties[PROP_CONTENT] = g_param_spec_object ("content", NULL, NULL, GTK_TYPE_WIDGET,
                                                  G_PARAM_READWRITE | G_PARAM_STATIC_STRINGS);
  properties[PROP_STATUS]
      = g_param_spec_string ("status", NULL, NULL, NULL,
                             G_PARAM_READWRITE | G_PARAM_EXPLICIT_NOTIFY | G_PARAM_STATIC_STRINGS);
  properties[PROP_SETTLED] = g_param_spec_boolean ("settled", NULL, NULL, FALSE,
                                                   G_PARAM_READABLE | G_PARAM_STATIC_STRINGS);
  g_object_class_install_properties (object_class, N_PROPERTIES, properties);

  /* "go": the name of a page and a SondePageRequest or NULL */
  signals[GO] = g_signal_new ("go", G_TYPE_FROM_CLASS (klass), G_SIGNAL_RUN_LAST, 0, NULL, NULL,
                              NULL, G_TYPE_NONE, 2, G_TYPE_STRING, G_TYPE_POINTER);
}

static void
sonde_page_init (SondePage *page)
{
  SondePagePrivate *priv = sonde_page_get_instance_private (page);

  priv->stack = GTK_STACK (gtk_stack_new ());
  priv->empty = ADW_STATUS_PAGE (adw_status_page_new ());
  priv->button = gtk_button_new ();
  gtk_widget_set_visible (priv->button, FALSE); /* until it says what it does */
  gtk_widget_set_halign (priv->button, GTK_ALIGN_CENTER);
  gtk_widget_add_css_class (priv->button, "pill");
  gtk_widget_add_css_class (priv->button, "suggested-action");
  adw_status_page_set_child (priv->empty, priv->button);
  gtk_stack_add_named (priv->stack, GTK_WIDGET (priv->empty), "empty");
  gtk_stack_set_hhomogeneous (priv->stack, FALSE);
  gtk_stack_set_vhomogeneous (priv->stack, FALSE);
  adw_bin_set_child (ADW_BIN (page), GTK_WIDGET (priv->stack));
}
