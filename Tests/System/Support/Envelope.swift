// The envelope of --json, and the promise of what is in it.

import Foundation
import TestSupport
import Testing

extension Finished {
  /// The envelope that a command printed; it is empty unless it printed exactly one.
  var envelope: [String: Any] {
    (try? JSONSerialization.jsonObject(with: Data(output.utf8))) as? [String: Any] ?? [:]
  }

  /// The command's own answer.
  var data: [String: Any] { envelope["data"] as? [String: Any] ?? [:] }

  /// The list of this name in the answer.
  func list(_ name: String) -> [[String: Any]] { data[name] as? [[String: Any]] ?? [] }
}

/// The promise of docs/json.schema.json for the result of one command, or for one message.
struct JSONPromise {
  private let name: String
  private let schema: JSONSchema

  /// The promise for the command, or the definition, of this name.
  init(_ name: String, _ schema: JSONSchema) {
    self.name = name
    self.schema = schema
  }

  /// The commands whose promises the tests' sources compare with an answer: `JSONPromise("status", …)` or
  /// `judge(answer, "status")`.
  static func tested() throws -> Set<String> {
    let folder = Repository.path("Tests/System")
    let tests = try FileManager.default.subpathsOfDirectory(atPath: folder).filter { $0.hasSuffix(".swift") }
    let named = /(?:JSONPromise\(|judge\(\w+, )"([^"]+)"/
    return try Set(
      tests.flatMap { file in
        try String(contentsOfFile: folder + "/" + file, encoding: .utf8).matches(of: named).map { String($0.1) }
      })
  }

  /// Where `value` differs from the promise.
  func mistakes(_ value: Any) -> [String] { schema.mistakes(value, name) }
}
