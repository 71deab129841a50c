// ReaderMessage's promises: any datagram gives a message or an error; a message has one encoding, which is the datagram
// that it came from; every message that tappet-reader can make arrives unchanged.

import TappetCore

/// One input, twice: as a datagram, and as the choices that make a message.
@_cdecl("LLVMFuzzerTestOneInput")
public func testOneInput(_ data: UnsafePointer<UInt8>?, _ size: Int) -> Int32 {
  let bytes = input(data, size)
  do throws(WireError) {
    let message = try ReaderMessage(decoding: bytes)
    promise(message.encode() == bytes, "\(message) encodes to another datagram")
    promise(bytes.count <= Limits.readerMessageSizeMax, "\(bytes.count) bytes are accepted")
  } catch {
    switch error {
    case .truncated(let offset), .invalid(let offset): promise(offset <= bytes.count, "\(error) of \(bytes.count)")
    case .trailingBytes(let offset): promise((1..<max(1, bytes.count)).contains(offset), "\(error) of \(bytes.count)")
    case .unknownKind, .otherVersion, .tooLarge: break
    }
  }
  if let message = chosen(bytes) { arrives(message) }
  ordersArrive(bytes)
  return 0
}

/// Checks the same for orders, which tappet-reader parses in the process that also reads bytes from the air.
private func ordersArrive(_ bytes: [UInt8]) {
  do throws(WireError) {
    let order = try ReaderOrder(decoding: bytes)
    promise(order.encode() == bytes, "\(order) encodes to another datagram")
    promise(bytes.count <= Limits.readerMessageSizeMax, "\(bytes.count) bytes are accepted")
  } catch {
    if case .truncated(let offset) = error { promise(offset <= bytes.count, "\(error) of \(bytes.count)") }
  }
  var choices = Choices(bytes)
  let tasks: [TagTask] = [.erase, .lock, .format, .protect]
  let kind = choices.below(5)
  guard let uid = TagUID(choices.take(Int(choices.byte()) % 10 + 1)) else { return }
  let password = TagPassword(password: choices.take(4), answer: choices.take(2))
  let task = kind < 4 ? tasks[kind] : .write(choices.take(Limits.tagMemorySizeMax))
  let order = ReaderOrder(uid: uid, password: password, task: task)
  promise((try? ReaderOrder(decoding: order.encode())) == order, "\(order) does not arrive unchanged")
}

private func arrives(_ message: ReaderMessage) {
  let bytes = message.encode()
  promise(bytes.count <= Limits.readerMessageSizeMax, "\(bytes.count) bytes do not fit a datagram")
  do throws(WireError) {
    let arrived = try ReaderMessage(decoding: bytes)
    if case .ready(let name) = message, case .ready(let received) = arrived {
      // Characters that could move a terminal's cursor, or turn its text round, become question marks.
      var sent = ""
      for scalar in name.unicodeScalars {
        sent.unicodeScalars.append(isControl(scalar) ? "?" : scalar)
      }
      // A long name is cut between two characters.
      promise(sent.utf8.starts(with: received.utf8), "the name '\(sent)' arrives as '\(received)'")
      promise(received.utf8.count > 124 || received.utf8.elementsEqual(sent.utf8), "'\(sent)' is cut to '\(received)'")
    } else {
      promise(arrived == message, "\(message) arrives as \(arrived)")
    }
  } catch { promise(false, "\(message) is refused: \(error)") }
}

private func chosen(_ bytes: [UInt8]) -> ReaderMessage? {
  var choices = Choices(bytes)
  let kind = choices.byte() % 10
  guard let uid = TagUID(choices.take(Int(choices.byte()) % 10 + 1)) else { return nil }
  let model = TagModel.allCases[choices.below(TagModel.allCases.count)]
  switch kind {
  case 0: return .ready(device: choices.text())
  case 1: return .heartbeat
  case 2: return .tagArrived(uid, wasPresent: choices.byte() & 1 != 0)
  case 3: return .tagRead(TagReading(uid: uid, model: model, bytes: choices.take(Limits.tagMemorySizeMax)))
  case 4: return .tagFaulted(uid, model, TagFault.allCases[choices.below(TagFault.allCases.count)])
  case 5: return .tagLeft(uid)
  case 6: return .orderProgress(done: UInt16(truncatingIfNeeded: choices.word()), total: UInt16(choices.byte()))
  case 8:
    let header = choices.take(TagDescription.headerSize)
    return .tagDescribed(
      TagDescription(uid: uid, model: model, header: header.count == TagDescription.headerSize ? header : []))
  case 7:
    let numbers = (UInt16(truncatingIfNeeded: choices.word()), UInt16(choices.byte()))
    let faults: [TagWriteFault?] = [
      nil, .notThere, .notAlone, .pulledAway(begun: true), .pulledAway(begun: false), .unsupportedModel, .readOnly,
      .locked, .passwordProtected, .tooSmall(needed: Int(numbers.0), capacity: Int(numbers.1)), .unformatted,
      .foreignContainer, .refused(begun: true), .refused(begun: false), .notAsWritten, .malformedAnswer,
    ]
    let fault = faults[choices.below(faults.count)]
    return .orderDone(OrderOutcome(uid: uid, model: model, writes: Int(numbers.0), fault: fault))
  default:
    let fault = ReaderFault.allCases[choices.below(ReaderFault.allCases.count)]
    return .lost(fault, code: Int32(truncatingIfNeeded: choices.word()))
  }
}
