// The promise: any bytes give a configuration or a bounded number of sentences that a terminal may show, and each of them
// stands at a place of the text. A configuration that loads has what the core relies on.

import TappetCore
import TappetDevices

/// One input of the fuzzer.
@_cdecl("LLVMFuzzerTestOneInput")
public func fuzzYAML(_ start: UnsafePointer<UInt8>?, _ size: Int) -> Int32 {
  let bytes = Array(UnsafeBufferPointer(start: start, count: size))
  // A folder that is not there: no file of the machine is read.
  switch ConfigFile.parse(bytes, name: "kiosk.yaml", folder: "/nonexistent") {
  case .loaded(let configuration):
    precondition(!configuration.broker.endpoints.isEmpty && !configuration.actions.isEmpty)
    precondition(configuration.broker.endpoints.allSatisfy { $0.port > 0 && !$0.host.isEmpty })
    for (index, action) in configuration.actions.enumerated() {
      let others = configuration.actions[..<index]
      precondition(!others.contains { $0.name == action.name || $0.index == action.index })
      precondition(!action.topic.isEmpty && !action.topic.utf8.contains { $0 == 0 || $0 == 0x23 || $0 == 0x2B })
      precondition(!action.message.usesTimestamp || configuration.timestampKey != nil)
    }
    for button in configuration.panel.buttons {
      precondition(configuration.actions.contains { $0.name == button.press })
    }
  case .refused(let problems):
    precondition((1...Limits.configurationProblemsMax + 1).contains(problems.count))
    let lineCount = bytes.count { $0 == 0x0A || $0 == 0x0D } + bytes.count { $0 >= 0x80 } + 2
    for problem in problems {
      precondition((1...lineCount).contains(problem.position.line) && problem.position.column >= 1)
      precondition(problem.sentence.unicodeScalars.allSatisfy { $0.value >= 0x20 && $0.value != 0x7F })
    }
  }
  return 0
}
