// tappet init: the first secret, and the first tap seen through to the broker by the kiosk itself.

import CPlatform
import TappetCore
import TappetDevices
import TappetRuntime

extension Setup {
  func provision() -> ExitStatus {
    guard case .loaded(let configuration) = ConfigFile.load(path: files.path) else {
      Output.complain("tappet init: \(files.path) was changed meanwhile; run 'tappet check'")
      return .configuration
    }
    begin("The first tag")
    switch addSecret(configuration) {
    case .later:
      sayLater()
      return .success
    case .refused: return .refused
    case .added: break
    }
    guard hasReader else {
      sayLater()
      return .success
    }
    return awaitTap(configuration)
  }

  private enum Provisioned {
    case added
    case later
    case refused
  }

  private func addSecret(_ configuration: Configuration) -> Provisioned {
    if let path = arguments.value("share-file") {
      guard let text = QuietInput.line(path: path, prompt: "") else {
        Output.complain("tappet init: \(path) cannot be read")
        return .refused
      }
      guard let wrong = take(text, configuration) else { return .added }
      Output.complain("tappet init: " + wrong)
      return .refused
    }
    if hasReader, let action = configuration.actions.first, wantsTag() {
      // What it came to is said there; after a failure the phone's tags are asked for.
      if TagWriteCommand.write(action, label: nil, configuration) == .success { return .added }
      if interview == nil { return .refused }
    }
    guard let interview else { return .later }
    say("  A tag that the phone app has written works here when the app's share code is known.")
    while let answer = interview.secret("The share code, smpshare://… (it is not shown; Enter: later)") {
      if answer.count == 0 { return .later }
      guard let wrong = answer.withBytes({ take(Array($0), configuration) }) else { return .added }
      Output.complain("  " + wrong)
    }
    return .later
  }

  private func wantsTag() -> Bool {
    if arguments.has("write-tag") { return true }
    return interview?.confirm("Write a new tag now?", usual: true) ?? false
  }

  /// What is wrong with it.
  private func take(_ text: [UInt8], _ configuration: Configuration) -> String? {
    let share: ShareURL
    do throws(ShareURLError) { share = try ShareURL.parse(text) } catch { return error.sentence }
    guard let action = configuration.actions.first(where: { $0.index == share.index }) else {
      return "the share code is for action \(share.index), which is not configured; the first one has 0"
    }
    guard let id = try? TagSecret.newID() else { return "the system has no random numbers" }
    let secret = TagSecret(
      id: id, action: action.name, index: share.index, key: share.key,
      createdUnixSeconds: SystemClock().now().unixSeconds, label: share.label)
    do throws(VaultError) {
      try Vault.open(configuration).add(secret)
      return nil
    } catch {
      if case .secret(.alreadyThere) = error { return nil }
      return error.sentence
    }
  }

  private func sayLater() {
    say(
      "  Later: 'tappet secret import' takes the share code; 'tappet run' is the kiosk, and 'tappet check' looks at all of it."
    )
  }

  // MARK: The first tap

  private func awaitTap(_ configuration: Configuration) -> ExitStatus {
    let seconds = arguments.value("tap").flatMap { Int64(decimal: $0.utf8) } ?? (interview == nil ? 0 : 60)
    guard seconds > 0 else { return .success }
    say("  Starting the kiosk …")
    do throws(RuntimeError) {
      let runtime = try Runtime(configuration)
      let watch = TapWatch("  Hold the tag to the reader (\(seconds) s; Ctrl-C: later) …")
      runtime.onLine = { _ in }
      runtime.onReport = { report, line in watch.note(report, line) }
      try runtime.start()
      defer { runtime.close() }
      try runtime.begin()
      let end = SystemClock().now().instant + .seconds(seconds)
      let signals = files.interview.signals
      try? runtime.watch(signals) { runtime.unwatch(signals) }
      while !watch.isDelivered, !runtime.isFinished, !files.interview.wasInterrupted() {
        let remaining = end - SystemClock().now().instant
        guard remaining > .zero else { break }
        try runtime.dispatch(timeout: remaining)
      }
      runtime.stop()
      while !runtime.isFinished { try runtime.dispatch(timeout: nil) }
      return finish(isDelivered: watch.isDelivered)
    } catch {
      Output.complain("tappet init: \(error.sentence)")
      return .failure
    }
  }

  private func finish(isDelivered: Bool) -> ExitStatus {
    if isDelivered {
      Output.print("The kiosk works. Start it: tappet run --config \(files.path)")
      if files.path == Settings.defaultPath { Output.print("Or as a service: systemctl enable --now tappet") }
      return .success
    }
    Output.complain("  No tap was delivered yet; 'tappet run' goes on waiting, and 'tappet check' says what is wrong.")
    return interview == nil ? .refused : .success
  }
}

/// What the kiosk says of taps while the first one is waited for.
private final class TapWatch {
  private(set) var isDelivered = false
  private var isReaderReady = false
  private var isLinkUp = false
  private var invitation: String?

  /// `invitation` is said when the kiosk is ready for the tap.
  init(_ invitation: String) { self.invitation = invitation }

  func note(_ report: Report, _ line: Line) {
    switch report {
    case .delivered:
      isDelivered = true
      Output.print(line.sentence)
    case .accepted, .refused, .ignored, .queued, .expired, .undeliverable, .readerLost, .linkFailed, .storeTrouble:
      Output.complain("  " + line.sentence)
    case .readerReady: isReaderReady = true
    case .linkUp: isLinkUp = true
    default: break
    }
    if isReaderReady, isLinkUp, let text = invitation {
      invitation = nil
      Output.complain(text)
    }
  }
}
