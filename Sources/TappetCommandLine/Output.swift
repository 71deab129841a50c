// Data goes to stdout, everything else to stderr. Lines may contain text from a kiosk, a certificate or a tag, so
// terminal control characters are escaped; intended escape sequences are printed with `write`.

import CPlatform
import TappetCore
import TappetJSON
import TappetPlatform

/// Writes text to stdout and stderr.
package enum Output {
  /// Writes a line of data.
  package static func print(_ text: String) {
    if let dialogue = Dialogue.current { return dialogue.tell(text) }
    write(text.escapedLines + "\n")
  }

  /// Writes data unchanged and unbuffered, so that a live view does not lag.
  package static func write(_ text: String) { put(Array(text.utf8), tp_stdout()) }

  /// Writes data that may be binary.
  package static func write(bytes: [UInt8]) { put(bytes, tp_stdout()) }

  /// Writes a JSON value on one line, or indented on a terminal.
  package static func print(_ json: JSON) {
    put(json.encoded(pretty: isatty(1) == 1) + [UInt8(ascii: "\n")], tp_stdout())
  }

  /// Writes a JSON value on one line.
  static func printLine(_ json: JSON) { put(json.encoded() + [UInt8(ascii: "\n")], tp_stdout()) }

  /// Writes a question; the answer follows on the same line.
  static func printPrompt(_ text: String) { put(Array(text.escapedLines.utf8), tp_stderr()) }

  /// Whether a person sees the messages as they are written.
  package static var isWatched: Bool { isatty(2) == 1 || Dialogue.current != nil }

  /// Writes a message that the next message overwrites on the same line.
  package static func printErrorInPlace(_ text: String) {
    if let dialogue = Dialogue.current { return dialogue.progress(text) }
    put(Array(("\r" + text.escaped + "\u{1B}[K").utf8), tp_stderr())
  }

  /// Writes a line about a fault or a mistake to stderr.
  package static func printError(_ text: String) {
    if let dialogue = Dialogue.current { return dialogue.tell(text, isBad: true) }
    put(Array((text.escapedLines + "\n").utf8), tp_stderr())
  }

  /// Writes a line about the progress to stderr; `seconds` is the time for what it asks the user to do.
  package static func inform(_ text: String, seconds: Int64? = nil) {
    if let dialogue = Dialogue.current { return dialogue.tell(text, seconds: seconds) }
    put(Array((text.escapedLines + "\n").utf8), tp_stderr())
  }

  /// Returns the exit status: output lost because the disk is full counts as a failure.
  ///
  /// A reader that closes the pipe early does not cause a failure.
  package static func finalStatus(_ status: ExitStatus) -> ExitStatus {
    let code = tp_output_error()
    guard status == .success, code != 0, code != EPIPE else { return status }
    printError("tappet: the output could not be written: \(SystemError(call: "write", code: code).text)")
    return .failure
  }

  /// Whether all output has been written; false after the reader has closed the pipe.
  package static var isTaken: Bool { tp_output_error() == 0 }

  private static func put(_ bytes: [UInt8], _ stream: UnsafeMutablePointer<FILE>?) {
    bytes.withUnsafeBytes { tp_put(stream, $0.baseAddress, $0.count) }
  }
}
