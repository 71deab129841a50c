// Execution of an order from the parent on the selected tag. It is retried while the tag is present, and the result is
// read back and compared. The sequence of writes is documented for each of the two tag types; in both cases, a tag
// removed too early is empty, or contains the previous or the ordered message.

import TappetTag
import TappetPlatform

/// The reason why an attempt was not completed.
enum WriteFailure: Error {
  /// The tag did not answer: select it again, and start from its current content.
  case noAnswer
  case fault(TagWriteFault)
  case device(DeviceError)

  init(_ failure: ExchangeFailure) {
    switch failure {
    case .noAnswer: self = .noAnswer
    case .device(let trouble): self = .device(trouble)
    }
  }

  init(_ failure: ReadFailure) {
    switch failure {
    case .noAnswer: self = .noAnswer
    case .fault(.passwordProtected): self = .fault(.passwordProtected)
    case .fault: self = .fault(.malformedAnswer)
    case .device(let trouble): self = .device(trouble)
    }
  }
}

/// An order that is being executed.
final class WriteOperation {
  let device: NFCDevice
  let order: ReaderOrder
  /// The model determined when the tag was read; determined again if unknown.
  var model: TagModel
  /// Whether the tag was asked for its version.
  var isModelConfirmed = false
  /// Whether the tag supports FAST_READ; tested only once, not with each attempt.
  var fastRead = Type2Reading.FastRead.untried
  /// Number of times that the tag did not answer its expected password.
  var passwordSilences = 0
  /// Number of writes that the tag confirmed.
  private(set) var writes = 0
  /// Whether a write was sent, successful or not.
  private var hasBegun = false
  private let report: (ReaderMessage) -> Void
  private var reportDue: Instant

  /// Creates an operation; `report` is called at intervals with the progress.
  init(_ order: ReaderOrder, model: TagModel, on device: NFCDevice, report: @escaping (ReaderMessage) -> Void) {
    self.order = order
    self.model = model
    self.device = device
    self.report = report
    reportDue = Instant.now() + Limits.readerProgressInterval
  }

  /// Executes the order on `tag`, which is on the reader, and returns the outcome.
  func run(on tag: SelectedTag) throws(DeviceError) -> OrderOutcome {
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

  /// Retries the order while the tag is present; throws `noAnswer` if the tag is gone.
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
          // A tag that refuses to be read requires a password.
          let isUnreadable = !hasBegun && model.geometry?.configurationPage != nil
          throw .fault(isUnreadable ? .passwordProtected : .refused(begun: writes > 0))
        }
      }
    }
  }

  /// Throws if a second tag is present, because it would answer requests while the first is halted.
  private func requireAlone(_ tag: SelectedTag) throws(WriteFailure) {
    let (other, isThere): (SelectedTag?, Bool)
    do throws(DeviceError) {
      other = try device.otherTag(than: tag)
      isThere = try other.map { (other) throws(DeviceError) in try device.isThere(tag, besides: other) } ?? true
    } catch { throw .device(error) }
    guard other == nil else { throw .fault(isThere ? .notAlone : .notThere) }
    do throws(WriteFailure) { try selectAgain(tag) } catch {
      if case .noAnswer = error { throw .fault(.notThere) }
      throw error
    }
  }

  private func selectAgain(_ tag: SelectedTag) throws(WriteFailure) {
    let found: SelectedTag?
    do throws(DeviceError) { found = try device.selectAgain(tag) } catch { throw .device(error) }
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

  /// Reports the progress, if a report is due.
  func progress(_ done: Int, of total: Int) {
    let now = Instant.now()
    guard now >= reportDue else { return }
    reportDue = now + Limits.readerProgressInterval
    report(.orderProgress(done: UInt16(clamping: done), total: UInt16(clamping: total)))
  }
}
