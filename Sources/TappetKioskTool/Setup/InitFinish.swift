// tappet init: the first secret, which is requested before anything is written, and the first tap, which init delivers
// to the broker by running the kiosk.

import CPlatform
import TappetCommandLine
import TappetConfig
import TappetCore
import TappetKiosk
import TappetMessages
import TappetPlatform
import TappetStore

/// The answer to the question about the first secret.
enum FirstSecret {
  case later
  case share(ShareURL)
  /// A new tag will be written.
  case tag
}

extension SetupWizard {
  /// Prompts for the first secret; it is created or saved after the files are written.
  func askFirstTag() throws(CommandFailure) {
    firstSecret = .later
    if files.draft.reader == "none", arguments.value("share-file") == nil { return }
    start("The first tag")
    let configuration = try files.configuration()
    if let path = arguments.value("share-file") {
      guard let line = try? Prompt.line(from: path, question: "", what: "share code") else {
        throw .refused("\(path) cannot be read")
      }
      let (share, mistake) = share(in: line, configuration)
      guard let share else { throw .refused(mistake) }
      return firstSecret = .share(share)
    }
    guard hasReader else { return }
    if arguments.has("write-tag") { return firstSecret = .tag }
    guard let prompt else { return }
    guard let wantsTag = prompt.confirm("Write a new tag now?", default: true) else { throw .reported(.refused) }
    if wantsTag { firstSecret = .tag }
  }

  func askShareCode() throws(CommandFailure) {
    guard let prompt, files.draft.reader != "none", case .later = firstSecret else { return }
    let configuration = try files.configuration()
    inform("  Tags that the phone app has written work here once the app's share code is entered.")
    while let line = prompt.secret("Share code, smpshare://… (not shown; empty: later)") {
      if line.count == 0 { return }
      let (share, mistake) = share(in: line, configuration)
      if let share { return firstSecret = .share(share) }
      Output.printError("  " + mistake)
    }
    throw .reported(.refused)
  }

  func provision() throws(CommandFailure) {
    guard case .loaded(let configuration) = ConfigurationParser.load(path: files.path) else {
      Output.printError("tappet init: \(files.path) was changed in the meantime; run \(hint("check"))")
      throw .reported(.configuration)
    }
    let isReady: Bool
    switch firstSecret {
    case .later: isReady = false
    case .share(let share):
      if let mistake = save(share, configuration) { throw .refused(mistake) }
      isReady = true
    case .tag:
      guard let action = configuration.actions.first else { return }
      isReady = try writeTag(action, configuration)
    }
    if let matrix = configuration.matrix, access(matrix.sessionFile, F_OK) != 0 {
      Output.inform("  Next, use \(hint("matrix login USER")) to log the kiosk in; no message is sent before that.")
      if arguments.has("tap") { throw .reported(.refused) }
      return
    }
    guard isReady, hasReader else {
      let code = configuration.reader != nil ? "\(hint("secret import")) to import the share code, " : ""
      return inform("  Later, use \(code)\(hint("run")) to run the kiosk, and \(hint("check")) to check it.")
    }
    try awaitTap(configuration)
  }

  /// Names the page of the new kiosk to somebody whose browser has answered the questions.
  func informAboutPage() {
    if Dialogue.current == nil { return }
    start("The page of this kiosk")
    inform("  Once the kiosk runs, it is at https://\(NetworkIdentity.hostName() ?? "ADDRESS").")
    inform("  To pair a browser with it, use \(hint("web pair NAME --level manage")) as root.")
  }

  /// Returns a command line for this kiosk, ready to be typed.
  private func hint(_ words: String) -> String {
    "'tappet \(words)" + (files.path == KioskAccess.usualPath ? "'" : " --config \(files.path)'")
  }

  /// Writes a tag, formatting it first if requested; returns false if the user continues without a tag.
  private func writeTag(_ action: Action, _ configuration: KioskConfiguration) throws(CommandFailure) -> Bool {
    var request = TagJobRequest(.write)
    request.action = action.name
    while true {
      if perform(request, configuration) { return true }
      guard let prompt else { throw .reported(.refused) }
      let choices = Choices(
        "What now?",
        [("t", "Try again"), ("f", "Format the tag permanently, and try again"), ("g", "Go on without a tag")])
      switch prompt.ask(
        "Try again (t), format the tag permanently and try again (f), or go on without a tag (g)?", default: "t",
        choices)
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
      if let sentence = error.sentence { Output.printError("tappet tag \(request.kind.rawValue): " + sentence) }
      return false
    }
  }

  /// Parses the share code in a line; returns an error message on failure.
  private func share(in line: SecretBytes, _ configuration: KioskConfiguration) -> (share: ShareURL?, mistake: String) {
    do throws(ShareURLError) {
      let share = try line.withBytes { (bytes) throws(ShareURLError) in try ShareURL.parse(at: bytes) }
      if configuration.actions.contains(where: { $0.index == share.index }) { return (share, "") }
      return (nil, "the share code is for action \(share.index), which is not configured; the first action has index 0")
    } catch { return (nil, error.sentence) }
  }

  /// Saves the secret; returns an error message on failure.
  private func save(_ share: ShareURL, _ configuration: KioskConfiguration) -> String? {
    guard let id = try? TagSecret.newID() else { return SharedSentence.noRandomness }
    do throws(SecretStoreError) {
      let secretStore = try SecretStore.open(folder: configuration.stateFolder)
      guard let action = try secretStore.indexes(of: configuration.actions).action(at: share.index) else {
        return "the share code is for action \(share.index), which is not configured; the first action has index 0"
      }
      try secretStore.add(
        TagSecret(
          id: id, action: action.name, index: share.index, key: share.key,
          createdUnixSeconds: SystemClock().now().unixSeconds, label: share.label))
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
    let way = Dialogue.current == nil ? "; Ctrl-C: later" : ""
    let seconds = limit.wholeMilliseconds / 1000
    // The tag that was just written still lies there: its next arrival is the first tap.
    let isWritten = if case .tag = firstSecret { true } else { false }
    let what = isWritten ? "Take the tag away, and hold it to the reader again" : "Hold the tag to the reader"
    let observer = TapObserver(
      invitation: "  \(what) (\(seconds) s\(way)) …", seconds: seconds, needsLink: configuration.broker != nil,
      expectsHeld: isWritten)
    do throws(RuntimeError) { try run(configuration, observer, limit) } catch { throw .failed(error.sentence) }
    if observer.isDone {
      Output.print("The kiosk works. Start it: \(hint("run"))")
      if files.path == KioskAccess.defaultPath { Output.print("Or as a service: systemctl enable --now tappet") }
      return
    }
    Output.printError(
      "  No tap has been delivered yet; use \(hint("run")) to keep waiting, and \(hint("check")) to find the problem.")
    if prompt == nil { throw .reported(.refused) }
  }

  private func run(_ configuration: KioskConfiguration, _ observer: TapObserver, _ limit: Duration) throws(RuntimeError)
  {
    let runtime = try Runtime(configuration)
    if !observer.expectsHeld { runtime.expectTap() }
    runtime.observers.onRecord = { _ in }
    runtime.observers.onReport = { report, line in observer.note(report, line) }
    try runtime.start()
    defer { runtime.close() }
    try runtime.begin()
    let end = SystemClock().now().instant + limit
    let signals = files.prompt.signalDescriptor
    // The watch only needs to wake the loop once.
    var interruption: Watch?
    interruption = try? runtime.watch(signals) { interruption = nil }
    defer { withExtendedLifetime(interruption) {} }
    while !observer.isDone, !runtime.isFinished, !files.prompt.isOver {
      let remaining = end - SystemClock().now().instant
      guard remaining > .zero else { break }
      try runtime.dispatch(timeout: remaining)
    }
    runtime.stop()
    while !runtime.isFinished { try runtime.dispatch(timeout: nil) }
  }
}

/// Prints the kiosk's reports about taps until the first tap has taken effect.
private final class TapObserver {
  /// Whether the first tap has had its whole effect; a pulse would end early if the kiosk stopped.
  var isDone: Bool { hasActed && !isOutputOn }
  private var hasActed = false
  private var isOutputOn = false
  private var isReaderReady = false
  private var isLinkUp: Bool
  private var invitation: String?
  private let seconds: Int64
  let expectsHeld: Bool

  /// Creates an observer that prints the invitation, with the time for the tap, when the kiosk is ready for it;
  /// `expectsHeld` means that it asks for a tag to be taken away.
  init(invitation: String, seconds: Int64, needsLink: Bool, expectsHeld: Bool) {
    self.invitation = invitation
    self.seconds = seconds
    self.expectsHeld = expectsHeld
    isLinkUp = !needsLink
  }

  func note(_ report: Report, _ line: LogRecord) {
    switch report {
    case .entry(.delivered), .tap(.performed):
      hasActed = true
      Output.print(line.sentence)
    case .output(.switched(_, isOn: let isOn, _)):
      isOutputOn = isOn
      Output.inform("  " + line.sentence)
    case .entry(.accepted), .entry(.queued): Output.inform("  " + line.sentence)
    case .tap(.ignored(_, _, .held, _)) where expectsHeld: break
    case .entry(.expired), .entry(.undeliverable), .tap(.refused), .tap(.ignored), .reader(.lost), .link(.failed),
      .link(.didFallBack), .store(.trouble):
      Output.printError("  " + line.sentence)
    case .reader(.ready): isReaderReady = true
    case .link(.connected): isLinkUp = true
    default: break
    }
    if isReaderReady, isLinkUp, let text = invitation {
      invitation = nil
      Output.inform(text, seconds: seconds)
    }
  }
}
