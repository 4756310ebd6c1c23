/* SPDX-License-Identifier: Apache-2.0 */
#include "app/widgets/sonde-choice.h"

struct _SondeChoice
{
  GObject parent_instance;
  char *name, *title, *reason;
};

enum
{
  PROP_0,
  PROP_TITLE,
  PROP_REASON,
  N_PROPS
};

static GParamSpec *properties[N_PROPS];

G_DEFINE_FINAL_TYPE (SondeChoice, sonde_choice, G_TYPE_OBJECT)

/* ---- entries ------------------------------------------------------------- */

SondeChoice *
sonde_choice_new (const char *name, const char *title)
{
  SondeChoice *choice = g_object_new (SONDE_TYPE_CHOICE, NULL);

  choice->name = g_strdup (name);
  choice->title = g_strdup (title);
  return choice;
}

const char *
sonde_choice_get_name (SondeChoice *choice)
{
  return choice->name;
}

const char *
sonde_choice_get_reason (SondeChoice *choice)
{
  return choice->reason;
}

void
sonde_choice_set_reason (SondeChoice *choice, const char *reason)
{
  g_return_if_fail (SONDE_IS_CHOICE (choice));
  if (g_strcmp0 (choice->reason, reason) == 0)
    return;
  g_free (choice->reason);
  choice->reason = g_strdup (reason);
  g_object_notify_by_pspec (G_OBJECT (choice), properties[PROP_REASON]);
}

guint
sonde_choice_find (GListModel *model, const char *name)
{
  for (guint i = 0; i < g_list_model_get_n_items (model); i++)
    {
      g_autoptr (SondeChoice) choice = g_list_model_get_item (model, i);

      if (g_str_equal (choice->name, name))
        return i;
    }
  return GTK_INVALID_LIST_POSITION;
}

/* ---- rows of the list ---------------------------------------------------- */

static void
update_row (GtkListItem *item)
{
  SondeChoice *choice = gtk_list_item_get_item (item);
  GtkWidget *row = gtk_list_item_get_child (item);
  GtkWidget *label = gtk_widget_get_first_child (row), *mark = gtk_widget_get_last_child (row);
  GtkDropDown *drop_down = g_object_get_data (G_OBJECT (item), "drop-down");

  if (choice == NULL)
    return;
  gtk_label_set_text (GTK_LABEL (label), choice->title);
  gtk_widget_set_opacity (mark,
                          gtk_drop_down_get_selected_item (drop_down) == (gpointer) choice ? 1 : 0);
  gtk_widget_set_sensitive (label, choice->reason == NULL);
  gtk_widget_set_tooltip_text (row, choice->reason);
  gtk_list_item_set_activatable (item, choice->reason == NULL);
  gtk_list_item_set_selectable (item, choice->reason == NULL);
}

static void
on_setup (GtkSignalListItemFactory *factory, GtkListItem *item, GtkDropDown *drop_down)
{
  GtkWidget *row = gtk_box_new (GTK_ORIENTATION_HORIZONTAL, 6);
  GtkWidget *label = gtk_label_new (NULL),
            *mark = gtk_image_new_from_icon_name ("object-select-symbolic");

  gtk_label_set_xalign (GTK_LABEL (label), 0);
  gtk_widget_set_hexpand (label, TRUE);
  gtk_box_append (GTK_BOX (row), label);
  gtk_box_append (GTK_BOX (row), mark);
  gtk_list_item_set_child (item, row);
  g_object_set_data (G_OBJECT (item), "drop-down", drop_down);
  g_signal_connect_object (drop_down, "notify::selected-item", G_CALLBACK (update_row), item,
                           G_CONNECT_SWAPPED);
}

static void
on_bind (GtkSignalListItemFactory *factory, GtkListItem *item)
{
  g_signal_connect_object (gtk_list_item_get_item (item), "notify::reason", G_CALLBACK (update_row),
                           item, G_CONNECT_SWAPPED);
  update_row (item);
}

static void
on_unbind (GtkSignalListItemFactory *factory, GtkListItem *item)
{
  g_signal_handlers_disconnect_by_func (gtk_list_item_get_item (item), update_row, item);
}

void
sonde_choice_set_up (GtkDropDown *drop_down, GListModel *model)
{
  g_autoptr (GtkListItemFactory) factory = gtk_signal_list_item_factory_new ();
  g_autoptr (GtkExpression) title = gtk_property_expression_new (SONDE_TYPE_CHOICE, NULL, "title");

  g_signal_connect_object (factory, "setup", G_CALLBACK (on_setup), drop_down, 0);
  g_signal_connect (factory, "bind", G_CALLBACK (on_bind), NULL);
  g_signal_connect (factory, "unbind", G_CALLBACK (on_unbind), NULL);
  gtk_drop_down_set_expression (drop_down, title);
  gtk_drop_down_set_list_factory (drop_down, factory);
  gtk_drop_down_set_model (drop_down, model);
}

/* ---- class --------------------------------------------------------------- */

static void
sonde_choice_get_property (GObject *object, guint id, GValue *value, GParamSpec *pspec)
{
  SondeChoice *choice = SONDE_CHOICE (object);

  switch (id)
    {
    case PROP_TITLE:
      g_value_set_string (value, choice->title);
      break;
    case PROP_REASON:
      g_value_set_string (value, choice->reason);
      break;
    default:
      G_OBJECT_WARN_INVALID_PROPERTY_ID (object, id, pspec);
    }
}

static void
sonde_choice_finalize (GObject *object)
{
  SondeChoice *choice = SONDE_CHOICE (object);

  g_free (choice->name);
  g_free (choice->title);
  g_free (choice->reason);
  G_OBJECT_CLASS (sonde_choice_parent_class)->finalize (object);
}

static void
sonde_choice_class_init (SondeChoiceClass *klass)
{
  GObjectClass *object_class = G_OBJECT_CLASS (klass);

  object_class->get_property = sonde_choice_get_property;
  object_class->finalize = sonde_choice_finalize;
  properties[PROP_TITLE]
      = g_param_spec_string ("title", NULL, NULL, NULL, G_PARAM_READABLE | G_PARAM_STATIC_STRINGS);
  properties[PROP_REASON]
      = g_param_spec_string ("reason", NULL, NULL, NULL, G_PARAM_READABLE | G_PARAM_STATIC_STRINGS);
  g_object_class_install_properties (object_class, N_PROPS, properties);
}

static void
sonde_choice_init (SondeChoice *choice)
{
}
