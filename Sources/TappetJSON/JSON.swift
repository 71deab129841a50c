// JSON decoding and encoding with cJSON. Numbers are integers, because Tappet never writes JSON with fractions.

import CJSON
import CPlatform
import TappetBase

/// A JSON value.
///
/// Objects preserve the order of their members.
package indirect enum JSON: Hashable, Sendable {
  case null
  case bool(Bool)
  /// Encoded exactly, but decoded as a floating-point number, which is exact in `exactNumbers` only.
  case number(Int64)
  case string(String)
  case array([JSON])
  case object([Member])

  /// Name and value of a member of an object.
  package struct Member: Hashable, Sendable {
    /// Name of the member, not necessarily unique.
    package var name: String
    /// The member's value.
    package var value: JSON

    package init(name: String, value: JSON) {
      self.name = name
      self.value = value
    }
  }

  /// The numbers that arrive unchanged: up to ±2^53.
  package static let exactNumbers: ClosedRange<Int64> = -(1 << 53)...(1 << 53)

  /// Returns an object with these members, in order.
  package static func object(_ members: KeyValuePairs<String, JSON>) -> JSON {
    .object(members.map { Member(name: $0.key, value: $0.value) })
  }

  /// Returns a string, or null if `text` is `nil`.
  package static func optional(_ text: String?) -> JSON { text.map { .string($0) } ?? .null }

  /// The value of the first member with this name; `nil` if there is no such member, or this value is not an object.
  package subscript(name: String) -> JSON? {
    guard case .object(let members) = self else { return nil }
    return members.first { $0.name == name }?.value
  }

  /// The text, if the value is a string.
  package var text: String? { if case .string(let text) = self { text } else { nil } }

  /// The number, if the value is a number.
  package var wholeNumber: Int64? { if case .number(let number) = self { number } else { nil } }

  /// The members, if the value is an object, otherwise none.
  package var members: [Member] { if case .object(let members) = self { members } else { [] } }

  /// The elements, if the value is an array.
  package var elements: [JSON]? { if case .array(let elements) = self { elements } else { nil } }

  /// Decodes one JSON value; `nil` if the bytes are malformed, nested deeper than cJSON allows (1,000 levels), or have
  /// too many values even without the given parts.
  ///
  /// Fractions, and numbers out of range, are refused or, with `roundsFractions`, rounded down, because other programs
  /// write times with fractions, and read as null, because others write parts of a homeserver's response.
  /// With `isAlone`, a text after the value is refused instead of ignored.
  @export(interface)
  package init?(
    decoding bytes: [UInt8], roundsFractions: Bool = false, isAlone: Bool = false,
    valuesMax: Int = Limits.jsonValuesMax, omitting part: JSONText.Part = .none
  ) {
    guard let tree = JSONNode.parse(bytes, isAlone: isAlone, valuesMax: valuesMax, omitting: part) else { return nil }
    defer { cJSON_Delete(tree) }
    guard let value = JSON(tree, roundsFractions) else { return nil }
    self = value
  }

  /// Encodes the value as UTF-8, compact or, if `pretty`, formatted for people.
  ///
  /// Returns an empty array if memory runs out.
  @export(interface)
  package func encoded(pretty: Bool = false) -> [UInt8] {
    guard let tree else { return [] }
    defer { cJSON_Delete(tree) }
    guard let text = pretty ? cJSON_Print(tree) : cJSON_PrintUnformatted(tree) else { return [] }
    defer { cJSON_free(text) }
    let size = strlen(text)
    return text.withMemoryRebound(to: UInt8.self, capacity: size) {
      JSON.escaped(UnsafeBufferPointer(start: $0, count: size))
    }
  }

  /// Escapes characters that cJSON leaves unchanged but that affect a terminal: DEL, C1 and bidirectional controls.
  private static func escaped(_ text: UnsafeBufferPointer<UInt8>) -> [UInt8] {
    guard text.contains(where: { $0 >= 0x7F }) else { return Array(text) }
    var bytes: [UInt8] = []
    for scalar in String(decoding: text, as: UTF8.self).unicodeScalars {
      if scalar.value < 0x7F || scalar.isPrintable {
        bytes += String(scalar).utf8
      } else {
        bytes += Array("\\u".utf8) + Hex.digits(of: [UInt8(scalar.value >> 8), UInt8(scalar.value & 0xFF)])
      }
    }
    return bytes
  }

  private init?(_ item: UnsafePointer<cJSON>, _ roundsFractions: Bool) {
    if cJSON_IsNull(item) != 0 {
      self = .null
    } else if cJSON_IsBool(item) != 0 {
      self = .bool(cJSON_IsTrue(item) != 0)
    } else if cJSON_IsNumber(item) != 0 {
      let value = item.pointee.valuedouble
      let number = Int64(exactly: roundsFractions ? value.rounded(.down) : value)
      guard number != nil || roundsFractions else { return nil }
      self = number.map { .number($0) } ?? .null
    } else if cJSON_IsString(item) != 0, let text = item.pointee.valuestring {
      self = .string(String(cString: text))
    } else if cJSON_IsArray(item) != 0 || cJSON_IsObject(item) != 0 {
      guard let children = JSON.children(of: item, roundsFractions) else { return nil }
      self = cJSON_IsArray(item) != 0 ? .array(children.map { $0.value }) : .object(children)
    } else {
      return nil
    }
  }

  private static func children(of item: UnsafePointer<cJSON>, _ roundsFractions: Bool) -> [Member]? {
    var children: [Member] = []
    var next = item.pointee.child
    while let child = next {
      guard let value = JSON(child, roundsFractions) else { return nil }
      children.append(Member(name: child.pointee.string.map { String(cString: $0) } ?? "", value: value))
      next = child.pointee.next
    }
    return children
  }

  /// cJSON tree of the value, which the caller must delete.
  private var tree: UnsafeMutablePointer<cJSON>? {
    switch self {
    case .null: return cJSON_CreateNull()
    case .bool(let flag): return cJSON_CreateBool(flag ? 1 : 0)
    case .number(let number):
      // cJSON writes 15 digits if the number is nearly the same with them.
      return number.magnitude < 1_000_000_000_000_000
        ? cJSON_CreateNumber(Double(number)) : cJSON_CreateRaw(String(number))
    case .string(let text): return cJSON_CreateString(text)
    case .array(let elements):
      let array = cJSON_CreateArray()
      for element in elements { cJSON_AddItemToArray(array, element.tree) }
      return array
    case .object(let members):
      let object = cJSON_CreateObject()
      for member in members { cJSON_AddItemToObject(object, member.name, member.value.tree) }
      return object
    }
  }
}
