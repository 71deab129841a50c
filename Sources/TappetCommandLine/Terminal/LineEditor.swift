// Lines that a person edits on the terminal, using libedit. The only file that imports CLineEdit.

import CLineEdit
import TappetCore

/// Editor for one line, without a history.
enum LineEditor {
  enum Outcome {
    case line([UInt8])
    case tooLong
    /// The input has ended, or a signal has arrived.
    case ended
    /// There is no terminal, or no libedit.
    case unavailable
  }

  /// Shows a prompt and reads a line; ends when `end` becomes readable.
  static func read(_ prompt: String, endedBy end: Int32) -> Outcome {
    var line: UnsafePointer<CChar>?
    var size = 0
    switch prompt.withCString({ tl_read($0, end, &line, &size) }) {
    case TL_LINE:
      guard let line, size <= Limits.answerSizeMax else { return .tooLong }
      return .line(UnsafeRawBufferPointer(start: line, count: size).map { $0 })
    case TL_ENDED: return .ended
    default: return .unavailable
    }
  }
}
