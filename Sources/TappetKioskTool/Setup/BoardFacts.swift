// Facts that distinguish this board from others, for `tappet init --answers`. They are read from the board itself and
// from its row in a table of boards.

import CPlatform
import TappetCommandLine
import TappetConfig
import TappetCore
import TappetPlatform

/// Facts about this board, which replace `%{board.NAME}`.
struct BoardFacts {
  private(set) var names: [String] = []
  private var values: [String] = []
  /// The table's path and the line of this board's row, and the columns that are empty there.
  private var row = ""
  private var emptyColumns: [String] = []

  /// Reads the board's own facts: `machine_id`, `serial`, `mac` and `hostname`, if available.
  init() {
    add("machine_id", Self.text(in: "/etc/machine-id"))
    add("serial", Self.text(in: "/proc/device-tree/serial-number"))
    add("mac", Self.address())
    add("hostname", NetworkIdentity.hostName())
  }

  subscript(_ name: String) -> String? { names.firstIndex(of: name).map { values[$0] } }

  private mutating func add(_ name: String, _ value: String?) {
    guard let value, !value.isEmpty else { return }
    names.append(name)
    values.append(value)
  }

  /// Whether a fact's value would introduce a placeholder such as `%T` or `%{uid}` into the text of a message.
  func makesPlaceholder(in text: String) throws(UnknownBoardFact) -> Bool {
    func count(_ text: String?) -> Int {
      let bytes = Array((text ?? "").utf8)
      return bytes.indices.dropLast().count { bytes[$0] == 0x25 && "TI{".utf8.contains(bytes[$0 + 1]) }
    }
    return try count(filled(text)) != count(filled(text) { _ in "-" })
  }

  /// Returns `text` with each `%{board.NAME}` replaced; throws if a fact is unknown.
  func filled(
    _ text: String?, by replacement: (String) -> String = { $0 }
  ) throws(UnknownBoardFact) -> String? {
    guard let text else { return nil }
    let opening = Array("%{board.".utf8)
    let bytes = Array(text.utf8)
    var filled: [UInt8] = []
    var index = 0
    while index < bytes.count {
      guard bytes[index...].starts(with: opening), let end = bytes[index...].firstIndex(of: UInt8(ascii: "}")) else {
        filled.append(bytes[index])
        index += 1
        continue
      }
      let name = String(decoding: bytes[(index + opening.count)..<end], as: UTF8.self)
      guard let value = self[name] else { throw UnknownBoardFact(name: name) }
      filled += Array(replacement(value).utf8)
      index = end + 1
    }
    return String(decoding: filled, as: UTF8.self)
  }

  // MARK: The table of boards

  /// Adds the columns of this board's row, in which `machine_id`, `serial`, `mac` and `hostname` match this board;
  /// missing columns and empty fields are ignored.
  mutating func addRow(of path: String) throws(CommandFailure) {
    var header: [String] = []
    var found: CSVRow?
    let own = self
    try CSVFile.read(path, sizeMax: Limits.boardTableSizeMax) { (row) throws(CommandFailure) in
      if header.isEmpty {
        header = row.fields.map { $0.trimmedLabel ?? "" }
        guard header.contains(where: { own[$0] != nil }) else {
          let known = own.names.joined(separator: ", ")
          throw .refused("\(path): no column identifies this board's row; add one of the columns \(known)")
        }
        for (index, name) in header.enumerated() where !name.isEmpty && header[..<index].contains(name) {
          throw .refused("\(path): line \(row.line): duplicate column '\(name)'")
        }
        return
      }
      guard row.fields.count >= header.count, row.fields.dropFirst(header.count).allSatisfy({ $0.isEmpty }) else {
        throw .refused(
          "\(path): line \(row.line): the row contains \(row.fields.count) fields, but the first line contains "
            + "\(header.count)")
      }
      guard own.isSelf(row, header) else { return }
      if let other = found {
        throw .refused("\(path): lines \(other.line) and \(row.line) both match this board")
      }
      found = row
    }
    guard let found else {
      let facts = names.map { "\($0) \(own[$0] ?? "")" }.joined(separator: ", ")
      throw .refused("\(path) contains no row for this board: \(facts)")
    }
    row = "\(path): line \(found.line)"
    for (name, value) in zip(header, found.fields) where self[name] == nil {
      add(name, value)
      if value.isEmpty { emptyColumns.append(name) }
    }
  }

  /// Returns why `%{board.NAME}` has no value.
  func reason(_ unknown: UnknownBoardFact) -> String {
    emptyColumns.contains(unknown.name)
      ? "'%{board.\(unknown.name)}' has no value, because the column '\(unknown.name)' is empty in \(row)"
      : "unknown fact '%{board.\(unknown.name)}'; the facts of this board are " + names.joined(separator: ", ")
  }

  /// Whether at least one fact in the row matches this board, and none contradicts it.
  private func isSelf(_ row: CSVRow, _ header: [String]) -> Bool {
    var agrees = false
    for (name, field) in zip(header, row.fields) {
      guard let value = self[name], let field = field.trimmedLabel else { continue }
      guard field.asciiLowercased == value.asciiLowercased else { return false }
      agrees = true
    }
    return agrees
  }

  // MARK: The board

  private static func text(in path: String) -> String? {
    guard case .success(let file) = TextFile.read(path, sizeMax: 256) else { return nil }
    return String(decoding: file.bytes.prefix { $0 != 0 }, as: UTF8.self).trimmedLabel
  }

  /// Returns the MAC address of the first physical network interface, preferring wired over wireless.
  private static func address() -> String? {
    let folder = "/sys/class/net/"
    let devices = FolderNames.sorted(in: folder).filter { access(folder + $0 + "/device", F_OK) == 0 }
    let name = devices.first { access(folder + $0 + "/wireless", F_OK) != 0 } ?? devices.first
    return name.flatMap { text(in: folder + $0 + "/address") }
  }
}

/// A `%{board.NAME}` whose value is unknown.
struct UnknownBoardFact: Error {
  var name: String
}
