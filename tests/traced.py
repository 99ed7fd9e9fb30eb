"""Properties of a job by trace(): every phase that any worker applied, by time (runtime/process/role/experiment.h)."""


class Traced:
    def steps(self):
        """step -> when the first worker had applied it."""
        found = {}
        for line in self.trace():
            if line["step"] > 0:
                found.setdefault(line["step"], line["at"])
        return found

    def longest_gap(self):
        times = sorted(self.steps().values())
        return max(after - before for before, after in zip(times, times[1:]))
