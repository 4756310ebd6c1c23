/* SPDX-License-Identifier: Apache-2.0 */
#include "app/sonde-state-chip.h"

#include "app/widgets/sonde-tooltip.h"
#include "data/base/sonde-format.h"
#include "data/base/sonde-text.h"
#include "viewers/sonde-badge.h"

#define RESOURCE "/org/sonde/Sonde/sonde-state-chip.ui"

struct _SondeStateChip
{
  GtkBox parent_instance;

  SondeWorkspace *workspace;
  SondeBadge *mark;
  GtkLabel *label;
};

G_DEFINE_FINAL_TYPE (SondeStateChip, sonde_state_chip, GTK_TYPE_BOX)

/* Those that are being written, but for one that the debugger holds. (transfer full) */
static char *
describe_runs (SondeWorkspace *workspace, guint *n_running)
{
  guint n = g_list_model_get_n_items (G_LIST_MODEL (sonde_workspace_get_store (workspace)));
  g_autofree char *all = NULL;

  *n_running = sonde_workspace_count_running (workspace);
  if (*n_running > 0)
    {
      g_autofree char *count = sonde_format_count (*n_running);

      return g_strdup_printf (P_ ("%s live run", "%s live runs", *n_running), count);
    }
  all = sonde_format_count (n);
  return n == 0 ? g_strdup (_ ("No runs")) : g_strdup_printf (P_ ("%s run", "%s runs", n), all);
}

static SondeState
mark_of_session (const SondeSessionStatus *status)
{
  if (status->state == SONDE_SESSION_RUNNING)
    return SONDE_STATE_RUNNING;
  return status->state == SONDE_SESSION_ENDED ? SONDE_STATE_IDLE : SONDE_STATE_PAUSED;
}

static void
update (SondeStateChip *chip)
{
  SondeSessionRun *session = sonde_workspace_get_session_run (chip->workspace);
  const SondeSessionStatus *status
      = session != NULL ? sonde_session_run_get_status (session) : NULL;
  guint n_running;
  g_autofree char *runs = describe_runs (chip->workspace, &n_running), *text = NULL;

  if (status == NULL)
    {
      gtk_label_set_label (chip->label, runs);
      sonde_badge_set_state (chip->mark, n_running > 0 ? SONDE_STATE_RUNNING : SONDE_STATE_IDLE);
      sonde_set_tooltip (GTK_WIDGET (chip), NULL);
      return;
    }
  text = sonde_session_run_dup_text (session);
  gtk_label_set_label (chip->label, text);
  sonde_badge_set_state (chip->mark, mark_of_session (status));
  sonde_set_tooltip (GTK_WIDGET (chip), runs);
}

void
sonde_state_chip_set_workspace (SondeStateChip *chip, SondeWorkspace *workspace)
{
  g_return_if_fail (SONDE_IS_STATE_CHIP (chip) && chip->workspace == NULL);
  chip->workspace = g_object_ref (workspace);
  g_signal_connect_object (workspace, "changed", G_CALLBACK (update), chip, G_CONNECT_SWAPPED);
  g_signal_connect_object (workspace, "session-changed", G_CALLBACK (update), chip,
                           G_CONNECT_SWAPPED);
  update (chip);
}

static void
sonde_state_chip_dispose (GObject *object)
{
  SondeStateChip *chip = SONDE_STATE_CHIP (object);

  gtk_widget_dispose_template (GTK_WIDGET (chip), SONDE_TYPE_STATE_CHIP);
  g_clear_object (&chip->workspace);
  G_OBJECT_CLASS (sonde_state_chip_parent_class)->dispose (object);
}

static void
sonde_state_chip_class_init (SondeStateChipClass *klass)
{
  GtkWidgetClass *widget_class = GTK_WIDGET_CLASS (klass);

  G_OBJECT_CLASS (klass)->dispose = sonde_state_chip_dispose;
  g_type_ensure (SONDE_TYPE_BADGE);
  gtk_widget_class_set_template_from_resource (widget_class, RESOURCE);
  gtk_widget_class_bind_template_child (widget_class, SondeStateChip, mark);
  gtk_widget_class_bind_template_child (widget_class, SondeStateChip, label);
}

static void
sonde_state_chip_init (SondeStateChip *chip)
{
  gtk_widget_init_template (GTK_WIDGET (chip));
}
