// Probes the panel's lines and LEDs by requesting them as the kiosk would, then releasing them; also draws the header.

import TappetCommandLine
import TappetConfig
import TappetCore
import TappetKiosk
import TappetMessages
import TappetPanel
import TappetPlatform

/// The results of probing the panel.
struct PanelProbe {
  /// The result for one part.
  struct Finding {
    /// The part, such as `button GPIO5`.
    var name: String
    var isGood: Bool
    var text: String
  }

  /// A line of the panel and its state.
  private struct Wire {
    var name: String
    var line: PanelLine
    var fault: GPIOFault?
    /// Label of the reader's terminal that is wired to the same pin.
    var readerEnd: String?
    var isPressed = false
    /// Word for an input that is pressed, or whose contact is open.
    var activeWord = "pressed"

    /// An error message about the line; `nil` if the line is usable.
    var problem: String? {
      let name = line.address.text
      return readerEnd.map { "\(name) is wired to '\($0)'; choose another line" }
        ?? fault.map { $0.sentence(line: name) }
    }
  }

  private(set) var findings: [Finding] = []
  /// Lines of the header drawing; empty if no profile is configured.
  private(set) var drawing: [String] = []

  /// Probes every part; lines already requested by a running kiosk are only inspected.
  ///
  /// A virtual panel has no lines: the simulator emulates them.
  init(_ configuration: KioskConfiguration, isRunning: Bool, colour: Bool) {
    let panel = configuration.panel
    var profile: BoardProfile?
    if let name = panel.profile {
      do throws(BoardProfileError) { profile = try BoardProfile.load(name: name) } catch {
        for sentence in error.sentences { findings.append(Finding(name: "profile", isGood: false, text: sentence)) }
      }
    }
    let isVirtual = panel.simulator != nil
    let buttons = panel.buttons.map { Wire(name: "button " + $0.plan.name, line: $0.line) }
    let contacts = panel.inputs.map { input in
      var wire = Wire(name: "input " + input.plan.name, line: input.line)
      if input.plan.isContact { wire.activeWord = InputLevel.open.name }
      return wire
    }
    let inputs = buttons + contacts
    var outputs: [Wire] = []
    for (index, indicator) in panel.indicators.enumerated() {
      let name = indicator.output == .buzzer ? "buzzer" : "LED " + indicator.output.name
      switch indicator.target {
      case .line(let line): outputs.append(Wire(name: name, line: line))
      case .led(let led): if !isRunning, !isVirtual { tryLED(led, name, .indicator(index), configuration) }
      }
    }
    // A check must not move a door or gate, not even briefly: these lines are only inspected.
    var untouched: [Wire] = []
    for (index, output) in panel.outputs.enumerated() {
      let name = "output " + output.plan.name
      switch output.target {
      case .line(let line): untouched.append(Wire(name: name, line: line))
      case .led(let led): if !isRunning, !isVirtual { tryLED(led, name, .output(index), configuration) }
      }
    }
    let reader = profile.map { ReaderWiring.uses(device: configuration.reader?.device, profile: $0) } ?? []
    guard !inputs.isEmpty || !outputs.isEmpty || !untouched.isEmpty || !reader.isEmpty else { return }
    let chips = GPIOChips.scan()
    var wires = inputs + outputs + untouched
    if !isVirtual {
      // Requesting the line would disconnect the pin from the reader's bus.
      let isReaders = { Self.readerEnd(at: $0, reader, chips, panel.chip, profile) != nil }
      untouched = isRunning ? wires : (inputs + outputs).filter(isReaders) + untouched
      let (inputs, outputs) = (inputs.filter { !isReaders($0) }, outputs.filter { !isReaders($0) })
      wires = isRunning ? [] : Self.request(inputs, outputs, panel.chip, profile)
      wires += Self.look(untouched, chips, panel.chip, profile)
    }
    for index in wires.indices {
      wires[index].readerEnd = Self.readerEnd(at: wires[index], reader, chips, panel.chip, profile)
    }
    if !isVirtual { for wire in wires { findings.append(Self.finding(wire, chips, panel.chip, profile)) } }
    if let profile { drawing = Self.draw(wires, reader, chips, panel.chip, profile, colour) }
  }

  private static func readerEnd(
    at wire: Wire, _ reader: [HeaderUse], _ chips: GPIOChips, _ chip: String?, _ profile: BoardProfile?
  ) -> String? {
    guard !reader.isEmpty, let profile else { return nil }
    guard let pin = chips.pin(of: wire.line.address, chip: chip, profile: profile) else { return nil }
    return reader.first { $0.pin == pin }?.label
  }

  private mutating func tryLED(_ led: String, _ name: String, _ part: PanelPart, _ configuration: KioskConfiguration) {
    do throws(SystemError) {
      try SysfsLED(name: led).close()
      findings.append(Finding(name: name, isGood: true, text: name + ": the kernel's LED " + led))
    } catch {
      let fault = PanelFault.ledUnusable(code: error.code)
      findings.append(Finding(name: name, isGood: false, text: fault.sentence(part, configuration)))
    }
  }

  /// Requests all lines, then releases them.
  private static func request(
    _ inputs: [Wire], _ outputs: [Wire], _ chip: String?, _ profile: BoardProfile?
  ) -> [Wire] {
    var wires = inputs + outputs
    guard let reactor = try? Reactor() else { return wires }
    let panel = GPIOPanel(
      inputs: inputs.map { $0.line }, outputs: outputs.map { $0.line }, chip: chip, profile: profile, reactor: reactor
    ) { event in
      switch event {
      case .opened(.input(let index), let isActive, _): wires[index].isPressed = isActive
      case .failed(.input(let index), let fault): wires[index].fault = fault
      case .failed(.output(let index), let fault): wires[inputs.count + index].fault = fault
      case .opened(.output, _, _), .edge, .edgesLost: break
      }
    }
    panel.open()
    panel.close()
    return wires
  }

  /// Inspects lines without requesting them.
  private static func look(
    _ wires: [Wire], _ chips: GPIOChips, _ chip: String?, _ profile: BoardProfile?
  ) -> [Wire] {
    var wires = wires
    for index in wires.indices {
      do throws(GPIOFault) {
        let place = try chips.find(wires[index].line.address, chip: chip, profile: profile)
        if let found = chips.line(at: place)?.line, found.isUsed, found.consumer != GPIOPanel.consumer {
          throw .busy(consumer: found.consumer)
        }
      } catch { wires[index].fault = error }
    }
    return wires
  }

  private static func finding(
    _ wire: Wire, _ chips: GPIOChips, _ chip: String?, _ profile: BoardProfile?
  ) -> Finding {
    let name = wire.line.address.text
    if let problem = wire.problem { return Finding(name: wire.name, isGood: false, text: wire.name + ": " + problem) }
    var text = wire.name + ": " + name
    if let place = try? chips.find(wire.line.address, chip: chip, profile: profile),
      let label = chips.line(at: place)?.chip.label
    {
      let exact = LineAddress.offset(chip: label, offset: place.offset).text
      if exact != name { text += ", " + exact }
    }
    return Finding(name: wire.name, isGood: true, text: wire.isPressed ? text + ", " + wire.activeWord + " now" : text)
  }

  private static func draw(
    _ wires: [Wire], _ reader: [HeaderUse], _ chips: GPIOChips, _ chip: String?, _ profile: BoardProfile,
    _ colour: Bool
  ) -> [String] {
    var uses = reader
    for wire in wires {
      guard let pin = chips.pin(of: wire.line.address, chip: chip, profile: profile) else { continue }
      uses.append(HeaderUse(pin: pin, label: wire.name, problem: wire.problem))
    }
    return HeaderDrawing.lines(profile: profile, uses: uses, colour: colour)
  }
}
