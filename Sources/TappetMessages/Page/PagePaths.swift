// Paths in texts for the page: a manager's browser sees the name of a file, such as one with a password, and not where
// it is.

import TappetCore
import TappetJSON

extension String {
  /// The text with the absolute paths of files shortened to their names.
  package var withoutFolders: String {
    @export(interface) get {
      var (text, path): ([UInt8], [UInt8]) = ([], [])
      func endPath() {
        let end = path.split(separator: UInt8(ascii: "/")).last
        text += path.count(where: { $0 == UInt8(ascii: "/") }) > 1 ? Array(end ?? []) : path
        path = []
      }
      for byte in utf8 {
        let isSeparator = byte <= 0x20 || "\"'(),;:=[]<>".utf8.contains(byte)
        if isSeparator, !path.isEmpty { endPath() }
        // A path starts a word; "mqtts://host/x" is an address.
        let startsWord = text.last.map { $0 <= 0x20 || "\"'(,;=[<".utf8.contains($0) } ?? true
        if !path.isEmpty || (byte == UInt8(ascii: "/") && startsWord) {
          path.append(byte)
        } else {
          text.append(byte)
        }
      }
      endPath()
      return String(decoding: text, as: UTF8.self)
    }
  }
}

extension JSON {
  /// The kiosk's status with the names of files, and without their folders.
  package var withoutFolders: JSON {
    @export(interface) get {
      switch self {
      case .object(let members):
        return .object(
          members.map { member -> Member in
            guard ["file", "state", "text"].contains(member.name), let text = member.value.text else {
              return Member(name: member.name, value: member.value.withoutFolders)
            }
            return Member(name: member.name, value: .string(text.withoutFolders))
          })
      case .array(let elements): return .array(elements.map { $0.withoutFolders })
      case _: return self
      }
    }
  }
}
