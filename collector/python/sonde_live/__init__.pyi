# SPDX-License-Identifier: Apache-2.0
from sonde import *
from sonde import DISTRIBUTION as DISTRIBUTION
from sonde import __version__ as __version__
