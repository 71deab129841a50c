// The first line of a text, which is where secrets are: keys, passwords, passphrases, tokens, headers. All of them are
// read here, so that a file means the same everywhere, whatever program wrote it. PowerShell writes UTF-16, Notepad a
// byte order mark. Taken as bytes, they would become a password that cannot be typed.

import CPlatform
import TappetBase

/// The reason why a file is not the text that it should be.
package enum TextFault: Error, Hashable, Sendable {
  /// A NUL, which no secret contains: the text is in an encoding other than UTF-8, or it is not a text.
  case containsNUL
  /// The file starts like UTF-16, but ends within a character.
  case utf16Damaged
}

/// Reader of the first line of a text.
package enum FirstLine {
  /// Returns the first line without its line ending and byte order mark; UTF-16 is converted to UTF-8.
  ///
  /// UTF-16 without a byte order mark is recognized if all characters of the line are Latin ones.
  @export(interface)
  package static func parse(_ bytes: [UInt8]) throws(TextFault) -> [UInt8] {
    if let isBigEndian = isBigEndian(bytes) {
      let hasMark = bytes.starts(with: [0xFF, 0xFE]) || bytes.starts(with: [0xFE, 0xFF])
      do throws(TextFault) {
        let units = try units(of: bytes.dropFirst(hasMark ? 2 : 0), isBigEndian: isBigEndian)
        guard hasMark || units.allSatisfy({ $0 < 0x100 }) else { throw .containsNUL }
        return try encode(units)
      } catch { throw hasMark ? error : .containsNUL }
    }
    if bytes.contains(0) { throw .containsNUL }
    let text = bytes.starts(with: [0xEF, 0xBB, 0xBF]) ? bytes.dropFirst(3) : bytes[...]
    let line = text.prefix { $0 != UInt8(ascii: "\n") }
    return Array(line.last == UInt8(ascii: "\r") ? line.dropLast() : line)
  }

  /// Reads the first line from a descriptor, without waiting for more than that; `nil` if it is longer than `sizeMax`.
  @export(interface)
  package static func next(from file: Int32, sizeMax: Int) throws(FirstLineError) -> [UInt8]? {
    // In UTF-16, a line has up to twice the size.
    var memory = [UInt8](repeating: 0, count: 2 * sizeMax + 8)
    var size = 0
    defer { LibCrypto.wipe(&memory) }
    while size < memory.count {
      let count: Int
      do throws(SystemError) {
        count = try checked("read") {
          memory.withUnsafeMutableBytes { read(file, $0.baseAddress?.advanced(by: size), $0.count - size) }
        }
      } catch { throw .system(error) }
      size += count
      let isWhole = isBigEndian(Array(memory[..<min(size, 2)])) == nil && memory[..<size].contains(UInt8(ascii: "\n"))
      if count == 0 || isWhole { break }
    }
    var text = Array(memory[..<size])
    defer { LibCrypto.wipe(&text) }
    do throws(TextFault) {
      let line = try parse(text)
      return line.count <= sizeMax ? line : nil
    } catch { throw .text(error) }
  }

  /// Returns the byte order of UTF-16; `nil` for any other encoding.
  private static func isBigEndian(_ bytes: [UInt8]) -> Bool? {
    guard bytes.count >= 2 else { return nil }
    switch (bytes[0], bytes[1]) {
    case (0xFE, 0xFF): return true
    case (0xFF, 0xFE): return false
    case (0, 1...): return true
    case (1..., 0): return false
    default: return nil
    }
  }

  /// Returns the code units of the first line.
  private static func units(of bytes: ArraySlice<UInt8>, isBigEndian: Bool) throws(TextFault) -> [UInt16] {
    var units: [UInt16] = []
    units.reserveCapacity(bytes.count / 2)
    var place = bytes.startIndex
    while place < bytes.endIndex {
      guard place + 1 < bytes.endIndex else { throw .utf16Damaged }
      let (first, second) = (UInt16(bytes[place]), UInt16(bytes[place + 1]))
      let unit = isBigEndian ? first << 8 | second : second << 8 | first
      if unit == 0 { throw .containsNUL }
      if unit == 0x0A { break }
      units.append(unit)
      place += 2
    }
    if units.last == 0x0D { units.removeLast() }
    return units
  }

  /// Converts UTF-16 to UTF-8.
  private static func encode(_ units: [UInt16]) throws(TextFault) -> [UInt8] {
    var line: [UInt8] = []
    line.reserveCapacity(3 * units.count)
    var decoder = UTF16()
    var iterator = units.makeIterator()
    while true {
      switch decoder.decode(&iterator) {
      case .scalarValue(let scalar): line += UTF8.encode(scalar).map { Array($0) } ?? []
      case .emptyInput: return line
      case .error: throw .utf16Damaged
      }
    }
  }
}

/// The reason why no first line can be read.
package enum FirstLineError: Error, Hashable, Sendable {
  case system(SystemError)
  case text(TextFault)
}
