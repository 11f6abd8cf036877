"""Files that a forge or a build reads: they can be parsed, and say what they should."""

from __future__ import annotations

import re
import tomllib
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
FORGE = ROOT / ".github"
yaml = pytest.importorskip("yaml", reason="PyYAML is not installed")


def parsed(path: Path):
    """A YAML file, in which no key may stand twice and no tab indents."""

    class Strict(yaml.SafeLoader):
        pass

    def mapping(loader, node, deep=False):
        keys = [loader.construct_object(key, deep=deep) for key, _ in node.value]
        assert len(set(keys)) == len(keys), f"{path.name}: a key stands twice in {keys}"
        return {
            key: loader.construct_object(value, deep=True) for key, (_, value) in zip(keys, node.value, strict=True)
        }

    Strict.add_constructor(yaml.resolver.BaseResolver.DEFAULT_MAPPING_TAG, mapping)
    text = path.read_text(encoding="utf-8")
    assert "\t" not in text
    assert all(line == line.rstrip() for line in text.splitlines())
    return yaml.load(text, Strict)


@pytest.mark.parametrize("path", sorted((FORGE / "workflows").glob("*.yml")), ids=lambda p: p.name)
class TestWorkflows:
    def test_every_job_has_a_machine_a_limit_and_steps(self, path):
        found = parsed(path)
        assert {"name", True, "permissions", "jobs"} <= set(found)  # `on` is a word for true in YAML
        for job in found["jobs"].values():
            assert {"runs-on", "timeout-minutes", "steps"} <= set(job)
            assert all(("uses" in step) != ("run" in step) for step in job["steps"])

    def test_actions_are_pinned_to_a_version(self, path):
        used = [step["uses"] for job in parsed(path)["jobs"].values() for step in job["steps"] if "uses" in step]
        assert used
        assert all(re.fullmatch(r"[\w-]+/[\w-]+@v\d+", one) for one in used)

    def test_expressions_name_what_there_is(self, path):
        found = parsed(path)
        for job in found["jobs"].values():
            known = set(job.get("strategy", {}).get("matrix", {}))
            assert set(re.findall(r"\$\{\{ matrix\.(\w+) \}\}", str(job))) <= known

    def test_it_reads_and_does_not_write(self, path):
        assert parsed(path)["permissions"] == {"contents": "read"}


@pytest.mark.parametrize("path", sorted((FORGE / "ISSUE_TEMPLATE").glob("[!c]*.yml")), ids=lambda p: p.name)
def test_forms_for_issues(path):
    found = parsed(path)
    assert {"name", "description", "body"} <= set(found)
    ids = [field["id"] for field in found["body"]]
    assert len(set(ids)) == len(ids)
    for field in found["body"]:
        assert field["type"] in {"textarea", "input", "dropdown", "checkboxes", "markdown"}
        assert field["attributes"]["label"]


class TestWheels:
    settings = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))

    def test_one_wheel_a_platform(self):
        built = self.settings["tool"]["cibuildwheel"]["build"]
        oldest = re.search(r">=3\.(\d+)", self.settings["project"]["requires-python"])
        assert oldest is not None
        assert built[0] == f"cp3{oldest[1]}-*"  # the first Python builds the wheel that all later ones take
        assert f'"py_limited_api": "cp3{oldest[1]}"' in (ROOT / "setup.py").read_text(encoding="utf-8")

    def test_what_is_tested_is_there(self):
        said = " ".join(self.settings["tool"]["cibuildwheel"]["test-command"])
        for path in re.findall(r"tests/\w+", said):
            assert (ROOT / path).is_dir()
        assert "KIND == 'compiled'" in said  # a wheel without its core would pass all tests, slowly

    def test_versions_of_the_site_are_bounded(self):
        assert all(re.search(r"[<>]", one) for one in self.settings["dependency-groups"]["docs"])


def test_no_page_installs_from_an_index_that_does_not_have_it():
    """Until rankscope is published, pages install it from its sources."""
    pages = [ROOT / "README.md", *(ROOT / "docs").rglob("*.md")]
    lines = [f"{page.name}: {line}" for page in pages for line in page.read_text(encoding="utf-8").splitlines()]
    assert not [line for line in lines if re.search(r"pip install (-\S+ )*rankscope\b", line)]
