"""What a power cut must not do, for each way of running a tool that writes files."""
import json
import os
import time

import scenarios
import servers
from tracing import Outcome, Process


class Cut:
    """A run, and the check of what a power cut left."""

    # Its exit status without a cut.
    status = 0
    # Whether output printed before the cut may be printed again after it.
    repeats = False

    def __init__(self, scenario):
        self.scenario = scenario
        self.name, self.tool = scenario.name, scenario.tool

    def run(self, folder, made, extra):
        outcome = Outcome()
        process = Process(self.scenario.command(made), folder, extra=extra)
        self.feed(process, folder)
        process.end(outcome)
        self.scenario.look(folder, outcome)
        outcome.output = made.hide(outcome.output)
        return outcome

    def feed(self, process, folder):
        process.popen.stdin.write(self.scenario.data)
        process.popen.stdin.flush()

    def judge(self, folder, made, base, printed, is_last):
        """`printed` had been read before the power cut; with `is_last`, the tool had ended long before."""
        outcome = Outcome()
        outcome.output = printed
        self.scenario.look(folder, outcome)
        wrong = []
        for name, allowed in self.scenario.states.items():
            if outcome.files.get(name) not in allowed:
                wrong.append(f"{name} is neither old nor new: {outcome.files.get(name)!r}")
            if name.encode() in printed.split() and outcome.files.get(name) != allowed[-1]:
                wrong.append(f"{name} was printed, and is not there")
        if is_last:
            wrong += self.ended(base, outcome)
        wrong += self.scenario.afterwards(folder, made, base, outcome)
        return [words for words in wrong if not (self.repeats and words.startswith("printed twice"))]

    def ended(self, base, outcome):
        """If a tool has ended with status 0, all its output is on the disk."""
        return [f"it had ended well, and {name} is not what it was" for name, content in base.files.items()
                if outcome.files.get(name) != content and not name.startswith("store")]


class Fed(Cut):
    """Input that comes record by record, so that there is a checkpoint after each."""

    def feed(self, process, folder):
        for number, line in enumerate(self.scenario.data.splitlines(keepends=True), 1):
            process.popen.stdin.write(line)
            process.popen.stdin.flush()
            while process.popen.poll() is None and process.left() > 3 and self.kept(folder) < number:
                time.sleep(0.002)

    @staticmethod
    def kept(folder):
        content = scenarios.read(os.path.join(folder, "state"))
        return int(json.loads(content).get("id", 0)) if content else 0


class FedMany(Cut):
    """A checkpoint of many documents, which is written at most once a second: one in the middle, and one at the end."""

    def feed(self, process, folder):
        first = self.scenario.records(1)
        process.popen.stdin.write(first)
        process.popen.stdin.flush()
        while process.popen.poll() is None and process.left() > 3 and not self.scenario.kept(folder):
            time.sleep(0.002)
        process.popen.stdin.write(self.scenario.data.removeprefix(first))
        process.popen.stdin.flush()


class Refusing(Fed):
    """One of the records is refused."""

    status = 1


class OnlyKill(Cut):
    """Without --durable, the store's log is not synced at each step: items may be printed again, but nothing else may
    happen."""

    repeats = True


def all_cuts():
    by_name = {(scenario.tool, scenario.name): scenario for scenario in scenarios.all_scenarios()}
    return [
        Cut(by_name["jpatch", "in place"]),
        Cut(by_name["jpatch", "in place with backup and undo"]),
        Fed(by_name["jpatch", "checkpoint"]),
        Fed(by_name["jdiff", "checkpoint"]),
        FedMany(by_name["jpatch", "checkpoint of many"]),
        FedMany(by_name["jdiff", "checkpoint of many"]),
        Refusing(by_name["deliver", "checkpoint"]),
        Cut(by_name["sse-cat", "checkpoint"]),
        Cut(by_name["http-cat", "checkpoint"]),
        Cut(by_name["xml-split", "files"]),
        Cut(by_name["xml-split", "durable files"]),
        Cut(by_name["paginate", "durable store"]),
        Cut(by_name["paginate", "reader of a store"]),
        OnlyKill(by_name["paginate", "store"]),
    ]


assert servers.ITEMS > servers.PAGE  # a store of one page would prove little
