// The output of --json: one envelope for every command, whether it worked or not. docs/json.md is its promise.

import TappetJSON

/// The envelope of one command's output.
package final class JSONReport {
  /// Rises only when a program that reads the envelope would have to change.
  private static let format: Int64 = 1

  private let command: String
  private var data: JSON?
  private var isList = false

  package init(command: String) { self.command = command }

  /// Takes the command's answer, which is printed at its end.
  package func set(_ data: JSON) { self.data = data }

  /// Begins a list, whose elements are printed as they come; it may stay empty.
  package func beginList() { isList = true }

  /// Prints an element of the list in an envelope of its own.
  package func print(_ element: JSON) { Output.printLine(envelope(element, nil, nil)) }

  /// Prints the end: the answer, or why there is none; nothing after a list that was printed to its end.
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
  /// The failure for programs; `nil` when the command did what it was asked for, and found something wrong.
  fileprivate var error: JSON? {
    guard let code else { return nil }
    return .object(["code": .string(code), "text": .string(sentence ?? summary), "mistakes": .array(mistakes)])
  }

  private var summary: String {
    mistakes.isEmpty ? "it did not work; standard error says why" : "the configuration has mistakes"
  }
}
