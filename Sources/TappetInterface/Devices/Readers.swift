// An NFC reader for C (tappet.h, "reader"): reports tappet-reader's messages, and its failure to send any, as events.

import CPlatform
import CTappet
import TappetCore
import TappetKiosk
import TappetMessages
import TappetPlatform

/// A reader with its tappet-reader process.
private final class ReaderObject: LibraryObject {
  var callback: tappet_reader_event_callback?
  var context: UnsafeMutableRawPointer?
  let reactor: Reactor
  private let clock = SystemClock()
  private var process: ReaderProcess?
  private var processWatch: Watch?
  private var device: String?
  private var readings = TagReadingAssembler()
  private var isReady = false
  private var isSilent = false
  private var isDispatching = false
  /// The tag on the reader, as last reported.
  private var present: TagUID?
  /// The message to be written to the next tag.
  private var pending: [UInt8]?
  /// The tag that is being written.
  private var writing: TagUID?
  /// Memory for the event returned by the last call.
  private var pinned = PinnedBuffers()

  init() throws(SystemError) {
    reactor = try Reactor()
    super.init(kind: .reader)
    reactor.onTimer = calling(self) { $0.isSilent = true }
  }

  deinit {
    pinned.clear()
    close()
  }

  func open(_ device: String?) -> Int32 {
    guard process == nil else { return fail(.state, "the reader is already open") }
    let executable = ReaderProcess.locateExecutable()
    do throws(SystemError) {
      let started = try ReaderProcess(executable: executable, device: device)
      processWatch = try reactor.watch(started.fileDescriptor, for: .readable) { _ in }
      process = started
    } catch {
      let sentence =
        "\(executable) cannot be started: \(error.text); install tappet-reader, or set TAPPET_READER to its path"
      return fail(Failure(.system, sentence, systemCode: error.code))
    }
    self.device = device
    isReady = false
    recordLife()
    return 0
  }

  /// Restarts the timeout for messages from the process.
  private func recordLife() {
    isSilent = false
    let wait = isReady ? Limits.readerSilenceMax : Limits.readerStartMax
    reactor.setTimer(at: clock.now().instant + wait)
  }

  func close() {
    guard let process else { return }
    processWatch = nil
    reactor.setTimer(at: nil)
    self.process = nil
    present = nil
    pending = nil
    writing = nil
    process.stop()
    _ = process.finish()
  }

  func write(_ message: [UInt8]?) -> Int32 {
    guard process != nil else { return fail(.state, "the reader is not open") }
    guard writing == nil else { return fail(.state, "a tag is being written; wait for the event with the result") }
    pending = message
    writePending()
    return 0
  }

  private func writePending() {
    guard let message = pending, let uid = present, let process else { return }
    pending = nil
    writing = uid
    // If the process does not accept the order, the loss of the process will be detected shortly.
    _ = process.send(ReaderOrder(uid: uid, task: .write(message)))
  }

  /// Tracks the tag on the reader, and writes the pending message.
  private func note(_ message: ReaderMessage) {
    switch message {
    case .tagArrived, .tagLeft, .ready, .lost: present = nil
    case .tagRead(let reading):
      present = reading.uid
      writePending()
    case .orderDone: writing = nil
    case .tagFaulted, .tagDescribed, .heartbeat, .orderProgress: break
    }
  }

  var isInCallback: Bool { isDispatching }

  func next(_ result: UnsafeMutablePointer<tappet_reader_event>) -> Int32 {
    guard !isDispatching else { return fail(.state, "a callback cannot poll its own object for events") }
    return take(result)
  }

  func dispatch() -> Int32 {
    guard callback != nil, !isDispatching else {
      return fail(.state, "no callback is set, or a callback dispatches its own object")
    }
    isDispatching = true
    defer { isDispatching = false }
    var count: Int32 = 0
    var event = tappet_reader_event()
    event.size = MemoryLayout<tappet_reader_event>.size
    // `callback` is read in every iteration, because a callback may replace or remove itself. If it is removed, the
    // remaining events are left for `next`.
    while !isFreed, let callback {
      let result = take(&event)
      guard result == 1 else { return result == 0 ? count : result }
      count += 1
      callback(context, &event)
    }
    return count
  }

  private func take(_ result: UnsafeMutablePointer<tappet_reader_event>) -> Int32 {
    // This turn only handles the timer; the socket is read below.
    do throws(SystemError) { try reactor.turn(timeout: .zero) } catch { return fail(Failure(error)) }
    while let process {
      switch process.receive() {
      case .message(let message):
        if case .ready = message { isReady = true }
        recordLife()
        guard let message = readings.pass(message) else { continue }
        note(message)
        if let event = Fact(message) { return tell(event, result) }
      case .malformed(let error):
        process.kill()
        return lost(.malformed(error), result)
      case .nothing:
        guard isSilent else { return 0 }
        process.kill()
        return lost(.silent, result)
      case .closed:
        return lost(.ended(process.finish()), result)
      }
    }
    return 0
  }

  private func lost(_ loss: ReaderLoss, _ result: UnsafeMutablePointer<tappet_reader_event>) -> Int32 {
    close()
    let sentence = loss.sentence(device: device, of: .library)
    failure = Failure(.system, sentence)
    return tell(Fact(type: TAPPET_READER_EVENT_LOST, sentence: sentence), result)
  }

  private func tell(_ fact: Fact, _ result: UnsafeMutablePointer<tappet_reader_event>) -> Int32 {
    // The reason is what the device last reported, not how its process ended afterwards.
    if let loss = fact.loss { return lost(loss, result) }
    pinned.clear()
    result.pointee.type = fact.type
    result.pointee.model = tappet_reader_tag_model(UInt32(fact.model?.rawValue ?? 0))
    result.pointee.device = fact.device.flatMap { pinned.text($0) }
    result.pointee.uid = pinned.bytes(fact.uid)
    result.pointee.uid_size = fact.uid.count
    result.pointee.url = fact.url.flatMap { pinned.bytes($0 + [0]) }
      .map { UnsafeRawPointer($0).assumingMemoryBound(to: CChar.self) }
    result.pointee.url_size = fact.url?.count ?? 0
    result.pointee.message = pinned.bytes(fact.message)
    result.pointee.message_size = fact.message.count
    result.pointee.memory = pinned.bytes(fact.memory)
    result.pointee.memory_size = fact.memory.count
    result.pointee.sentence = fact.sentence.flatMap { pinned.text($0) }
    return 1
  }
}

/// An event before its conversion to C.
private struct Fact {
  var type: tappet_reader_event_type
  var model: TagModel?
  var device: String?
  var uid: [UInt8] = []
  var url: [UInt8]?
  var message: [UInt8] = []
  var memory: [UInt8] = []
  var sentence: String?
  var loss: ReaderLoss?

  init(type: tappet_reader_event_type, uid: [UInt8] = [], sentence: String? = nil) {
    self.type = type
    self.uid = uid
    self.sentence = sentence
  }

  /// Converts a message; `nil` for messages that are not reported: heartbeats, write progress and tag descriptions.
  init?(_ message: ReaderMessage) {
    switch message {
    case .heartbeat, .orderProgress, .tagDescribed: return nil
    case .orderDone(let outcome):
      let type = outcome.fault == nil ? TAPPET_READER_EVENT_WRITTEN : TAPPET_READER_EVENT_WRITE_FAILED
      self.init(type: type, uid: outcome.uid.bytes)
      model = outcome.model
      sentence = outcome.fault?.sentence(outcome.model, to: .write)
    case .ready(let device):
      self.init(type: TAPPET_READER_EVENT_READY)
      self.device = device
    case .tagArrived(let uid, _): self.init(type: TAPPET_READER_EVENT_TAG_ARRIVED, uid: uid.bytes)
    case .tagRead(let reading): self.init(reading)
    case .tagFaulted(let uid, let model, let fault):
      self.init(type: TAPPET_READER_EVENT_TAG_FAULTED, uid: uid.bytes, sentence: fault.sentence)
      self.model = model
    case .tagLeft(let uid): self.init(type: TAPPET_READER_EVENT_TAG_LEFT, uid: uid.bytes)
    case .lost(let fault, let code):
      self.init(type: TAPPET_READER_EVENT_LOST)
      loss = .fault(fault, code: code)
    }
  }

  private init(_ reading: TagReading) {
    self.init(type: TAPPET_READER_EVENT_TAG_READ, uid: reading.uid.bytes)
    model = reading.model
    memory = reading.bytes
    do throws(TagContentError) {
      message = try reading.message()
      url = try reading.uri()
    } catch { sentence = error.sentence }
  }
}

private func use(_ reader: OpaquePointer?, _ body: (ReaderObject) -> Int32) -> Int32 {
  Objects.use(reader, as: .reader) { body(unsafeDowncast($0, to: ReaderObject.self)) }
}

/// Creates a reader that is not open yet.
@_cdecl("tappet_reader_new") @implementation
public func tappet_reader_new(_ result: UnsafeMutablePointer<OpaquePointer?>?) -> Int32 {
  guard let result else { return ErrorCode.argument.rawValue }
  guard let object = try? ReaderObject() else { return ErrorCode.system.rawValue }
  return Objects.issue(object, to: result)
}

/// Closes and frees the reader.
@_cdecl("tappet_reader_free") @implementation
public func tappet_reader_free(_ reader: OpaquePointer?) { Objects.free(reader, as: .reader) }

/// Sets the callback for events, replacing the previous one.
@_cdecl("tappet_reader_set_event_callback") @implementation
public func tappet_reader_set_event_callback(
  _ reader: OpaquePointer?, _ callback: tappet_reader_event_callback?, _ context: UnsafeMutableRawPointer?
) -> Int32 {
  use(reader) {
    $0.callback = callback
    $0.context = context
    return 0
  }
}

/// Lists the readers that libnfc finds on USB or in its configuration.
@_cdecl("tappet_reader_list") @implementation
public func tappet_reader_list(_ result: UnsafeMutablePointer<CChar>?, _ resultSize: Int) -> Int32 {
  guard isBuffer(result, resultSize) else { return ErrorCode.argument.rawValue }
  do throws(ReaderList.Trouble) {
    var text = ""
    for device in try ReaderList.find(executable: ReaderProcess.locateExecutable()) { text += device + "\n" }
    return output(Array(text.utf8), result, resultSize, endsWithNUL: true)
  } catch { return ErrorCode.system.rawValue }
}

/// Starts the tappet-reader process.
@_cdecl("tappet_reader_open") @implementation
public func tappet_reader_open(_ reader: OpaquePointer?, _ device: UnsafePointer<CChar>?) -> Int32 {
  use(reader) { object in
    guard device != nil else { return object.open(nil) }
    guard let device = shortText(device, sizeMax: Limits.readerDeviceSizeMax) else {
      return object.fail(.argument, "the device must be 1 to 1023 bytes on one line")
    }
    return object.open(device)
  }
}

/// Returns a descriptor for poll, epoll and event loops.
@_cdecl("tappet_reader_fd") @implementation
public func tappet_reader_fd(_ reader: OpaquePointer?) -> Int32 { use(reader) { $0.reactor.fileDescriptor } }

/// Waits until `tappet_reader_dispatch` has work to do.
@_cdecl("tappet_reader_wait") @implementation
public func tappet_reader_wait(_ reader: OpaquePointer?, _ timeout: Int32) -> Int32 {
  wait(reader, .reader, timeout) { unsafeDowncast($0, to: ReaderObject.self).reactor.fileDescriptor }
}

/// Takes the next event, if there is one.
@_cdecl("tappet_reader_next") @implementation
public func tappet_reader_next(_ reader: OpaquePointer?, _ result: UnsafeMutablePointer<tappet_reader_event>?) -> Int32
{
  use(reader) {
    guard let result, result.pointee.size >= MemoryLayout<tappet_reader_event>.size else {
      return $0.fail(.argument, "the event is NULL, or its size is not set to sizeof(struct tappet_reader_event)")
    }
    return $0.next(result)
  }
}

/// Calls the callback for each pending event.
@_cdecl("tappet_reader_dispatch") @implementation
public func tappet_reader_dispatch(_ reader: OpaquePointer?) -> Int32 { use(reader) { $0.dispatch() } }

/// Writes a message to the tag on the reader or, if there is none, to the next tag.
@_cdecl("tappet_reader_write") @implementation
public func tappet_reader_write(_ reader: OpaquePointer?, _ message: UnsafePointer<UInt8>?, _ size: Int) -> Int32 {
  use(reader) { object in
    // A size_t beyond Int.max arrives as a negative number.
    guard let message, (0...Limits.tagMemorySizeMax).contains(size) else {
      return object.fail(.argument, "the message is NULL, or larger than 8192 bytes, the most that a tag can store")
    }
    guard size > 0 else { return object.write(nil) }
    let bytes = Array(UnsafeBufferPointer(start: message, count: size))
    do throws(NDEFError) { _ = try NDEFMessage(decoding: bytes) } catch { return object.fail(Failure(error.code)) }
    return object.write(bytes)
  }
}

/// Ends the tappet-reader process.
@_cdecl("tappet_reader_close") @implementation
public func tappet_reader_close(_ reader: OpaquePointer?) -> Int32 {
  use(reader) {
    guard !$0.isInCallback else { return $0.fail(.state, "a callback cannot close its own object; free it instead") }
    $0.close()
    return 0
  }
}

/// Retrieves the failure of the last failed call.
@_cdecl("tappet_reader_last_error") @implementation
public func tappet_reader_last_error(_ reader: OpaquePointer?, _ result: UnsafeMutablePointer<tappet_failure>?) -> Int32
{
  lastError(reader, .reader, result)
}
