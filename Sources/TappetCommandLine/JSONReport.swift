// The output of --json: the same envelope for every command, successful or not, as docs/json.schema.json specifies.

import TappetJSON

/// The envelope of one command's output.
package final class JSONReport {
  /// Incremented only when programs that read the envelope would have to change.
  private static let format: Int64 = 1

  private let command: String
  private var data: JSON?
  private var isList = false

  package init(command: String) { self.command = command }

  /// Sets the command's result, which is printed when the command ends.
  package func set(_ data: JSON) { self.data = data }

  /// Starts a list, whose elements are printed as they arrive; it may remain empty.
  package func beginList() { isList = true }

  /// Prints an element of the list in a separate envelope.
  package func print(_ element: JSON) { Output.printLine(envelope(element, nil, nil)) }

  /// Prints the final envelope with the result or the error; prints nothing after a complete list.
  package func end(_ status: ExitStatus, _ failure: CommandFailure?) {
    if isList, failure?.error == nil { return }
    Output.print(envelope(data, failure?.error, status))
  }

  private func envelope(_ data: JSON?, _ error: JSON?, _ status: ExitStatus?) -> JSON {
    .object([
      "format": .number(Self.format), "command": .string(command),
      "exit": status.map { .number(Int64($0.rawValue)) } ?? .null, "error": error ?? .null, "data": data ?? .null,
    ])
  }
}

extension CommandFailure {
  /// The error as JSON; `nil` if a check was completed and found a fault.
  fileprivate var error: JSON? {
    guard let code else { return nil }
    return .object(["code": .string(code), "text": .string(sentence ?? summary), "mistakes": .array(mistakes)])
  }

  private var summary: String {
    mistakes.isEmpty ? "the command failed; standard error shows the reason" : "the configuration has errors"
  }
}
