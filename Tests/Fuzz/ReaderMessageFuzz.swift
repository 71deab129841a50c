// ReaderMessage's promises: any datagram gives a message or an error; a message has one encoding, and it is the datagram that
// it came from; every message that tappet-reader can make arrives as it was.

import TappetCore

/// One input, twice: as a datagram, and as the choices that make a message.
@_cdecl("LLVMFuzzerTestOneInput")
public func testOneInput(_ data: UnsafePointer<UInt8>?, _ size: Int) -> Int32 {
  let bytes = input(data, size)
  do throws(ReaderMessageError) {
    let message = try ReaderMessage(decoding: bytes)
    promise(message.encode() == bytes, "\(message) encodes to another datagram")
    promise(bytes.count <= Limits.readerMessageSizeMax, "\(bytes.count) bytes are taken")
  } catch {
    switch error {
    case .truncated(let offset): promise(offset <= bytes.count, "\(error) of \(bytes.count)")
    case .trailingBytes(let offset): promise((1..<max(1, bytes.count)).contains(offset), "\(error) of \(bytes.count)")
    case .empty: promise(bytes.isEmpty, "\(error)")
    case .unknownKind, .otherVersion, .invalidUID, .unknownModel, .unknownFault, .tooLarge, .invalidText: break
    }
  }
  if let message = chosen(bytes) { arrives(message) }
  return 0
}

private func arrives(_ message: ReaderMessage) {
  let bytes = message.encode()
  promise(bytes.count <= Limits.readerMessageSizeMax, "\(bytes.count) bytes do not fit a datagram")
  do throws(ReaderMessageError) {
    let arrived = try ReaderMessage(decoding: bytes)
    if case .ready(let name) = message, case .ready(let received) = arrived {
      // What could move a terminal's cursor becomes a question mark.
      let sent = String(decoding: name.utf8.map { $0 < 0x20 || $0 == 0x7F ? 0x3F : $0 }, as: UTF8.self)
      // A long name is cut, and nowhere within a character.
      promise(sent.utf8.starts(with: received.utf8), "the name '\(sent)' arrives as '\(received)'")
      promise(received.utf8.count > 124 || received.utf8.elementsEqual(sent.utf8), "'\(sent)' is cut to '\(received)'")
    } else {
      promise(arrived == message, "\(message) arrives as \(arrived)")
    }
  } catch { promise(false, "\(message) is refused: \(error)") }
}

private func chosen(_ bytes: [UInt8]) -> ReaderMessage? {
  var choices = Choices(bytes)
  let kind = choices.byte() % 7
  guard let uid = TagUID(choices.take(Int(choices.byte()) % 10 + 1)) else { return nil }
  let model = TagModel.allCases[choices.below(TagModel.allCases.count)]
  switch kind {
  case 0: return .ready(device: choices.text())
  case 1: return .heartbeat
  case 2: return .tagArrived(uid)
  case 3: return .tagRead(TagReading(uid: uid, model: model, bytes: choices.take(Limits.tagMemorySizeMax)))
  case 4: return .tagFaulted(uid, model, TagFault.allCases[choices.below(TagFault.allCases.count)])
  case 5: return .tagLeft(uid)
  default:
    let fault = ReaderFault.allCases[choices.below(ReaderFault.allCases.count)]
    return .lost(fault, code: Int32(truncatingIfNeeded: choices.word()))
  }
}
