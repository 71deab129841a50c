/// Connects the simulated world to descriptors and the clock. A single-threaded loop sleeps until a descriptor or a
/// deadline wakes it; `SimulatedWorld` decides what happens.

import CPlatform
import TappetTag
import TappetPlatform

/// The running simulator.
final class SimulatorProcess {
  private var world: SimulatedWorld
  private let options: SimulatorOptions
  private let signals: SignalDescriptor
  private let control: UnixSocket
  private let panel: UnixSocket?
  private let trace: FileDescriptor?
  private var terminal: PseudoTerminal?
  private var kiosk: UnixSocket?
  private var clients: [ControlClient] = []
  private var isQuitting = false

  /// Opens all descriptors; clients that connect from now on are served when `run` is called.
  init(_ options: SimulatorOptions) throws(SystemError) {
    self.options = options
    var pacing = Pacing(isOn: options.isPaced)
    if let milliseconds = options.tryMilliseconds { pacing.emptyAttempt = Int64(milliseconds) * 1_000_000 }
    world = SimulatedWorld(pacing: pacing)
    SignalMask.ignoreFailedWrites()
    signals = try .open([SIGTERM, SIGINT])
    if let path = options.trace {
      trace = try .open(path, O_WRONLY | O_CREAT | O_APPEND, mode: 0o644)
    } else {
      trace = nil
    }
    control = try .listen(at: options.control, .stream)
    if let path = options.panel {
      panel = try .listen(at: path)
    } else {
      panel = nil
    }
    terminal = try PseudoTerminal(link: options.link)
  }

  /// Serves hosts and tests until a signal or a test ends the simulator.
  func run() throws(SystemError) {
    while !isQuitting {
      let waited = descriptors()
      let ready = Poll.wait(waited, for: nextDeadline.map { max(.zero, $0 - Instant.now()) })
      // Deadlines first, so that output that is already due is sent before a new command is handled.
      deliver()
      for (index, readiness) in ready.enumerated() where !readiness.isEmpty {
        try serve(waited[index].number, readiness)
      }
      deliver()
      try play()
      try answerAwaiting()
      clients.removeAll { $0.isFinished }
    }
  }

  private var nextDeadline: Instant? {
    var deadline = world.chip.nextDeadline
    if let due = world.nextDeadline { deadline = min(deadline ?? due, due) }
    for client in clients {
      guard let awaited = client.awaited else { continue }
      deadline = min(deadline ?? awaited.deadline, awaited.deadline)
    }
    return deadline
  }

  private func descriptors() -> [(number: Int32, interest: Interest)] {
    var watched: [(number: Int32, interest: Interest)] = [(signals.fileDescriptor, .readable)]
    if let terminal { watched.append((terminal.chipEnd.number, .readable)) }
    if let panel { watched.append((panel.fileDescriptor, .readable)) }
    if let kiosk { watched.append((kiosk.fileDescriptor, .readable)) }
    // At the limit, the next client waits in the listen queue.
    if clients.count < Limits.simulatorClientsMax { watched.append((control.fileDescriptor, .readable)) }
    for client in clients { watched.append((client.socket.fileDescriptor, client.interest)) }
    return watched
  }

  // MARK: Descriptors

  private func serve(_ number: Int32, _ readiness: Readiness) throws(SystemError) {
    if number == signals.fileDescriptor {
      isQuitting = true
    } else if let terminal, number == terminal.chipEnd.number {
      receiveFromHost(terminal)
    } else if let panel, number == panel.fileDescriptor {
      if let newcomer = try? panel.accept() { acceptKiosk(newcomer) }
    } else if let kiosk, number == kiosk.fileDescriptor {
      _ = receiveFromKiosk(kiosk)
    } else if number == control.fileDescriptor {
      if let newcomer = try? control.accept() { clients.append(ControlClient(newcomer)) }
    } else if let client = clients.first(where: { $0.socket.fileDescriptor == number }) {
      try serve(client, readiness)
    }
  }

  private func receiveFromHost(_ terminal: PseudoTerminal) {
    guard let bytes = try? terminal.chipEnd.read(sizeMax: 4096), !bytes.isEmpty else { return }
    let now = Instant.now()
    record(">", bytes, at: now)
    world.chip.receive(bytes, at: now)
  }

  /// Sends the chip's due output; bytes that no host reads are lost, as on a real line.
  private func deliver() {
    let now = Instant.now()
    let bytes = world.chip.advance(to: now)
    guard !bytes.isEmpty, let terminal else { return }
    record("<", bytes, at: now)
    try? terminal.chipEnd.write(bytes)
  }

  private func record(_ direction: String, _ bytes: [UInt8], at time: Instant) {
    try? trace?.write(Array("\(time.nanoseconds) \(direction) \(Hex.encode(bytes))\n".utf8))
  }

  // MARK: The panel

  /// Sends the due edges of the simulated button presses.
  private func play() throws(SystemError) {
    world.advance(to: Instant.now())
    for effect in world.takeEffects() { try perform(effect) }
  }

  /// Accepts a kiosk, which replaces the previous one once that one's messages are handled.
  private func acceptKiosk(_ newcomer: UnixSocket) {
    if let kiosk { while receiveFromKiosk(kiosk) {} }
    kiosk = newcomer
    world.hasKiosk = true
  }

  /// Returns false if there was no message.
  private func receiveFromKiosk(_ connection: UnixSocket) -> Bool {
    switch connection.receive(sizeMax: 4096) {
    case .message(let datagram):
      world.receiveFromPanel(datagram, at: Instant.now())
      return true
    case .nothing: return false
    case .closed:
      kiosk = nil
      world.hasKiosk = false
      world.panel.disconnect()
      return false
    }
  }

  // MARK: The control socket

  private func serve(_ client: ControlClient, _ readiness: Readiness) throws(SystemError) {
    let hungUp = !readiness.isDisjoint(with: [.hungUp, .failed])
    if client.hasEnded, hungUp {
      clients.removeAll { $0 === client }
      return
    }
    if !client.hasEnded, hungUp || readiness.contains(.readable) { client.receive() }
    client.flush()
    try answerLines(of: client)
  }

  private func answerLines(of client: ControlClient) throws(SystemError) {
    while let line = client.nextLine() {
      guard line.count <= Limits.simulatorLineSizeMax else {
        client.answer(["error " + ControlRefusal.lineTooLong.sentence])
        continue
      }
      do throws(ControlRefusal) {
        let command = try ControlCommand.parse(String(decoding: line, as: UTF8.self))
        reply(try world.perform(command, at: Instant.now()), to: client)
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
    case .awaitPlay: client.isAwaitingPlay = true
    }
  }

  private func answerAwaiting() throws(SystemError) {
    let now = Instant.now()
    for client in clients {
      if client.isAwaitingPlay, !world.isPlaying {
        client.isAwaitingPlay = false
        client.answer(["ok"])
        try answerLines(of: client)
        continue
      }
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

  private func perform(_ effect: SimulatedWorld.Effect) throws(SystemError) {
    switch effect {
    case .hangUp: terminal = nil
    case .plugIn: terminal = try PseudoTerminal(link: options.link)
    case .sendToKiosk(let text): kiosk?.send(Array(text.utf8))
    case .quit: isQuitting = true
    }
  }
}
