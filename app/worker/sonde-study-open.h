/* SPDX-License-Identifier: Apache-2.0
 * Opens studies as a person names them: a model file with pictures, or the folder of a run. */
#pragma once

#include "explain/study/sonde-study.h"

G_BEGIN_DECLS

/**
 * sonde_study_open_settings:
 * @program: path of `sonde`; @cache: (nullable): folder of all studies; @listener: (nullable)
 *
 * As sonde_study_open(), and settings->model may be a run folder: its final model, and where
 * settings->data is NULL the test part of its own data.
 */
SondeStudy *sonde_study_open_settings (const SondeExplanationSettings *settings,
                                       const char *program, const char *cache,
                                       const SondeStudyListener *listener, gboolean measure,
                                       GError **error);

G_END_DECLS
