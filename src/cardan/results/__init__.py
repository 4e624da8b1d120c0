"""Results of a computation: arrays with names, units and a status, and the files they are kept in.

In: arrays from `simulation` and `analysis`, and a callable that evaluates further channels on demand.
Out: `Trajectory` look-ups by name, NetCDF, CSV and Parquet files.
Knows no mechanism, no time integration and no drawing library; it computes nothing.
"""

from cardan.results.channel import Channel, ChannelKind
from cardan.results.run_records import Passage, Provenance, Report
from cardan.results.status import Status
from cardan.results.storage.files import RunFileError, check_target, load_run, save_run
from cardan.results.storage.sweep_files import save_sweep
from cardan.results.summary import Summary, summary
from cardan.results.trajectory import Trajectory

__all__ = [
    "Channel",
    "ChannelKind",
    "Passage",
    "Provenance",
    "Report",
    "RunFileError",
    "Status",
    "Summary",
    "Trajectory",
    "check_target",
    "load_run",
    "save_run",
    "save_sweep",
    "summary",
]
