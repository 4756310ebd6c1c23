/* SPDX-License-Identifier: Apache-2.0
 * A folder that `sonde explain --output` wrote, as samples of the Explain page. */
#pragma once

#include "explain/recorded/sonde-explained-sample.h"
#include "data/explanations/sonde-explanation-folder.h"

G_BEGIN_DECLS

/* @folder: path; @read: what sonde_explanation_folder_read() found there,
 * which gives its samples away; @program: see
 * sonde_explained_files_new(). Any thread; neither maps nor images are read. (transfer full)
 * (element-type SondeExplainedSample): with their images where those files still exist */
GPtrArray *sonde_explained_folder_list (const char *folder, SondeExplanationFolder *read,
                                        const char *program);

G_END_DECLS
