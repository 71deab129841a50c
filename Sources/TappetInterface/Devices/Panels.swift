// Buttons and lights on GPIO lines for C (tappet.h, "panel"): a GPIOPanel whose events are queued until dispatch.

import CPlatform
import CTappet
import TappetConfig
import TappetCore
import TappetMessages
import TappetPanel
import TappetPlatform

/// A panel and its lines.
private final class PanelObject: LibraryObject {
  private struct PanelEntry {
    var line: PanelLine
    var isOutput: Bool
    /// Index of the line among the inputs, or among the outputs.
    var index: Int
    /// The last reported state; `nil` while the line is unavailable.
    var isActive: Bool?
    /// Requested state of an output, kept even while the output is unavailable.
    var isOn = false
    /// End time of the current pulse.
    var pulseEnd: Instant?
  }
  private static let linesMax = 64

  var callback: tappet_panel_event_callback?
  var context: UnsafeMutableRawPointer?
  let reactor: Reactor
  private let events: Mailbox<GPIOEvent>
  private var eventsWatch: Watch?
  private var profile: BoardProfile?
  private var lines: [PanelEntry] = []
  private var panel: GPIOPanel?
  private var isDispatching = false
  private var callCount: Int32 = 0
  /// Memory for the line information returned by the last call.
  private var pinned = PinnedBuffers()

  init() throws(SystemError) {
    reactor = try Reactor()
    events = try Mailbox()
    super.init(kind: .panel)
    reactor.onTimer = calling(self) { $0.endPulses() }
    eventsWatch = try reactor.watch(events.fileDescriptor, for: .readable, calling(self) { panel, _ in panel.drain() })
  }

  deinit {
    pinned.clear()
    panel?.close()
  }

  func setProfile(_ name: String) -> Int32 {
    guard panel == nil else { return fail(.state, "the panel is open; set it up before opening it") }
    do throws(BoardProfileError) {
      profile = try BoardProfile.load(name: name)
      return 0
    } catch {
      var text = ""
      for sentence in error.sentences { text += text.isEmpty ? sentence : "\n" + sentence }
      return fail(.configuration, text)
    }
  }

  func add(_ line: PanelLine, isOutput: Bool) -> Int32 {
    guard panel == nil else { return fail(.state, "the panel is open; add lines before opening it") }
    guard lines.count < PanelObject.linesMax else { return fail(.limit, "a panel can have at most 64 lines") }
    let index = lines.count { $0.isOutput == isOutput }
    lines.append(PanelEntry(line: line, isOutput: isOutput, index: index))
    return Int32(lines.count - 1)
  }

  func open() -> Int32 {
    guard panel == nil else { return fail(.state, "the panel is already open") }
    guard !lines.isEmpty else { return fail(.state, "the panel has no lines; add one first") }
    let opened = GPIOPanel(
      inputs: lines.filter { !$0.isOutput }.map { $0.line }, outputs: lines.filter { $0.isOutput }.map { $0.line },
      chip: nil, profile: profile, reactor: reactor, onEvent: calling(self) { $0.events.post($1) })
    panel = opened
    opened.open()
    return 0
  }

  func retry() -> Int32 {
    guard let panel else { return fail(.state, "the panel is not open") }
    panel.retry()
    return 0
  }

  func set(_ line: Int, isOn: Bool) -> Int32 {
    guard lines.indices.contains(line), lines[line].isOutput else {
      return fail(.argument, "there is no output with this number")
    }
    guard let panel else { return fail(.state, "the panel is not open") }
    panel.set(output: lines[line].index, isOn: isOn)
    if lines[line].isActive != nil { lines[line].isActive = isOn }
    lines[line].isOn = isOn
    lines[line].pulseEnd = nil
    return 0
  }

  func pulse(_ line: Int, _ milliseconds: Int64) -> Int32 {
    guard (1...Limits.outputTimeMax.wholeMilliseconds).contains(milliseconds) else {
      return fail(.argument, "a pulse must be 1 to \(Limits.outputTimeMax.wholeMilliseconds) milliseconds long")
    }
    let result = set(line, isOn: true)
    guard result == 0 else { return result }
    lines[line].pulseEnd = SystemClock().now().instant + .milliseconds(milliseconds)
    setTimer()
    return 0
  }

  private func endPulses() {
    let now = SystemClock().now().instant
    for index in lines.indices {
      if let end = lines[index].pulseEnd, end <= now { _ = set(index, isOn: false) }
    }
    setTimer()
  }

  private func setTimer() { reactor.setTimer(at: lines.compactMap { $0.pulseEnd }.min()) }

  func get(_ line: Int) -> Result<Bool, Failure> {
    guard lines.indices.contains(line) else { return .failure(Failure(.argument, "there is no line with this number")) }
    guard panel != nil, let isActive = lines[line].isActive else {
      return .failure(Failure(.state, "the panel is not open, or the line is unavailable"))
    }
    return .success(isActive)
  }

  func describe(_ line: Int, _ result: UnsafeMutablePointer<tappet_panel_line_info>) -> Int32 {
    guard lines.indices.contains(line) else { return fail(.argument, "there is no line with this number") }
    let id: GPIOLineID = lines[line].isOutput ? .output(lines[line].index) : .input(lines[line].index)
    guard let panel else { return fail(.state, "the panel is not open") }
    guard let (place, chip) = panel.look(at: id) else {
      return fail(.state, "the line was not found, or its chip was removed")
    }
    pinned.clear()
    let info = chip.lines[Int(place.offset)]
    result.pointee.chip = pinned.text(place.path)
    result.pointee.label = pinned.text(chip.label)
    result.pointee.offset = place.offset
    result.pointee.name = info.name.isEmpty ? nil : pinned.text(info.name)
    result.pointee.consumer = info.consumer.isEmpty ? nil : pinned.text(info.consumer)
    result.pointee.is_used = info.isUsed
    result.pointee.reserved = (0, 0, 0)
    return 0
  }

  func dispatch() -> Int32 {
    guard !isDispatching else { return fail(.state, "a callback cannot dispatch its own object") }
    isDispatching = true
    defer { isDispatching = false }
    callCount = 0
    do throws(SystemError) { try reactor.turn(timeout: .zero) } catch { return fail(Failure(error)) }
    // Handles the events received in this turn.
    drain()
    return callCount
  }

  private func drain() {
    for event in events.drain() where !isFreed { report(event) }
  }

  private func report(_ event: GPIOEvent) {
    var report = tappet_panel_event()
    report.size = MemoryLayout<tappet_panel_event>.size
    var pinned = PinnedBuffers()
    defer { pinned.clear() }
    switch event {
    case .opened(let id, let isActive, let debouncesItself):
      report.type = TAPPET_PANEL_EVENT_OPENED
      report.line = number(of: id)
      report.is_active = isActive
      report.is_debounced = debouncesItself
      let line = Int(report.line)
      lines[line].isActive = lines[line].isOutput ? lines[line].isOn : isActive
    case .edge(let input, let isActive, let time), .edgesLost(let input, let isActive, let time):
      report.type = TAPPET_PANEL_EVENT_CHANGED
      report.line = number(of: .input(input))
      report.is_active = isActive
      lines[Int(report.line)].isActive = isActive
      report.boottime_nanoseconds = time.nanoseconds
    case .failed(let id, let fault):
      report.type = TAPPET_PANEL_EVENT_FAILED
      report.line = number(of: id)
      lines[Int(report.line)].isActive = nil
      let sentence = fault.sentence(line: lines[Int(report.line)].line.address.text)
      failure = Failure(.system, sentence)
      report.sentence = pinned.text(sentence)
    }
    guard let callback else { return }
    callCount += 1
    callback(context, &report)
  }

  /// Returns the number that the caller uses for a line.
  private func number(of id: GPIOLineID) -> Int32 {
    let (wanted, isOutput) =
      switch id {
      case .input(let index): (index, false)
      case .output(let index): (index, true)
      }
    return Int32(lines.firstIndex { $0.isOutput == isOutput && $0.index == wanted } ?? 0)
  }
}

extension PanelLine {
  /// Converts the caller's description of a line; `nil` if a field is invalid.
  fileprivate init?(_ given: tappet_panel_line) {
    let biases: [LineBias] = [.asIs, .disabled, .pullUp, .pullDown]
    let drives: [LineDrive] = [.pushPull, .openDrain, .openSource]
    guard biases.indices.contains(Int(given.bias.rawValue)), drives.indices.contains(Int(given.drive.rawValue)),
      (0...60_000).contains(given.debounce_milliseconds), let address = LineAddress(given)
    else { return nil }
    self.init(
      address: address, isActiveLow: given.is_active_low, bias: biases[Int(given.bias.rawValue)],
      drive: drives[Int(given.drive.rawValue)], debounce: .milliseconds(given.debounce_milliseconds))
  }
}

extension LineAddress {
  fileprivate init?(_ given: tappet_panel_line) {
    if given.name != nil {
      guard let name = shortText(given.name, sizeMax: Limits.actionNameSizeMax) else { return nil }
      self = .name(name)
    } else if given.pin != 0 {
      guard (1...1000).contains(given.pin) else { return nil }
      self = .pin(Int(given.pin))
    } else {
      guard let chip = shortText(given.chip, sizeMax: Limits.socketPathSizeMax) else { return nil }
      self = .offset(chip: chip, offset: given.offset)
    }
  }
}

private func use(_ panel: OpaquePointer?, _ body: (PanelObject) -> Int32) -> Int32 {
  Objects.use(panel, as: .panel) { body(unsafeDowncast($0, to: PanelObject.self)) }
}

/// Creates a panel without lines.
@_cdecl("tappet_panel_new") @implementation
public func tappet_panel_new(_ result: UnsafeMutablePointer<OpaquePointer?>?) -> Int32 {
  guard let result else { return ErrorCode.argument.rawValue }
  guard let object = try? PanelObject() else { return ErrorCode.system.rawValue }
  return Objects.issue(object, to: result)
}

/// Turns the outputs off, releases the lines and frees the panel.
@_cdecl("tappet_panel_free") @implementation
public func tappet_panel_free(_ panel: OpaquePointer?) { Objects.free(panel, as: .panel) }

/// Selects the board profile, which allows lines to be found by their pins.
@_cdecl("tappet_panel_set_profile") @implementation
public func tappet_panel_set_profile(_ panel: OpaquePointer?, _ profile: UnsafePointer<CChar>?) -> Int32 {
  use(panel) {
    guard let name = shortText(profile, sizeMax: Int(PATH_MAX)) else {
      return $0.fail(.argument, "the profile is NULL, empty or too long")
    }
    return $0.setProfile(name)
  }
}

/// Adds a line to the panel.
@_cdecl("tappet_panel_add_line") @implementation
public func tappet_panel_add_line(_ panel: OpaquePointer?, _ line: UnsafePointer<tappet_panel_line>?) -> Int32 {
  use(panel) { object in
    guard let given = line?.pointee, given.size >= MemoryLayout<tappet_panel_line>.size, let line = PanelLine(given)
    else {
      return object.fail(
        .argument, "the line does not meet the requirements of tappet.h: check size, address, bias, drive, debounce")
    }
    return object.add(line, isOutput: given.is_output)
  }
}

/// Sets the callback for events, replacing the previous one.
@_cdecl("tappet_panel_set_event_callback") @implementation
public func tappet_panel_set_event_callback(
  _ panel: OpaquePointer?, _ callback: tappet_panel_event_callback?, _ context: UnsafeMutableRawPointer?
) -> Int32 {
  use(panel) {
    $0.callback = callback
    $0.context = context
    return 0
  }
}

/// Requests all lines from the kernel, with the outputs off.
@_cdecl("tappet_panel_open") @implementation
public func tappet_panel_open(_ panel: OpaquePointer?) -> Int32 { use(panel) { $0.open() } }

/// Retries the failed lines that can recover on their own.
@_cdecl("tappet_panel_retry") @implementation
public func tappet_panel_retry(_ panel: OpaquePointer?) -> Int32 { use(panel) { $0.retry() } }

/// Turns an output on or off, and ends its pulse.
@_cdecl("tappet_panel_set") @implementation
public func tappet_panel_set(_ panel: OpaquePointer?, _ line: Int32, _ isOn: Bool) -> Int32 {
  use(panel) { $0.set(Int(line), isOn: isOn) }
}

/// Turns an output on for the given time from now, even if the output is already on.
@_cdecl("tappet_panel_pulse") @implementation
public func tappet_panel_pulse(_ panel: OpaquePointer?, _ line: Int32, _ milliseconds: Int64) -> Int32 {
  use(panel) { $0.pulse(Int(line), milliseconds) }
}

/// Retrieves the state of a button or an output as of the last dispatched event.
@_cdecl("tappet_panel_get") @implementation
public func tappet_panel_get(_ panel: OpaquePointer?, _ line: Int32, _ result: UnsafeMutablePointer<Bool>?) -> Int32 {
  use(panel) {
    guard let result else { return $0.fail(.argument, "the pointer for the result is NULL") }
    switch $0.get(Int(line)) {
    case .failure(let failure): return $0.fail(failure)
    case .success(let isActive):
      result.pointee = isActive
      return 0
    }
  }
}

/// Retrieves where a line was found, and which program uses it.
@_cdecl("tappet_panel_get_line_info") @implementation
public func tappet_panel_get_line_info(
  _ panel: OpaquePointer?, _ line: Int32, _ result: UnsafeMutablePointer<tappet_panel_line_info>?
) -> Int32 {
  use(panel) {
    guard let result, result.pointee.size >= MemoryLayout<tappet_panel_line_info>.size else {
      return $0.fail(
        .argument, "the information is NULL, or its size is not set to sizeof(struct tappet_panel_line_info)")
    }
    return $0.describe(Int(line), result)
  }
}

/// Returns a descriptor for poll, epoll and event loops.
@_cdecl("tappet_panel_fd") @implementation
public func tappet_panel_fd(_ panel: OpaquePointer?) -> Int32 { use(panel) { $0.reactor.fileDescriptor } }

/// Waits until `tappet_panel_dispatch` has work to do.
@_cdecl("tappet_panel_wait") @implementation
public func tappet_panel_wait(_ panel: OpaquePointer?, _ timeout: Int32) -> Int32 {
  wait(panel, .panel, timeout) { unsafeDowncast($0, to: PanelObject.self).reactor.fileDescriptor }
}

/// Calls the callback for each pending event.
@_cdecl("tappet_panel_dispatch") @implementation
public func tappet_panel_dispatch(_ panel: OpaquePointer?) -> Int32 { use(panel) { $0.dispatch() } }

/// Retrieves the failure of the last failed call, or the last failure of a line.
@_cdecl("tappet_panel_last_error") @implementation
public func tappet_panel_last_error(_ panel: OpaquePointer?, _ result: UnsafeMutablePointer<tappet_failure>?) -> Int32 {
  lastError(panel, .panel, result)
}
