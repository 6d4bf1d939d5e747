// simulate: plays histories by seed. Tests/README.md says what a history is.

SQLiteDisk.use()
SimulatorCommand(Array(CommandLine.arguments.dropFirst())).run()
