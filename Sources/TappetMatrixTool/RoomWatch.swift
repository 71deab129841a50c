// tappet matrix watch: the kiosk's rooms with their unread messages, until a key or a signal ends the view.

import CPlatform
import TappetCommandLine
import TappetConfig
import TappetCore
import TappetMessages
import TappetPlatform

extension Command {
  static var roomWatch: Command {
    Command(
      words: "matrix watch", section: .rooms, summary: "show the rooms and their newest messages live",
      details: """
        Shows the rooms that the kiosk has joined, grouped by space, with their unread messages and the newest
        message of each, on the full screen; press 'q' to quit. An asterisk marks rooms with something new. Without
        a terminal, prints the rooms as 'tappet matrix list --by-space' does, and then a line for each message and
        invitation. Messages remain unread. With 'encryption' in kiosk.yaml, the rooms are read every 10 s, because
        a long poll would confirm the keys of encrypted rooms in place of the kiosk.
        """,
      body: .configured(RoomWatch.run))
  }
}

/// The main loop of the view; if there is no terminal, messages are printed as lines.
final class RoomWatch {
  private let configuration: KioskConfiguration
  private let reactor: Reactor
  private let terminal: FullScreen?
  /// Whether everything is requested each time, instead of the changes.
  private let rereads: Bool
  private var table: RoomTable
  private var screen: RoomScreen
  /// `nil` after a failure; the next client loads the session again, in case of a new login.
  private var client: HomeserverClient?
  private var answerWatch: Watch?
  private var keyWatch: Watch?
  /// Whether a request is in flight, and `due` is the time at which it has failed.
  private var isAsking = false
  /// Whether the request in flight is for everything.
  private var isWhole = false
  private var due: Instant
  private var askedAt = Instant.now()
  private var failureCount = 0
  private var isEnding = false

  private init(
    _ configuration: KioskConfiguration, _ client: HomeserverClient, _ table: RoomTable
  ) throws(CommandFailure) {
    self.configuration = configuration
    self.client = client
    self.table = table
    rereads = configuration.matrix?.encryption != nil
    due = Instant.now() + (rereads ? Limits.roomRereadInterval : .zero)
    screen = RoomScreen(place: client.place)
    screen.show(table)
    do throws(SystemError) { reactor = try Reactor() } catch { throw .failed(error.text) }
    terminal = isatty(0) == 1 && isatty(1) == 1 ? try FullScreen() : nil
    terminal?.useColours()
  }

  /// Runs the view until a key is pressed or a signal arrives.
  static func run(_: Arguments, _ configuration: KioskConfiguration) throws(CommandFailure) {
    let client = try Homeserver.connect(configuration)
    let progress = Progress("Reading the rooms")
    client.whileWaiting { progress.show() }
    defer { progress.end() }
    let table = try RoomTable.read(client, withTexts: true)
    progress.end()
    let watch = try RoomWatch(configuration, client, table)
    defer { watch.terminal?.close() }
    do throws(SystemError) { try watch.runLoop() } catch { throw .failed(error.text) }
  }

  private func runLoop() throws(SystemError) {
    try reactor.watchSignals(
      [SIGINT, SIGTERM, SIGHUP, SIGWINCH], calling(self) { if $1 != SIGWINCH { $0.isEnding = true } })
    if terminal != nil {
      keyWatch = try reactor.watch(0, for: .readable, calling(self) { watch, _ in watch.takeKeys() })
    } else {
      for line in ListedEntry.entries(table.ordered).flatMap({ $0.lines }) { Output.print(line) }
      for invitation in table.orderedInvitations { Output.print(invitation.line) }
    }
    try watchAnswers()
    while !isEnding, Output.isTaken {
      draw()
      let rest = due - Instant.now()
      if rest > .zero { _ = try reactor.turn(timeout: rest) } else { try act() }
    }
  }

  private func watchAnswers() throws(SystemError) {
    guard let client else { return }
    answerWatch = try reactor.watch(
      client.fileDescriptor, for: .readable, calling(self) { watch, _ in watch.takeAnswer() })
  }

  // MARK: Requests

  /// Sends the next request, or cancels the current one, which has received no response.
  private func act() throws(SystemError) {
    guard !isAsking else {
      return lose(.failed(HelperLoss.silent.sentence(), "webhooks-silent"))
    }
    var isNew = false
    do throws(CommandFailure) {
      isNew = client == nil
      let current = if let client { client } else { try Homeserver.connect(configuration) }
      client = current
      // After a failure, everything is requested again, because the session may be a different one.
      try current.begin(RoomTableRequest.path(since: rereads || isNew ? nil : table.next, withTexts: true))
    } catch { return lose(error) }
    (isAsking, isWhole, askedAt) = (true, rereads || isNew, Instant.now())
    due = askedAt + Limits.webhookAnswerMax
    if isNew { try watchAnswers() }
  }

  private func takeAnswer() {
    guard let current = client else { return }
    do throws(CommandFailure) {
      guard let bytes = try current.content() else { return }
      var new = isWhole ? RoomTable() : table
      guard new.read(bytes) else { throw RoomTable.malformed(current.place) }
      (isAsking, failureCount, screen.notice) = (false, 0, "")
      due = askedAt + (rereads ? Limits.roomRereadInterval : Limits.roomWatchInterval)
      take(new)
    } catch { lose(error) }
  }

  private func take(_ new: RoomTable) {
    let earlier = table
    table = new
    screen.show(new)
    guard terminal == nil else { return }
    for (room, message) in new.arrivals(since: earlier) {
      let time = WallTime.second(unixMilliseconds: message.unixMilliseconds)
      Output.print("\(time)  \(room.title)  \(message.sender.escaped)  \(message.text)")
    }
    for invitation in new.orderedInvitations where earlier.invitations[invitation.id] == nil {
      Output.print(invitation.line)
    }
  }

  /// Ends the connection after a failure, and schedules the next attempt.
  private func lose(_ failure: CommandFailure) {
    answerWatch = nil
    (client, isAsking) = (nil, false)
    let pause = Limits.roomRetry.pause(after: failureCount)
    failureCount += 1
    due = Instant.now() + pause
    // The time comes first, because a narrow terminal cuts off the rest.
    screen.notice = "trying again in \(pause.brief): \(failure.sentence ?? "")"
    if terminal == nil, !isEnding, failureCount == 1 { Output.printError("tappet matrix watch: " + screen.notice) }
  }

  // MARK: The terminal

  private func takeKeys() {
    guard let terminal else { return }
    var count = 0
    while let key = terminal.key() {
      count += 1
      if screen.press(key, page: max(1, terminal.size.rows - RoomScreen.frame)) { isEnding = true }
    }
    // Standard input is readable, but there is no key: the terminal has been closed.
    if count == 0, TerminalSize.current() == nil { isEnding = true }
  }

  private func draw() {
    guard let terminal else { return }
    if !terminal.adapt() { isEnding = true }
    let (columns, rows) = terminal.size
    terminal.show(
      screen.rows(columns: columns, rows: rows, now: SystemClock().now().unixMilliseconds), cursor: nil)
  }
}
