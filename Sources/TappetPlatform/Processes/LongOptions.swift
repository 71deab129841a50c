// Parsing of the small programs' command lines, with getopt_long(3).

import CPlatform

/// The options of a program, and the parser of its command line.
///
/// Must be used on one thread only: getopt's state is global.
package struct LongOptions {
  /// One item of a command line.
  package enum Item: Hashable {
    /// An option, identified by its letter, with its value.
    case option(Unicode.Scalar, value: String)
    /// An option that is unknown, or has an unexpected or missing value, as it was typed.
    case unknown(String)
    case missingValue(String)
    /// A word that is not part of an option.
    case operand(String)
    case end
  }

  private var table: [option] = []

  package init() { tp_reset_getopt() }

  /// Adds `--name`, reported as `letter`.
  package mutating func add(_ name: StaticString, _ letter: Unicode.Scalar, takesValue: Bool = false) {
    let start = UnsafeRawPointer(name.utf8Start).assumingMemoryBound(to: CChar.self)
    table.append(option(name: start, has_arg: takesValue ? 1 : 0, flag: nil, val: Int32(letter.value)))
  }

  /// Returns the next item of the command line, whose first word is the program's name.
  @export(interface)
  package func next(_ count: Int32, _ words: UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>) -> Item {
    // "+" preserves the order of the words; ":" distinguishes a missing value from an unknown option and prints
    // nothing; "h" is -h.
    let code = (table + [option()]).withUnsafeBufferPointer { getopt_long(count, words, "+:h", $0.baseAddress, nil) }
    func word(_ index: Int32) -> String {
      index > 0 && index < count ? words[Int(index)].map { String(cString: $0) } ?? "" : ""
    }
    switch code {
    case -1: return tp_optind() < count ? .operand(word(tp_optind())) : .end
    case 0x3A: return .missingValue(word(tp_optind() - 1))
    case 0x3F: return .unknown(word(tp_optind() - 1))
    default:
      guard let letter = Unicode.Scalar(UInt32(bitPattern: code)) else { return .end }
      return .option(letter, value: tp_optarg().map { String(cString: $0) } ?? "")
    }
  }
}
