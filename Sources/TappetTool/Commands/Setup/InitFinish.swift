// tappet init: the first secret, and the first tap, which the kiosk itself delivers to the broker.

import CPlatform
import TappetConfig
import TappetCore
import TappetKiosk
import TappetMessages
import TappetPlatform
import TappetStore

extension SetupWizard {
  func provision() throws(CommandFailure) {
    guard case .loaded(let configuration) = ConfigurationParser.load(path: files.path) else {
      Output.printError("tappet init: \(files.path) has changed meanwhile; run 'tappet check'")
      throw .reported(.configuration)
    }
    start("The first tag")
    guard try addSecret(configuration), hasReader else {
      return inform(
        "  Later: 'tappet secret import' takes the share code, 'tappet run' runs the kiosk, 'tappet check' checks it."
      )
    }
    try awaitTap(configuration)
  }

  /// False when there is to be none yet.
  private func addSecret(_ configuration: KioskConfiguration) throws(CommandFailure) -> Bool {
    if let path = arguments.value("share-file") {
      guard let share = try? Prompt.line(from: path, question: "", what: "share code") else {
        throw .refused("\(path) cannot be read")
      }
      if let mistake = accept(share, configuration) { throw .refused(mistake) }
      return true
    }
    if hasReader, let action = configuration.actions.first, wantsTag(), try writeTag(action, configuration) {
      return true
    }
    guard let prompt else { return false }
    inform("  Tags that the phone app has written work here once the app's share code is known.")
    while let share = prompt.secret("Share code, smpshare://… (not shown; Enter: later)") {
      if share.count == 0 { return false }
      guard let mistake = accept(share, configuration) else { return true }
      Output.printError("  " + mistake)
    }
    return false
  }

  /// Writes a tag, which may have to be formatted first; false when the phone's tags have to do.
  private func writeTag(_ action: Action, _ configuration: KioskConfiguration) throws(CommandFailure) -> Bool {
    var request = TagJobRequest(.write)
    request.action = action.name
    while true {
      if perform(request, configuration) { return true }
      guard let prompt else { throw .reported(.refused) }
      switch prompt.ask("Try again (t), format the tag for good and try again (f), or go on without (g)?", default: "t")
      {
      case "g", nil: return false
      case "f": _ = perform(TagJobRequest(.format), configuration)
      default: break
      }
    }
  }

  private func perform(_ request: TagJobRequest, _ configuration: KioskConfiguration) -> Bool {
    do throws(CommandFailure) {
      try TagJobClient.run(request, configuration)
      return true
    } catch {
      if let sentence = error.sentence { Output.printError("tappet tag \(request.kind.name): " + sentence) }
      return false
    }
  }

  private func wantsTag() -> Bool {
    if arguments.has("write-tag") { return true }
    return prompt?.confirm("Write a new tag now?", default: true) ?? false
  }

  /// Saves the secret; returns what is wrong with it.
  private func accept(_ text: SecretBytes, _ configuration: KioskConfiguration) -> String? {
    let share: ShareURL
    do throws(ShareURLError) {
      share = try text.withBytes { (bytes) throws(ShareURLError) in try ShareURL.parse(at: bytes) }
    } catch { return error.sentence }
    guard let action = configuration.actions.first(where: { $0.index == share.index }) else {
      return "the share code is for action \(share.index), which is not configured; the first one has 0"
    }
    guard let id = try? TagSecret.newID() else { return "the system has no random numbers" }
    let secret = TagSecret(
      id: id, action: action.name, index: share.index, key: share.key,
      createdUnixSeconds: SystemClock().now().unixSeconds, label: share.label)
    do throws(SecretStoreError) {
      try SecretStore.open(folder: configuration.stateFolder).add(secret)
      return nil
    } catch {
      if case .secret(.alreadyThere) = error { return nil }
      return error.sentence
    }
  }

  // MARK: The first tap

  private func awaitTap(_ configuration: KioskConfiguration) throws(CommandFailure) {
    guard let limit = arguments.seconds("tap") ?? (prompt == nil ? nil : .seconds(60)) else { return }
    inform("  Starting the kiosk …")
    let observer = TapObserver(
      invitation: "  Hold the tag to the reader (\(limit.wholeMilliseconds / 1000) s; Ctrl-C: later) …")
    do throws(RuntimeError) { try run(configuration, observer, limit) } catch { throw .failed(error.sentence) }
    if observer.isDelivered {
      Output.print("The kiosk works. Start it: tappet run --config \(files.path)")
      if files.path == Settings.defaultPath { Output.print("Or as a service: systemctl enable --now tappet") }
      return
    }
    Output.printError("  No tap was delivered yet; 'tappet run' keeps waiting, and 'tappet check' says what is wrong.")
    if prompt == nil { throw .reported(.refused) }
  }

  private func run(_ configuration: KioskConfiguration, _ observer: TapObserver, _ limit: Duration) throws(RuntimeError)
  {
    let runtime = try Runtime(configuration)
    runtime.observers.onRecord = { _ in }
    runtime.observers.onReport = { report, line in observer.note(report, line) }
    try runtime.start()
    defer { runtime.close() }
    try runtime.begin()
    let end = SystemClock().now().instant + limit
    let signals = files.prompt.signalDescriptor
    // It only has to wake the loop, once.
    var interruption: Watch?
    interruption = try? runtime.watch(signals) { interruption = nil }
    defer { withExtendedLifetime(interruption) {} }
    while !observer.isDelivered, !runtime.isFinished, !files.prompt.isOver {
      let remaining = end - SystemClock().now().instant
      guard remaining > .zero else { break }
      try runtime.dispatch(timeout: remaining)
    }
    runtime.stop()
    while !runtime.isFinished { try runtime.dispatch(timeout: nil) }
  }
}

/// Prints what the kiosk reports about taps until the first one is delivered.
private final class TapObserver {
  private(set) var isDelivered = false
  private var isReaderReady = false
  private var isLinkUp = false
  private var invitation: String?

  /// The invitation is printed when the kiosk is ready for the tap.
  init(invitation: String) { self.invitation = invitation }

  func note(_ report: Report, _ line: LogRecord) {
    switch report {
    case .delivered, .deliveredUnheard:
      isDelivered = true
      Output.print(line.sentence)
    case .accepted, .refused, .ignored, .queued, .expired, .undeliverable, .readerLost, .linkFailed, .linkFellBack,
      .storeTrouble:
      Output.printError("  " + line.sentence)
    case .readerReady: isReaderReady = true
    case .linkUp: isLinkUp = true
    default: break
    }
    if isReaderReady, isLinkUp, let text = invitation {
      invitation = nil
      Output.printError(text)
    }
  }
}
