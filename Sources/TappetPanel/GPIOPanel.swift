// The panel's lines: each is found, requested, watched and released separately, so that a faulty line does not affect
// the others. Retries are scheduled elsewhere; in addition, a node that appears in /dev causes an immediate retry.

import CPlatform
import TappetCore
import TappetPlatform

/// Buttons and lights on GPIO lines.
///
/// Confined to the reactor's thread. `onEvent` is called from `open`, `retry`, `set` and the reactor's iterations,
/// always after the state that it reports has been set. It may call any function of the panel. Releasing the panel
/// closes it.
package final class GPIOPanel {
  /// One line of the panel.
  private struct Entry {
    let id: GPIOLineID
    let config: PanelLine
    var place: GPIOPlace?
    var state = State.closed
    /// The reactor's watch on an input, while it is monitored.
    var watch: Watch?
    /// The level last requested for an output, to which a lost line is set as soon as it recovers.
    var isOn: Bool
    /// Whether the monitoring of an input is paused.
    var isPaused = false

    init(id: GPIOLineID, config: PanelLine) {
      self.id = id
      self.config = config
      isOn = config.restsOn
    }

    var isOutput: Bool {
      switch id {
      case .input: false
      case .output: true
      }
    }
  }

  /// An edge to be reported, with its position among the edges of its line.
  private struct TimedEdge {
    let time: Instant
    let place: Int
    let event: GPIOEvent
  }

  private enum State {
    case closed
    case open(GPIOLine)
    case lost(GPIOFault)
  }

  /// The consumer name that the kernel shows for the lines that we use.
  package static let consumer = "tappet"

  private let chip: String?
  private let profile: BoardProfile?
  private let reactor: Reactor
  private let onEvent: (GPIOEvent) -> Void
  private let folder: String
  private let inputCount: Int
  private var entries: [Entry]
  private var nodes: DeviceNodes?
  private var nodesWatch: Watch?
  private var events: [GPIOEvent] = []
  private var isReporting = false

  /// Creates a panel of these lines without requesting them.
  ///
  /// `chip` is the label or path of the chip for offsets and names that do not specify one.
  @export(interface)
  package init(
    inputs: [PanelLine], outputs: [PanelLine], chip: String?, profile: BoardProfile?, reactor: Reactor,
    folder: String = "/dev", onEvent: @escaping (GPIOEvent) -> Void
  ) {
    self.chip = chip
    self.profile = profile
    self.reactor = reactor
    self.folder = folder
    self.onEvent = onEvent
    inputCount = inputs.count
    entries =
      inputs.enumerated().map { Entry(id: .input($0.offset), config: $0.element) }
      + outputs.enumerated().map { Entry(id: .output($0.offset), config: $0.element) }
  }

  deinit { close() }

  // MARK: Commands

  /// Requests every line; each reports `opened` or `failed`.
  ///
  /// Outputs start at their resting level.
  package func open() {
    watchNodes()
    tryLost(reportsAll: true) { _ in true }
  }

  /// Retries the lost lines whose failure may be temporary; each reports `opened` or `failed`.
  package func retry() { tryLost(reportsAll: true) { $0.mayPass } }

  /// Switches an output on or off; a lost output changes once it recovers.
  ///
  /// The duration depends on the chip's driver: microseconds on the board, about a millisecond over I2C or USB.
  @export(interface)
  package func set(output: Int, isOn: Bool) {
    let index = inputCount + output
    guard output >= 0, index < entries.count else { return }
    entries[index].isOn = isOn
    guard case .open(let line) = entries[index].state else { return }
    do throws(SystemError) { try line.set(isOn: isOn) } catch { markLost(index, error.code) }
    report()
  }

  /// Returns the line's last known location.
  package func place(of id: GPIOLineID) -> GPIOPlace? { entries.first { $0.id == id }?.place }

  /// Returns the line's last known location and the chip's current state; `nil` if either is unavailable.
  package func look(at id: GPIOLineID) -> (place: GPIOPlace, chip: GPIOChip)? {
    guard let place = entries.first(where: { $0.id == id })?.place, let chip = try? GPIOChip.look(at: place.path),
      chip.lines.indices.contains(Int(place.offset))
    else { return nil }
    return (place, chip)
  }

  /// Stops listening to an input that bounces endlessly, so that it uses no processor time.
  package func pause(input: Int) {
    guard entries.indices.contains(input), input < inputCount, !entries[input].isPaused else { return }
    entries[input].isPaused = true
    entries[input].watch = nil
  }

  /// Resumes listening to the input; missed edges are discarded, and `opened` reports the current level.
  @export(interface)
  package func resume(input: Int) {
    guard entries.indices.contains(input), input < inputCount, entries[input].isPaused else { return }
    entries[input].isPaused = false
    guard case .open(let line) = entries[input].state else { return }
    do throws(SystemError) {
      while try line.read().count == GPIOLine.edgesMax {}
      try listen(to: line, at: input)
    } catch { markLost(input, error.code) }
    report()
  }

  /// Returns the outputs to their resting level and releases all lines; reports nothing afterwards.
  @export(interface)
  package func close() {
    nodesWatch = nil
    nodes = nil
    for index in entries.indices {
      entries[index].isOn = entries[index].config.restsOn
      if entries[index].isOutput, case .open(let line) = entries[index].state {
        try? line.set(isOn: entries[index].isOn)
      }
      release(index, .closed)
    }
    events.removeAll()
  }

  // MARK: Finding and requesting

  /// Requests the lines that are not open; if `reportsAll` is set, repeated failures are reported as well.
  private func tryLost(reportsAll: Bool, where isWorthIt: (GPIOFault) -> Bool) {
    var chips: GPIOChips?
    for index in entries.indices {
      var known: GPIOFault?
      switch entries[index].state {
      case .open: continue
      case .closed: break
      case .lost(let fault):
        guard isWorthIt(fault) else { continue }
        known = fault
      }
      let current = chips ?? GPIOChips.scan(folder: folder)
      chips = current
      do throws(GPIOFault) { try request(index, current) } catch {
        var fault = error
        // A fault that only means absence does not replace the known fault if the chip had vanished, or if the
        // appearance of a chip caused the retry.
        if let known, error.meansAbsence, known == .chipGone || !reportsAll { fault = known }
        release(index, .lost(fault))
        if reportsAll || fault != known { events.append(.failed(line: entries[index].id, fault)) }
      }
    }
    report()
  }

  private func request(_ index: Int, _ chips: GPIOChips) throws(GPIOFault) {
    let config = entries[index].config
    entries[index].place = nil
    let place = try chips.find(config.address, chip: chip, profile: profile)
    guard !entries[..<index].contains(where: { $0.place == place }) else { throw .listedTwice }
    entries[index].place = place
    let isOn = entries[index].isOutput ? entries[index].isOn : nil
    do throws(SystemError) {
      let line = try GPIOLine.request(path: place.path, offset: place.offset, config, isOn: isOn)
      entries[index].state = .open(line)
      if let isOn {
        events.append(.opened(line: entries[index].id, isActive: isOn, debouncesItself: false))
      } else {
        try listen(to: line, at: index)
      }
    } catch { throw fault(of: error.code, at: place, isOutput: isOn != nil) }
  }

  /// Starts reporting the line's edges, and reports its current level.
  private func listen(to line: GPIOLine, at index: Int) throws(SystemError) {
    if !entries[index].isPaused {
      entries[index].watch = try reactor.watch(
        line.fileDescriptor, for: .readable, calling(self) { $0.ready(index, $1) })
    }
    let isActive = try line.isActive()
    events.append(.opened(line: entries[index].id, isActive: isActive, debouncesItself: line.debouncesItself))
  }

  /// Returns the reason why a line cannot be requested.
  private func fault(of code: Int32, at place: GPIOPlace, isOutput: Bool) -> GPIOFault {
    switch code {
    case EACCES, EPERM: return .noPermission(path: place.path)
    case EBUSY: return .busy(consumer: (try? GPIOChip.look(at: place.path))?.lines[Int(place.offset)].consumer ?? "")
    case ENODEV, ENXIO, ENOENT:
      // The kernel also reports ENODEV when a line has no interrupt.
      return !isOutput && (try? GPIOChip.look(at: place.path)) != nil ? .noEdges : .chipGone
    case EINVAL, EOPNOTSUPP, Limits.kernelNotSupported: return .notSupported
    default: return .system(code: code)
    }
  }

  // MARK: Requested lines

  private func ready(_ index: Int, _ readiness: Readiness) {
    // The kernel reports that the chip is gone, and keeps the line ready; only releasing the line prevents a busy loop.
    if readiness.contains(.failed) || readiness.contains(.hungUp) {
      markLost(index, ENODEV)
      return report()
    }
    readEdges()
  }

  /// Reports the pending edges of all inputs together, in the order in which they occurred.
  @export(interface)
  package func readEdges() {
    let now = SystemClock().now().instant
    var edges: [TimedEdge] = []
    for index in 0..<inputCount where entries[index].watch != nil {
      guard case .open(let line) = entries[index].state else { continue }
      do throws(SystemError) { edges += try read(line, input: index, now: now) } catch { markLost(index, error.code) }
    }
    if edges.count > 1 { edges.sort { ($0.time, $0.place) < ($1.time, $1.place) } }
    for edge in edges { events.append(edge.event) }
    report()
  }

  /// Reads the pending edges of one input.
  private func read(_ line: GPIOLine, input: Int, now: Instant) throws(SystemError) -> [TimedEdge] {
    let clock = SystemClock()
    var edges: [TimedEdge] = []
    for edge in try line.read() {
      let time = clock.instant(ofStamp: edge.stampNanoseconds)
      let event: GPIOEvent =
        edge.followsLost
        ? .edgesLost(input: input, isActive: edge.isActive, at: time)
        : .edge(input: input, isActive: edge.isActive, at: time)
      edges.append(TimedEdge(time: time, place: edges.count, event: event))
    }
    // A full queue may have lost the newest edges, so the current level is reported.
    if edges.count == GPIOLine.edgesMax {
      let time = max(now, edges[edges.count - 1].time)
      let event = GPIOEvent.edgesLost(input: input, isActive: try line.isActive(), at: time)
      edges.append(TimedEdge(time: time, place: edges.count, event: event))
    }
    return edges
  }

  /// Handles the failure of the line at `index`; if its chip is gone, all of the chip's lines have failed.
  private func markLost(_ index: Int, _ code: Int32) {
    switch code {
    case ENODEV, ENXIO, ESHUTDOWN:
      if let path = entries[index].place?.path { markChipLost(path) }
    case EIO, EREMOTEIO, ETIMEDOUT, EPROTO, EPIPE: markLost(index, .chipGone)
    default: markLost(index, .system(code: code))
    }
  }

  private func markChipLost(_ path: String) {
    for index in entries.indices where entries[index].place?.path == path {
      if case .open = entries[index].state { markLost(index, .chipGone) }
    }
  }

  private func markLost(_ index: Int, _ fault: GPIOFault) {
    release(index, .lost(fault))
    events.append(.failed(line: entries[index].id, fault))
  }

  private func release(_ index: Int, _ state: State) {
    entries[index].watch = nil
    entries[index].state = state
  }

  // MARK: Nodes that appear and vanish

  /// Watches the nodes; otherwise, a chip that returns would not be found until the next `retry`.
  @export(interface)
  private func watchNodes() {
    guard nodes == nil, !entries.isEmpty, let found = try? DeviceNodes(folder: folder) else { return }
    let handler: (Readiness) -> Void = calling(self) { panel, _ in panel.nodesChanged() }
    guard let watch = try? reactor.watch(found.fileDescriptor, for: .readable, handler) else { return }
    nodes = found
    nodesWatch = watch
  }

  private func nodesChanged() {
    guard let nodes else { return }
    var isWorthTrying = false
    for change in nodes.read() {
      switch change {
      case .vanished(let name): markChipLost(folder + "/" + name)
      case .appeared(let name): if name.begins(with: "gpiochip") { isWorthTrying = true }
      case .lost: isWorthTrying = true
      }
    }
    if isWorthTrying { tryLost(reportsAll: false) { _ in true } }
    report()
  }

  // MARK: Reports

  /// Reports the events in order, followed by events that occur in the meantime.
  private func report() {
    guard !isReporting else { return }
    isReporting = true
    while !events.isEmpty { onEvent(events.removeFirst()) }
    isReporting = false
  }
}
