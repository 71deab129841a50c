// Tags as they are shown, one after the other: from the running kiosk, which has the reader, or from a tappet-reader of our own.

import CPlatform
import TappetCore
import TappetDevices
import TappetRuntime

/// What a tag that was shown came to.
enum TagSighting {
  case read(TagReading)
  case faulted(TagUID, TagModel, TagFault)
}

/// Why no more tags come.
struct SightingsEnd: Error {
  var sentence: String
  var isRefusal = false
}

/// A source of tags.
final class TagSightings {
  private let reactor: Reactor
  private let kiosk: RunningKiosk?
  private let reader: ReaderProcess?
  private let device: String?
  private var deadline: Instant?
  private var isInterrupted = false

  /// `onlyNext`: the kiosk is asked for one tag, not for all.
  static func open(
    _ configuration: Configuration, onlyNext: Bool, limit: Duration?
  ) -> Result<TagSightings, SightingsEnd> {
    do throws(SystemError) {
      let reactor = try Reactor()
      let kiosk = RunningKiosk(configuration)
      var reader: ReaderProcess?
      if let kiosk {
        guard kiosk.send(.object(["request": .string(onlyNext ? "next-tag" : "watch-tags")])) else {
          return .failure(SightingsEnd(sentence: "the kiosk does not answer; look at its log"))
        }
      } else {
        reader = try ReaderProcess(executable: ReaderProcess.locateExecutable(), device: configuration.readerDevice)
      }
      let sightings = TagSightings(reactor, kiosk, reader, configuration.readerDevice)
      try sightings.watch(limit: limit)
      return .success(sightings)
    } catch {
      let sentence =
        error.call == "posix_spawn"
        ? ReaderLoss.notStarted(code: error.code).sentence(device: configuration.readerDevice)
        : "\(error.call) failed: \(error.text)"
      return .failure(SightingsEnd(sentence: sentence))
    }
  }

  private init(_ reactor: Reactor, _ kiosk: RunningKiosk?, _ reader: ReaderProcess?, _ device: String?) {
    self.reactor = reactor
    self.kiosk = kiosk
    self.reader = reader
    self.device = device
  }

  private func watch(limit: Duration?) throws(SystemError) {
    if let kiosk { try reactor.watch(kiosk.fileDescriptor, for: .readable) { _ in } }
    if let reader { try reactor.watch(reader.fileDescriptor, for: .readable) { _ in } }
    try reactor.watchSignals([SIGINT, SIGTERM, SIGHUP]) { [unowned(unsafe) self] _ in self.isInterrupted = true }
    if let limit {
      deadline = SystemClock().now().instant + limit
      reactor.setTimer(at: deadline)
    }
  }

  /// The next tag; nil when a person ended it.
  func next() throws(SightingsEnd) -> TagSighting? {
    while !isInterrupted {
      if let sighting = try take() { return sighting }
      if let deadline, deadline <= SystemClock().now().instant {
        let hint = kiosk == nil ? "" : "; if one lies there, lift it and show it again"
        throw SightingsEnd(sentence: "no tag was shown in time" + hint, isRefusal: true)
      }
      do throws(SystemError) { try reactor.turn(timeout: nil) } catch {
        throw SightingsEnd(sentence: "\(error.call) failed: \(error.text)")
      }
    }
    return nil
  }

  private func take() throws(SightingsEnd) -> TagSighting? {
    if let kiosk { return try take(from: kiosk) }
    while let reader {
      switch reader.receive() {
      case .nothing: return nil
      case .message(.tagRead(let reading)): return .read(reading)
      case .message(.tagFaulted(let uid, let model, let fault)): return .faulted(uid, model, fault)
      case .message(.lost(let fault, let code)): throw lost(.fault(fault, code: code))
      case .message: break
      case .malformed(let error): throw lost(.malformed(error))
      case .closed: throw lost(.ended(reader.finish()))
      }
    }
    return nil
  }

  private func take(from kiosk: RunningKiosk) throws(SightingsEnd) -> TagSighting? {
    switch kiosk.receive() {
    case .nothing: return nil
    case .closed: throw SightingsEnd(sentence: "the kiosk ended")
    case .message(let bytes):
      let answer = JSON(decoding: bytes)
      guard
        let uid = answer?["uid"]?.text.flatMap({ Hex.decode($0) }).flatMap({ TagUID($0) }),
        let model = answer?["model"]?.wholeNumber.flatMap({ UInt8(exactly: $0) }).flatMap({ TagModel(rawValue: $0) })
      else { throw SightingsEnd(sentence: answer?["error"]?.text ?? "the kiosk's answer makes no sense") }
      if let memory = answer?["memory"]?.text.flatMap({ Hex.decode($0) }) {
        return .read(TagReading(uid: uid, model: model, bytes: memory))
      }
      guard
        let fault = answer?["fault"]?.wholeNumber.flatMap({ UInt8(exactly: $0) }).flatMap({ TagFault(rawValue: $0) })
      else { throw SightingsEnd(sentence: "the kiosk's answer makes no sense") }
      return .faulted(uid, model, fault)
    }
  }

  private func lost(_ loss: ReaderLoss) -> SightingsEnd { SightingsEnd(sentence: loss.sentence(device: device)) }
}
