/// Gives the simulated world its descriptors and its clock. One thread, one loop that sleeps until a descriptor or a
/// deadline wakes it; what happens is decided in `SimulatedWorld`.

import CPlatform
import TappetCore

/// The running simulator.
final class SimulatorProcess {
  private var world: SimulatedWorld
  private let options: SimulatorOptions
  private let signals: HostDescriptor
  private let control: UnixListener
  private let panel: UnixListener?
  private let trace: HostDescriptor?
  private var terminal: PseudoTerminal?
  private var kiosk: HostDescriptor?
  private var clients: [ControlClient] = []
  private var isQuitting = false

  /// Opens everything; whoever connects from now on is served once `run` is called.
  init(_ options: SimulatorOptions) throws(HostFailure) {
    self.options = options
    world = SimulatedWorld(pacing: Pacing(isOn: options.isPaced))
    tp_ignore_sigpipe()
    var mask = sigset_t()
    sigemptyset(&mask)
    sigaddset(&mask, SIGTERM)
    sigaddset(&mask, SIGINT)
    sigprocmask(SIG_BLOCK, &mask, nil)
    signals = HostDescriptor(try HostFailure.check("signalfd") { signalfd(-1, &mask, tp_sfd_flags()) })
    if let path = options.trace {
      trace = HostDescriptor(
        try HostFailure.check("open") { tp_open(path, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0o644) })
    } else {
      trace = nil
    }
    control = try UnixListener(path: options.control, type: tp_sock_stream())
    if let path = options.panel {
      panel = try UnixListener(path: path, type: tp_sock_seqpacket())
    } else {
      panel = nil
    }
    terminal = try PseudoTerminal(link: options.link)
  }

  /// Until a signal or a test says so.
  func run() throws(HostFailure) {
    while !isQuitting {
      var waited = descriptors()
      var timeout = timespec()
      let deadline = nextDeadline
      if let deadline {
        let left = max(0, (deadline - Self.now).wholeNanoseconds)
        timeout = timespec(tv_sec: Int(left / 1_000_000_000), tv_nsec: Int(left % 1_000_000_000))
      }
      let count = waited.withUnsafeMutableBufferPointer { buffer in
        withUnsafePointer(to: &timeout) { limit in
          ppoll(buffer.baseAddress, nfds_t(buffer.count), deadline == nil ? nil : limit, nil)
        }
      }
      if count < 0, tp_errno() != EINTR { throw HostFailure(call: "ppoll", code: tp_errno()) }
      // Deadlines first: what the chip had to say before a new command came, it says before it.
      deliver()
      for entry in waited where entry.revents != 0 { try serve(entry.fd, entry.revents) }
      deliver()
      try answerAwaiting()
      clients.removeAll { $0.isFinished }
    }
  }

  private static var now: Instant {
    var time = timespec()
    clock_gettime(CLOCK_BOOTTIME, &time)
    return Instant(nanoseconds: Int64(time.tv_sec) &* 1_000_000_000 &+ Int64(time.tv_nsec))
  }

  private var nextDeadline: Instant? {
    var deadline = world.chip.nextDeadline
    for client in clients {
      guard let awaited = client.awaited else { continue }
      deadline = min(deadline ?? awaited.deadline, awaited.deadline)
    }
    return deadline
  }

  private func descriptors() -> [pollfd] {
    func entry(_ descriptor: HostDescriptor, _ events: Int32 = POLLIN) -> pollfd {
      pollfd(fd: descriptor.number, events: Int16(truncatingIfNeeded: events), revents: 0)
    }
    var entries = [entry(signals)]
    if let terminal { entries.append(entry(terminal.chipEnd)) }
    if let panel { entries.append(entry(panel.descriptor)) }
    if let kiosk { entries.append(entry(kiosk)) }
    // A full house waits outside.
    if clients.count < Limits.simulatorClientsMax { entries.append(entry(control.descriptor)) }
    for client in clients {
      entries.append(entry(client.descriptor, (client.wantsToRead ? POLLIN : 0) | (client.wantsToWrite ? POLLOUT : 0)))
    }
    return entries
  }

  // MARK: Descriptors

  private func serve(_ number: Int32, _ events: Int16) throws(HostFailure) {
    if number == signals.number {
      isQuitting = true
    } else if let terminal, number == terminal.chipEnd.number {
      receiveFromHost(terminal)
    } else if let panel, number == panel.descriptor.number {
      if let newcomer = panel.accept() { welcome(newcomer) }
    } else if let kiosk, number == kiosk.number {
      receiveFromKiosk(kiosk)
    } else if number == control.descriptor.number {
      if let newcomer = control.accept() { clients.append(ControlClient(newcomer)) }
    } else if let client = clients.first(where: { $0.descriptor.number == number }) {
      try serve(client, events)
    }
  }

  private func receiveFromHost(_ terminal: PseudoTerminal) {
    guard case .bytes(let bytes) = terminal.chipEnd.receive() else { return }
    let now = Self.now
    record(">", bytes, at: now)
    world.chip.receive(bytes, at: now)
  }

  /// Sends what the chip has said by now; what no host takes away is lost, as on a wire.
  private func deliver() {
    let now = Self.now
    let bytes = world.chip.advance(to: now)
    guard !bytes.isEmpty, let terminal else { return }
    record("<", bytes, at: now)
    _ = terminal.chipEnd.send(bytes)
  }

  private func record(_ direction: String, _ bytes: [UInt8], at time: Instant) {
    guard let trace else { return }
    _ = trace.send(Array("\(time.nanoseconds) \(direction) \(Hex.encode(bytes))\n".utf8))
  }

  // MARK: The panel

  /// A kiosk that comes takes the place of the one before it.
  private func welcome(_ newcomer: HostDescriptor) {
    kiosk = newcomer
    world.hasKiosk = true
  }

  private func receiveFromKiosk(_ connection: HostDescriptor) {
    switch connection.receive() {
    case .bytes(let datagram): world.panel.receive(datagram, at: Self.now)
    case .nothing: break
    case .end:
      kiosk = nil
      world.hasKiosk = false
      world.panel.lose()
    }
  }

  // MARK: The control socket

  private func serve(_ client: ControlClient, _ events: Int16) throws(HostFailure) {
    let hungUp = Int32(events) & (POLLERR | POLLHUP) != 0
    if client.hasEnded, hungUp {
      clients.removeAll { $0 === client }
      return
    }
    if !client.hasEnded, hungUp || Int32(events) & POLLIN != 0 { client.receive() }
    client.flush()
    try answerLines(of: client)
  }

  private func answerLines(of client: ControlClient) throws(HostFailure) {
    while let line = client.nextLine() {
      guard line.count <= Limits.simulatorLineSizeMax else {
        client.answer(["error " + ControlRefusal.lineTooLong.sentence])
        continue
      }
      do throws(ControlRefusal) {
        let command = try ControlCommand.parse(String(decoding: line, as: UTF8.self))
        reply(try world.perform(command, at: Self.now), to: client)
      } catch {
        client.answer(["error " + error.sentence])
      }
      for effect in world.takeEffects() { try perform(effect) }
    }
  }

  private func reply(_ reply: SimulatedWorld.Reply, to client: ControlClient) {
    switch reply {
    case .done(let text): client.answer([text.isEmpty ? "ok" : "ok " + text])
    case .lines(let lines): client.answer(lines + ["."])
    case .awaitLight(let name, let deadline): client.awaited = (name, deadline)
    }
  }

  private func answerAwaiting() throws(HostFailure) {
    let now = Self.now
    for client in clients {
      guard let awaited = client.awaited else { continue }
      if let entry = world.panel.first(named: awaited.name) {
        client.awaited = nil
        client.answer(["ok \(entry.name) \(entry.arrived.nanoseconds) \(entry.sent)"])
      } else if awaited.deadline <= now {
        client.awaited = nil
        client.answer(["error " + ControlRefusal.lightNotSeen.sentence])
      }
      try answerLines(of: client)
    }
  }

  private func perform(_ effect: SimulatedWorld.Effect) throws(HostFailure) {
    switch effect {
    case .hangUp: terminal = nil
    case .plugIn: terminal = try PseudoTerminal(link: options.link)
    case .tellKiosk(let text): _ = kiosk?.send(Array(text.utf8))
    case .quit: isQuitting = true
    }
  }
}
