// Access to the reader: through the running kiosk, because only one process can use the reader, or through a
// tappet-reader process started here.

import CPlatform
import TappetCommandLine
import TappetConfig
import TappetCore
import TappetJSON
import TappetKiosk
import TappetMessages
import TappetPlatform

/// Access to a reader, with a deadline for waiting; confined to one thread.
final class ReaderClient {
  /// The process that controls the reader.
  enum Source {
    case kiosk(RunningKiosk)
    case process(ReaderProcess)
  }

  /// A tag that was presented.
  enum Tag {
    case read(TagReading)
    case faulted(TagUID, TagModel, TagFault)
  }

  let source: Source
  let device: String?
  private let signals: HeldSignals
  private var deadline: Instant?
  private var readings = TagReadingAssembler()

  /// Opens the reader; if `limit` is `nil`, only a signal ends the wait.
  static func open(_ configuration: KioskConfiguration, limit: Duration?) throws(CommandFailure) -> ReaderClient {
    guard let reader = configuration.reader else { throw .refused(TagJobRefusal.noReader.sentence) }
    // Hold signals before the reader is started, so that a signal from then on stops the reader.
    let signals = HeldSignals()
    return ReaderClient(try source(configuration), reader.device, limit, signals)
  }

  // Embedded Swift leaks an object whose own initializer throws (6.3.1).
  private init(_ source: Source, _ device: String?, _ limit: Duration?, _ signals: HeldSignals) {
    self.source = source
    self.signals = signals
    self.device = device
    deadline = limit.map { SystemClock().now().instant + $0 }
  }

  private static func source(_ configuration: KioskConfiguration) throws(CommandFailure) -> Source {
    if let kiosk = try RunningKiosk.find(configuration) { return .kiosk(kiosk) }
    let device = configuration.reader?.device
    do throws(SystemError) {
      return .process(try ReaderProcess(executable: ReaderProcess.locateExecutable(), device: device))
    } catch {
      throw .failed(
        ReaderLoss.notStarted(code: error.code).sentence(device: device, of: .tool),
        ReaderLoss.notStarted(code: error.code).code)
    }
  }

  /// Waits for a message, a signal or the time limit; each signal, and the expiry of the limit, is reported once.
  func wait() -> HeldSignals.Wakeup {
    let file =
      switch source {
      case .kiosk(let kiosk): kiosk.fileDescriptor
      case .process(let reader): reader.fileDescriptor
      }
    let wakeup = signals.wait(for: file, until: deadline.map { $0 - SystemClock().now().instant })
    switch wakeup {
    case .readable: break
    case .signal: _ = signals.consume()
    case .timeUp: deadline = nil
    }
    return wakeup
  }

  // MARK: Tags

  /// Starts reporting tags; with `onlyNext`, the kiosk reports only the next tag.
  func startTags(onlyNext: Bool) throws(CommandFailure) {
    guard case .kiosk(let kiosk) = source else { return }
    guard kiosk.send(onlyNext ? .nextTag : .watchTags) else {
      throw .failed("the kiosk does not respond; check its log", FailureCode.kioskSilent)
    }
  }

  /// Waits for the next tag; returns `nil` when a signal ends the wait.
  func nextTag() throws(CommandFailure) -> Tag? {
    while true {
      if let tag = try receiveTag() { return tag }
      switch wait() {
      case .readable: break
      case .signal: return nil
      case .timeUp:
        var hint = ""
        if case .kiosk = source { hint = "; if a tag is on the reader, remove it and present it again" }
        throw .refused("no tag was presented in time" + hint, FailureCode.noTag)
      }
    }
  }

  private func receiveTag() throws(CommandFailure) -> Tag? {
    switch source {
    case .kiosk(let kiosk):
      switch kiosk.receive() {
      case .nothing: return nil
      case .closed: throw .failed("the kiosk stopped")
      case .message(let bytes): return try tag(JSON(decoding: bytes))
      }
    case .process(let reader):
      while true {
        switch reader.receive() {
        case .nothing: return nil
        case .message(let message):
          switch readings.pass(message) {
          case .tagRead(let reading)?: return .read(reading)
          case .tagFaulted(let uid, let model, let fault)?: return .faulted(uid, model, fault)
          case .lost(let fault, let code)?: throw lost(.fault(fault, code: code))
          default: break
          }
        case .malformed(let error): throw lost(.malformed(error))
        case .closed: throw lost(.ended(reader.finish()))
        }
      }
    }
  }

  private func tag(_ answer: JSON?) throws(CommandFailure) -> Tag {
    guard
      let uid = answer?["uid"]?.text.flatMap({ Hex.decode($0) }).flatMap({ TagUID($0) }),
      let model = answer?["model"]?.wholeNumber.flatMap({ UInt8(exactly: $0) }).flatMap({ TagModel(rawValue: $0) })
    else {
      if let sentence = answer?["error"]?.text { throw .failed(sentence) }
      throw .malformedAnswer
    }
    if let memory = answer?["memory"]?.text.flatMap({ Hex.decode($0) }) {
      return .read(TagReading(uid: uid, model: model, bytes: memory))
    }
    guard
      let fault = answer?["fault"]?.wholeNumber.flatMap({ UInt8(exactly: $0) }).flatMap({ TagFault(rawValue: $0) })
    else { throw .malformedAnswer }
    return .faulted(uid, model, fault)
  }

  private func lost(_ loss: ReaderLoss) -> CommandFailure {
    .failed(loss.sentence(device: device, of: .tool), loss.code)
  }
}
