"""Free memory is that of the machine, or what the limits of a container leave."""

import pytest

from rankscope.io import memory

MIB = 1 << 20


def group(folder, limit, used, files=0):
    folder.mkdir(exist_ok=True)
    (folder / "memory.max").write_text(f"{limit}\n")
    (folder / "memory.current").write_text(f"{used}\n")
    (folder / "memory.stat").write_text(f"anon 7\nactive_file {files}\ninactive_file {files}\n")


def test_limits_of_groups(tmp_path, monkeypatch):
    own, groups = tmp_path / "own", tmp_path / "groups"
    assert memory._free_of_group(groups, own) is None  # a system without them
    own.write_text("4:memory:/old\n0::/job/step\n")
    assert memory._free_of_group(groups, own) is None
    groups.mkdir()
    group(groups / "job", 100 * MIB, 90 * MIB, 20 * MIB)
    group(groups / "job" / "step", "max", 30 * MIB)
    assert memory._free_of_group(groups, own) == 50 * MIB  # copies of files give way
    group(groups / "job" / "step", 40 * MIB, 30 * MIB)
    assert memory._free_of_group(groups, own) == 10 * MIB
    group(groups / "job" / "step", 20 * MIB, 30 * MIB)
    assert memory._free_of_group(groups, own) == 0


@pytest.mark.parametrize(("machine", "limit", "free"), [(5, 3, 3), (3, 5, 3), (5, None, 5), (None, None, None)])
def test_free_memory_is_the_smaller_one(machine, limit, free, monkeypatch):
    monkeypatch.setattr(memory, "_free_of_machine", lambda: machine)
    monkeypatch.setattr(memory, "_free_of_group", lambda: limit)
    assert memory.free_memory() == free
