// An order of the parent, carried out on the tag that was selected: tried anew while the tag is there, read back and compared.
// What is written in which order stands with the two kinds of tag; in any case a tag that is pulled away reads as empty, or
// as before, or as it was to be.

import TappetCore

/// Why an attempt did not come to its end.
enum WriteFailure: Error {
  /// The tag did not answer: select it again, and begin anew with what is on it then.
  case noAnswer
  case fault(TagWriteFault)
  case device(DeviceTrouble)

  init(_ failure: ExchangeFailure) {
    switch failure {
    case .noAnswer: self = .noAnswer
    case .device(let trouble): self = .device(trouble)
    }
  }

  init(_ failure: ReadFailure) {
    switch failure {
    case .noAnswer: self = .noAnswer
    case .fault: self = .fault(.malformedAnswer)
    case .device(let trouble): self = .device(trouble)
    }
  }
}

/// One order at work.
final class OrderWork {
  let device: NFCDevice
  let order: ReaderOrder
  /// As it was told when the tag was read; learnt anew where it could not be.
  var model: TagModel
  /// Whether the tag is known to lack FAST_READ: asked once, not at each attempt.
  var fastRead = Type2Reading.FastRead.untried
  /// How often the tag did not answer to a password that should be its own.
  var passwordSilences = 0
  /// Writes that the tag confirmed.
  private(set) var writes = 0
  /// A write was sent, whatever came of it.
  private var hasBegun = false
  private let tell: (ReaderMessage) -> Void
  private var tellDue: Instant

  /// `tell` gets how far it has come, now and then.
  init(_ order: ReaderOrder, model: TagModel, on device: NFCDevice, tell: @escaping (ReaderMessage) -> Void) {
    self.order = order
    self.model = model
    self.device = device
    self.tell = tell
    tellDue = Instant.now() + Limits.readerProgressInterval
  }

  /// Does it to `tag`, which is on the reader, and says what became of it.
  func run(on tag: SelectedTag) throws(DeviceTrouble) -> OrderOutcome {
    var fault: TagWriteFault?
    do throws(WriteFailure) { try attempts(on: tag) } catch {
      switch error {
      case .device(let trouble): throw trouble
      case .fault(let reason): fault = reason
      case .noAnswer: fault = .pulledAway(begun: hasBegun)
      }
    }
    return OrderOutcome(uid: order.uid, model: model, writes: writes, fault: fault)
  }

  /// Throws `noAnswer` when the tag is gone.
  private func attempts(on tag: SelectedTag) throws(WriteFailure) {
    try requireAlone(tag)
    let deadline = Instant.now() + Limits.readerWriteMax
    var failures = 0
    while true {
      let before = writes
      do throws(WriteFailure) {
        switch tag.model.layout {
        case .type2: return try workOnType2()
        case .type4: return try workOnType4()
        case .unsupported: throw .fault(.unsupportedModel)
        }
      } catch {
        guard case .noAnswer = error else { throw error }
        try selectAgain(tag)
        failures = writes > before ? 0 : failures + 1
        if failures > Limits.readerRewritesMax || Instant.now() > deadline {
          throw .fault(.refused(begun: writes > 0))
        }
      }
    }
  }

  /// A second tag would answer to a request while the first one sleeps.
  private func requireAlone(_ tag: SelectedTag) throws(WriteFailure) {
    let other: SelectedTag?
    do throws(DeviceTrouble) { other = try device.otherTag(than: tag) } catch { throw .device(error) }
    if other != nil { throw .fault(.notAlone) }
    try selectAgain(tag)
  }

  private func selectAgain(_ tag: SelectedTag) throws(WriteFailure) {
    let found: SelectedTag?
    do throws(DeviceTrouble) { found = try device.selectAgain(tag) } catch { throw .device(error) }
    guard let found, found.isSame(as: tag) else { throw .noAnswer }
  }

  /// Sends one write and counts it.
  func write(_ command: [UInt8], _ framing: Framing, within timeout: Duration) throws(WriteFailure) -> [UInt8] {
    hasBegun = true
    do throws(ExchangeFailure) {
      let answer = try device.exchange(command, framing, within: timeout)
      writes += 1
      return answer
    } catch { throw WriteFailure(error) }
  }

  /// Tells how far it has come, when it is time for that.
  func progress(_ done: Int, of total: Int) {
    let now = Instant.now()
    guard now >= tellDue else { return }
    tellDue = now + Limits.readerProgressInterval
    tell(.orderProgress(done: UInt16(clamping: done), total: UInt16(clamping: total)))
  }
}
