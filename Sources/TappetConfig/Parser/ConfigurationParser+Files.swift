// Lists the files that a configuration refers to, for a copy of everything that a kiosk needs.

import TappetCore

extension ConfigurationParser {
  /// Returns the files that a configuration refers to; relative paths remain relative to the configuration's folder.
  ///
  /// Returns an empty array if the bytes are not valid YAML. Installed profiles are not included.
  @export(interface)
  package static func namedFiles(in bytes: [UInt8]) -> [String] {
    guard let root = try? YAMLDocument.parse(bytes) else { return [] }
    var reader = YAMLReader(file: "", folder: "", files: .ignored)
    let keys = ["broker", "timestamp_key", "panel", "actions", "commands", "matrix", "site"]
    guard let top = reader.mapping(root, keys: keys) else { return [] }
    let broker = reader.mapping(in: top, "broker", keys: ["ca", "crl", "certificate", "private_key", "password"])
    var nodes = ["ca", "crl", "certificate", "private_key"].map { broker?[$0] }
    if let broker { nodes.append(reader.mapping(in: broker, "password", keys: ["file"])?["file"]) }
    nodes.append(reader.mapping(in: top, "timestamp_key", keys: ["file"])?["file"])
    if let site = reader.mapping(in: top, "site", keys: ["name", "key", "public_key"]) {
      nodes.append(reader.mapping(in: site, "key", keys: ["file"])?["file"])
    }
    nodes += reader.webhookFiles(top["actions"])
    nodes += reader.commandFiles(top["commands"])
    let matrix = reader.mapping(in: top, "matrix", keys: YAMLReader.matrixKeys)
    nodes += ["session", "ca"].map { matrix?[$0] }
    var files = nodes.compactMap { reader.text($0) }
    let profile = reader.mapping(in: top, "panel", keys: ["profile"])?["profile"]
    if let name = reader.text(profile), name.utf8.contains(UInt8(ascii: "/")) { files.append(name) }
    var unique: [String] = []
    for file in files where !unique.contains(file) { unique.append(file) }
    return unique
  }

  /// Returns the path of `file`, to which the configuration at `path` refers.
  package static func resolve(_ file: String, in path: String) -> String {
    file.utf8.first == UInt8(ascii: "/") ? file : folder(of: path) + "/" + file
  }
}

extension YAMLReader {
  /// Returns the nodes with the paths of the files that the actions' webhooks use.
  fileprivate mutating func webhookFiles(_ actions: YAMLNode?) -> [YAMLNode?] {
    guard case .sequence(let elements) = actions?.content else { return [] }
    var nodes: [YAMLNode?] = []
    for element in elements {
      guard let action = mapping(element, keys: ["webhook"]),
        let webhook = mapping(
          in: action, "webhook", keys: ["url", "headers", "ca", "certificate", "private_key", "secret"])
      else { continue }
      nodes += ["ca", "certificate", "private_key"].map { webhook[$0] }
      for key in ["url", "secret"] { nodes.append(file(in: webhook[key])) }
      if case .mapping(_, let values) = webhook["headers"]?.content { nodes += values.map { file(in: $0) } }
    }
    return nodes
  }

  /// Returns the nodes with the paths of the command topics' keys.
  fileprivate mutating func commandFiles(_ commands: YAMLNode?) -> [YAMLNode?] {
    guard case .sequence(let elements) = commands?.content else { return [] }
    return elements.map { file(in: mapping($0, keys: ["key"])?["key"]) }
  }

  private mutating func file(in node: YAMLNode?) -> YAMLNode? {
    guard let node, case .mapping = node.content else { return nil }
    return mapping(node, keys: ["file"])?["file"]
  }

  fileprivate mutating func mapping(in outer: YAMLMapping, _ key: String, keys: [String]) -> YAMLMapping? {
    outer[key].flatMap { mapping($0, keys: keys) }
  }
}
