// Parses one YAML document into a tree with libyaml. Size, number of nodes (aliases expanded) and depth are limited, so
// that no file can expand without bound.

import CYAML
import TappetCore

/// A position in a file; lines and columns count from 1.
package struct TextPosition: Hashable, Sendable {
  /// The line, from 1.
  package var line: Int
  /// The column, from 1, in characters.
  package var column: Int
}

extension TextPosition {
  /// Creates the position of the byte at `offset` in a UTF-8 text; columns count characters.
  ///
  /// Lines end as in YAML 1.1 §5.4: CR LF, CR, LF, U+0085, U+2028, U+2029.
  init(of offset: Int, in text: some Collection<UInt8>) {
    self.init(line: 1, column: 1)
    var last: (UInt8, UInt8) = (0, 0)
    for byte in text.prefix(max(0, offset)) {
      switch (last.0, last.1, byte) {
      case (_, 0x0D, 0x0A): break
      case (_, _, 0x0A), (_, _, 0x0D), (_, 0xC2, 0x85), (0xE2, 0x80, 0xA8...0xA9):
        self = TextPosition(line: line + 1, column: 1)
      case (_, _, 0x80...0xBF): break
      default: column += 1
      }
      last = (last.1, byte)
    }
  }
}

/// A tree node with its position.
///
/// Immutable, but a class, because nodes are passed around frequently, and references are cheap to pass.
final class YAMLNode: Sendable {
  /// The node's content.
  indirect enum Content: Sendable {
    /// `isPlain` is true if the scalar is unquoted, so that it may be a number, a boolean or null.
    case scalar(String, isPlain: Bool)
    case sequence([YAMLNode])
    /// Keys and values in file order; there are as many values as keys.
    case mapping(keys: [YAMLNode], values: [YAMLNode])
  }

  let content: Content
  let position: TextPosition
  /// Number of nodes in this subtree, including this node.
  let count: Int
  /// Path from the root, for error messages: `actions[0].topic`; empty until set by `YAMLReader`.
  let place: String

  init(_ content: Content, at position: TextPosition, count: Int, place: String = "") {
    self.content = content
    self.position = position
    self.count = count
    self.place = place
  }

  /// Returns a copy of the node with the given path.
  func reached(by place: String) -> YAMLNode { YAMLNode(content, at: position, count: count, place: place) }
}

extension YAMLNode {
  /// The paths of the keys and named elements that another node does not have; `path` is this node's.
  func keys(missingIn other: YAMLNode, at path: String = "") -> [String] {
    let others = other.parts
    return parts.flatMap { name, value in
      let place = path.isEmpty ? name : path + "." + name
      guard let match = others.first(where: { $0.name == name }) else { return [place] }
      return value.keys(missingIn: match.value, at: place)
    }
  }

  /// The values of a mapping by key, or the elements of a sequence by their `name`, or by their number from 1.
  private var parts: [(name: String, value: YAMLNode)] {
    switch content {
    case .scalar: return []
    case .sequence(let elements):
      return elements.enumerated().map { place, element in
        guard case .scalar(let name, _)? = element.parts.first(where: { $0.name == "name" })?.value.content else {
          return (String(place + 1), element)
        }
        return (name, element)
      }
    case .mapping(let keys, let values):
      return zip(keys, values).compactMap { key, value in
        if case .scalar(let name, _) = key.content { (name, value) } else { nil }
      }
    }
  }
}

/// The reason why a text is not a single valid document.
package indirect enum YAMLError: Hashable, Sendable {
  case syntax(String)
  /// An unquoted value that starts with a character that has a meaning in YAML, or contains a colon and a space.
  case unquoted(String)
  /// A line that does not continue what the lines above it start; `problem` is libyaml's.
  case misplaced(problem: String)
  /// A tab in the indentation, where only spaces are allowed.
  case tab
  /// A no-break space (U+00A0) where YAML accepts only a plain space; YAML treats it as a letter.
  case noBreakSpace
  /// A `!tag`, which is not allowed, because only the configuration's keys determine the types of values.
  case tag(String)
  case unknownAlias(String)
  case tooManyNodes(max: Int)
  case tooDeep(max: Int)
  case severalDocuments
  case empty
}

/// An error and its position.
struct YAMLFailure: Error {
  var position: TextPosition
  var error: YAMLError
}

/// libyaml's parser and its working state.
final class YAMLDocument {
  private let parser: UnsafeMutablePointer<yaml_parser_t>
  private let event: UnsafeMutablePointer<yaml_event_t>
  private let text: UnsafeBufferPointer<UInt8>
  /// Position after the last character.
  private let end: TextPosition
  private var anchors: [String: YAMLNode] = [:]
  private var count = 0

  /// Parses the document in `bytes`.
  static func parse(_ bytes: [UInt8]) throws(YAMLFailure) -> YAMLNode {
    var result: Result<YAMLNode, YAMLFailure> = .failure(
      YAMLFailure(position: TextPosition(line: 1, column: 1), error: .empty))
    // libyaml counts a byte order mark as a column, so the first key would look indented.
    let text = bytes.starts(with: [0xEF, 0xBB, 0xBF]) ? Array(bytes.dropFirst(3)) : bytes
    text.withUnsafeBufferPointer { buffer in
      do throws(YAMLFailure) { result = .success(try YAMLDocument(buffer).document()) } catch {
        result = .failure(error)
      }
    }
    return try result.get()
  }

  private init(_ text: UnsafeBufferPointer<UInt8>) {
    self.text = text
    end = TextPosition(of: text.count, in: text)
    parser = .allocate(capacity: 1)
    parser.initialize(to: yaml_parser_t())
    event = .allocate(capacity: 1)
    event.initialize(to: yaml_event_t())
    yaml_parser_initialize(parser)
    yaml_parser_set_encoding(parser, YAML_UTF8_ENCODING)
    yaml_parser_set_input_string(parser, text.baseAddress, text.count)
  }

  deinit {
    yaml_event_delete(event)
    yaml_parser_delete(parser)
    event.deallocate()
    parser.deallocate()
  }

  private func document() throws(YAMLFailure) -> YAMLNode {
    try advance()  // stream start
    try advance()
    guard event.pointee.type == YAML_DOCUMENT_START_EVENT else { throw failure(.empty) }
    try advance()
    let root = try node(depth: 1)
    try advance()  // document end
    try advance()
    guard event.pointee.type == YAML_STREAM_END_EVENT else { throw failure(.severalDocuments) }
    return root
  }

  /// Returns the node that starts with the current event.
  private func node(depth: Int) throws(YAMLFailure) -> YAMLNode {
    guard depth <= Limits.configurationDepthMax else { throw failure(.tooDeep(max: Limits.configurationDepthMax)) }
    let position = position(event.pointee.start_mark)
    switch event.pointee.type {
    case YAML_SCALAR_EVENT:
      let scalar = event.pointee.data.scalar
      let text = String(decoding: UnsafeBufferPointer(start: scalar.value, count: scalar.length), as: UTF8.self)
      let isText = try isText(scalar.tag)
      let isPlain = scalar.style == YAML_PLAIN_SCALAR_STYLE && !isText
      return try finish(.scalar(text, isPlain: isPlain), position, name(scalar.anchor), count: 0)
    case YAML_ALIAS_EVENT:
      let alias = name(event.pointee.data.alias.anchor) ?? ""
      guard let known = anchors[alias] else { throw failure(.unknownAlias(alias)) }
      try add(known.count)
      return YAMLNode(known.content, at: position, count: known.count)
    case YAML_SEQUENCE_START_EVENT:
      try refuseTag(event.pointee.data.sequence_start.tag)
      let anchor = name(event.pointee.data.sequence_start.anchor)
      var elements: [YAMLNode] = []
      try advance()
      while event.pointee.type != YAML_SEQUENCE_END_EVENT {
        elements.append(try node(depth: depth + 1))
        try advance()
      }
      return try finish(.sequence(elements), position, anchor, count: Self.count(of: elements))
    case YAML_MAPPING_START_EVENT:
      try refuseTag(event.pointee.data.mapping_start.tag)
      let anchor = name(event.pointee.data.mapping_start.anchor)
      var keys: [YAMLNode] = []
      var values: [YAMLNode] = []
      try advance()
      while event.pointee.type != YAML_MAPPING_END_EVENT {
        keys.append(try node(depth: depth + 1))
        try refuseNoBreakSpace(in: keys[keys.count - 1])
        try advance()
        values.append(try node(depth: depth + 1))
        try advance()
      }
      return try finish(
        .mapping(keys: keys, values: values), position, anchor, count: Self.count(of: keys) + Self.count(of: values))
    default:
      throw failure(.empty)
    }
  }

  /// Completes a node; its anchor is registered only now, so an alias inside the node is unknown and recursion is
  /// impossible.
  ///
  /// `count` does not include the node itself.
  private func finish(
    _ content: YAMLNode.Content, _ position: TextPosition, _ anchor: String?, count: Int
  ) throws(YAMLFailure) -> YAMLNode {
    try add(1)
    let node = YAMLNode(content, at: position, count: count + 1)
    if let anchor { anchors[anchor] = node }
    return node
  }

  private static func count(of nodes: [YAMLNode]) -> Int {
    var count = 0
    for node in nodes { count += node.count }
    return count
  }

  private func add(_ nodes: Int) throws(YAMLFailure) {
    count += nodes
    guard count <= Limits.configurationNodesMax else { throw failure(.tooManyNodes(max: Limits.configurationNodesMax)) }
  }

  private func advance() throws(YAMLFailure) {
    yaml_event_delete(event)
    if yaml_parser_parse(parser, event) != 1 { throw parserFailure() }
  }

  private func parserFailure() -> YAMLFailure {
    let problem = parser.pointee.problem.map { String(cString: $0) } ?? "cannot be parsed"
    // For bytes that it cannot read, libyaml provides only an offset and no mark.
    if parser.pointee.error == YAML_READER_ERROR {
      let place = TextPosition(of: Int(clamping: parser.pointee.problem_offset), in: text)
      return YAMLFailure(position: place, error: .syntax(problem))
    }
    let isAtTab = parser.pointee.error == YAML_SCANNER_ERROR && parser.pointee.buffer.pointer?.pointee == 0x09
    if !isAtTab, let place = noBreakSpace(line: Int(clamping: parser.pointee.problem_mark.line) + 1) {
      return YAMLFailure(position: place, error: .noBreakSpace)
    }
    let place = position(parser.pointee.problem_mark)
    return YAMLFailure(position: place, error: isAtTab ? .tab : cause(of: problem, at: place))
  }

  /// Returns the likely cause of libyaml's error.
  private func cause(of problem: String, at place: TextPosition) -> YAMLError {
    let line = line(place.line)
    let (before, rest) = (line.prefix(place.column - 1), line.dropFirst(place.column - 1))
    switch problem {
    case "found character that cannot start any token": return .unquoted(shown(rest, after: before))
    case "mapping values are not allowed in this context":
      // Either a second colon, as in `key: a: b`, or a key that is indented below a value.
      guard let colon = before.firstIndex(of: ":") else { return .misplaced(problem: problem) }
      return .unquoted(shown(line[(colon + 1)...], after: line[...colon]))
    case "did not find expected key", "did not find expected '-' indicator", "could not find expected ':'",
      "block sequence entries are not allowed in this context":
      return .misplaced(problem: problem)
    default: return .syntax(problem)
    }
  }

  /// Returns a value or, if its key may be that of a password, only its first character.
  private func shown(_ value: ArraySlice<Unicode.Scalar>, after key: ArraySlice<Unicode.Scalar>) -> String {
    let value = Self.text(value)
    let key = Self.text(key)
    let isOpen = ["message:", "topic:", "title:", "name:"].contains { key == $0 || key == "- " + $0 }
    return isOpen ? value : String(value.unicodeScalars.prefix(1)) + "…"
  }

  private static func text(_ scalars: ArraySlice<Unicode.Scalar>) -> String {
    var text = String.UnicodeScalarView()
    text.append(contentsOf: scalars)
    return String(text).trimmedLabel ?? ""
  }

  /// Returns a line without its comment.
  private func line(_ number: Int) -> [Unicode.Scalar] {
    let lines = text.split(maxSplits: number, omittingEmptySubsequences: false) { $0 == 0x0A }
    guard lines.indices.contains(number - 1) else { return [] }
    let scalars = Array(String(decoding: lines[number - 1], as: UTF8.self).unicodeScalars)
    let comment = scalars.indices.first { scalars[$0] == "#" && $0 > 0 && scalars[$0 - 1] == " " }
    return Array(scalars[..<(comment ?? scalars.count)])
  }

  /// Rejects no-break spaces in keys: YAML treats them as letters, both in `url:\u{a0}x` and in an indentation.
  private func refuseNoBreakSpace(in key: YAMLNode) throws(YAMLFailure) {
    guard case .scalar(let text, isPlain: true) = key.content else { return }
    var position = key.position
    for scalar in text.unicodeScalars {
      if scalar == "\u{a0}" { throw YAMLFailure(position: position, error: .noBreakSpace) }
      position.column += 1
    }
  }

  /// Returns the position of the first no-break space in this or the previous line that is used as indentation, or
  /// where a space is required.
  ///
  /// libyaml detects a missing colon only at the next line's colon.
  private func noBreakSpace(line: Int) -> TextPosition? {
    var last: (UInt8, UInt8) = (0, UInt8(ascii: "\n"))
    var number = 1
    let separators = Array("\r\n:-,[{".utf8)
    for (offset, byte) in text.enumerated() where number <= line {
      if (last.1, byte) == (0xC2, 0xA0) {
        if number >= line - 1, separators.contains(last.0) { return TextPosition(of: offset - 1, in: text) }
        // A no-break space is treated like a space.
        last.1 = last.0
      } else if byte != 0x20 {
        last = (last.1, byte)
      }
      if byte == UInt8(ascii: "\n") { number += 1 }
    }
    return nil
  }

  /// Returns whether the tag is `!!str` or `!`, which turn any scalar into text (YAML 1.2 §3.3.2).
  private func isText(_ tag: UnsafeMutablePointer<yaml_char_t>?) throws(YAMLFailure) -> Bool {
    guard let tag = name(tag) else { return false }
    if tag == "!" || tag == "tag:yaml.org,2002:str" { return true }
    throw failure(.tag(tag))
  }

  private func refuseTag(_ tag: UnsafeMutablePointer<yaml_char_t>?) throws(YAMLFailure) {
    if let tag = name(tag) { throw failure(.tag(tag)) }
  }

  private func failure(_ error: YAMLError) -> YAMLFailure {
    YAMLFailure(position: position(event.pointee.start_mark), error: error)
  }

  private func name(_ anchor: UnsafeMutablePointer<yaml_char_t>?) -> String? { anchor.map { String(cString: $0) } }

  /// Converts a mark; libyaml counts the end of an unterminated last line as an additional line, which no editor shows.
  private func position(_ mark: yaml_mark_t) -> TextPosition {
    mark.line < end.line ? TextPosition(line: Int(mark.line) + 1, column: Int(mark.column) + 1) : end
  }
}
