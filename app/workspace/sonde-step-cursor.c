/* SPDX-License-Identifier: Apache-2.0 */
#include "app/workspace/sonde-step-cursor.h"

struct _SondeStepCursor
{
  GObject parent_instance;
  gint64 step, last;
  gboolean following;
};

enum
{
  PROP_0,
  PROP_STEP,
  PROP_FOLLOWING,
  N_PROPERTIES
};

static GParamSpec *properties[N_PROPERTIES];

G_DEFINE_FINAL_TYPE (SondeStepCursor, sonde_step_cursor, G_TYPE_OBJECT)

static void
move (SondeStepCursor *cursor, gint64 step, gboolean following)
{
  gboolean moved = cursor->step != step, mode = cursor->following != following;

  cursor->step = step;
  cursor->following = following;
  if (moved)
    g_object_notify_by_pspec (G_OBJECT (cursor), properties[PROP_STEP]);
  if (mode)
    g_object_notify_by_pspec (G_OBJECT (cursor), properties[PROP_FOLLOWING]);
}

gint64
sonde_step_cursor_get_step (SondeStepCursor *cursor)
{
  g_return_val_if_fail (SONDE_IS_STEP_CURSOR (cursor), 0);
  return cursor->step;
}

void
sonde_step_cursor_set_step (SondeStepCursor *cursor, gint64 step)
{
  g_return_if_fail (SONDE_IS_STEP_CURSOR (cursor));
  move (cursor, step, FALSE);
}

gboolean
sonde_step_cursor_is_following (SondeStepCursor *cursor)
{
  g_return_val_if_fail (SONDE_IS_STEP_CURSOR (cursor), FALSE);
  return cursor->following;
}

void
sonde_step_cursor_follow (SondeStepCursor *cursor)
{
  g_return_if_fail (SONDE_IS_STEP_CURSOR (cursor));
  move (cursor, cursor->last, TRUE);
}

void
sonde_step_cursor_set_last (SondeStepCursor *cursor, gint64 last)
{
  g_return_if_fail (SONDE_IS_STEP_CURSOR (cursor));
  cursor->last = last;
  if (cursor->following)
    move (cursor, last, TRUE);
}

static void
sonde_step_cursor_get_property (GObject *object, guint id, GValue *value, GParamSpec *pspec)
{
  SondeStepCursor *cursor = SONDE_STEP_CURSOR (object);

  if (id == PROP_STEP)
    g_value_set_int64 (value, cursor->step);
  else if (id == PROP_FOLLOWING)
    g_value_set_boolean (value, cursor->following);
  else
    G_OBJECT_WARN_INVALID_PROPERTY_ID (object, id, pspec);
}

static void
sonde_step_cursor_class_init (SondeStepCursorClass *klass)
{
  GObjectClass *object_class = G_OBJECT_CLASS (klass);

  object_class->get_property = sonde_step_cursor_get_property;
  properties[PROP_STEP] = g_param_spec_int64 ("step", NULL, NULL, G_MININT64, G_MAXINT64, 0,
                                              G_PARAM_READABLE | G_PARAM_STATIC_STRINGS);
  properties[PROP_FOLLOWING] = g_param_spec_boolean ("following", NULL, NULL, TRUE,
                                                     G_PARAM_READABLE | G_PARAM_STATIC_STRINGS);
  g_object_class_install_properties (object_class, N_PROPERTIES, properties);
}

static void
sonde_step_cursor_init (SondeStepCursor *cursor)
{
  cursor->following = TRUE;
}

SondeStepCursor *
sonde_step_cursor_new (void)
{
  return g_object_new (SONDE_TYPE_STEP_CURSOR, NULL);
}
