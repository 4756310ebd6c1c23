# SPDX-License-Identifier: Apache-2.0
"""Where files go that nobody named: a run of the session's own in the folder where the program runs."""
import os
import re
import time


def of_run(session, kind, name):
    """runs/DATE_TITLE/KIND/NAME, absolute; its folders are there then."""
    if session.run is None:
        title = re.sub(r"[^\w.-]+", "-", session.title()).strip("-.") or "session"
        session.run = os.path.abspath(os.path.join("runs", "%s_%s" % (time.strftime("%Y-%m-%d_%H-%M-%S"), title)))
    folder = os.path.join(session.run, kind)
    os.makedirs(folder, exist_ok=True)
    return os.path.join(folder, name)
