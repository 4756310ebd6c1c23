/* SPDX-License-Identifier: Apache-2.0 */
#include "viewers/paint/sonde-strong-theme.h"

static SondeTheme
make_theme (gboolean dark)
{
  SondeTheme theme = *sonde_theme_get (dark);
  const double ink = dark ? 1 : 0;

  theme.foreground = theme.dim = theme.crosshair = (SondeColor){ ink, ink, ink, 1 };
  theme.grid = sonde_color_mix (&theme.grid, &theme.foreground, 0.25);
  theme.axis = sonde_color_mix (&theme.axis, &theme.foreground, 0.6);
  theme.zero = sonde_color_mix (&theme.zero, &theme.foreground, 0.6);
  return theme;
}

const SondeTheme *
sonde_strong_theme_get (gboolean dark)
{
  static SondeTheme themes[2];
  static gsize made;

  if (g_once_init_enter (&made))
    {
      themes[0] = make_theme (FALSE);
      themes[1] = make_theme (TRUE);
      g_once_init_leave (&made, 1);
    }
  return &themes[dark ? 1 : 0];
}
