// Sentences for outcomes of tag jobs. Switches have no `default`, so a new fault without a sentence does not compile.

import TappetCore
import TappetStore

extension TagDraftError {
  /// Human-readable message, one sentence.
  package var sentence: String {
    switch self {
    case .label(let fault): fault.sentence(of: "label")
    case .crypto: "no secret could be created: out of memory, or the random number generator failed"
    }
  }
}

extension TagWriteFault {
  /// Returns a sentence with the cause and the remedy; `model` is the tag's model.
  @export(interface)
  package func sentence(_ model: TagModel, to work: TagJobKind) -> String {
    switch self {
    case .notThere: return "the tag is gone; nothing was changed on it"
    case .notAlone: return "two tags are on the reader; remove one of them. Nothing was changed"
    case .pulledAway(let begun):
      return begun
        ? "the tag was taken away halfway through; repeat the operation with the same tag"
        : "the tag was taken away; nothing was changed on it. Hold it longer"
    case .unsupportedModel: return unsupported(model, work)
    case .readOnly: return "the tag is marked read-only; use a different tag"
    case .locked: return "the tag is permanently locked; use a different tag"
    case .passwordProtected:
      return
        "the tag is protected by a password that this kiosk did not set; use a different tag, or remove the password "
        + "where it was set"
    case .tooSmall(let needed, let capacity):
      return
        "the message requires \(needed) bytes, but this \(model.name) can store only \(capacity); use an NTAG215 or 216"
    case .unformatted:
      return model.layout == .type4
        ? "the tag has no NDEF application; use an NTAG213, 215 or 216"
        : "the tag is not formatted for NDEF; format it first with 'tappet tag format'"
    case .foreignContainer:
      return "the tag's one-time memory already contains other data, so it can never be formatted; use a different tag"
    case .refused(let begun):
      return "the tag rejected the write; is it locked or protected?"
        + (begun ? " It may contain half the message: write it again, or discard it" : " Nothing was changed on it")
    case .notAsWritten: return "the tag's content differs from what was written; try again, or use a different tag"
    case .malformedAnswer:
      return "the tag's responses violate its specification; it may be damaged. Use a different tag"
    }
  }

  private func unsupported(_ model: TagModel, _ work: TagJobKind) -> String {
    switch work {
    case .write, .erase: "a \(model.name) cannot be written by Tappet; use an NTAG213, 215 or 216"
    case .lock: "this \(model.name) cannot be locked by Tappet"
    case .format: "this \(model.name) cannot be formatted by Tappet; use an NTAG213, 215 or 216"
    }
  }
}

extension TagJobFailure {
  /// Returns a sentence with the cause and the remedy.
  @export(interface)
  package func sentence(_ model: TagModel?, to work: TagJobKind) -> String {
    switch self {
    case .tag(let fault): fault.sentence(model ?? .other, to: work)
    case .unreadable(.unsupportedModel): TagWriteFault.unsupportedModel.sentence(model ?? .other, to: work)
    case .unreadable(let fault): fault.sentence
    case .noTag: "no tag was presented in time; nothing was changed"
    case .noRoom(let action, let max):
      SecretError.limitReached(action: action, max: max).sentence
        + ", or rewrite a tag that already belongs to the action"
    case .leftTorn:
      "the tag was taken away halfway through and not put back: its content is now unusable"
        + (work == .write ? ", and no secret was saved; write it again" : "; repeat the operation")
    case .cancelled: "cancelled; nothing was changed"
    case .readerLost(let torn):
      torn
        ? "the reader was lost while the tag was being written: its content may be unusable; write it again"
        : "the reader was lost; nothing was changed"
    case .noRandomness: SharedSentence.noRandomness
    }
  }

  /// Whether the failure was caused by the tag or the person, not by a device.
  package var isRefusal: Bool {
    switch self {
    case .tag, .unreadable, .noTag, .noRoom, .leftTorn, .cancelled: true
    case .readerLost, .noRandomness: false
    }
  }
}

extension TagJobNotice {
  /// A sentence for the person who holds the tag; `nil` for a progress count.
  package var sentence: String? {
    switch self {
    case .progress: nil
    case .heldTooShort, .pulledAway(begun: false): "The tag was taken away too soon; hold it on the reader again."
    case .pulledAway(begun: true): "The tag was taken away halfway; hold it on the reader again to finish."
    }
  }
}
