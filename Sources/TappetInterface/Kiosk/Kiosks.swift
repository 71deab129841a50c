// The complete kiosk for C (tappet.h, "kiosk"): a Runtime in the caller's event loop.

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
  /// A request made outside `dispatch` and executed inside it, the only place where callbacks are called.
  enum Request: Sendable {
    case begin
    case press(action: String, at: Instant)
    case output(String, OutputRequest, at: Instant)
    case write(TagJobRequest)
    case cancelWriting
    case people(PeopleRequest)
    case stop
  }
  /// Stop requests made before the start are kept, because the thread that runs the kiosk may not have started yet.
  private let requests: Mailbox<Request>
  private var requestsWatch: Watch?
  /// Capacity for all requests other than stop; the remaining capacity is reserved for at most two stop requests, which
  /// must always be accepted.
  private static let requestsMax = Limits.mailboxCapacity
  private(set) var runtime: Runtime?
  /// Pending requests about people.
  var people = PeopleRequests()
  /// State for calls that are allowed on any thread.
  let facts = SharedFacts()
  private var hasBegun = false
  private var isDispatching = false
  /// The failure that prevents the kiosk from continuing.
  private var trouble: Failure?

  init() throws(SystemError) {
    requests = try Mailbox(capacity: KioskObject.requestsMax + 3)
    super.init(kind: .kiosk)
  }

  deinit { runtime?.close() }

  // MARK: Setup

  func change(_ body: (inout KioskSetup) throws(Failure) -> Void) -> Int32 {
    guard runtime == nil else { return fail(.state, "the kiosk is running; set it up before starting it") }
    do throws(Failure) {
      try body(&setup)
      facts.setActions(setup.actionNames)
      return 0
    } catch { return fail(error) }
  }

  // MARK: Running

  func start() -> Int32 {
    guard runtime == nil else { return fail(.state, "the kiosk is already running") }
    do throws(Failure) {
      try setup.check()
      let started = try started(setup.configuration)
      runtime = started
      hasBegun = false
      facts.setRunning(true)
      facts.note(started)
      // If the mailbox is full, it is already signalled.
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
    runtime.observers.onReply = calling(self) { $0.tell($1) }
    runtime.observers.onTagJob = calling(self) { $0.tell($1, $2) }
    runtime.observers.onSecretAnswer = calling(self) { $0.tell($1, $2) }
    runtime.observers.onPeople = calling(self) { $0.tell($1, $2) }
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
      case .press(let action, let time): runtime?.press(action: action, at: time)
      case .output(let name, let request, let time): runtime?.switchOutput(name, request, at: time)
      case .write(let request):
        if runtime?.beginTagJob(request) == false { tell(request, .busy) }
      case .cancelWriting: runtime?.cancelTagJob()
      case .people(let request): ask(request)
      case .stop: runtime?.stop()
      }
    }
  }

  /// Requests an action in the same way as a button press; callable from any thread.
  func press(_ action: UnsafePointer<CChar>?) -> Int32 {
    guard let name = knownAction(action) else { return fail(.argument, Self.noSuchAction) }
    return post(.press(action: name, at: Instant.now()))
  }

  /// Requests a change of an output; callable from any thread.
  func requestOutput(_ output: UnsafePointer<CChar>?, _ request: tappet_kiosk_request) -> Int32 {
    // The header's constants are in the order of the cases and start at 1.
    let number = Int(request.rawValue) - 1
    guard let name = text(output, sizeMax: Limits.lineNameSizeMax), OutputRequest.allCases.indices.contains(number)
    else {
      return fail(.argument, "the output's name is NULL or too long, or there is no such request")
    }
    guard facts.isRunning else { return fail(.state, Self.notRunning) }
    guard facts.hasOutput(name) else { return fail(.argument, "the panel has no output with this name") }
    return post(.output(name, OutputRequest.allCases[number], at: Instant.now()))
  }

  /// Reports the state of an output; callable from any thread.
  func getOutput(_ position: Int, _ result: UnsafeMutablePointer<tappet_kiosk_output>?) -> Int32 {
    guard let result, result.pointee.size >= MemoryLayout<tappet_kiosk_output>.size else {
      return fail(.argument, "the output is NULL, or its size is not set to sizeof(struct tappet_kiosk_output)")
    }
    guard facts.isRunning else { return fail(.state, Self.notRunning) }
    guard let output = facts.output(at: position) else { return 0 }
    withUnsafeMutableBytes(of: &result.pointee.name) { place in
      _ = place.initializeMemory(as: UInt8.self, repeating: 0)
      // The configuration does not allow longer names.
      place.copyBytes(from: Array(output.name.utf8.prefix(place.count - 1)))
    }
    result.pointee.is_on = output.isOn
    result.pointee.is_available = output.isAvailable
    result.pointee.reserved = (0, 0, 0, 0, 0, 0)
    return 1
  }

  /// Requests or cancels writing a tag; callable from any thread.
  func writeTag(_ action: UnsafePointer<CChar>?, _ label: UnsafePointer<CChar>?) -> Int32 {
    guard action != nil else { return post(.cancelWriting) }
    guard let name = knownAction(action) else { return fail(.argument, Self.noSuchAction) }
    var request = TagJobRequest(.write)
    request.action = name
    if label != nil {
      guard let label = shortText(label, sizeMax: Limits.secretLabelSizeMax) else {
        return fail(.argument, Self.labelSizes)
      }
      request.label = label
    }
    return post(.write(request))
  }

  private static let notRunning = "the kiosk is not running"
  static let noSuchAction = "there is no action with this name; add it first"
  static var labelSizes: String { "the label must be 1 to \(Limits.secretLabelSizeMax) bytes on one line" }

  func knownAction(_ action: UnsafePointer<CChar>?) -> String? {
    let name = text(action, sizeMax: Limits.actionNameSizeMax)?.nameForm
    return name.map { facts.hasAction($0) } == true ? name : nil
  }

  /// Queues a request for the next dispatch.
  func post(_ request: Request) -> Int32 {
    guard facts.isRunning else { return fail(.state, Self.notRunning) }
    guard requests.count < KioskObject.requestsMax, requests.post(request) else {
      return fail(.limit, "too many requests are pending; dispatch them")
    }
    return 0
  }

  /// Requests the kiosk to stop; callable from any thread.
  func stop() { requests.post(.stop) }

  private func begin() {
    hasBegun = true
    do throws(RuntimeError) { try runtime?.begin() } catch { trouble = Failure(error) }
  }

  /// Stops the kiosk, so that the thread that is using the object returns from its call.
  override func recordFreed() {
    stop()
    stop()
  }

  /// Dispatches pending events; returns 1 while the kiosk is running, 0 when it has ended.
  func dispatch(timeout: Duration?) -> Int32 {
    guard let runtime, !isDispatching else {
      return fail(.state, "the kiosk is not running, or is being dispatched by one of its callbacks")
    }
    isDispatching = true
    defer { isDispatching = false }
    do throws(RuntimeError) { try runtime.dispatch(timeout: timeout) } catch { return fail(Failure(error)) }
    if isFreed { return 0 }
    facts.note(runtime)
    guard runtime.isFinished || trouble != nil else { return 1 }
    facts.setRunning(false)
    runtime.close()
    requestsWatch = nil
    self.runtime = nil
    // Requests made during this run do not apply to the next one.
    let left = requests.drain()
    let trouble = trouble
    self.trouble = nil
    completeRest(people.takeAll() + left.compactMap { if case .people(let request) = $0 { request } else { nil } })
    return trouble.map { fail($0) } ?? 0
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

  // MARK: Events

  private func tell(_ light: Light) {
    guard let callback = eventCallback, !isFreed else { return }
    var pinned = PinnedBuffers()
    defer { pinned.clear() }
    var event = KioskObject.event(TAPPET_KIOSK_EVENT_LIGHT, .info, &pinned, name: light.name, sentence: "")
    event.light = tappet_kiosk_light(UInt32(light.rawValue))
    callback(eventContext, &event)
  }

  private func tell(_ report: Report, _ line: LogRecord) {
    if let runtime { facts.note(runtime, after: report) }
    guard let callback = eventCallback, !isFreed,
      let facts = KioskFacts(report, outputs: runtime?.outputs ?? [])
    else { return }
    var pinned = PinnedBuffers()
    defer { pinned.clear() }
    var event = KioskObject.event(facts.type, line.priority, &pinned, name: line.name, sentence: line.sentence)
    event.trigger = tappet_kiosk_trigger(UInt32(facts.trigger?.rawValue ?? 0))
    event.action = facts.action.flatMap { pinned.text($0) }
    event.topic = facts.topic.flatMap { pinned.text($0) }
    event.id = facts.id.flatMap { pinned.text($0.hex) }
    event.uid = facts.uid.flatMap { pinned.bytes($0.bytes) }
    event.uid_size = facts.uid?.bytes.count ?? 0
    event.after_milliseconds = facts.after?.wholeMilliseconds ?? -1
    event.output = facts.output.flatMap { pinned.text($0) }
    event.is_on = facts.isOn
    event.tag = facts.owner?.label.flatMap { pinned.text($0) }
    event.person = facts.owner?.person.flatMap { pinned.text($0.name) }
    event.code = facts.code.flatMap { pinned.text($0) }
    event.thing = facts.thing.flatMap { pinned.text($0.text) }
    event.input = facts.input.flatMap { pinned.text($0) }
    event.by = facts.by.flatMap { pinned.text($0) }
    callback(eventContext, &event)
  }

  private func tell(_ reply: CommandReply) {
    guard let callback = eventCallback, !isFreed, reply.result == .done else { return }
    let target = reply.address.target
    var pinned = PinnedBuffers()
    defer { pinned.clear() }
    var event = KioskObject.event(
      TAPPET_KIOSK_EVENT_COMMAND_DONE, .info, &pinned, name: "command-done",
      sentence: "command done: " + (target?.text ?? ""))
    event.trigger = TAPPET_KIOSK_TRIGGER_COMMAND
    event.topic = pinned.text(reply.address.command)
    event.action = target?.action.flatMap { pinned.text($0) }
    event.output = target?.output.flatMap { pinned.text($0) }
    callback(eventContext, &event)
  }

  private func tell(_ request: TagJobRequest, _ result: TagJobRunner.Result) {
    guard let callback = eventCallback, !isFreed else { return }
    var pinned = PinnedBuffers()
    defer { pinned.clear() }
    var event = KioskObject.event(
      result.isDone ? TAPPET_KIOSK_EVENT_TAG_WRITTEN : TAPPET_KIOSK_EVENT_TAG_NOT_WRITTEN,
      result.isDone ? .notice : .warning, &pinned, name: result.isDone ? "tag-job-done" : "tag-job-failed",
      sentence: result.sentence)
    event.action = request.action.flatMap { pinned.text($0) }
    event.id = result.secretID.flatMap { pinned.text($0) }
    if let uid = result.uid.flatMap({ Hex.decode($0) }) {
      event.uid = pinned.bytes(uid)
      event.uid_size = uid.count
    }
    callback(eventContext, &event)
  }

  private static func event(
    _ type: tappet_kiosk_event_type, _ priority: Priority, _ pinned: inout PinnedBuffers, name: String, sentence: String
  ) -> tappet_kiosk_event {
    var event = tappet_kiosk_event()
    event.size = MemoryLayout<tappet_kiosk_event>.size
    event.type = type
    event.priority = tappet_log_priority(UInt32(priority.rawValue))
    event.name = pinned.text(name)
    event.sentence = pinned.text(sentence)
    event.after_milliseconds = -1
    return event
  }

  private func log(_ line: LogRecord) {
    guard let callback = logCallback, !isFreed else { return }
    var pinned = PinnedBuffers()
    defer { pinned.clear() }
    let fields = line.fields.map { tappet_log_field(key: pinned.text($0.key), value: pinned.text($0.value)) }
    var record = tappet_log_record()
    record.size = MemoryLayout<tappet_log_record>.size
    record.priority = tappet_log_priority(UInt32(line.priority.rawValue))
    record.name = pinned.text(line.name)
    record.sentence = pinned.text(line.sentence)
    fields.withUnsafeBufferPointer {
      record.fields = $0.baseAddress
      record.field_count = $0.count
      callback(logContext, &record)
    }
  }
}

extension TagJobRunner.Result {
  /// The refusal of a second write job.
  fileprivate static let busy = TagJobRunner.Result(
    isDone: false, isRefusal: true, code: "busy", sentence: "another tag is being written; wait until it is done")
}
