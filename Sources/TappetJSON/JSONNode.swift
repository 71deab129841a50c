// JSON read in place with cJSON, for potentially large responses of which only a small part is needed.

import CJSON
import TappetBase

/// A value in a JSON text, valid only while the text is being read.
package struct JSONNode {
  private let item: UnsafePointer<cJSON>

  /// Parses a text and calls `body` with its value, which is invalid afterwards; returns `nil` if the text is not JSON,
  /// or has too many values even without the given parts.
  package static func read<Result>(
    _ bytes: [UInt8], valuesMax: Int = Limits.jsonValuesMax, omitting part: JSONText.Part = .none,
    _ body: (JSONNode) -> Result?
  ) -> Result? {
    guard let tree = parse(bytes, valuesMax: valuesMax, omitting: part) else { return nil }
    defer { cJSON_Delete(tree) }
    return body(JSONNode(tree))
  }

  private init(_ item: UnsafePointer<cJSON>) { self.item = item }

  /// Parses a text into a tree, which the caller must delete; with `isAlone`, a text after the value is refused.
  ///
  /// The only call of cJSON's parser, so every text is bounded.
  @export(interface)
  package static func parse(
    _ bytes: [UInt8], isAlone: Bool = false, valuesMax: Int, omitting part: JSONText.Part
  ) -> UnsafeMutablePointer<cJSON>? {
    guard let bytes = JSONText.bounded(bytes, valuesMax: valuesMax, omitting: part) else { return nil }
    return bytes.withUnsafeBufferPointer { buffer in
      buffer.baseAddress.flatMap { start in
        start.withMemoryRebound(to: CChar.self, capacity: buffer.count) { text -> UnsafeMutablePointer<cJSON>? in
          var end: UnsafePointer<CChar>?
          guard let tree = cJSON_ParseWithLengthOpts(text, buffer.count, &end, 0) else { return nil }
          let size = end.map { $0 - text } ?? 0
          let isSpace = { (byte: UInt8) in byte == 0x20 || (0x09...0x0D).contains(byte) }
          if !isAlone || buffer[size...].allSatisfy(isSpace) { return tree }
          cJSON_Delete(tree)
          return nil
        }
      }
    }
  }

  /// The member with this name; `nil` if there is none.
  package subscript(name: String) -> JSONNode? {
    cJSON_GetObjectItemCaseSensitive(item, name).map { JSONNode($0) }
  }

  /// Name of the value as a member of an object; `nil` if it is not a member, or the name is not valid UTF-8.
  package var name: String? { item.pointee.string.flatMap { String(validatingCString: $0) } }

  package var isObject: Bool { cJSON_IsObject(item) != 0 }

  /// Whether the value is `true`.
  package var isTrue: Bool { cJSON_IsTrue(item) != 0 }

  /// The text, if the value is a valid UTF-8 string.
  package var text: String? {
    cJSON_IsString(item) != 0 ? item.pointee.valuestring.flatMap { String(validatingCString: $0) } : nil
  }

  /// The number, if the value is a number.
  package var number: Double? { cJSON_IsNumber(item) != 0 ? item.pointee.valuedouble : nil }

  /// The elements of an array, or the members of an object.
  package var children: Children { Children(child: item.pointee.child) }

  /// The value as received, without whitespace; empty if memory runs out.
  package var encoded: [UInt8] {
    guard let text = cJSON_PrintUnformatted(item) else { return [] }
    defer { cJSON_free(text) }
    return Array(String(cString: text).utf8)
  }

  /// Sequence of the values in an array or an object.
  package struct Children: Sequence, IteratorProtocol {
    fileprivate var child: UnsafeMutablePointer<cJSON>?

    package mutating func next() -> JSONNode? {
      defer { child = child?.pointee.next }
      return child.map { JSONNode($0) }
    }
  }
}

extension JSONNode {
  /// A number of things, or a time; 0 if it is negative or out of range.
  package var count: Int64? { number.map { max(0, Int64(exactly: $0.rounded(.down)) ?? 0) } }
}

extension JSONNode? {
  /// Returns the values in the member with this name; empty if there is no such member.
  package func elements(_ name: String) -> [JSONNode] { self?[name].map { Array($0.children) } ?? [] }
}
