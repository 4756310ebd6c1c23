/* SPDX-License-Identifier: Apache-2.0
 * What GTK 4.8 forgets to allocate is allocated before the frame is painted.
 *
 * A child that gets its size while the widgets above it keep theirs (the border of a GtkPaned was moved) may make
 * a GtkScrolledWindow show or hide its bar. That asks for a new size from inside the allocation: widgets above are
 * marked, as far as one whose allocation is still going on; that one forgets the mark when it is done. Those below
 * it stay marked, are not reached by later requests, and are left out of the picture, with the warning “Trying to
 * snapshot … without a current allocation”. The guard asks again for all of them, in the same frame. */
#pragma once

#include <gtk/gtk.h>

G_BEGIN_DECLS

/* Guards what stands in @window, as long as it lives. */
void sonde_layout_guard_add (GtkWindow *window);

G_END_DECLS
