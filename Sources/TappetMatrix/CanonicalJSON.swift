// JSON in the form used for signatures: Matrix, Appendices, "Canonical JSON" and "Signing JSON".

import TappetCore
import TappetJSON
import TappetOlm

extension JSON {
  /// The canonical form: members sorted by the bytes of their names, no spaces, and as few escapes as possible.
  package var canonical: [UInt8] {
    @export(interface) get {
      switch self {
      case .null: return Array("null".utf8)
      case .bool(let flag): return Array((flag ? "true" : "false").utf8)
      case .number(let number): return Array(String(number).utf8)
      case .string(let text): return JSON.quoted(text)
      case .array(let elements):
        return [UInt8(ascii: "[")] + JSON.joined(elements.map { $0.canonical }) + [UInt8(ascii: "]")]
      case .object(let members):
        let ordered = members.inOrder { $0.name.utf8.lexicographicallyPrecedes($1.name.utf8) }
        let parts = ordered.map { JSON.quoted($0.name) + [UInt8(ascii: ":")] + $0.value.canonical }
        return [UInt8(ascii: "{")] + JSON.joined(parts) + [UInt8(ascii: "}")]
      }
    }
  }

  /// The bytes covered by a signature: the canonical form, excluding signatures and data added by servers.
  package var signed: [UInt8] {
    JSON.object(members.filter { $0.name != "signatures" && $0.name != "unsigned" }).canonical
  }

  /// Whether the object has a valid signature from `user` with this Ed25519 key, which is named `ed25519:` plus `id`.
  package func isSigned(by user: String, _ id: String, key: String) -> Bool {
    guard let signature = self["signatures"]?[user]?["ed25519:" + id]?.text else { return false }
    return Ed25519.isValid(signature, of: signed, by: key)
  }

  /// Returns the object with this member, which replaces any member with the same name.
  package func with(_ name: String, _ value: JSON) -> JSON {
    .object(members.filter { $0.name != name } + [Member(name: name, value: value)])
  }

  /// Returns an object with these names and values; unlike in `object(_:)`, the names may be computed.
  package static func object(of pairs: [(String, JSON)]) -> JSON {
    .object(pairs.map { Member(name: $0.0, value: $0.1) })
  }

  private static func joined(_ parts: [[UInt8]]) -> [UInt8] {
    var bytes: [UInt8] = []
    for part in parts {
      if !bytes.isEmpty { bytes.append(UInt8(ascii: ",")) }
      bytes += part
    }
    return bytes
  }

  private static func quoted(_ text: String) -> [UInt8] {
    var bytes = [UInt8(ascii: "\"")]
    for byte in text.utf8 {
      switch byte {
      case UInt8(ascii: "\""), UInt8(ascii: "\\"): bytes += [UInt8(ascii: "\\"), byte]
      case 0x08: bytes += Array("\\b".utf8)
      case 0x09: bytes += Array("\\t".utf8)
      case 0x0A: bytes += Array("\\n".utf8)
      case 0x0C: bytes += Array("\\f".utf8)
      case 0x0D: bytes += Array("\\r".utf8)
      case 0..<0x20: bytes += Array("\\u00".utf8) + Hex.digits(of: [byte])
      default: bytes.append(byte)
      }
    }
    return bytes + [UInt8(ascii: "\"")]
  }
}
