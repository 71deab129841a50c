// The panel's lines: each is found, requested, watched and given back for itself, so that a bad one leaves the others alone.
// When a lost line is tried again is decided elsewhere; a node that appears in /dev is a reason too, for which nobody waits.

import CPlatform
import TappetCore

/// Buttons and lights on GPIO lines.
///
/// One thread: the reactor's. `onEvent` is called from `open`, `retry`, `set` and the reactor's turns, never before the state that it
/// tells of is in place; it may call anything here. Dropping the panel closes it.
public final class GPIOPanel {
  /// One line of the panel.
  private struct Entry {
    let id: GPIOLineID
    let wish: PanelLine
    var place: GPIOPlace?
    var state = State.closed
    /// Of an output: what was asked for last, so that a line that comes back shows it at once.
    var isOn = false
    /// Of an input: not listened to for now.
    var isPaused = false

    var isOutput: Bool {
      switch id {
      case .input: false
      case .output: true
      }
    }
  }

  private enum State {
    case closed
    case open(GPIOLine)
    case lost(GPIOFault)
  }

  /// What the kernel calls us to others who want a line that we have.
  public static let consumer = "tappet"

  private let chip: String?
  private let profile: BoardProfile?
  private let reactor: Reactor
  private let onEvent: (GPIOEvent) -> Void
  private let folder: String
  private let inputCount: Int
  private var entries: [Entry]
  private var nodes: DeviceNodes?
  private var events: [GPIOEvent] = []
  private var isTelling = false

  /// A panel of these lines, none of them in hand yet; `chip` is the chip, label or path, for offsets and names without one.
  public init(
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
      inputs.enumerated().map { Entry(id: .input($0.offset), wish: $0.element) }
      + outputs.enumerated().map { Entry(id: .output($0.offset), wish: $0.element) }
  }

  deinit { close() }

  // MARK: What is asked of it

  /// Requests every line; each answers with `opened` or `failed`.
  ///
  /// Outputs start dark.
  public func open() {
    watchNodes()
    tryLost(tellsAll: true) { _ in true }
  }

  /// Tries those lost lines again that can come by themselves; each answers with `opened` or `failed`.
  public func retry() { tryLost(tellsAll: true) { $0.mayPass } }

  /// Lights an output or darkens it; one that is lost shows it when it comes back.
  ///
  /// Takes as long as the chip's driver: microseconds on the board, a millisecond or so behind I2C or USB.
  public func set(output: Int, isOn: Bool) {
    let index = inputCount + output
    guard output >= 0, index < entries.count else { return }
    entries[index].isOn = isOn
    guard case .open(let line) = entries[index].state else { return }
    do throws(SystemError) { try line.set(isOn: isOn) } catch { lose(index, error.code) }
    tell()
  }

  /// Stops listening to an input that bounces without end; it costs nothing then.
  public func pause(input: Int) {
    guard entries.indices.contains(input), input < inputCount, !entries[input].isPaused else { return }
    entries[input].isPaused = true
    if case .open(let line) = entries[input].state { reactor.unwatch(line.fileDescriptor) }
  }

  /// Listens again: what it missed is dropped, and it answers with `opened` and its level.
  public func resume(input: Int) {
    guard entries.indices.contains(input), input < inputCount, entries[input].isPaused else { return }
    entries[input].isPaused = false
    guard case .open(let line) = entries[input].state else { return }
    do throws(SystemError) {
      while try line.read().count == GPIOLine.edgesMax {}
      try listen(to: line, at: input)
    } catch { lose(input, error.code) }
    tell()
  }

  /// Darkens the lights and gives all lines back; tells nothing any more.
  public func close() {
    if let nodes { reactor.unwatch(nodes.fileDescriptor) }
    nodes = nil
    for index in entries.indices {
      if entries[index].isOutput, case .open(let line) = entries[index].state { try? line.set(isOn: false) }
      release(index, .closed)
      entries[index].isOn = false
    }
    events.removeAll()
  }

  // MARK: Finding and requesting

  /// Tries the lines that are not in hand; `tellsAll`: the same failure once more is told too.
  private func tryLost(tellsAll: Bool, where isWorthIt: (GPIOFault) -> Bool) {
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
        // That nothing is there says nothing new of a line whose chip went away, nor, when another chip did, of any.
        if let known, error.meansAbsence, known == .chipGone || !tellsAll { fault = known }
        release(index, .lost(fault))
        if tellsAll || fault != known { events.append(.failed(line: entries[index].id, fault)) }
      }
    }
    tell()
  }

  private func request(_ index: Int, _ chips: GPIOChips) throws(GPIOFault) {
    let wish = entries[index].wish
    entries[index].place = nil
    let place = try chips.find(wish.address, chip: chip, profile: profile)
    guard !entries[..<index].contains(where: { $0.place == place }) else { throw .listedTwice }
    entries[index].place = place
    let isOn = entries[index].isOutput ? entries[index].isOn : nil
    do throws(SystemError) {
      let line = try GPIOLine.request(path: place.path, offset: place.offset, wish, isOn: isOn)
      entries[index].state = .open(line)
      if let isOn {
        events.append(.opened(line: entries[index].id, isActive: isOn, debouncesItself: false))
      } else {
        try listen(to: line, at: index)
      }
    } catch { throw fault(of: error.code, at: place, isOutput: isOn != nil) }
  }

  /// From now on its edges are told, beginning with its level.
  private func listen(to line: GPIOLine, at index: Int) throws(SystemError) {
    if !entries[index].isPaused {
      try reactor.watch(line.fileDescriptor, for: .readable) { [unowned(unsafe) self] in self.ready(index, $0) }
    }
    let isActive = try line.isActive()
    events.append(.opened(line: entries[index].id, isActive: isActive, debouncesItself: line.debouncesItself))
  }

  /// What it means that a line cannot be requested.
  private func fault(of code: Int32, at place: GPIOPlace, isOutput: Bool) -> GPIOFault {
    switch code {
    case EACCES, EPERM: return .noPermission(path: place.path)
    case EBUSY: return .busy(consumer: (try? GPIOChip.look(at: place.path))?.lines[Int(place.offset)].consumer ?? "")
    case ENODEV, ENXIO, ENOENT:
      // The kernel says ENODEV too when a line has no interrupt.
      return !isOutput && (try? GPIOChip.look(at: place.path)) != nil ? .noEdges : .chipGone
    case EINVAL, EOPNOTSUPP, Limits.kernelNotSupported: return .notSupported
    default: return .system(code: code)
    }
  }

  // MARK: What happens to lines in hand

  private func ready(_ index: Int, _ readiness: Readiness) {
    guard case .open(let line) = entries[index].state, case .input(let input) = entries[index].id else { return }
    do throws(SystemError) {
      // The kernel's word that the chip is gone. It stays ready then: only letting it go keeps this from spinning.
      if readiness.contains(.failed) || readiness.contains(.hungUp) {
        throw SystemError(call: "epoll_wait", code: ENODEV)
      }
      let edges = try line.read()
      let clock = SystemClock()
      for edge in edges {
        events.append(.edge(input: input, isActive: edge.isActive, at: clock.instant(ofStamp: edge.stampNanoseconds)))
      }
      // A queue that was full may have lost the newest edges: then the level tells how it ended.
      if edges.count == GPIOLine.edgesMax {
        events.append(.edgesLost(input: input, isActive: try line.isActive(), at: clock.now().instant))
      }
    } catch { lose(index, error.code) }
    tell()
  }

  /// The line at `index` has failed; with a chip that is gone all of its lines have.
  private func lose(_ index: Int, _ code: Int32) {
    switch code {
    case ENODEV, ENXIO, ESHUTDOWN:
      if let path = entries[index].place?.path { loseChip(path) }
    case EIO, EREMOTEIO, ETIMEDOUT, EPROTO, EPIPE: lose(index, .chipGone)
    default: lose(index, .system(code: code))
    }
  }

  private func loseChip(_ path: String) {
    for index in entries.indices where entries[index].place?.path == path {
      if case .open = entries[index].state { lose(index, .chipGone) }
    }
  }

  private func lose(_ index: Int, _ fault: GPIOFault) {
    release(index, .lost(fault))
    events.append(.failed(line: entries[index].id, fault))
  }

  private func release(_ index: Int, _ state: State) {
    if case .open(let line) = entries[index].state, !entries[index].isOutput { reactor.unwatch(line.fileDescriptor) }
    entries[index].state = state
  }

  // MARK: Chips that come and go

  /// Without it a chip that comes back is found at the next `retry`.
  private func watchNodes() {
    guard nodes == nil, !entries.isEmpty, let watch = try? DeviceNodes(folder: folder) else { return }
    guard
      (try? reactor.watch(watch.fileDescriptor, for: .readable) { [unowned(unsafe) self] _ in self.nodesChanged() })
        != nil
    else { return }
    nodes = watch
  }

  private func nodesChanged() {
    guard let nodes else { return }
    var isWorthTrying = false
    for change in nodes.read() {
      switch change {
      case .vanished(let name): loseChip(folder + "/" + name)
      case .appeared(let name): if name.begins(with: "gpiochip") { isWorthTrying = true }
      case .lost: isWorthTrying = true
      }
    }
    if isWorthTrying { tryLost(tellsAll: false) { _ in true } }
    tell()
  }

  // MARK: Telling

  /// Tells what has happened, in order; what happens meanwhile comes after it.
  private func tell() {
    guard !isTelling else { return }
    isTelling = true
    while !events.isEmpty { onEvent(events.removeFirst()) }
    isTelling = false
  }
}
