// The envelope of --json, and the page that promises what is in it.

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

/// The types that docs/json.md promises for one object and everything in it, by path.
struct JSONPromise {
  private let types: [String: String]
  private let codes: Set<String>

  /// The promise in the tables under `heading`.
  init(_ heading: String, _ page: JSONPage) {
    types = page.types[heading] ?? [:]
    codes = page.codes
  }

  /// The headings whose promises the tests' sources compare with an answer: `JSONPromise("status", …)` or
  /// `judge(answer, "status")`.
  static func tested() throws -> Set<String> {
    let folder = Repository.path("Tests/System")
    let tests = try FileManager.default.contentsOfDirectory(atPath: folder).filter { $0.hasSuffix(".swift") }
    let named = /(?:JSONPromise\(|judge\(\w+, )"([^"]+)"/
    return try Set(
      tests.flatMap { file in
        try String(contentsOfFile: folder + "/" + file, encoding: .utf8).matches(of: named).map { String($0.1) }
      })
  }

  /// Where `value` differs from the promise.
  func mistakes(_ value: Any, at path: String = "") -> [String] {
    guard let object = value as? [String: Any] else { return ["\(path) is not an object"] }
    let start = path.isEmpty ? "" : path + "."
    let promised = types.keys.filter { $0.hasPrefix(start) && !$0.dropFirst(start.count).contains(".") }
      .map { String($0.dropFirst(start.count)) }.filter { !$0.isEmpty && !$0.hasSuffix("[]") }
    var mistakes = Set(promised).subtracting(object.keys).map { "\(start)\($0) is missing" }
    for (name, member) in object {
      guard let type = types[start + name] else {
        mistakes.append("\(start)\(name) is not in the page")
        continue
      }
      mistakes += self.mistakes(member, at: start + name, type)
    }
    return mistakes
  }

  private func mistakes(_ value: Any, at path: String, _ type: String) -> [String] {
    let plain = type.replacingOccurrences(of: " or null", with: "")
    if value is NSNull { return plain == type ? ["\(path) is null"] : [] }
    let isNested = types.keys.contains { $0.hasPrefix(path + ".") }
    let isBoolean = (value as? NSNumber).map { String(cString: $0.objCType) == "c" } ?? false
    let isRight =
      switch plain {
      case "text": value is String
      case "integer": value is Int && !isBoolean
      case "boolean": isBoolean
      case "time": (value as? String).map { Self.isTime($0) } ?? false
      case "code": (value as? String).map { codes.contains($0) } ?? false
      case "list of text": value is [String]
      case "list": value is [[String: Any]]
      case "object": value is [String: Any]
      default: false
      }
    guard isRight else { return ["\(path) is not \(type): \(value)"] }
    if plain == "list" {
      return (value as? [[String: Any]] ?? []).flatMap { self.mistakes($0, at: path + "[]") }
    }
    return plain == "object" && isNested ? mistakes(value, at: path) : []
  }

  private static func isTime(_ text: String) -> Bool {
    text.range(of: #"^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$"#, options: .regularExpression) != nil
  }
}

/// The promises of docs/json.md.
struct JSONPage {
  /// By heading (`status`, `Envelope`): the types by path.
  private(set) var types: [String: [String: String]] = [:]
  private(set) var codes: Set<String> = []

  init() throws {
    let text = try String(contentsOfFile: Repository.path("docs/json.md"), encoding: .utf8)
    var headings: [String] = []
    for line in text.split(separator: "\n") {
      if line.hasPrefix("#") {
        headings = Self.words(in: line)
        if headings.isEmpty { headings = [line.drop { $0 == "#" || $0 == " " }].map { String($0) } }
        continue
      }
      let cells = line.split(separator: "|").map { $0.trimmingCharacters(in: .whitespaces) }
      guard line.hasPrefix("| `"), cells.count >= 2 else { continue }
      let names = Self.words(in: Substring(cells[0]))
      if headings == ["Codes"] {
        codes.formUnion(names)
      } else {
        for heading in headings { for name in names { types[heading, default: [:]][name] = cells[1] } }
      }
    }
  }

  /// The commands that it documents.
  var commands: Set<String> { Set(types.keys).subtracting(["Envelope", "State message", "Check message"]) }

  private static func words(in line: Substring) -> [String] {
    line.split(separator: "`", omittingEmptySubsequences: false).enumerated()
      .filter { $0.offset % 2 == 1 }.map { String($0.element) }
  }
}
