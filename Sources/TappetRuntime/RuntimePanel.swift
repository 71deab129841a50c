// Performs what the core says of the panel: writes levels when a light or its rhythm changes them, and hands on what the
// buttons did. It decides nothing, and sleeps while nothing changes.

import TappetCore
import TappetDevices

/// The panel's devices.
///
/// One thread.
final class RuntimePanel {
  private let settings: PanelSettings
  private let reactor: Reactor
  private let alarm: Alarm
  private let clock = SystemClock()
  private let trace: LightTrace?
  private var board: LightBoard
  private var light: Light?
  private var virtual: VirtualPanel?
  /// What is on, as it was written last.
  private(set) var on: LightOutputs = []
  /// Called with what happens on the panel.
  var onEvents: ([PanelEvent]) -> Void = { _ in }
  /// Called when `on` has changed.
  var onLevels: () -> Void = {}

  /// A dark panel.
  init(_ settings: PanelSettings, reactor: Reactor, trace: LightTrace?) throws(SystemError) {
    self.settings = settings
    self.reactor = reactor
    self.trace = trace
    alarm = try Alarm()
    board = LightBoard(patterns: settings.patterns, wired: settings.wired)
  }

  /// Opens what there is; `isWatched`: a person sees the colours on a screen, whether there is an RGB LED or not.
  func open(isWatched: Bool) throws(SystemError) {
    if isWatched {
      board = LightBoard(patterns: settings.patterns, wired: settings.wired.union([.red, .green, .blue]))
    }
    try reactor.watch(alarm.fileDescriptor, for: .readable) { [unowned(unsafe) self] _ in
      if self.alarm.acknowledge() { self.play() }
    }
    retry()
  }

  /// Tries what is missing.
  func retry() {
    if settings.simulator != nil, virtual == nil { connect() }
  }

  func show(_ light: Light, at now: Instant) {
    self.light = light
    trace?.record(light, at: now)
    if let virtual, !virtual.show(light, at: now) { loseVirtual(code: 0) }
    board.show(light, at: now)
    play()
  }

  /// Everything dark, for good.
  func close() {
    alarm.set(at: nil)
    write([])
  }

  // MARK: Levels

  private func play() {
    let (on, next) = board.levels(at: clock.now().instant)
    alarm.set(at: next)
    guard on != self.on else { return }
    write(on)
    onLevels()
  }

  private func write(_ levels: LightOutputs) {
    let changed = levels.symmetricDifference(on)
    on = levels
    for output in settings.outputs where changed.contains(output.output) {
      set(output, isOn: levels.contains(output.output))
    }
  }

  private func set(_ output: OutputSettings, isOn: Bool) {
    let now = clock.now().instant
    let name = output.output.name
    trace?.record(name, isOn: isOn, at: now)
    if let virtual, !virtual.set(name, isOn: isOn, at: now) { loseVirtual(code: 0) }
  }

  // MARK: The virtual panel

  private func connect() {
    guard let path = settings.simulator else { return }
    do throws(SystemError) {
      let panel = try VirtualPanel(path: path)
      try reactor.watch(panel.fileDescriptor, for: .readable) { [unowned(unsafe) self] _ in self.virtualSpoke() }
      virtual = panel
    } catch { return onEvents([.failed(.simulator, .simulatorAway(code: error.code))]) }
    // It has missed what was shown.
    let now = clock.now().instant
    if let light { _ = virtual?.show(light, at: now) }
    for output in settings.outputs where on.contains(output.output) {
      _ = virtual?.set(output.output.name, isOn: true, at: now)
    }
    onEvents([.opened(.simulator, isActive: false, debouncesItself: false)])
  }

  private func virtualSpoke() {
    var events: [PanelEvent] = []
    while let virtual {
      switch virtual.receive() {
      case .pressed(let name): append(name, isActive: true, to: &events)
      case .released(let name): append(name, isActive: false, to: &events)
      case .nothing: return onEvents(events)
      case .closed:
        onEvents(events)
        return loseVirtual(code: 0)
      }
    }
  }

  private func append(_ name: String, isActive: Bool, to events: inout [PanelEvent]) {
    guard let button = settings.buttons.firstIndex(where: { $0.plan.name == name }) else { return }
    events.append(.edge(input: button, isActive: isActive, at: clock.now().instant))
  }

  private func loseVirtual(code: Int32) {
    guard let lost = virtual else { return }
    reactor.unwatch(lost.fileDescriptor)
    virtual = nil
    onEvents([.failed(.simulator, .simulatorAway(code: code))])
  }
}

extension LightOutputs {
  /// The name of a single output, as in the configuration.
  public var name: String { LightOutputs.names[min(rawValue.trailingZeroBitCount, LightOutputs.names.count - 1)] }
}
