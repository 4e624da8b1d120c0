"""Sweeps on a cluster and in a store: the same numbers, whatever happens to workers and processes."""

import errno
import os
import subprocess
import sys
import time
from pathlib import Path

import numpy as np
import pytest
import xarray
from tests.selection import each
from tests.simulation import unreliable

import cardan
from cardan.analysis.inverse.prepared import prepare
from cardan.analysis.workspaces.starts import StartBlocks
from cardan.blocks import Work, in_blocks, work
from cardan.blocks.cluster import connected
from cardan.errors import SolveError
from cardan.frozen import replace
from cardan.integration import Outcome
from cardan.model.model import Model
from cardan.results.storage import study_store
from cardan.simulation.sweeps import blocks, resumed, runs

dask = pytest.importorskip("dask")
pytest.importorskip("distributed")
pytest.importorskip("zarr")
pytestmark = pytest.mark.filterwarnings("ignore::cardan.errors.ModelWarning", "ignore::ResourceWarning")

CRANE = {
    "until": 0.5,
    "parameters": {"L": np.linspace(0.4, 1.2, 12)},
    "inputs": {"drive": ["2 V", "5 V"]},
    "outputs": {"peak": "max(abs(swing.q))", "swing.q": "swing.q", "end": "final(payload.position)"},
    "times": [0.1, 0.3],
}


@pytest.fixture
def crane():
    return cardan.load("overhead_crane")


@pytest.fixture
def small(monkeypatch):
    """Blocks of eight runs, which a measured duration would make larger."""
    monkeypatch.setattr(work, "LONG", 1e-9)


def same(one, other):
    """Whether two datasets agree bit for bit, in values, names, axes and attributes."""
    one, other = (found.load().assign(status=found["status"].astype(str)) for found in (one, other))
    return one.identical(other[list(one.data_vars)])


def test_a_cluster_gives_the_same_bits(crane, cluster, small):
    seen = []
    found = cardan.sweep(crane, **CRANE, client=cluster, progress=seen.append)
    assert same(cardan.sweep(crane, **CRANE), found)
    assert [one.done for one in seen] == [8, 16, 24]
    assert (seen[-1], seen[-1].count, seen[-1].failed, seen[-1].left) == (1.0, 24, 0, 0.0)
    assert seen[-1].rate > 0


def test_runs_with_events_and_failures_too(cluster, small):
    """With rods that are too short the loop does not close; half a block is made run by run."""
    lengths = {"parameters": {"l2": np.linspace(0.1, 0.6, 16)}, "initial": {"crank": "90 deg"}}
    here = cardan.sweep(cardan.load("slider_crank"), 0.1, outputs=["max(crank.v)"], **lengths)
    assert {"completed", "not_assembled"} <= set(here["status"].values)
    there = cardan.sweep(cardan.load("slider_crank"), 0.1, outputs=["max(crank.v)"], **lengths, client=cluster)
    assert same(here, there)


@each("name", ["overhead_crane", "four_bar", "wheeled_robot", "stick_slip_slider", "servo_slider_crank", "heavy_top"])
def test_a_request_is_the_same_behind_the_wire(name):
    model = cardan.load(name)
    parameter = next(iter(model.parameters))
    with pytest.MonkeyPatch.context() as patch:
        texts = []
        patch.setattr(sys.modules["cardan.simulation.sweeps.sweep"], "computed", lambda study, *_: texts.append(study))
        value = cardan.model.quantities.parameters.resolve(model.parameters)[parameter]
        cardan.sweep(model, 0.01, parameters={parameter: [float(value)]}, initial={}, rtol=1e-7)
    (text,) = [study.request.text() for study in texts]
    assert blocks.read_request(text).text() == text
    assert blocks.read_request(text).arguments.model == texts[0].request.arguments.model


def test_a_store_holds_what_a_sweep_returns(crane, cluster, small, tmp_path):
    expected = cardan.sweep(crane, **CRANE)
    for client in (None, cluster):
        path = tmp_path / f"{client is None}.zarr"
        found = cardan.sweep(crane, **CRANE, store=path, client=client)
        assert found["peak"].chunks == ((4, 4, 4), (2,))  # lazy, in blocks of eight runs along the axes
        assert same(expected, found)
        plain = xarray.open_zarr(path)  # as anybody opens it
        assert plain["L"].values.tolist() == CRANE["parameters"]["L"].tolist()
        assert plain["swing.q"].attrs["units"] == "rad"
        assert plain["drive"].values.tolist() == [2.0, 5.0]


def test_a_store_of_random_draws_can_be_saved(crane, small, tmp_path):
    """The values drawn are coordinates along the axis of the blocks, and are divided as the results are."""
    draws = {name: xarray.DataArray(np.linspace(0.6, 0.8, 20), dims="draw") for name in ("L", "mp")}
    wanted = {"until": 0.1, "parameters": draws, "outputs": ["max(abs(swing.q))"]}
    kept = cardan.sweep(crane, **wanted, store=tmp_path / "study.zarr")
    assert kept.chunks["draw"] == (8, 8, 4)
    cardan.results.save_sweep(kept, tmp_path / "draws.nc")
    with xarray.open_dataset(tmp_path / "draws.nc") as read:
        assert read["L"].equals(kept["L"].load())
    assert same(cardan.sweep(crane, **wanted), kept)


def stopping(after):
    """A callback that presses Ctrl-C once so many runs are done."""

    def progress(fraction):
        if fraction.done >= after:
            raise KeyboardInterrupt

    return progress


def test_an_interrupted_store_goes_on(crane, small, tmp_path):
    path, seen = tmp_path / "study.zarr", []
    part = cardan.sweep(crane, **CRANE, store=path, progress=stopping(8))
    status = part["status"].values.ravel()
    assert (status[:8] == "completed").all()
    assert (status[8:] == "interrupted").all()
    assert np.isfinite(part["peak"].values.ravel()[:8]).all()
    assert np.isnan(part["peak"].values.ravel()[8:]).all()
    whole = cardan.sweep(crane, **CRANE, store=path, resume=True, progress=seen.append)
    assert [one.done for one in seen] == [16, 24]
    assert same(cardan.sweep(crane, **CRANE), whole)
    assert same(whole, cardan.sweep(crane, **CRANE, store=path, resume=True, progress=stopping(0)))  # makes no run


@each("what", ["cardan.simulation.checks.extremes.integrate", "cardan.simulation.setup.Setup.run"])
def test_ctrl_c_within_a_reduction_leaves_no_number(crane, what, monkeypatch):
    """A part of the motion, which has another maximum and mean, is never taken for the whole."""
    owner, name = what.rsplit(".", 1)
    owner = owner.removesuffix(".Setup")
    owner = sys.modules[owner] if "Setup" not in what else sys.modules[owner].Setup
    integrate, stopping_now = getattr(owner, name), []

    def stopped(*given, **more):
        found = integrate(*given, **more)
        if not stopping_now:
            return found
        ended = {"outcome": Outcome.INTERRUPTED} if hasattr(found, "outcome") else {"status": "interrupted"}
        return found._replace(**ended) if hasattr(found, "_replace") else replace(found, **ended)

    monkeypatch.setattr(owner, name, stopped)
    monkeypatch.setattr(
        runs.Runs, "_together", lambda *given, of=runs.Runs._together: stopping_now.append(1) or of(*given)
    )
    monkeypatch.setattr("cardan.simulation.sweeps.one_run.time_mean", lambda t, y: (y[-1], 1 + np.abs(y[-1])))
    found = cardan.sweep(crane, 0.2, parameters={"L": [0.5, 0.7]}, outputs=["max(swing.q)", "mean(swing.q)"])
    assert (found["status"] == "interrupted").all()
    assert np.isnan(found["max(swing.q)"]).all()


def test_a_store_goes_on_by_itself(small, tmp_path):
    model, path = cardan.load("four_bar"), tmp_path / "study.zarr"
    draws = xarray.DataArray(np.linspace(0.8, 0.85, 20), dims="draw", coords={"draw": [f"n{k}" for k in range(20)]})
    given = {"parameters": {"b": draws}, "inputs": {}, "initial": {"A.v": 5.0}, "outputs": {"a/b": "max(x)/1"}}
    given["outputs"] = {"a/b": "final(x)", "x": "x"}
    cardan.sweep(model, 0.1, **given, store=path, progress=stopping(8))
    assert same(cardan.sweep(model, 0.1, **given), resumed(path))


@each(
    "change, words",
    [
        ({"until": 0.6}, "of another study, with other settings"),
        ({"outputs": ["swing.q"]}, "of another study, with other outputs"),
        ({"inputs": {"drive": ["2 V", "6 V"]}}, "of another study, with other axes"),
        ({"initial": {"swing": 0.1}}, "of another study, with other settings"),
        ({"resume": False}, "is there already"),
    ],
)
def test_a_store_of_something_else_is_refused_by_name(crane, study, change, words):
    with pytest.raises(cardan.ModelError, match=words):
        cardan.sweep(crane, **{**CRANE, "store": study, "resume": True, **change})


@pytest.fixture(scope="module")
def study(tmp_path_factory):
    """A store of the crane."""
    path = tmp_path_factory.mktemp("studies") / "study.zarr"
    cardan.sweep(cardan.load("overhead_crane"), **CRANE, store=path)
    return path


def test_stores_of_other_models_and_versions_are_refused(crane, study, monkeypatch):
    heavier = crane.replace(parameters={**crane.parameters, "mp": 3.0})
    with pytest.raises(cardan.ModelError, match="with other model"):
        cardan.sweep(heavier, **CRANE, store=study, resume=True)
    monkeypatch.setattr(cardan, "__version__", "9.9")
    with pytest.raises(cardan.ModelError, match=r"was begun by Cardan .*, and this is 9\.9"):
        cardan.sweep(crane, **CRANE, store=study, resume=True)


def test_what_is_no_store_is_refused(crane, tmp_path, study, monkeypatch):
    (tmp_path / "folder").mkdir()
    (tmp_path / "notes.txt").write_text("mine")
    (tmp_path / "link").symlink_to(tmp_path / "nowhere")
    for name in ("folder", "notes.txt", "link"):
        with pytest.raises(cardan.ModelError, match=f"{name} is not a store of a sweep"):
            cardan.sweep(crane, **CRANE, store=tmp_path / name, resume=name == "folder")
    assert (tmp_path / "notes.txt").read_text() == "mine"
    with pytest.raises(cardan.ModelError, match="there is no folder"):
        cardan.sweep(crane, **CRANE, store=tmp_path / "nowhere" / "study.zarr")
    with pytest.raises(cardan.ModelError, match="resume=True without a store"):
        cardan.sweep(crane, **CRANE, resume=True)
    monkeypatch.setattr(study_store, "FORMAT", 0)
    with pytest.raises(cardan.ModelError, match="was written in format 1, this Cardan reads 0"):
        cardan.sweep(crane, **CRANE, store=study, resume=True)
    monkeypatch.setattr(study_store, "find_spec", lambda name: None)
    with pytest.raises(cardan.ModelError, match=r"needs the package zarr.*\n *pip install dask\[distributed\] zarr"):
        cardan.sweep(crane, **CRANE, store=study, resume=True)


def shaken(until, w, **given):
    """A sweep of a block that efforts of frequencies w shake."""
    slide = {"type": "prismatic", "parent": "ground", "child": "block", "axis": "x"}
    model = Model(
        parameters={"w": 1}, bodies={"block": {"mass": 1}}, joints={"slide": slide}, inputs={"slide": "sin(w*t)"}
    )
    return cardan.sweep(model, until, parameters={"w": w}, outputs=["slide.v", "max(slide.v)"], **given)


def test_a_longer_limit_makes_runs_again_that_timed_out(small, tmp_path):
    """One run in nine has hundred thousands of steps."""
    path, w, seen = tmp_path / "study.zarr", np.array([1.0, 2.0, 1e6, *range(3, 21)]), []
    short = shaken(0.1, w, store=path, run_limit=2e-3).load()
    assert (short["status"].values == np.where(w > 100, "timed_out", "completed")).all()
    assert str(short["message"].values[2]).startswith("timed out at t = 0.0")
    assert (short["message"].values[w < 100] == "").all()
    shaken(0.1, w, store=path, run_limit=1e-3, resume=True, progress=seen.append)  # the store has the shorter limit now
    assert not seen
    stopped = resumed(path, run_limit=2e-3, progress=stopping(0))
    assert (stopped["status"].values == short["status"].values).all()  # nothing is lost on the way
    assert same(resumed(path, run_limit=60.0), shaken(0.1, w))
    resumed(path, run_limit=60.0, progress=seen.append)
    assert not seen


def test_runs_that_failed_are_made_again_on_request(crane, small, tmp_path, monkeypatch):
    path, pieces, seen = tmp_path / "study.zarr", blocks.SweepBlocks.pieces, []

    def failing(self, rows):
        if (rows["parameters:L"] == 0.4).any():
            raise ZeroDivisionError("no rope")
        return pieces(self, rows)

    monkeypatch.setattr(blocks.SweepBlocks, "pieces", failing)
    kept = cardan.sweep(crane, **CRANE, store=path)
    failed = kept["status"].values == "failed"
    assert failed.sum() == 2
    assert set(kept["message"].values[failed]) == {"ZeroDivisionError: no rope"}
    assert (kept["message"].values[~failed] == "").all()
    monkeypatch.undo()
    assert not same(cardan.sweep(crane, **CRANE, store=path, resume=True), cardan.sweep(crane, **CRANE))
    again = cardan.sweep(crane, **CRANE, store=path, resume=True, retry=True, progress=seen.append)
    assert same(again, cardan.sweep(crane, **CRANE))
    assert seen[-1].done == 24
    with pytest.raises(cardan.ModelError, match="retry=True without resume=True"):
        cardan.sweep(crane, **CRANE, retry=True)


def test_axes_with_the_same_numbers_in_other_places_are_other_axes(crane, tmp_path):
    path, L = tmp_path / "study.zarr", np.linspace(0.4, 0.9, 6)

    def kept(values, dims, **coords):
        varied = xarray.DataArray(values, dims=dims, coords=coords)
        return cardan.sweep(crane, 0.05, parameters={"L": varied}, outputs=["final(swing.q)"], store=path, resume=True)

    kept(L.reshape(2, 3), ("a", "b"), a=["x", "y"])
    for values, dims, coords in ((L.reshape(3, 2), ("a", "b"), {}), (L.reshape(2, 3), ("a", "b"), {"a": ["x", "z"]})):
        with pytest.raises(cardan.ModelError, match="with other axes"):
            kept(values, dims, **coords)


def test_a_cluster_without_workers_says_so(monkeypatch):
    """Blocks wait for workers that may still come; the cluster of this machine gets none."""
    from distributed import Client, LocalCluster

    from cardan.blocks import cluster as module

    monkeypatch.setattr(module, "PATIENCE", 0.05)
    monkeypatch.setattr(module, "IDLE", 0.2)
    x = np.arange(8.0) + 1
    given = Work(8, lambda items: {"x": x[items]}, unreliable.Unreliable("", 1), unreliable.Unreliable, lambda: "")
    here = {"n_workers": 0, "processes": False, "threads_per_worker": 1, "dashboard_address": ":0"}
    with LocalCluster(**here) as local, Client(local, set_as_default=False) as client:
        lost = module.on_cluster(given, client, lambda measure: [range(8)], fixed=True)
        with (
            pytest.warns(RuntimeWarning, match="no workers: blocks wait"),
            pytest.raises(SolveError, match="gets none"),
        ):
            next(lost)
        monkeypatch.setattr(module.warnings, "warn", lambda *_, **__: local.scale(1))
        np.testing.assert_array_equal(squares(x, "", client), x**2)


def test_a_scheduler_that_ends_is_named(monkeypatch):
    from distributed import Client, LocalCluster

    here = {"n_workers": 1, "processes": False, "threads_per_worker": 1, "dashboard_address": ":0"}
    x = np.arange(80.0) + 1
    given = Work(80, lambda items: {"x": x[items]}, unreliable.Unreliable("", 1), unreliable.Unreliable, lambda: "")
    with LocalCluster(**here) as local, Client(local, set_as_default=False) as client:
        pieces = in_blocks(given, client, lambda measure: [range(k, k + 1) for k in range(80)])
        next(pieces)
        local.close()
        with pytest.raises(SolveError, match="its scheduler has ended; what a store holds is kept"):
            list(pieces)


def test_python_functions_stay_here(crane, tmp_path):
    drive = {"every": "10 ms", "of": ["swing"], "value": lambda swing: 5.0}
    given = {"parameters": {"L": [0.5, 0.7]}, "inputs": {"drive": drive}, "store": tmp_path / "study.zarr"}
    with pytest.raises(cardan.ModelError, match="a Python function cannot be sent to other processes, or kept"):
        cardan.sweep(crane, 0.1, **given)


@pytest.mark.skipif(os.name == "nt", reason="its cluster is another one")
@pytest.mark.parametrize("entry", ["worker.profile.enabled", "admin.tick.interval", "admin.system-monitor.interval"])
def test_processes_of_this_machine_record_little_for_a_dashboard(monkeypatch, entry):
    from cardan.blocks import cluster as module

    seen, before, name = {}, dict(os.environ), f"distributed.{entry}"
    monkeypatch.setattr("distributed.deploy.subprocess.SubprocessCluster", lambda **_: seen.update(os.environ))
    module._of_this_machine(1)
    assert dask.config.get(name, config=dask.config.collect_env(seen)) != dask.config.get(name)
    assert dict(os.environ) == before  # the caller's own clusters keep their settings


def test_what_is_no_cluster_is_refused(crane, monkeypatch):
    for client in (3, "locally", "local:x"):
        with pytest.raises(cardan.ModelError, match="is no cluster"):
            cardan.sweep(crane, **CRANE, client=client)
    with pytest.raises(cardan.ModelError, match="has no worker"):
        cardan.sweep(crane, **CRANE, client="local:0")
    monkeypatch.setattr("cardan.blocks.cluster.PATIENCE", 0.1)
    with pytest.raises(cardan.ModelError, match="no scheduler answers at tcp://127"):
        cardan.sweep(crane, **CRANE, client="tcp://127.0.0.1:1")
    monkeypatch.setitem(sys.modules, "distributed", None)
    with pytest.raises(
        cardan.ModelError, match=r"dask.distributed, which is not installed\n *pip install dask\[distributed\]"
    ):
        cardan.sweep(crane, **CRANE, client="local")


def test_a_store_has_one_writer(crane, small, tmp_path):
    path = tmp_path / "study.zarr"

    def second(fraction):
        with pytest.raises(cardan.ModelError, match="another process is writing this store"):
            cardan.sweep(crane, **CRANE, store=path, resume=True)

    assert same(cardan.sweep(crane, **CRANE), cardan.sweep(crane, **CRANE, store=path, progress=second))


def test_a_full_disk_loses_nothing(crane, small, tmp_path, monkeypatch):
    import zarr.storage._local as local

    path, put, written = tmp_path / "study.zarr", local._put, []

    def full(target, *given, **more):
        written.append(target)
        if path.exists() and len(written) > 60:
            raise OSError(errno.ENOSPC, "No space left on device")
        return put(target, *given, **more)

    monkeypatch.setattr(local, "_put", full)
    with pytest.raises(OSError, match="No space left on device") as raised:
        cardan.sweep(crane, **CRANE, store=path)
    assert raised.value.filename == str(path)
    monkeypatch.setattr(local, "_put", put)
    assert same(cardan.sweep(crane, **CRANE), cardan.sweep(crane, **CRANE, store=path, resume=True))


KILLED = """
import sys, warnings
warnings.simplefilter("ignore")
import cardan
from cardan.blocks import work
from tests.simulation.test_studies import CRANE
work.LONG = 1e-9
print("ready", flush=True)
cardan.sweep(cardan.load("overhead_crane"), **CRANE, store=sys.argv[1], resume=True)
"""


def _killed(count, tmp_path):
    """Kill a process that writes a store, so many times; after each it goes on where it was."""
    crane, rng, root = cardan.load("overhead_crane"), np.random.default_rng(count), Path(__file__).parents[2]
    expected, begun, taken, path = cardan.sweep(crane, **CRANE), time.perf_counter(), 1.0, tmp_path / "study.zarr"
    for k in range(count):
        if k % 5 == 0:  # a new store
            path = tmp_path / f"study{k}.zarr"
        process = subprocess.Popen([sys.executable, "-c", KILLED, path], cwd=root, stdout=subprocess.PIPE)
        process.stdout.readline()
        begun = time.perf_counter()
        try:
            process.wait(rng.uniform(0, taken))
        except subprocess.TimeoutExpired:
            process.kill()
            process.wait()
        else:
            taken = time.perf_counter() - begun
        process.stdout.close()
        if path.exists():
            store = study_store.open_store(path)
            found, missing = store.dataset(), store.missing()
            done = np.ones(found["status"].size, dtype=bool)
            for items in missing:
                done[items] = False
            for name in expected.data_vars:
                shape = (done.size, *found[name].shape[2:])
                got, wanted = (x[name].values.reshape(shape)[done] for x in (found, expected))
                np.testing.assert_array_equal(got, wanted)
        if k % 5 == 4 or k == count - 1:
            assert same(expected, cardan.sweep(crane, **CRANE, store=path, resume=True))


def test_a_killed_process_loses_nothing(tmp_path):
    _killed(2, tmp_path)


@pytest.mark.exhaustive
def test_fifty_killed_processes_lose_nothing(tmp_path):
    _killed(50, tmp_path)


def squares(x, text, client, make=unreliable.Unreliable):
    """Squares by the function that fails, in blocks of eight."""
    given = Work(len(x), lambda items: {"x": x[items]}, unreliable.Unreliable(text, 1), make, lambda: text, together=8)
    out = np.zeros(len(x))
    for members, values in in_blocks(given, client, lambda measure: [range(k, k + 8) for k in range(0, len(x), 8)]):
        out[members] += values["square"]  # doubled if an item came twice
    return out


def test_an_error_costs_the_run_that_raises_it(cluster, tmp_path):
    x = np.arange(24.0) + 1
    x[13] = -1
    expected = np.where(x > 0, x**2, np.nan)
    np.testing.assert_array_equal(squares(x, str(tmp_path / "once"), cluster), expected)


def test_a_lost_worker_costs_nothing(cluster, tmp_path):
    x = np.arange(24.0) + 1
    x[13] = -3
    np.testing.assert_array_equal(squares(x, str(tmp_path / "once"), cluster), x**2)
    assert (tmp_path / "once").exists()


@pytest.mark.exhaustive
def test_a_run_that_ends_workers_is_lost_alone(cluster, tmp_path):
    x = np.arange(24.0) + 1
    x[13] = -2
    np.testing.assert_array_equal(squares(x, str(tmp_path / "once"), cluster), np.where(x > 0, x**2, np.nan))


def test_a_model_that_workers_cannot_prepare_is_refused(cluster):
    with pytest.raises(cardan.ModelError, match="a worker cannot prepare the model: this processor is too old"):
        squares(np.ones(8), "", cluster, make=unreliable.refuse)


@each(
    "shape, size, together, chunks",
    [
        ((25, 3), 24, 8, (8, 3)),
        ((25, 3), 30, 8, (8, 3)),  # 10 values would make 30 runs, no multiple of 8
        ((3, 1000), 100, 8, (1, 96)),
        ((4, 5), 3, 8, (1, 3)),
        ((6,), 100, 8, (6,)),
    ],
)
def test_blocks_follow_the_axes(shape, size, together, chunks):
    assert study_store.chunks_of(shape, size, together) == chunks
    store = study_store.StudyStore(Path(), {}, shape, chunks)
    assert sorted(k for items in store.blocks for k in items) == list(range(int(np.prod(shape))))


def test_a_client_of_ones_own_stays_open(cluster, study, tmp_path):
    with connected(cluster) as client:
        assert client is cluster
    assert cluster.status == "running"
    with cluster.as_current():  # whose workers need not see the folder of a store
        cardan.results.save_sweep(study_store.open_store(study).dataset(), tmp_path / "sweep.nc")
    assert xarray.load_dataset(tmp_path / "sweep.nc", engine="scipy")["peak"].shape == (12, 2)


@each("together", [True, False])
def test_a_run_that_takes_too_long_has_a_status(together, monkeypatch):
    """One run shakes ten million times a second; this run alone gives up."""
    monkeypatch.setattr(runs.Runs, "_side_by_side", together)
    w = np.array([1.0, 2.0, 1e8, 3.0, 4.0])
    found, slow = shaken(1.0, w, run_limit="200 ms"), w > 10
    assert (found["status"].values == np.where(slow, "timed_out", "completed")).all()
    assert 0 < found["t_end"].values[2] < 1 or not together
    assert np.isnan(found["max(slide.v)"].values[slow]).all()
    v = (1 - np.cos(w[~slow])) / w[~slow]  # of a mass of 1 kg after 1 s
    np.testing.assert_allclose(found["slide.v"].values[~slow, -1], v, atol=1e-7)  # ten times rtol


@each("limit, fault", [("0 s", "is not a time"), ("5 V", "5 V"), ("w", "is not a time")])
def test_an_impossible_limit_is_refused(crane, limit, fault):
    with pytest.raises(cardan.ModelError, match=f"run_limit.*{fault}"):
        cardan.sweep(crane, **CRANE, run_limit=limit)


def test_kinetostatics_of_many_payloads_are_those_of_each():
    arm, masses = cardan.load("basket_arm"), [200.0, 300.0]
    names = ["shoulder.effort", "elbow.reaction_force"]
    call = {"kinetostatics": True, "times": [0.0, 1.0, 2.0]}
    found = cardan.sweep(arm, parameters={"mb": masses}, outputs=[*names, "max(abs(shoulder.effort))"], **call)
    for k, mass in enumerate(masses):
        alone = cardan.kinetostatics(arm, call["times"], parameters={"mb": mass})
        for name in names:
            np.testing.assert_allclose(found[name].values[k], alone.array(name), rtol=1e-12)  # the same equations
    with pytest.raises(cardan.ModelError, match="a guess of the position varies"):
        cardan.sweep(arm, initial={"shoulder": [0.1, 0.2]}, outputs=names, **call)
    crank = cardan.load("slider_crank").replace(motors={}, inputs={}, initial={}, simulate={})
    turn = {"crank": {"profile": "quintic", "points": [["0 s", 0], ["T", 1]]}}
    timed = crank.replace(parameters={**crank.parameters, "T": "1 s"})
    with pytest.raises(cardan.ModelError, match="the end of the motions follows a parameter that varies"):
        cardan.sweep(timed, motions=turn, parameters={"T": [1.0, 2.0]}, outputs=["crank.effort"], kinetostatics=True)


def test_a_catalogue_and_many_states_go_to_a_cluster_too(cluster):
    run = cardan.kinetostatics(cardan.load("basket_arm"), np.linspace(0, 4, 50))
    here, there = (cardan.size(run, "elbow", ratios=[50, 100], client=client) for client in (None, cluster))
    assert here.choices == there.choices
    pendulum = cardan.load("compound_pendulum")
    assert cardan.verify(pendulum, states=6) == cardan.verify(pendulum, states=6, client=cluster)


def test_a_map_goes_to_a_cluster_too(cluster):
    """Cells that no neighbour leads to are found from the same random positions."""
    x = np.linspace(-0.5, 0.5, 21)
    grid = {"platform.position.x": x, "platform.position.y": x, "platform.angle": "-30 deg"}
    given = {"length": "0.2 m", "payload": "5 kg"}
    here, there = (
        cardan.workspace(cardan.load("planar_3rrr"), "platform", grid, **given, client=client)
        for client in (None, cluster)
    )
    assert here["status"].equals(there["status"])
    assert 0 < here["reachable"].sum() < 441
    for name in ("q", "condition", "effort"):
        np.testing.assert_allclose(there[name], here[name], rtol=1e-9, atol=1e-9)  # positions within round-off


def test_what_a_cluster_cannot_compute_is_no_choice_and_no_check_and_no_cell():
    run = cardan.kinetostatics(cardan.load("basket_arm"), [0.0, 2.0, 4.0])
    motors = cardan.size(run, "elbow").choices
    shares = sys.modules["cardan.analysis.sizing.size"]._Shares(cardan.size(run, "elbow").duty, np.ones(1), 1.0)
    assert all(np.isinf(x).all() for x in shares.lost(len(motors), "").values())
    at = prepare(cardan.load("scara"), {}, {"link2.tip.x": 0.0})
    assert not StartBlocks(at, None).lost(3, "")["met"].any()


def test_grids_have_real_numbers(crane):
    for values in ([0.5 + 0j, 0.7], np.array([0.5 + 1j]), xarray.DataArray([0.5 + 1j], dims="L")):
        with pytest.raises(cardan.ModelError, match="is not a number"):
            cardan.sweep(crane, 0.1, parameters={"L": values})


def test_a_map_that_does_not_fit_is_refused():
    axis = np.linspace(-1, 1, 50_000)
    with pytest.raises(cardan.ModelError, match="2500000000 cells with"):
        cardan.workspace(cardan.load("scara"), "link2.tip", {"link2.tip.x": axis, "link2.tip.y": axis})


def test_reductions_do_not_depend_on_times(crane):
    given = {"until": 0.5, "parameters": {"L": [0.5, 0.9]}}
    outputs = ["max(swing.q)", "mean(swing.q)", "final(swing.q)"]
    whole = cardan.sweep(crane, **given, outputs=outputs)
    for times in ([0.1], [0.1, 0.5]):
        part = cardan.sweep(crane, **given, outputs=[*outputs, "swing.q"], times=times)
        for name in outputs:
            np.testing.assert_array_equal(part[name].values, whole[name].values)


def test_values_at_the_end_need_no_instants_before(crane):
    """They are those of a study that keeps more, also where an event ends the runs."""
    outputs = ["final(swing.q)", "final(payload.position)"]
    stopped = crane.replace(events={"there": {"when": "travel - 0.02", "do": "stop"}})
    for model in (crane, stopped):
        alone, beside = (
            cardan.sweep(model, 0.5, parameters={"L": [0.5, 0.9]}, outputs=[*outputs, *more])
            for more in ([], ["max(swing.q)"])
        )
        assert alone.equals(beside.drop_vars("max(swing.q)"))
    assert (alone["status"] == "stopped").all()
