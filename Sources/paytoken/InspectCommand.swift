struct InspectCommand { init(_ w:[String]) throws(CommandFailure) {}; func run() throws(CommandFailure) -> ExitStatus {.done} }
