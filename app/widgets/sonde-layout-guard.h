/* SPDX-License-Identifier: Apache-2.0
 * What GTK 4.8 forgets to allocate is allocated before the frame is painted.
 *
 * A child that gets its size while the widgets above it keep theirs (the border of a GtkPaned was moved) may make
 * a GtkScrolledWindow show or hide its bar. That asks for a new size from inside the allocation: widgets above are
 * marked, as far as one whose allocation is still going on; that one forgets the mark when it is done. Those below
 * it stay marked, are not reached by later requests, and are left out of the picture, with the warning “Trying to
 * snapshot … without a current allocation”. The guard asks again for all of them, in the same frame.
 *
 * A GtkTextView whose text changed within a frame measures it when it is painted, and tells its GtkScrolledWindow
 * then: the bars, which are painted next, have lost their places, with the same warning. The guard has changed texts
 * measured before the layout. */
#pragma once

#include <gtk/gtk.h>

G_BEGIN_DECLS

/* Guards all windows of the program, those that are there and those that come, from now on; once is enough. */
void sonde_layout_guard_start (void);

G_END_DECLS
