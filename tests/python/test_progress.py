"""The display of a statement that runs: its line, and the curve with axes and a legend."""

import re
import unittest
import xml.dom.minidom

import harness  # noqa: F401  pylint: disable=unused-import  # finds the package

from totrain._progress import POINTS_MAX, State
from totrain._show import BOTTOM, HEIGHT, LEFT, RIGHT, TOP, WIDTH, curve


def event(step, loss, held_out=None, **more):
    return {"event": "progress", "epoch": step // 10, "epochs": 60, "step": step, "steps": 600, "loss": loss,
            "validation_loss": held_out, "rows_per_second": 84000, "seconds": step / 100, "seconds_left": 4, **more}


class Progress(unittest.TestCase):
    def state(self, *events):
        state = State()
        for one in events:
            state.take(one)
        return state

    def words(self, drawn):
        return [node.firstChild.data for node in xml.dom.minidom.parseString(drawn).getElementsByTagName("text")]

    def test_the_line_while_it_runs_and_at_the_end(self):
        state = self.state(event(100, 0.5, 0.61234), {"event": "notice", "message": "so"})
        self.assertEqual(state.line(), "epoch 10/60  step 100/600  loss 0.5  validation 0.6123  84,000 rows/s  0:04 left")
        self.assertEqual(state.last_line(), "epoch 10/60  step 100/600  loss 0.5  validation 0.6123  1.0 s")
        self.assertEqual(State().last_line(), "")
        self.assertRegex(State().line(), "^reading rows  0.0 s$")
        self.assertEqual(state.notices, ["so"])

    def test_the_curve_has_axes_and_the_last_values(self):
        self.assertEqual(curve(self.state(event(100, 0.5))), "")
        drawn = curve(self.state(event(100, 2.5, 3.0), event(200, 1.25, 2.0), event(600, 0.123456, 2.25)))
        self.assertEqual(self.words(drawn), ["3", "0.123", "epoch 10", "epoch 60", "loss 0.1235", "validation 2.25"])
        trees = curve(self.state(event(1, 2.5, epochs=0), event(1200, 1.25, epochs=0)))
        self.assertEqual(self.words(trees), ["2.5", "1.25", "step 1", "step 1,200", "loss 1.25"])

    def test_the_lines_stay_in_the_frame(self):
        losses = [(step, 5 / step, 1 + step % 3) for step in range(1, 2 * POINTS_MAX)]
        drawn = curve(self.state(*(event(*one) for one in losses)))
        lines = re.findall(r'd="M([\d., L]+)" fill', drawn)
        self.assertEqual(len(lines), 2)
        for line in lines:
            points = [tuple(map(float, point.split(","))) for point in line.split(" L")]
            self.assertLessEqual(len(points), POINTS_MAX + 1)
            self.assertEqual((points[0][0], points[-1][0]), (LEFT, WIDTH - RIGHT))
            self.assertTrue(all(TOP <= y <= HEIGHT - BOTTOM for _, y in points))
            self.assertEqual(sorted(points), points)
        same = curve(self.state(event(1, 0.5), event(2, 0.5)))
        self.assertNotIn("nan", same)


unittest.main(verbosity=2)
