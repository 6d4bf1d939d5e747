// simulate: plays histories by seed. Tests/README.md says what a history is.

import FeedCore

@testable import FeedHTTP

Simulated.machine = SimulatedMachine()
SimulatedNetwork.network = SimulatedNetworkOfWorld()
SQLiteDisk.use()
SimulatorCommand(Array(CommandLine.arguments.dropFirst())).run()
