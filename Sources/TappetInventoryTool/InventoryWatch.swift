// tappet inventory watch: shows the entry last tapped or scanned at the kiosk, with its contents, until a key or a
// signal ends the view. The kiosk reports each tap; the entry itself is read from the inventory.

import CPlatform
import TappetCommandLine
import TappetConfig
import TappetCore
import TappetInventory
import TappetJSON
import TappetKiosk
import TappetMessages
import TappetPlatform

/// The main loop of the screen; if there is no terminal, taps are printed as lines.
final class InventoryWatch {
  private let configuration: KioskConfiguration
  private let reactor: Reactor
  private let terminal: FullScreen?
  private let inventory: Inventory
  private var screen = InventoryScreen()
  private var kiosk: RunningKiosk?
  private var keyWatch: Watch?
  private var kioskWatch: Watch?
  private var failure: CommandFailure?
  private var isEnding = false
  /// Whether the kiosk's light shows that a further tap would have an effect.
  private var isHolding = false
  /// Whether the last tap changed something, so that its result is shown instead of the prompt for a second tap.
  private var hasChanged = false

  private init(_ configuration: KioskConfiguration) throws(CommandFailure) {
    self.configuration = configuration
    inventory = try Inventory.of(configuration)
    guard let kiosk = try RunningKiosk.find(configuration) else {
      throw .failed(RunningKiosk.absence(configuration), FailureCode.kioskAbsent)
    }
    self.kiosk = kiosk
    do throws(SystemError) { reactor = try Reactor() } catch { throw .failed(error.text) }
    terminal = isatty(0) == 1 && isatty(1) == 1 ? try FullScreen() : nil
    terminal?.useColours()
  }

  /// Runs the view until a key is pressed or a signal arrives.
  static func run(_: Arguments, _ configuration: KioskConfiguration) throws(CommandFailure) {
    let watch = try InventoryWatch(configuration)
    defer { watch.terminal?.close() }
    do throws(SystemError) { try watch.runLoop() } catch { throw .failed(error.text) }
    if let failure = watch.failure { throw failure }
  }

  private func runLoop() throws(SystemError) {
    try reactor.watchSignals([SIGINT, SIGTERM, SIGWINCH], calling(self) { if $1 != SIGWINCH { $0.isEnding = true } })
    if terminal != nil {
      keyWatch = try reactor.watch(0, for: .readable, calling(self) { watch, _ in watch.takeKeys() })
    }
    try follow()
    while !isEnding, Output.isTaken {
      draw()
      // A kiosk that has stopped may be started again.
      _ = try reactor.turn(timeout: kiosk == nil ? Limits.inventoryAskInterval : nil)
      if kiosk == nil, !isEnding { try findAgain() }
    }
  }

  /// Requests the kiosk's log records.
  private func follow() throws(SystemError) {
    guard let kiosk else { return }
    guard kiosk.send(.watch) else { return lose() }
    kioskWatch = try reactor.watch(
      kiosk.fileDescriptor, for: .readable, calling(self) { watch, _ in watch.takeMessages() })
  }

  private func findAgain() throws(SystemError) {
    kiosk = (try? RunningKiosk.find(configuration)) ?? nil
    if kiosk != nil { screen.notice = "" }
    try follow()
  }

  private func lose() {
    kioskWatch = nil
    kiosk = nil
    screen.notice = "the kiosk has stopped; waiting for it to restart"
    if terminal == nil {
      failure = .failed("the kiosk has stopped", FailureCode.kioskAbsent)
      isEnding = true
    }
  }

  private func takeMessages() {
    while let kiosk {
      switch kiosk.receive() {
      case .message(let bytes): if let json = JSON(decoding: bytes) { take(json) }
      case .nothing: return
      case .closed: lose()
      }
    }
  }

  private func take(_ message: JSON) {
    // After a momentary light, the lasting light returns without a message.
    if let light = message["light"]?.text.flatMap({ Light(name: $0) }), light.isLasting {
      isHolding = light == .holding
      screen.isAsking = isHolding && !hasChanged
    }
    guard let event = message["event"]?.text, let text = message["text"]?.text, InventoryScreen.isShown(event, message)
    else { return }
    guard terminal != nil else { return Output.print(text.escaped) }
    hasChanged = !["inventory-shown", "inventory-person", "inventory-number"].contains(event)
    screen.isAsking = isHolding && !hasChanged
    screen.isRefused = event == "tap-refused"
    screen.sentence = text.escaped
    if let missing = message["missing"]?.text, missing != "0" {
      do throws(InventoryError) { screen.facts = try missingFacts() } catch { screen.notice = error.sentence.escaped }
    }
    guard let id = message["id"]?.text.flatMap({ InventoryID(text: $0) }) else { return }
    do throws(InventoryError) { screen.facts = try facts(id) } catch { screen.notice = error.sentence.escaped }
  }

  /// Returns the title, the location and the contents of an entry.
  private func facts(_ id: InventoryID) throws(InventoryError) -> InventoryScreen.Facts? {
    guard let entry = try inventory.entry(id) else { return nil }
    var facts = InventoryScreen.Facts(title: entry.line.escaped)
    facts.place = try inventory.place(of: entry).escaped
    try inventory.forEach(in: entry) { (content) throws(InventoryError) in
      facts.contents.append((content.line.escaped, content.isLow))
      return facts.contents.count < Limits.inventoryContentsMax
    }
    facts.count = try inventory.contentCount(of: entry)
    return facts
  }

  /// Returns the list of what is missing.
  private func missingFacts() throws(InventoryError) -> InventoryScreen.Facts {
    var facts = InventoryScreen.Facts(title: "Missing")
    try inventory.forEachMissing { (entry) throws(InventoryError) in
      facts.contents.append((try inventory.line(of: entry).escaped, false))
      return facts.contents.count < Limits.inventoryContentsMax
    }
    facts.count = try inventory.missingCount()
    return facts
  }

  private func takeKeys() {
    var count = 0
    while let key = terminal?.key() {
      count += 1
      if key == .character("q") { isEnding = true }
    }
    // Standard input is readable, but there is no key: the terminal has been closed.
    if count == 0, TerminalSize.current() == nil { isEnding = true }
  }

  private func draw() {
    guard let terminal else { return }
    if !terminal.adapt() { isEnding = true }
    terminal.show(screen.rows(columns: terminal.size.columns, rows: terminal.size.rows), cursor: nil)
  }
}
