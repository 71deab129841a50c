// The rule for the labels of secrets: one line of text of limited length.

/// Why a text cannot be a secret's label.
package enum LabelFault: Hashable, Sendable {
  /// Bytes of the text.
  case tooLong(size: Int, max: Int)
  /// The text has control characters.
  case notPrintable
}

extension String {
  /// Why this text cannot be a secret's label; `nil` if it can.
  package var labelFault: LabelFault? {
    let size = utf8.count
    if size > Limits.secretLabelSizeMax { return .tooLong(size: size, max: Limits.secretLabelSizeMax) }
    return isPrintable ? nil : .notPrintable
  }
}
