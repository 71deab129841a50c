// The outcome of a tag write, and the reasons why it can fail.

/// The outcome of a command.
package struct OrderOutcome: Hashable, Sendable {
  /// The tag to which the command applied.
  package var uid: TagUID
  /// The tag's model.
  package var model: TagModel
  /// Number of pages, or parts of a file, that were written.
  package var writes: Int
  /// The reason why the command failed; `nil` means that the result was read back and verified.
  package var fault: TagWriteFault?

  /// Creates the outcome of a command for the tag `uid`.
  package init(uid: TagUID, model: TagModel, writes: Int, fault: TagWriteFault?) {
    self.uid = uid
    self.model = model
    self.writes = writes
    self.fault = fault
  }
}

/// The reason why a command failed.
///
/// Unless stated otherwise, nothing was changed on the tag.
package enum TagWriteFault: Error, Hashable, Sendable {
  /// The tag is no longer on the reader.
  case notThere
  /// Two tags are on the reader.
  case notAlone
  /// The tag was removed too early; with `begun`, it may be half-written, and then contains no message.
  case pulledAway(begun: Bool)
  /// The model does not support the command.
  case unsupportedModel
  /// The tag's capability container forbids writing.
  case readOnly
  /// The tag's lock bits protect bytes that would have to change.
  case locked
  /// The tag requires a password that is not the kiosk's.
  case passwordProtected
  /// The message does not fit on the tag; sizes in bytes.
  case tooSmall(needed: Int, capacity: Int)
  /// The tag has no capability container.
  case unformatted
  /// The tag's capability container, which can be written only once, already has different content.
  case foreignContainer
  /// The tag refused a command that it should execute; with `begun`, it may have been changed before the refusal.
  case refused(begun: Bool)
  /// The content that was read back differs from the content that was written.
  case notAsWritten
  /// The tag's response violates the specification.
  case malformedAnswer
}

extension TagWriteFault {
  /// Whether the tag may be left without a message.
  package var hasBegun: Bool {
    @export(interface) get {
      switch self {
      case .pulledAway(let begun), .refused(let begun): begun
      case .notAsWritten: true
      case .notThere, .notAlone, .unsupportedModel, .readOnly, .locked, .passwordProtected, .tooSmall, .unformatted,
        .foreignContainer, .malformedAnswer:
        false
      }
    }
  }

  /// The code and two numbers in the reader's wire format: append, never reuse.
  var code: (UInt8, UInt16, UInt16) {
    switch self {
    case .notThere: (1, 0, 0)
    case .notAlone: (2, 0, 0)
    case .pulledAway(let begun): (3, begun ? 1 : 0, 0)
    case .unsupportedModel: (4, 0, 0)
    case .readOnly: (5, 0, 0)
    case .locked: (6, 0, 0)
    case .passwordProtected: (7, 0, 0)
    case .tooSmall(let needed, let capacity): (8, UInt16(clamping: needed), UInt16(clamping: capacity))
    case .unformatted: (9, 0, 0)
    case .foreignContainer: (10, 0, 0)
    case .refused(let begun): (11, begun ? 1 : 0, 0)
    case .notAsWritten: (12, 0, 0)
    case .malformedAnswer: (13, 0, 0)
    }
  }

  /// Decodes a fault; `nil` if the code is unknown, or if an unused number is not zero.
  init?(code: UInt8, _ first: UInt16, _ second: UInt16) {
    if code != 8, second != 0 { return nil }
    switch (code, first) {
    case (1, 0): self = .notThere
    case (2, 0): self = .notAlone
    case (3, 0...1): self = .pulledAway(begun: first == 1)
    case (4, 0): self = .unsupportedModel
    case (5, 0): self = .readOnly
    case (6, 0): self = .locked
    case (7, 0): self = .passwordProtected
    case (8, _): self = .tooSmall(needed: Int(first), capacity: Int(second))
    case (9, 0): self = .unformatted
    case (10, 0): self = .foreignContainer
    case (11, 0...1): self = .refused(begun: first == 1)
    case (12, 0): self = .notAsWritten
    case (13, 0): self = .malformedAnswer
    default: return nil
    }
  }
}
