// The whole kiosk for C (tappet.h, "kiosk"): a Runtime in the caller's loop.

import CPlatform
import CTappet
import TappetConfig
import TappetCore
import TappetKiosk
import TappetMessages
import TappetPlatform

/// A kiosk, running or not.
final class KioskObject: LibraryObject {
  var setup = KioskSetup()
  var eventCallback: tappet_kiosk_event_callback?
  var eventContext: UnsafeMutableRawPointer?
  var logCallback: tappet_log_callback?
  var logContext: UnsafeMutableRawPointer?
  /// A request made outside `dispatch` and executed inside: callbacks are called nowhere else.
  enum Request: Sendable {
    case begin
    case press(action: String)
    case stop
  }
  /// Requests to stop wait here from one run to the next: the thread that is to run the kiosk may only be about to.
  private let requests: Mailbox<Request>
  private var requestsWatch: Watch?
  /// Number of places for presses; the rest is for requests that must always get through: to stop, twice at most.
  private static let pressesMax = Limits.mailboxCapacity
  private(set) var runtime: Runtime?
  /// For calls that any thread may make.
  let facts = SharedFacts()
  private var hasBegun = false
  private var isDispatching = false
  /// The reason why it cannot continue.
  private var trouble: Failure?

  init() throws(SystemError) {
    requests = try Mailbox(capacity: KioskObject.pressesMax + 3)
    super.init(kind: .kiosk)
  }

  deinit { runtime?.close() }

  // MARK: Setting up

  func change(_ body: (inout KioskSetup) throws(Failure) -> Void) -> Int32 {
    guard runtime == nil else { return fail(.state, "the kiosk runs; set it up before it is started") }
    do throws(Failure) {
      try body(&setup)
      facts.setActions(setup.actionNames)
      return 0
    } catch { return fail(error) }
  }

  // MARK: Running

  func start() -> Int32 {
    guard runtime == nil else { return fail(.state, "the kiosk runs already") }
    do throws(Failure) {
      try setup.check()
      let started = try started(setup.configuration)
      runtime = started
      hasBegun = false
      facts.setRunning(true)
      facts.setCounts(started.counts)
      // A mailbox that is full rings already.
      requests.post(.begin)
      return 0
    } catch { return fail(error) }
  }

  private func started(_ configuration: KioskConfiguration) throws(Failure) -> Runtime {
    let runtime: Runtime
    do throws(RuntimeError) { runtime = try Runtime(configuration, ownSecrets: setup.secrets) } catch {
      throw Failure(error)
    }
    runtime.observers.onReport = calling(self) { $0.tell($1, $2) }
    runtime.observers.onRecord = calling(self) { $0.log($1) }
    runtime.observers.onLight = calling(self) { $0.tell($1) }
    do throws(RuntimeError) {
      do throws(SystemError) {
        requestsWatch = try runtime.watch(requests.fileDescriptor, calling(self) { $0.execute() })
      } catch { throw .system(error) }
      try runtime.start()
    } catch {
      runtime.close()
      throw Failure(error)
    }
    return runtime
  }

  private func execute() {
    let waiting = requests.drain()
    if !hasBegun { begin() }
    for request in waiting where !isFreed {
      switch request {
      case .begin: break
      case .press(let action): runtime?.press(action: action)
      case .stop: runtime?.stop()
      }
    }
  }

  /// Callable from any thread.
  func press(_ action: UnsafePointer<CChar>?) -> Int32 {
    guard let name = text(action, sizeMax: Limits.actionNameSizeMax), facts.hasAction(name) else {
      return fail(.argument, "there is no action of this name; add it first")
    }
    guard facts.isRunning else { return fail(.state, "the kiosk does not run") }
    guard requests.count < KioskObject.pressesMax, requests.post(.press(action: name)) else {
      return fail(.limit, "too many presses wait; dispatch them")
    }
    return 0
  }

  /// Callable from any thread.
  func stop() { requests.post(.stop) }

  private func begin() {
    hasBegun = true
    do throws(RuntimeError) { try runtime?.begin() } catch { trouble = Failure(error) }
  }

  /// Called by another thread than the one inside, which is to leave.
  override func noteFreed() {
    stop()
    stop()
  }

  /// Returns 1 while it runs, 0 when it has ended.
  func dispatch(timeout: Duration?) -> Int32 {
    guard let runtime, !isDispatching else {
      return fail(.state, "the kiosk does not run, or one of its callbacks dispatches it")
    }
    isDispatching = true
    defer { isDispatching = false }
    do throws(RuntimeError) { try runtime.dispatch(timeout: timeout) } catch { return fail(Failure(error)) }
    if isFreed { return 0 }
    facts.setCounts(runtime.counts)
    guard runtime.isFinished || trouble != nil else { return 1 }
    facts.setRunning(false)
    runtime.close()
    requestsWatch = nil
    self.runtime = nil
    // Requests to this run are not meant for the next one.
    _ = requests.drain()
    guard let trouble else { return 0 }
    self.trouble = nil
    return fail(trouble)
  }

  func run() -> Int32 {
    if runtime == nil {
      let result = start()
      if result < 0 { return result }
    }
    while true {
      let result = dispatch(timeout: nil)
      if result != 1 { return result }
    }
  }

  // MARK: Telling

  private func tell(_ light: Light) {
    guard let callback = eventCallback, !isFreed else { return }
    var loan = Loan()
    defer { loan.clear() }
    var event = KioskObject.event(TAPPET_KIOSK_EVENT_LIGHT, .info, &loan, name: light.name, sentence: "")
    event.light = tappet_kiosk_light(UInt32(light.rawValue))
    callback(eventContext, &event)
  }

  private func tell(_ report: Report, _ line: LogRecord) {
    if let runtime { facts.setCounts(runtime.counts) }
    guard let callback = eventCallback, !isFreed, let facts = KioskFacts(report) else { return }
    var loan = Loan()
    defer { loan.clear() }
    var event = KioskObject.event(facts.type, line.priority, &loan, name: line.name, sentence: line.sentence)
    event.trigger = tappet_kiosk_trigger(UInt32(facts.trigger?.rawValue ?? 0))
    event.action = facts.action.flatMap { loan.text($0) }
    event.topic = facts.topic.flatMap { loan.text($0) }
    event.id = facts.id.flatMap { loan.text($0.hex) }
    event.uid = facts.uid.flatMap { loan.bytes($0.bytes) }
    event.uid_size = facts.uid?.bytes.count ?? 0
    event.after_milliseconds = facts.after?.wholeMilliseconds ?? -1
    callback(eventContext, &event)
  }

  private static func event(
    _ type: tappet_kiosk_event_type, _ priority: Priority, _ loan: inout Loan, name: String, sentence: String
  ) -> tappet_kiosk_event {
    var event = tappet_kiosk_event()
    event.size = MemoryLayout<tappet_kiosk_event>.size
    event.type = type
    event.priority = tappet_log_priority(UInt32(priority.rawValue))
    event.name = loan.text(name)
    event.sentence = loan.text(sentence)
    event.after_milliseconds = -1
    return event
  }

  private func log(_ line: LogRecord) {
    guard let callback = logCallback, !isFreed else { return }
    var loan = Loan()
    defer { loan.clear() }
    let fields = line.fields.map { tappet_log_field(key: loan.text($0.key), value: loan.text($0.value)) }
    var record = tappet_log_record()
    record.size = MemoryLayout<tappet_log_record>.size
    record.priority = tappet_log_priority(UInt32(line.priority.rawValue))
    record.name = loan.text(line.name)
    record.sentence = loan.text(line.sentence)
    fields.withUnsafeBufferPointer {
      record.fields = $0.baseAddress
      record.field_count = $0.count
      callback(logContext, &record)
    }
  }
}

private func use(_ kiosk: OpaquePointer?, _ body: (KioskObject) -> Int32) -> Int32 {
  Objects.use(kiosk, as: .kiosk) { body(unsafeDowncast($0, to: KioskObject.self)) }
}

/// For calls that any thread may make, even while another one is inside the object.
private func find(_ kiosk: OpaquePointer?, _ body: (KioskObject) -> Int32) -> Int32 {
  switch Objects.find(kiosk, as: .kiosk) {
  case .failure(let failure): failure.code.rawValue
  case .success(let object): body(unsafeDowncast(object, to: KioskObject.self))
  }
}

/// `tappet_kiosk_new`.
@_cdecl("tappet_kiosk_new") @implementation
public func tappet_kiosk_new(_ result: UnsafeMutablePointer<OpaquePointer?>?) -> Int32 {
  guard let result else { return ErrorCode.argument.rawValue }
  guard let object = try? KioskObject() else { return ErrorCode.system.rawValue }
  return Objects.issue(object, to: result)
}

/// `tappet_kiosk_free`.
@_cdecl("tappet_kiosk_free") @implementation
public func tappet_kiosk_free(_ kiosk: OpaquePointer?) { Objects.free(kiosk, as: .kiosk) }

/// `tappet_kiosk_set_event_callback`.
@_cdecl("tappet_kiosk_set_event_callback") @implementation
public func tappet_kiosk_set_event_callback(
  _ kiosk: OpaquePointer?, _ callback: tappet_kiosk_event_callback?, _ context: UnsafeMutableRawPointer?
) -> Int32 {
  use(kiosk) {
    $0.eventCallback = callback
    $0.eventContext = context
    return 0
  }
}

/// `tappet_kiosk_set_log_callback`.
@_cdecl("tappet_kiosk_set_log_callback") @implementation
public func tappet_kiosk_set_log_callback(
  _ kiosk: OpaquePointer?, _ callback: tappet_log_callback?, _ context: UnsafeMutableRawPointer?
) -> Int32 {
  use(kiosk) {
    $0.logCallback = callback
    $0.logContext = context
    return 0
  }
}

/// `tappet_kiosk_start`.
@_cdecl("tappet_kiosk_start") @implementation
public func tappet_kiosk_start(_ kiosk: OpaquePointer?) -> Int32 { use(kiosk) { $0.start() } }

/// `tappet_kiosk_fd`.
@_cdecl("tappet_kiosk_fd") @implementation
public func tappet_kiosk_fd(_ kiosk: OpaquePointer?) -> Int32 {
  use(kiosk) { $0.runtime?.fileDescriptor ?? $0.fail(.state, "the kiosk does not run") }
}

/// `tappet_kiosk_wait`.
@_cdecl("tappet_kiosk_wait") @implementation
public func tappet_kiosk_wait(_ kiosk: OpaquePointer?, _ timeout: Int32) -> Int32 {
  use(kiosk) { object in
    guard let runtime = object.runtime else { return object.fail(.state, "the kiosk does not run") }
    return object.wait(runtime.fileDescriptor, timeout)
  }
}

/// `tappet_kiosk_dispatch`.
@_cdecl("tappet_kiosk_dispatch") @implementation
public func tappet_kiosk_dispatch(_ kiosk: OpaquePointer?) -> Int32 { use(kiosk) { $0.dispatch(timeout: .zero) } }

/// `tappet_kiosk_run`.
@_cdecl("tappet_kiosk_run") @implementation
public func tappet_kiosk_run(_ kiosk: OpaquePointer?) -> Int32 { use(kiosk) { $0.run() } }

/// `tappet_kiosk_press`.
@_cdecl("tappet_kiosk_press") @implementation
public func tappet_kiosk_press(_ kiosk: OpaquePointer?, _ action: UnsafePointer<CChar>?) -> Int32 {
  find(kiosk) { $0.press(action) }
}

/// `tappet_kiosk_stop`.
@_cdecl("tappet_kiosk_stop") @implementation
public func tappet_kiosk_stop(_ kiosk: OpaquePointer?) -> Int32 {
  find(kiosk) {
    $0.stop()
    return 0
  }
}

/// `tappet_kiosk_get_counters`.
@_cdecl("tappet_kiosk_get_counters") @implementation
public func tappet_kiosk_get_counters(_ kiosk: OpaquePointer?, _ result: UnsafeMutablePointer<tappet_kiosk_counters>?)
  -> Int32
{
  find(kiosk) {
    guard let result, result.pointee.size >= MemoryLayout<tappet_kiosk_counters>.size else {
      return $0.fail(
        .argument, "the counters are NULL, or their size is not set to sizeof(struct tappet_kiosk_counters)")
    }
    let (counters, waiting) = $0.facts.counts
    result.pointee.accepted = UInt64(counters.accepted)
    result.pointee.delivered = UInt64(counters.delivered)
    result.pointee.refused = UInt64(counters.refused)
    result.pointee.ignored = UInt64(counters.ignored)
    result.pointee.expired = UInt64(counters.expired)
    result.pointee.undeliverable = UInt64(counters.undeliverable)
    result.pointee.waiting = UInt64(waiting)
    return 0
  }
}

/// `tappet_kiosk_last_error`.
@_cdecl("tappet_kiosk_last_error") @implementation
public func tappet_kiosk_last_error(_ kiosk: OpaquePointer?, _ result: UnsafeMutablePointer<tappet_failure>?) -> Int32 {
  lastError(kiosk, .kiosk, result)
}
