"""Results by name: from instants and states, however they came about, to positions, efforts, reactions and outputs.

In: a system's functions, instants, states and inputs. Out: descriptions of results, and their values. It does not know
how the motion came about: by a run, by kineto-statics, in a sweep or from a file.
"""

from cardan.channels.channels import Channels
from cardan.channels.functions import check_outputs
from cardan.channels.run_channels import RunChannels, of_run
from cardan.channels.solver import Solver

__all__ = ["Channels", "RunChannels", "Solver", "check_outputs", "of_run"]
