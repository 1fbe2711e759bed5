"""Files of runs: every damaged one is refused in one sentence; links and modes of files stay."""

import json
import os
import stat

import numpy as np
import pytest
from wkendall.optimize import Optimizer, minimize

HUGE = ["9" * 30, "9" * 5000, "1e400", "-1e400", "NaN", "1e308", "-1", "0.5", "true", "null", '"a"', "[]", "{}"]
DEEP = "[" * 100_000


def saved(path, **how):
    optimizer = Optimizer(5, rng=3, **how)
    for _ in range(4):
        point = optimizer.ask()
        order = point[0] if "variables" in how else point
        optimizer.tell(point, float(order[0]) + 0.25)
    optimizer.save(path)
    return path.read_bytes()


def check(path, content):
    """Load a file, which may be as good as before; otherwise there is one sentence that names the file."""
    path.write_bytes(content)
    try:
        found = Optimizer.load(path)
    except ValueError as error:
        said = str(error)
        assert path.name in said or said.startswith("feasible must be given as before"), said
        assert len(said.splitlines()) == 1, said
        assert len(said) < 500, said
        return False
    assert np.isfinite(found.func_vals).sum() <= len(found.x_iters) <= 4
    return True


VARIABLES = {"speed": (0.5, 2.0), "count": (1, 9), "kind": ["a", None, 2]}


@pytest.mark.parametrize("how", [{}, {"noisy": True}, {"space": "tour"}, {"variables": VARIABLES, "maximize": True}])
def test_truncated_and_changed_files(tmp_path, how):
    path = tmp_path / "run.json"
    good = saved(path, **how)
    assert check(path, good)
    for length in range(0, len(good) - 1, 3):
        assert not check(path, good[:length])
    rng = np.random.default_rng(0)
    for _ in range(300):
        changed = bytearray(good)
        for place in rng.integers(0, len(good), rng.integers(1, 4)):
            changed[place] = rng.choice([rng.integers(256), *b'0123456789,.-[]{}":eE'])
        check(path, bytes(changed))
    for _ in range(60):  # parts that are missing or twice
        first, last = sorted(rng.integers(0, len(good), 2))
        check(path, good[:first] + good[last:])
        check(path, good[:last] + good[first:])


@pytest.mark.parametrize(
    "value",
    [
        *HUGE,
        *("[" * depth + "]" * depth for depth in range(900, 1000, 7)),
        DEEP,
        DEEP + "]" * 100_000,
        '{"a":' * 100_000,
    ],
)
def test_values_of_all_kinds(tmp_path, value):
    path = tmp_path / "run.json"
    state = json.loads(saved(path))
    for name in [*state, None]:
        parts = [f"{json.dumps(one)}: {value if one == name else json.dumps(of)}" for one, of in state.items()]
        check(path, ("{" + ", ".join(parts) + "}").encode())
    for name in ("x", "y"):
        for text in (
            f"[{value}]",
            f"[[{value}]]",
            f"[[{', '.join([value] * 5)}], 1, 2, 3]",
            f"[{', '.join([value] * 4)}]",
        ):
            check(path, json.dumps(state | {name: None}).replace("null", text).encode())
    check(path, value.encode())


def test_messages_say_what_is_wrong(tmp_path):
    path = tmp_path / "run.json"
    good = json.loads(saved(path))
    for change, message in [
        ({"n_items": 1.5}, r"run.json' is damaged: n_items must be an integer, not 1.5$"),
        ({"noisy": 1}, r"run.json' is damaged: noisy must be True or False, not 1$"),
        ({"feasible": []}, r"run.json' is damaged: feasible must be True or False, not \[\]$"),
        ({"rng": -1}, r"run.json' is damaged: rng is -1, but must be"),
        ({"rng": None}, r"run.json' is damaged: rng must be a whole number, not None$"),
        ({"kernel": "other"}, r"run.json' is damaged: kernel is 'other', but must be one of"),
        ({"x": [*good["x"][:3], [0, 1, 2, 3, 3]]}, r"run.json' is damaged: x\[3\] has item 3 twice"),
        ({"x": [*good["x"][:3], good["x"][0]]}, r"run.json' is damaged: x is .*, an order that was told before"),
        ({"x": [*good["x"][:3], [0, 1, 2, 3, 10**30]]}, r"run.json' is damaged: x\[3\] must be an order"),
        ({"y": [1, 2, "a", 3]}, r"run.json' is damaged: y\[2\] must be a real number"),
        ({"y": [1.0]}, "lists of the same length"),
        ({"version": 3}, "has version 3, but must have version 1 or 2"),
        ({"version": True}, "has version True"),
        ({"feasible": True}, "^feasible must be given as before"),
    ]:
        path.write_text(json.dumps(good | change))
        with pytest.raises(ValueError, match=message):
            Optimizer.load(path)


def test_errors_of_feasible_are_not_those_of_the_file(tmp_path):
    path = tmp_path / "run.json"
    saved(path, feasible=lambda _: True)
    with pytest.raises(ValueError, match=r"^x is .*, for which feasible is False$"):
        Optimizer.load(path, feasible=lambda _: False)
    with pytest.raises(ZeroDivisionError):
        Optimizer.load(path, feasible=lambda _: 1 / 0)


needs_links = pytest.mark.skipif(os.name == "nt", reason="needs symbolic links and modes")


@needs_links
def test_links_are_written_through(tmp_path):
    (tmp_path / "data").mkdir()
    real, link, second = tmp_path / "data" / "run.json", tmp_path / "run.json", tmp_path / "second.json"
    link.symlink_to("data/run.json")
    second.symlink_to("run.json")
    for _ in range(2):  # the file does not exist at first
        good = saved(second)
        assert link.is_symlink()
        assert second.is_symlink()
        assert not real.is_symlink()
        assert real.read_bytes() == good
    assert sorted(path.name for path in (tmp_path / "data").iterdir()) == ["run.json"]
    minimize(lambda x: float(x[0]), 5, n_calls=5, save=second, rng=3, n_initial=10)
    assert (second.is_symlink(), json.loads(real.read_text())["y"][4:] == []) == (True, False)


@needs_links
@pytest.mark.parametrize("mode", [0o600, 0o644, 0o660, 0o440])
def test_modes_of_files_stay(tmp_path, mode):
    path = tmp_path / "run.json"
    path.write_text("")
    path.chmod(mode)
    saved(path)
    assert stat.S_IMODE(path.stat().st_mode) == mode
    fresh = tmp_path / "new.json"
    before = os.umask(0o027)
    try:
        saved(fresh)
    finally:
        os.umask(before)
    assert stat.S_IMODE(fresh.stat().st_mode) == 0o640


@needs_links
def test_devices_are_not_replaced(tmp_path):
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    reading = os.open(pipe, os.O_RDONLY | os.O_NONBLOCK)
    try:
        Optimizer(3, rng=0).save(pipe)
        assert json.loads(os.read(reading, 10_000))["n_items"] == 3
    finally:
        os.close(reading)
    assert pipe.is_fifo()
