"""k8s/charts: the objects of `totrain k8s rbac` as a kustomize base and as a Helm chart.

The files are those that tools/charts writes. kubectl renders the base, and helm the chart where there is one; without,
the references to values are filled in here.
"""

import json
import os
import pathlib
import re
import shutil
import subprocess
import tempfile
import unittest

import yaml

ROOT = pathlib.Path(__file__).resolve().parents[2]
CHARTS = ROOT / "k8s" / "charts"
PROGRAM = pathlib.Path(os.environ["TOTRAIN_BUILD"]).resolve() / "totrain"
VALUES = {"namespace": "shop", "quota": {"pods": "7", "cpu": "3", "memory": "5Gi"}, "priorityClasses": {"enabled": True},
          "network": {"enabled": True, "database": {"cidr": "10.1.0.0/16", "port": 6432}},
          "disruption": {"enabled": True, "workers": 2}, "monitor": {"enabled": True},
          "share": {"enabled": True, "image": "registry.example/t:2"}}


def rbac(*words):
    done = subprocess.run([PROGRAM, "k8s", "rbac", *words], capture_output=True, text=True, check=True)
    return json.loads(done.stdout)["items"]


def by_name(items):
    return {(item["kind"], item["metadata"].get("namespace"), item["metadata"]["name"]): item for item in items}


def value_of(values, path):
    for name in path.split("."):
        values = values[name]
    return values


def fill_in(text, values):
    """A template of the chart: a condition around all of it, and references."""
    found = re.fullmatch(r"\{\{- if \.Values\.(\S+) \}\}\n(.*)\{\{- end \}\}\n", text, re.DOTALL)
    if found and not value_of(values, found[1]):
        return ""
    text = re.sub(r"\{\{ \.Values\.(\S+) \}\}", lambda found: str(value_of(values, found[1])), found[2] if found else text)
    return re.sub(r"\{\{ `([^`]*)` \}\}", r"\1", text)


class Charts(unittest.TestCase):
    maxDiff = None

    def wanted(self):
        return by_name([*rbac("--namespace=shop", "--pods=7", "--cpu=3", "--memory=5Gi"), *rbac("classes"),
                        *rbac("network", "--namespace=shop", "--database=10.1.0.0/16:6432"),
                        *rbac("disruption", "--namespace=shop", "--pods=2"),
                        *rbac("monitor", "--namespace=shop"),
                        *rbac("share", "--namespace=shop", "--image=registry.example/t:2")])

    def test_the_files_are_those_that_the_tool_writes(self):
        with tempfile.TemporaryDirectory() as folder:
            made = pathlib.Path(folder) / "charts"
            subprocess.run(["/usr/bin/python3", "-B", ROOT / "tools" / "charts", PROGRAM, made], check=True)
            names = {path.relative_to(made) for path in made.rglob("*.yaml")}
            self.assertEqual(names, {path.relative_to(CHARTS) for path in CHARTS.rglob("*.yaml")})
            for name in names:
                self.assertEqual((CHARTS / name).read_text(), (made / name).read_text(), name)

    def test_the_chart_is_what_rbac_prints(self):
        texts = [fill_in(path.read_text(), VALUES) for path in (CHARTS / "totrain" / "templates").iterdir()]
        self.assertEqual(by_name(item for text in texts for item in yaml.safe_load_all(text)), self.wanted())

    def test_its_defaults_are_rights_limits_and_classes(self):
        values = yaml.safe_load((CHARTS / "totrain" / "values.yaml").read_text())
        texts = [fill_in(path.read_text(), values) for path in (CHARTS / "totrain" / "templates").iterdir()]
        self.assertEqual(by_name(item for text in texts for item in yaml.safe_load_all(text) if item),
                         by_name([*rbac("--namespace=training"), *rbac("classes")]))

    @unittest.skipUnless(shutil.which("helm"), "no helm")
    def test_helm_finds_nothing_wrong_and_renders_the_same(self):
        with tempfile.NamedTemporaryFile("w", suffix=".yaml") as values:
            yaml.safe_dump(VALUES, values)
            values.flush()
            subprocess.run(["helm", "lint", "--strict", CHARTS / "totrain"], check=True, capture_output=True)
            done = subprocess.run(["helm", "template", "totrain", CHARTS / "totrain", "-f", values.name],
                                  capture_output=True, text=True, check=True)
        self.assertEqual(by_name(item for item in yaml.safe_load_all(done.stdout) if item), self.wanted())

    @unittest.skipUnless(shutil.which("kubectl"), "no kubectl")
    def test_kustomize_renders_what_rbac_prints(self):
        done = subprocess.run(["kubectl", "kustomize", CHARTS / "base"], capture_output=True, text=True, check=True)
        self.assertEqual(by_name(yaml.safe_load_all(done.stdout)), by_name(
            [*rbac("--namespace=training"), *rbac("classes"), *rbac("network", "--namespace=training")]))


unittest.main(verbosity=2)
