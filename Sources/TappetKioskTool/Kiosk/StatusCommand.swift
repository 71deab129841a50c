// tappet status: the status that the running kiosk reports.

import TappetCommandLine
import TappetCore
import TappetJSON
import TappetKiosk
import TappetMessages
import TappetPlatform

extension Command {
  package static var status: Command {
    @export(interface) get {
      Command(
        words: "status", section: .running, summary: "show the state of the running kiosk",
        options: [
          .prometheus("print metrics for Prometheus, whether or not a kiosk is running"), .metricsFile, .json,
        ],
        details: """
          Queries the running kiosk, even while its configuration file has errors: the kiosk keeps its previous
          configuration.
          Exit status: 0 nothing is wrong; 1 something is wrong, or the last reload was rejected; 3 the
          configuration has errors, and no kiosk is listening on its socket; 4 no kiosk is running. A
          certificate that is about to expire is not a fault yet; see days_left in --json. With --prometheus, 0
          means that the metrics were written, whatever their values; 4 also that this user may not ask the kiosk.
          """,
        usageError: MetricsText.usageError,
        body: .running { (arguments, configuration) throws(CommandFailure) in
          if arguments.has("prometheus") {
            var kiosk: RunningKiosk?
            do throws(CommandFailure) { kiosk = try RunningKiosk.find(configuration) } catch {
              Output.printError(error.sentence ?? "")
            }
            // Whether the kiosk is up is not known.
            if kiosk == nil, RunningKiosk.isForbidden(configuration) {
              throw .failed(RunningKiosk.absence(configuration), FailureCode.kioskAbsent)
            }
            let status = kiosk?.ask(.status)?.json
            return try MetricsText.write(Metrics(status).text, arguments)
          }
          guard let kiosk = try RunningKiosk.find(configuration) else {
            throw .failed(RunningKiosk.absence(configuration), FailureCode.kioskAbsent)
          }
          guard let status = kiosk.ask(.status)?.json else {
            throw .failed("the kiosk does not respond; check its log", FailureCode.kioskSilent)
          }
          if let report = arguments.report { report.set(status) } else { show(status) }
          let isGood = statusParts(of: status).allSatisfy { status[$0.rawValue]?["good"] == .bool(true) }
          let isClockMissed = status["clock"]?["good"] == .bool(false) && status["clock"]?["needed"] == .bool(true)
          let isRejected = status["reload"]?["good"] == .bool(false)
          let isZoneMissed = status["clock"]?["zone"]?.text != nil
          if !isGood || isClockMissed || isZoneMissed || isRejected { throw .found }
        })
    }
  }

  /// Returns the parts of the kiosk that report a status.
  static func statusParts(of status: JSON) -> [KioskPart] {
    KioskPart.allCases.filter { (status[$0.rawValue] ?? .null) != .null }
  }

  private static func show(_ status: JSON) {
    let name = status["client_id"]?.text.map { $0 + ", " } ?? ""
    line("kiosk     \(name)up \(status["uptime_seconds"]?.wholeNumber ?? 0) s")
    line("light     \(status["light"]?.text ?? "")")
    for part in statusParts(of: status) {
      guard let state = status[part.rawValue] else { continue }
      let certificate = state["certificate"]?.text.map { "; SHA-256 of its certificate: \($0)" } ?? ""
      let extra = part == .webhooks ? webhookCounts(state) : certificate
      line(Help.padded(part.rawValue, 10) + (state["text"]?.text ?? "") + extra)
      if part == .rooms { showUnread(state) }
    }
    for output in status["outputs"]?.elements ?? [] {
      line("output    " + (output["name"]?.text ?? "") + ": " + outputState(output))
    }
    for input in status["inputs"]?.elements ?? [] {
      line("input     " + (input["name"]?.text ?? "") + ": " + inputState(input))
    }
    for certificate in status["certificates"]?.elements ?? [] {
      let days = certificate["days_left"]?.wholeNumber ?? 0
      line(
        "expires   \(days < 0 ? "expired" : "\(days) days left"): \((certificate["subject"]?.text ?? "").quoted), "
          + (certificate["file"]?.text ?? ""))
    }
    line("clock     " + clock(status))
    if let zone = status["clock"]?["zone"]?.text { line("time zone " + zone) }
    for topic in status["commands"]?.elements ?? [] {
      func count(_ name: String) -> String { String(topic[name]?.wholeNumber ?? 0) }
      let retained = count("retained") == "0" ? "" : ", \(count("retained")) of them retained"
      let name = topic["topic"]?.text ?? ""
      let fault = RoomAddress.isValid(name) ? "not listening (see 'tappet check'), " : "not subscribed, "
      line(
        "commands  \(name): " + (topic["good"] == .bool(true) ? "" : fault)
          + "accepted " + count("accepted") + ", refused " + count("refused") + retained)
    }
    if let reload = status["reload"], reload != .null {
      line("reload    " + time(reload) + (reload["text"]?.text ?? ""))
    }
    let aside = status["set_aside"]?.wholeNumber ?? 0
    line("outbox    \(status["outbox"]?.wholeNumber ?? 0) pending" + (aside > 0 ? ", \(aside) of them set aside" : ""))
    if case .object(let counts)? = status["counters"] {
      line("counters  " + counts.map { "\($0.name) \($0.value.wholeNumber ?? 0)" }.joined(separator: ", "))
    }
    for tap in status["taps"]?.elements ?? [] {
      let uid = tap["uid"]?.text.map { "  " + $0 } ?? ""
      let by = tap["by"]?.text.map { "  " + $0 } ?? ""
      line("tap       " + time(tap) + (tap["text"]?.text ?? "") + uid + by)
    }
  }

  /// Prints one line, escaping unprintable characters in the kiosk's response.
  private static func line(_ text: String) { Output.print(text.escaped) }

  /// Returns the state of an input in a response, and since when it has it.
  static func inputState(_ input: JSON) -> String {
    let state = input["state"]?.text ?? ""
    if state == "unknown" { return "line missing" }
    let isExit = input["kind"]?.text == InputKind.exit.word
    var text = isExit ? (state == "open" ? "pressed" : "not pressed") : state
    if state == "open", input["cause"]?.text == "forced" { text += " by force" }
    if input["held_open"] == .bool(true) { text += " for too long" }
    if let since = input["since"]?.text.flatMap({ WallTime.unixMilliseconds(utc: $0) }) {
      text += " since " + WallTime.brief(unixMilliseconds: since, now: SystemClock().now().unixMilliseconds)
    }
    return text
  }

  /// Returns whether somebody should look after the input.
  static func isAlarm(_ input: JSON) -> Bool {
    let isForced = input["state"]?.text == "open" && input["cause"]?.text == "forced"
    return isForced || input["state"]?.text == "unknown" || input["held_open"] == .bool(true)
  }

  private static func webhookCounts(_ status: JSON) -> String {
    var text = "; \(status["waiting"]?.wholeNumber ?? 0) pending"
    for count in status["counters"]?.members ?? [] {
      text += ", " + (count.name == "given_up" ? "given up" : count.name) + " \(count.value.wholeNumber ?? 0)"
    }
    return text
  }

  private static func showUnread(_ status: JSON) {
    func count(_ name: String) -> UInt32? { status[name]?.wholeNumber.map { UInt32(clamping: $0) } }
    guard let rooms = count("unread_rooms"), let messages = count("unread"), let mentions = count("mentions") else {
      return
    }
    line("unread    " + RoomUnread.counted(rooms: rooms, messages: messages, mentions: mentions).sentence)
  }

  /// Returns the time of an event, as a prefix for its line.
  private static func time(_ fact: JSON) -> String {
    guard let time = fact["time"]?.text.flatMap({ WallTime.unixMilliseconds(utc: $0) }) else { return "" }
    return WallTime.brief(unixMilliseconds: time, now: SystemClock().now().unixMilliseconds) + "  "
  }

  private static func clock(_ status: JSON) -> String {
    if status["clock"]?["trusted"] == .bool(true) { return "trusted because of 'clock: trust'" }
    if status["clock"]?["good"] == .bool(true) { return "good" }
    let state = "not synchronized, or set back"
    return status["clock"]?["needed"] == .bool(true) ? state : state + "; not needed"
  }
}
