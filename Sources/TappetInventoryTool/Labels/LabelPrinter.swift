// A label in the languages of label printers: ZPL II (Zebra's Programming Guide) and ESC/POS (Epson's command
// reference).

import CPlatform
import TappetCommandLine
import TappetCore
import TappetPlatform
import TappetQR

/// Encodes labels in the byte formats of label printers.
enum LabelPrinter {
  /// Encodes a label of at least 50 by 25 mm at 203 dots per inch.
  static func zpl(_ label: ThingLabel) -> String {
    // The printer draws the code itself, with the same number of modules: level H, byte mode.
    let modules = label.picture.width - 2 * QRCode.quietZone
    let magnification = max(2, min(10, 160 / modules))
    let left = 40 + modules * magnification
    let room = max(120, 400 - left)
    return """
      ^XA^CI28
      ^FO20,20^BQN,2,\(magnification),H^FH^FDHA,\(field(label.code))^FS
      ^FO\(left),20^A0N,36,36^FB\(room),2,0,L^FH^FD\(field(label.name))^FS
      ^FO\(left),100^A0N,28,28^FB\(room),1,0,L^FH^FD\(field(label.caption))^FS
      ^FO\(left),134^A0N,20,20^FB\(room),3,0,L^FH^FD\(field(label.path))^FS
      ^XZ

      """
  }

  /// Escapes a field's data after ^FH: everything except plain ASCII becomes _ and two digits, so that the data cannot
  /// contain a command.
  private static func field(_ text: String) -> String {
    var field = ""
    for byte in text.utf8 {
      switch byte {
      case UInt8(ascii: "^"), UInt8(ascii: "~"), UInt8(ascii: "_"), UInt8(ascii: "\\"), ..<0x20, 0x7F...:
        field += "_" + Hex.encode([byte])
      default: field.unicodeScalars.append(Unicode.Scalar(byte))
      }
    }
    return field
  }

  /// Encodes a label for a receipt or label printer, which cuts the paper after the label.
  static func escpos(_ label: ThingLabel) -> [UInt8] {
    let code = Array(label.code.utf8)
    let size = code.count + 3
    var bytes: [UInt8] = [0x1B, 0x40, 0x1B, 0x74, 2]  // ESC @: reset; ESC t: code page 850.
    // GS ( k: model 2, modules of 6 dots, level H, the data, print.
    bytes += [0x1D, 0x28, 0x6B, 4, 0, 0x31, 0x41, 0x32, 0, 0x1D, 0x28, 0x6B, 3, 0, 0x31, 0x43, 6]
    bytes += [0x1D, 0x28, 0x6B, 3, 0, 0x31, 0x45, 0x33]
    bytes += [0x1D, 0x28, 0x6B, UInt8(size & 0xFF), UInt8(size >> 8), 0x31, 0x50, 0x30] + code
    bytes += [0x1D, 0x28, 0x6B, 3, 0, 0x31, 0x51, 0x30]
    bytes += [0x1B, 0x45, 1] + codePage850(label.name) + [0x0A, 0x1B, 0x45, 0]  // ESC E: bold on and off.
    bytes += codePage850(label.caption) + [0x0A] + codePage850(label.path) + [0x0A]
    return bytes + [0x1B, 0x64, 2, 0x1D, 0x56, 0x42, 0]  // ESC d: feed two lines; GS V: feed to the cutter, and cut.
  }

  /// Encodes text in code page 850 (Western Europe); unsupported characters are approximated.
  private static func codePage850(_ text: String) -> [UInt8] {
    guard let converter = iconv_open("IBM850//TRANSLIT", "UTF-8"), converter != iconv_t(bitPattern: -1) else {
      return text.utf8.map { $0 < 0x80 ? $0 : UInt8(ascii: "?") }
    }
    defer { iconv_close(converter) }
    var source = text.utf8.map { CChar(bitPattern: $0) }
    var target = [CChar](repeating: 0, count: 4 * source.count + 4)
    var rest = target.count
    source.withUnsafeMutableBufferPointer { source in
      target.withUnsafeMutableBufferPointer { target in
        var (from, to) = (source.baseAddress, target.baseAddress)
        var count = source.count
        iconv(converter, &from, &count, &to, &rest)
      }
    }
    return target.dropLast(rest).map { UInt8(bitPattern: $0) }
  }
}
