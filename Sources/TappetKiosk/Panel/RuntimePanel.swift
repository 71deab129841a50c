// Performs the core's effects on the panel: writes levels when a light or its pattern changes them, and forwards button
// events. It makes no decisions, and sleeps while nothing changes.

import TappetConfig
import TappetCore
import TappetPanel
import TappetPlatform

/// The panel's devices.
///
/// Confined to one thread.
final class RuntimePanel {
  private let settings: PanelSettings
  private let reactor: Reactor
  private let alarm: TimerDescriptor
  let trace: LightTrace?
  /// The board profile passed to `open`.
  private(set) var profile: BoardProfile?
  private var board: LightBoard
  /// Watch of the timer that drives the light patterns.
  private var rhythm: Watch?
  private var virtual: VirtualPanel?
  private var virtualWatch: Watch?
  private var gpio: GPIOPanel?
  /// The open kernel LEDs, indexed like `drives`.
  private var leds: [SysfsLED?]
  /// All driven devices: the indicators, followed by the outputs.
  private let drives: [(part: PanelPart, target: OutputTarget)]
  /// Indexes in `drives` of the GPIO lines.
  private var lines: [Int] = []
  /// The safe levels as last recorded, `nil` if recording them has failed, and the state folder.
  private var record: (levels: SafeLevels?, folder: String)
  /// Last written levels of the outputs.
  private var levels: [Bool]
  /// The indicators that are on, as last written.
  private(set) var on: LightOutputs = []
  /// Called with each event of the panel.
  var onEvent: (PanelEvent) -> Void = { _ in }
  /// The light currently shown; a momentary light is followed by the lasting light.
  private(set) var shown: Light?
  /// Called when `on` or `shown` has changed.
  var onLevels: () -> Void = {}

  /// Creates a panel with all lights off.
  init(_ configuration: KioskConfiguration, reactor: Reactor, trace: LightTrace?) throws(SystemError) {
    settings = configuration.panel
    record = (SafeLevels(), configuration.stateFolder)
    self.reactor = reactor
    self.trace = trace
    alarm = try TimerDescriptor()
    drives =
      settings.indicators.enumerated().map { (.indicator($0.offset), $0.element.target) }
      + settings.outputs.enumerated().map { (.output($0.offset), $0.element.target) }
    leds = [SysfsLED?](repeating: nil, count: drives.count)
    levels = settings.outputs.map { $0.plan.isSafeOn }
    board = LightBoard(patterns: settings.patterns, wired: settings.wired)
  }

  /// Opens the available parts; with `isWatched`, the colours are shown on a screen, even if there is no RGB LED.
  func open(profile: BoardProfile?, isWatched: Bool) throws(SystemError) {
    self.profile = profile
    if isWatched { board.wired.formUnion([.red, .green, .blue]) }
    rhythm = try reactor.watch(
      alarm.fileDescriptor, for: .readable,
      calling(self) { panel, _ in
        if panel.alarm.acknowledge() { panel.play() }
      })
    if drives.isEmpty { SafeLevels.removeRecord(in: record.folder) }
    if settings.simulator == nil {
      openLEDs()
      openLines(profile)
    } else {
      connect()
    }
    play()
  }

  /// Retries opening the missing parts, and recording the safe levels.
  func retry() {
    if record.levels == nil { recordLevels() }
    if settings.simulator == nil {
      openLEDs()
      gpio?.retry()
    } else if virtual == nil {
      connect()
    }
  }

  /// Stops listening to a button.
  func pause(_ button: Int) { gpio?.pause(input: button) }

  /// Listens to a button again.
  func resume(_ button: Int) {
    if let gpio { return gpio.resume(input: button) }
    if virtual != nil { onEvent(.opened(.input(button), isActive: false, debouncesItself: false)) }
  }

  /// Reports the pending edges, then that all edges until `now` have been reported; does nothing if there are no lines.
  func readEdges(until now: Instant) {
    guard let gpio else { return }
    gpio.readEdges()
    onEvent(.edgesRead(until: now))
  }

  /// Sets an output's line.
  func set(output index: Int, isOn: Bool) {
    guard levels.indices.contains(index) else { return }
    levels[index] = isOn
    set(settings.indicators.count + index, settings.outputs[index].plan.name, isOn: isOn)
    onLevels()
  }

  func show(_ light: Light, at now: Instant) {
    trace?.record(light, at: now)
    if let virtual, !virtual.show(light, at: now) { loseVirtual(code: 0) }
    board.show(light, at: now)
    play()
  }

  /// Turns off the lights, returns the outputs to their safe level and releases the lines.
  func close() {
    alarm.set(at: nil)
    write([])
    for (index, output) in settings.outputs.enumerated() where levels[index] != output.plan.isSafeOn {
      set(output: index, isOn: output.plan.isSafeOn)
    }
    rhythm = nil
    virtualWatch = nil
    gpio?.close()
    for led in leds { led?.close() }
  }

  // MARK: Levels

  private func play() {
    let (on, next) = board.levels(at: Instant.now())
    alarm.set(at: next)
    guard on != self.on || board.shown != shown else { return }
    shown = board.shown
    write(on)
    onLevels()
  }

  private func write(_ levels: LightOutputs) {
    let changed = levels.symmetricDifference(on)
    on = levels
    for (index, output) in settings.indicators.enumerated() where changed.contains(output.output) {
      // Not `levels`: reporting a failed write may change the light, and with it the levels.
      set(index, output.output.name, isOn: on.contains(output.output))
    }
  }

  private func set(_ index: Int, _ name: String, isOn: Bool) {
    let now = Instant.now()
    if let virtual {
      if !virtual.set(name, isOn: isOn, at: now) { loseVirtual(code: 0) }
    } else if let led = leds[index] {
      set(led, index, isOn: isOn)
    } else if let line = lines.firstIndex(of: index) {
      gpio?.set(output: line, isOn: isOn)
    }
    trace?.record(name, isOn: isOn, at: now)
  }

  // MARK: Lines and the kernel's LEDs

  private func openLines(_ profile: BoardProfile?) {
    var inputs: [PanelLine] = []
    var outputs: [PanelLine] = []
    for button in settings.buttons { inputs.append(button.line) }
    for input in settings.inputs { inputs.append(input.line) }
    for (index, drive) in drives.enumerated() {
      guard case .line(let line) = drive.target else { continue }
      lines.append(index)
      outputs.append(line)
    }
    guard !inputs.isEmpty || !outputs.isEmpty else { return }
    let panel = GPIOPanel(
      inputs: inputs, outputs: outputs, chip: settings.chip, profile: profile, reactor: reactor,
      onEvent: calling(self) { $0.lineChanged($1) })
    gpio = panel
    panel.open()
    readEdges(until: Instant.now())
    for (line, index) in lines.enumerated() where isLit(index) { panel.set(output: line, isOn: true) }
  }

  /// Reports the loss of a part; when an output returns, it is at its safe level.
  private func lose(_ part: PanelPart, _ fault: PanelFault) {
    for (index, output) in settings.outputs.enumerated() where part == .output(index) || part == .simulator {
      levels[index] = output.plan.isSafeOn
      if let line = lines.firstIndex(of: settings.indicators.count + index) {
        gpio?.set(output: line, isOn: levels[index])
      }
    }
    onEvent(.failed(part, fault))
  }

  /// Records the safe levels of everything that may be driven, so that they can be set if this process is killed.
  private func recordLevels() {
    var levels = SafeLevels()
    for (index, drive) in drives.enumerated() {
      guard let target = target(of: index, drive.target) else { continue }
      let output = index < settings.indicators.count ? nil : settings.outputs[index - settings.indicators.count].plan
      let name = output?.name ?? settings.indicators[index].output.name
      levels.entries.append(SafeLevels.Entry(name: name, isOn: output?.isSafeOn ?? false, target))
    }
    guard levels != record.levels else { return }
    // Without a record, such as on a full disk, only the kernel decides what a killed kiosk leaves.
    do throws(SystemError) {
      try levels.record(in: record.folder)
      let isRecovery = record.levels == nil
      record.levels = levels
      if isRecovery { onEvent(.opened(.record, isActive: false, debouncesItself: false)) }
    } catch {
      record.levels = nil
      onEvent(.failed(.record, .unrecorded(code: error.code)))
    }
  }

  private func target(of index: Int, _ target: OutputTarget) -> SafeLevels.Target? {
    if let path = settings.simulator { return .panel(path) }
    switch target {
    case .led(let name): return .led(name)
    case .line(let line):
      guard let number = lines.firstIndex(of: index), let place = gpio?.place(of: .output(number)) else { return nil }
      return .line(place, isActiveLow: line.isActiveLow, line.drive)
    }
  }

  /// Returns whether the indicator is currently on.
  private func isLit(_ index: Int) -> Bool {
    settings.indicators.indices.contains(index) && on.contains(settings.indicators[index].output)
  }

  private func lineChanged(_ event: GPIOEvent) {
    switch event {
    case .opened(let line, let isActive, let debouncesItself):
      if case .output = line { recordLevels() }
      onEvent(.opened(part(line), isActive: isActive, debouncesItself: debouncesItself))
    case .edge(let input, let isActive, let time):
      if let contact = contact(input) { return onEvent(.contact(contact, isOpen: isActive, at: time)) }
      onEvent(.edge(input: input, isActive: isActive, at: time))
    case .edgesLost(let input, let isActive, let time):
      if let contact = contact(input) { return onEvent(.contact(contact, isOpen: isActive, at: time)) }
      onEvent(.edgesLost(input: input, isActive: isActive, at: time))
    case .failed(let line, let fault): lose(part(line), .line(fault))
    }
  }

  private func part(_ line: GPIOLineID) -> PanelPart {
    switch line {
    case .input(let index): contact(index).map { .contact($0) } ?? .input(index)
    case .output(let index): drives[lines[index]].part
    }
  }

  /// Returns the index of a contact; its line follows those of the buttons.
  private func contact(_ line: Int) -> Int? {
    let index = line - settings.buttons.count
    return index >= 0 ? index : nil
  }

  private func openLEDs() {
    for (index, drive) in drives.enumerated() {
      guard case .led(let name) = drive.target, leds[index] == nil else { continue }
      do throws(SystemError) {
        let led = try SysfsLED(name: name)
        leds[index] = led
        recordLevels()
        onEvent(.opened(drive.part, isActive: false, debouncesItself: false))
        if isLit(index) { set(led, index, isOn: true) }
      } catch { lose(drive.part, .ledUnusable(code: error.code)) }
    }
  }

  private func set(_ led: SysfsLED, _ index: Int, isOn: Bool) {
    do throws(SystemError) { try led.set(isOn: isOn) } catch {
      leds[index] = nil
      lose(drives[index].part, .ledUnusable(code: error.code))
    }
  }

  // MARK: The virtual panel

  private func connect() {
    guard let path = settings.simulator else { return }
    do throws(SystemError) {
      let panel = try VirtualPanel(path: path)
      virtualWatch = try reactor.watch(
        panel.fileDescriptor, for: .readable, calling(self) { panel, _ in panel.receiveFromVirtual() })
      virtual = panel
    } catch { return onEvent(.failed(.simulator, .simulatorAway(code: error.code))) }
    // The new panel has not received the buttons, the current light and the levels yet.
    for button in settings.buttons { virtual?.announce(button: button.plan.name) }
    let now = Instant.now()
    if let shown = board.shown { _ = virtual?.show(shown, at: now) }
    for indicator in settings.indicators where on.contains(indicator.output) {
      _ = virtual?.set(indicator.output.name, isOn: true, at: now)
    }
    recordLevels()
    onEvent(.opened(.simulator, isActive: false, debouncesItself: false))
    // It answers with the level of each.
    for input in settings.inputs { virtual?.announce(input: input.plan.name) }
  }

  private func receiveFromVirtual() {
    while let virtual {
      switch virtual.receive() {
      case .edge(let name, let isPressed, let time): tell(name, isActive: isPressed, at: time)
      case .level(let name, let isOpen, let time): state(name, isOpen: isOpen, at: time)
      case .nothing: return
      case .closed: loseVirtual(code: 0)
      }
    }
  }

  private func tell(_ name: String, isActive: Bool, at time: Instant?) {
    guard let button = settings.buttons.firstIndex(where: { $0.plan.name == name }) else { return }
    let now = Instant.now()
    onEvent(.edge(input: button, isActive: isActive, at: min(time ?? now, now)))
  }

  /// Reports the level of an input: first as the level at which its line was opened.
  private func state(_ name: String, isOpen: Bool, at time: Instant) {
    guard let index = settings.inputs.firstIndex(where: { $0.plan.name == name }) else { return }
    if virtual?.statedInputs.insert(index).inserted ?? false {
      return onEvent(.opened(.contact(index), isActive: isOpen, debouncesItself: true))
    }
    onEvent(.contact(index, isOpen: isOpen, at: min(time, Instant.now())))
  }

  private func loseVirtual(code: Int32) {
    guard virtual != nil else { return }
    virtualWatch = nil
    virtual = nil
    lose(.simulator, .simulatorAway(code: code))
  }
}

extension LightOutputs {
  /// The name of a single output, as in the configuration.
  package var name: String { LightOutputs.names[min(rawValue.trailingZeroBitCount, LightOutputs.names.count - 1)] }
}
