// docs/json.schema.json: what --json prints, and how an output differs from it.

import Foundation

/// The schema of what tappet prints with --json.
package struct JSONSchema {
  /// The schema's file.
  package static let path = Repository.path("docs/json.schema.json")

  /// The commands whose results it defines, each as often as it does.
  package let commands: [String]
  private let root: [String: Any]
  private let definitions: [String: [String: Any]]
  /// The name of the definition of a command's result.
  private var names: [String: String] = [:]

  package init() throws {
    let file = try JSONSerialization.jsonObject(with: Data(contentsOf: URL(fileURLWithPath: Self.path)))
    root = file as? [String: Any] ?? [:]
    definitions = root["$defs"] as? [String: [String: Any]] ?? [:]
    var commands: [String] = []
    for rule in root["allOf"] as? [[String: Any]] ?? [] {
      let condition = Self.property("command", of: rule["if"])
      let result = Self.property("data", of: rule["then"])
      guard let words = condition["enum"] as? [String], let target = result["$ref"] as? String else {
        throw TestFault("not a rule for a command: \(rule)")
      }
      commands += words
      for word in words { names[word] = Self.name(of: target) }
    }
    self.commands = commands
  }

  /// The codes that it defines, each as often as it does.
  package var codes: [String] { Self.listed(definitions["code"] ?? [:]) }

  /// The places where `value` differs from the result of the command, or from the definition, of this name.
  ///
  /// `Envelope` is the whole output without what depends on its command. Stricter than the schema, which allows further
  /// members.
  package func mistakes(_ value: Any, _ name: String) -> [String] {
    guard name != "Envelope" else { return mistakes(value, root, at: "") }
    guard let definition = definitions[names[name] ?? name] else { return ["the schema does not define \(name)"] }
    return mistakes(value, definition, at: "")
  }

  private func mistakes(_ value: Any, _ node: [String: Any], at path: String) -> [String] {
    let types = (node["type"] as? [String]) ?? (node["type"] as? String).map { [$0] } ?? []
    guard types.isEmpty || types.contains(where: { Self.value(value, is: $0) }) else {
      return ["\(path) is not \(types.joined(separator: " or ")): \(value)"]
    }
    var mistakes: [String] = []
    if let target = node["$ref"] as? String {
      mistakes += self.mistakes(value, definitions[Self.name(of: target)] ?? [:], at: path)
    }
    if let choices = node["anyOf"] as? [[String: Any]] {
      // The mistakes of the closest choice.
      mistakes += choices.map { self.mistakes(value, $0, at: path) }.min { $0.count < $1.count } ?? []
    }
    if let words = node["enum"] as? [String], !words.contains(value as? String ?? "") {
      mistakes.append("\(path) is not one of the codes: \(value)")
    }
    if let pattern = node["pattern"] as? String, let text = value as? String,
      text.range(of: pattern, options: .regularExpression) == nil
    {
      mistakes.append("\(path) does not match \(pattern): \(text)")
    }
    if let items = node["items"] as? [String: Any], let list = value as? [Any] {
      mistakes += list.flatMap { self.mistakes($0, items, at: path + "[]") }
    }
    if let members = node["properties"] as? [String: [String: Any]], let object = value as? [String: Any] {
      let start = path.isEmpty ? "" : path + "."
      let required = node["required"] as? [String] ?? []
      mistakes += Set(required).subtracting(object.keys).map { "\(start)\($0) is missing" }
      for (name, member) in object {
        mistakes +=
          members[name].map { self.mistakes(member, $0, at: start + name) } ?? ["\(start)\(name) is not in the schema"]
      }
    }
    return mistakes
  }

  private static func value(_ value: Any, is type: String) -> Bool {
    let isBoolean = (value as? NSNumber).map { String(cString: $0.objCType) == "c" } ?? false
    return switch type {
    case "null": value is NSNull
    case "string": value is String
    case "integer": value is Int && !isBoolean
    case "boolean": isBoolean
    case "array": value is [Any]
    case "object": value is [String: Any]
    default: false
    }
  }

  private static func property(_ name: String, of node: Any?) -> [String: Any] {
    let properties = (node as? [String: Any])?["properties"] as? [String: [String: Any]]
    return properties?[name] ?? [:]
  }

  private static func name(of target: String) -> String { target.split(separator: "/").last.map(String.init) ?? "" }

  private static func listed(_ node: [String: Any]) -> [String] {
    (node["enum"] as? [String] ?? []) + (node["anyOf"] as? [[String: Any]] ?? []).flatMap { listed($0) }
  }
}
