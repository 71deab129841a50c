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
  private var gpio: GPIOPanel?
  /// The kernel's LEDs that are in hand, by the place of their output.
  private var leds: [LEDClass?]
  /// The places of the outputs that are GPIO lines.
  private var lineOutputs: [Int] = []
  /// What is on, as it was written last.
  private(set) var on: LightOutputs = []
  /// Called with what happens on the panel.
  var onEvent: (PanelEvent) -> Void = { _ in }
  /// The light that is shown: a moment's end changes it back.
  private(set) var shown: Light?
  /// Called when `on` or `shown` has changed.
  var onLevels: () -> Void = {}

  /// A dark panel.
  init(_ settings: PanelSettings, reactor: Reactor, trace: LightTrace?) throws(SystemError) {
    self.settings = settings
    self.reactor = reactor
    self.trace = trace
    alarm = try Alarm()
    leds = [LEDClass?](repeating: nil, count: settings.outputs.count)
    board = LightBoard(patterns: settings.patterns, wired: settings.wired)
  }

  /// Opens what there is; `isWatched`: a person sees the colours on a screen, whether there is an RGB LED or not.
  func open(profile: BoardProfile?, isWatched: Bool) throws(SystemError) {
    if isWatched {
      board = LightBoard(patterns: settings.patterns, wired: settings.wired.union([.red, .green, .blue]))
      if let light { board.show(light, at: clock.now().instant) }
    }
    try reactor.watch(alarm.fileDescriptor, for: .readable) { [unowned(unsafe) self] _ in
      if self.alarm.acknowledge() { self.play() }
    }
    if settings.simulator == nil {
      openLEDs()
      openLines(profile)
    } else {
      connect()
    }
    play()
  }

  /// Tries what is missing.
  func retry() {
    if settings.simulator == nil {
      openLEDs()
      gpio?.retry()
    } else if virtual == nil {
      connect()
    }
  }

  /// Does not listen to a button any more.
  func pause(_ button: Int) { gpio?.pause(input: button) }

  /// Listens to it again.
  func resume(_ button: Int) {
    if let gpio { return gpio.resume(input: button) }
    if virtual != nil { onEvent(.opened(.input(button), isActive: false, debouncesItself: false)) }
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
    reactor.unwatch(alarm.fileDescriptor)
    if let virtual { reactor.unwatch(virtual.fileDescriptor) }
    gpio?.close()
    for led in leds { led?.close() }
  }

  // MARK: Levels

  private func play() {
    let (on, next) = board.levels(at: clock.now().instant)
    alarm.set(at: next)
    guard on != self.on || board.shown != shown else { return }
    shown = board.shown
    write(on)
    onLevels()
  }

  private func write(_ levels: LightOutputs) {
    let changed = levels.symmetricDifference(on)
    on = levels
    for (index, output) in settings.outputs.enumerated() where changed.contains(output.output) {
      // Not `levels`: an output that fails is told of, and its light may have changed them.
      set(index, isOn: on.contains(output.output))
    }
  }

  private func set(_ index: Int, isOn: Bool) {
    let now = clock.now().instant
    let name = settings.outputs[index].output.name
    if let virtual {
      if !virtual.set(name, isOn: isOn, at: now) { loseVirtual(code: 0) }
    } else if let led = leds[index] {
      set(led, index, isOn: isOn)
    } else if let line = lineOutputs.firstIndex(of: index) {
      gpio?.set(output: line, isOn: isOn)
    }
    trace?.record(name, isOn: isOn, at: now)
  }

  // MARK: Lines and the kernel's LEDs

  private func openLines(_ profile: BoardProfile?) {
    var inputs: [PanelLine] = []
    var outputs: [PanelLine] = []
    for button in settings.buttons { inputs.append(button.line) }
    for (index, output) in settings.outputs.enumerated() {
      guard case .line(let line) = output.target else { continue }
      lineOutputs.append(index)
      outputs.append(line)
    }
    guard !inputs.isEmpty || !outputs.isEmpty else { return }
    let panel = GPIOPanel(
      inputs: inputs, outputs: outputs, chip: settings.chip, profile: profile, reactor: reactor
    ) { [unowned(unsafe) self] in self.lineSaid($0) }
    gpio = panel
    panel.open()
    for (line, index) in lineOutputs.enumerated() where on.contains(settings.outputs[index].output) {
      panel.set(output: line, isOn: true)
    }
  }

  private func lineSaid(_ event: GPIOEvent) {
    switch event {
    case .opened(let line, let isActive, let debouncesItself):
      onEvent(.opened(part(line), isActive: isActive, debouncesItself: debouncesItself))
    case .edge(let input, let isActive, let time): onEvent(.edge(input: input, isActive: isActive, at: time))
    case .edgesLost(let input, let isActive, let time): onEvent(.edgesLost(input: input, isActive: isActive, at: time))
    case .failed(let line, let fault): onEvent(.failed(part(line), .line(fault)))
    }
  }

  private func part(_ line: GPIOLineID) -> PanelPart {
    switch line {
    case .input(let index): .input(index)
    case .output(let index): .output(lineOutputs[index])
    }
  }

  private func openLEDs() {
    for (index, output) in settings.outputs.enumerated() {
      guard case .led(let name) = output.target, leds[index] == nil else { continue }
      do throws(SystemError) {
        let led = try LEDClass(name: name)
        leds[index] = led
        onEvent(.opened(.output(index), isActive: false, debouncesItself: false))
        if on.contains(output.output) { set(led, index, isOn: true) }
      } catch { onEvent(.failed(.output(index), .ledUnusable(code: error.code))) }
    }
  }

  private func set(_ led: LEDClass, _ index: Int, isOn: Bool) {
    do throws(SystemError) { try led.set(isOn: isOn) } catch {
      leds[index] = nil
      onEvent(.failed(.output(index), .ledUnusable(code: error.code)))
    }
  }

  // MARK: The virtual panel

  private func connect() {
    guard let path = settings.simulator else { return }
    do throws(SystemError) {
      let panel = try VirtualPanel(path: path)
      try reactor.watch(panel.fileDescriptor, for: .readable) { [unowned(unsafe) self] _ in self.virtualSpoke() }
      virtual = panel
    } catch { return onEvent(.failed(.simulator, .simulatorAway(code: error.code))) }
    // It has missed what was shown.
    let now = clock.now().instant
    if let light { _ = virtual?.show(light, at: now) }
    for output in settings.outputs where on.contains(output.output) {
      _ = virtual?.set(output.output.name, isOn: true, at: now)
    }
    onEvent(.opened(.simulator, isActive: false, debouncesItself: false))
  }

  private func virtualSpoke() {
    while let virtual {
      switch virtual.receive() {
      case .pressed(let name): tell(name, isActive: true)
      case .released(let name): tell(name, isActive: false)
      case .nothing: return
      case .closed: loseVirtual(code: 0)
      }
    }
  }

  private func tell(_ name: String, isActive: Bool) {
    guard let button = settings.buttons.firstIndex(where: { $0.plan.name == name }) else { return }
    onEvent(.edge(input: button, isActive: isActive, at: clock.now().instant))
  }

  private func loseVirtual(code: Int32) {
    guard let lost = virtual else { return }
    reactor.unwatch(lost.fileDescriptor)
    virtual = nil
    onEvent(.failed(.simulator, .simulatorAway(code: code)))
  }
}

extension LightOutputs {
  /// The name of a single output, as in the configuration.
  public var name: String { LightOutputs.names[min(rawValue.trailingZeroBitCount, LightOutputs.names.count - 1)] }
}
