// QR codes by libqrencode: for a terminal, and as SVG. The one file that imports CQREncode.
//
// The encoded text may contain a key, and libqrencode leaves copies of it in memory that it frees: only for a process
// that soon ends.

import CPlatform
import CQREncode
import TappetPlatform

/// Why there is no QR code.
package enum QRCodeError: Error, Hashable, Sendable {
  /// More bytes than the largest code holds at level H.
  case tooLong(size: Int)
  /// The errno that libqrencode left.
  case library(code: Int32)
}

/// A QR code (ISO/IEC 18004) at error correction level H, with its quiet zone.
package struct QRCode: Sendable {
  /// Modules of light around the code (ISO/IEC 18004 §9.1).
  package static let quietZone = 4

  /// Modules on a side, the quiet zone included.
  package let width: Int
  private let isDark: [Bool]

  /// Encodes `data` as bytes, in the smallest version that holds it.
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

  /// Whether the module is dark; outside the code everything is light.
  func isDark(row: Int, column: Int) -> Bool {
    guard (0..<width).contains(row), (0..<width).contains(column) else { return false }
    return isDark[row * width + column]
  }

  /// Lines of half blocks, two rows of modules each: drawn in black on white they are the code.
  package var lines: [String] {
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

  /// The dark modules as an SVG path, of one unit a module.
  package var path: String {
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

  /// A picture of 8 units a module, black on white.
  package var svg: String {
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

extension QRCodeError {
  package var sentence: String {
    switch self {
    case .tooLong(let size): "\(size) bytes are too many for a QR code; give the secret a shorter label"
    case .library: "the QR code could not be made; the system is out of memory"
    }
  }
}
