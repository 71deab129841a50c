// QR codes created with libqrencode, for a terminal and as SVG. The only file that imports CQREncode.
//
// The encoded text may contain a key, and libqrencode leaves copies of the text in freed memory: create QR codes only
// in short-lived processes, or in those that wipe what they free.

import CPlatform
import CQREncode
import TappetPlatform

/// The reason why a QR code cannot be created.
package enum QRCodeError: Error, Hashable, Sendable {
  /// The data exceeds the capacity of the largest code at level H.
  case tooLong(size: Int)
  /// The errno set by libqrencode.
  case library(code: Int32)
}

/// A QR code (ISO/IEC 18004) at error correction level H, with its quiet zone.
package struct QRCode: Sendable {
  /// Width of the light margin in modules (ISO/IEC 18004 §9.1).
  package static let quietZone = 4

  /// Modules per side, including the quiet zone.
  package let width: Int
  private let isDark: [Bool]

  /// Encodes `data` as bytes, in the smallest version with enough capacity.
  @export(interface)
  package init(_ data: [UInt8]) throws(QRCodeError) {
    var code: UnsafeMutablePointer<QRcode>?
    do throws(SystemError) {
      try checked("QRcode_encodeData") {
        code = QRcode_encodeData(Int32(clamping: data.count), data, 0, QR_ECLEVEL_H)
        return code == nil ? -1 : 0
      }
    } catch { throw error.code == ERANGE ? .tooLong(size: data.count) : .library(code: error.code) }
    guard let code else { throw .library(code: EINVAL) }
    defer { QRcode_free(code) }
    let inner = Int(code.pointee.width)
    guard let modules = code.pointee.data, inner > 0 else { throw .library(code: EINVAL) }
    width = inner + 2 * QRCode.quietZone
    var isDark = [Bool](repeating: false, count: width * width)
    for row in 0..<inner {
      for column in 0..<inner {
        // The lowest bit of each symbol is its colour; 1 is dark (qrencode.h).
        let place = (row + QRCode.quietZone) * width + column + QRCode.quietZone
        isDark[place] = modules[row * inner + column] & 1 == 1
      }
    }
    self.isDark = isDark
  }

  /// Whether the module is dark; all modules outside the code are light.
  func isDark(row: Int, column: Int) -> Bool {
    guard (0..<width).contains(row), (0..<width).contains(column) else { return false }
    return isDark[row * width + column]
  }

  /// Lines of half-block characters, two rows of modules per line, to be printed in black on white.
  package var lines: [String] {
    @export(interface) get {
      stride(from: 0, to: width, by: 2).map { row in
        var line = ""
        for column in 0..<width {
          switch (isDark(row: row, column: column), isDark(row: row + 1, column: column)) {
          case (false, false): line += " "
          case (true, false): line += "▀"
          case (false, true): line += "▄"
          case (true, true): line += "█"
          }
        }
        return line
      }
    }
  }

  /// The dark modules as an SVG path, with one unit per module.
  package var path: String {
    @export(interface) get {
      var path = ""
      for row in 0..<width {
        var column = 0
        while column < width {
          let start = column
          while isDark(row: row, column: column) { column += 1 }
          if column > start { path += "M\(start) \(row)h\(column - start)v1h-\(column - start)z" }
          column += 1
        }
      }
      return path
    }
  }

  /// An SVG image in black on white, with 8 units per module.
  package var svg: String {
    @export(interface) get {
      let size = width * 8
      return """
        <svg xmlns="http://www.w3.org/2000/svg" width="\(size)" height="\(size)" viewBox="0 0 \(width) \(width)" \
        shape-rendering="crispEdges">
        <path fill="#fff" d="M0 0h\(width)v\(width)H0z"/>
        <path fill="#000" d="\(path)"/>
        </svg>

        """
    }
  }
}

extension QRCodeError {
  package var sentence: String {
    switch self {
    case .tooLong(let size): "the text is too long for a QR code (\(size) bytes); shorten the secret's label"
    case .library: "the QR code could not be created; the system is out of memory"
    }
  }
}
