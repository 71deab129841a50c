// Data goes to stdout, everything else to stderr. Lines may contain what a kiosk, a certificate or a tag said, so what
// would control the terminal is escaped in them; a terminal's own sequences go through `write`.

import CPlatform
import TappetCore
import TappetJSON
import TappetPlatform

/// Text to the two streams.
package enum Output {
  /// Writes a line of data.
  package static func print(_ text: String) { write(text.escapedLines + "\n") }

  /// Writes data as it is; at once, so that a live view does not lag.
  package static func write(_ text: String) { put(Array(text.utf8), tp_stdout()) }

  /// Writes data that need not be text.
  package static func write(bytes: [UInt8]) { put(bytes, tp_stdout()) }

  /// Writes a JSON value on one line, or on several for a person.
  package static func print(_ json: JSON) {
    put(json.encoded(pretty: isatty(1) == 1) + [UInt8(ascii: "\n")], tp_stdout())
  }

  /// Writes a JSON value on one line.
  static func printLine(_ json: JSON) { put(json.encoded() + [UInt8(ascii: "\n")], tp_stdout()) }

  /// Writes a question; the answer follows on its line.
  static func printPrompt(_ text: String) { put(Array(text.escapedLines.utf8), tp_stderr()) }

  /// Writes a line for the person that the next one replaces.
  package static func printErrorInPlace(_ text: String) {
    put(Array(("\r" + text.escaped + "\u{1B}[K").utf8), tp_stderr())
  }

  /// Writes a line for the person.
  package static func printError(_ text: String) { put(Array((text.escapedLines + "\n").utf8), tp_stderr()) }

  /// The status to end with: data that a full disk did not take is a failure.
  ///
  /// A reader that closes its pipe early has read enough.
  package static func finalStatus(_ status: ExitStatus) -> ExitStatus {
    let code = tp_output_error()
    guard status == .success, code != 0, code != EPIPE else { return status }
    printError("tappet: the output could not be written: \(SystemError(call: "write", code: code).text)")
    return .failure
  }

  /// Whether everything so far was taken; a reader that closed its pipe takes no more.
  package static var isTaken: Bool { tp_output_error() == 0 }

  private static func put(_ bytes: [UInt8], _ stream: UnsafeMutablePointer<FILE>?) {
    bytes.withUnsafeBytes { tp_put(stream, $0.baseAddress, $0.count) }
  }
}
