// A kiosk as its broker keeps it: the retained messages at tappet/ID/status and tappet/ID/state.

import TappetCommandLine
import TappetCore
import TappetJSON
import TappetPlatform

/// One kiosk of many.
struct FleetBoard {
  /// The condition of one part.
  struct Part {
    var isGood: Bool
    var code: String
  }

  /// The parts of its last state message that an administrator wants to see.
  struct State {
    var version: String
    var unixMilliseconds: Int64
    var light: String
    /// The parts that do not work, as `part: code`.
    var faults: [String]
    /// `nil` when it does not say.
    var reader: Part?
    /// `nil` before it has asked the kernel.
    var isClockGood: Bool?
    var isClockNeeded: Bool
    /// Messages that wait, for the broker and for web servers.
    var waiting: Int64
    /// When its first certificate expires; `nil` when it has none.
    var certificateEnd: Int64?
  }

  let clientID: String
  /// Whether its connection is up; `nil` while the broker has not said.
  private(set) var isOnline: Bool?
  private(set) var state: State?
  /// Whether there is something at its topic that is not a state.
  private(set) var isUnreadable = false

  init(_ clientID: String) { self.clientID = clientID }

  mutating func take(status payload: [UInt8]) {
    isOnline = payload.isEmpty ? nil : payload.elementsEqual("online".utf8)
  }

  mutating func take(state payload: [UInt8]) {
    // A later version may tell more than this one knows, fractions too.
    let isRead = payload.count <= Limits.fleetStateSizeMax
    state = isRead ? JSON(decoding: payload, roundsFractions: true).flatMap { State($0) } : nil
    isUnreadable = state == nil && !payload.isEmpty
  }

  /// Whether the broker keeps nothing about it any more.
  var isGone: Bool { isOnline == nil && state == nil && !isUnreadable }

  /// How long ago it last told its state; `nil` when it never did.
  func silence(at unixMilliseconds: Int64) -> Duration? {
    state.map { .milliseconds(max(0, unixMilliseconds - $0.unixMilliseconds)) }
  }

  /// Whole days until its first certificate expires, negative afterwards; `nil` when it has none.
  func certificateDays(at unixMilliseconds: Int64) -> Int64? {
    state?.certificateEnd.map { ($0 - unixMilliseconds) / 86_400_000 }
  }

  /// Its place among the others: 0 is the worst.
  func rank(at unixMilliseconds: Int64) -> Int { trouble(at: unixMilliseconds)?.rank ?? FleetAlert.rankOfNone }

  /// Returns the worst of what is wrong with it; `nil` when nothing is.
  func trouble(at unixMilliseconds: Int64) -> FleetAlert? {
    if isOnline != true { return .offline }
    if isUnreadable { return .unreadable }
    guard let state else { return nil }
    if let silence = silence(at: unixMilliseconds), silence > Limits.fleetSilenceMax { return .silent(silence) }
    if !state.faults.isEmpty { return .faults(state.faults) }
    if let days = certificateDays(at: unixMilliseconds), days < Limits.fleetCertificateDaysMin {
      return .certificate(days: days)
    }
    if state.isClockNeeded, state.isClockGood == false { return .clock }
    return state.waiting > 0 ? .waiting(state.waiting) : nil
  }
}

extension FleetBoard.State {
  /// The state in a message as docs/json.md describes it; `nil` when it is another.
  init?(_ json: JSON) {
    guard let light = json["light"]?.text, let version = json["version"]?.text,
      let time = json["time"]?.text.flatMap({ WallTime.unixMilliseconds(utc: $0) })
    else { return nil }
    self.light = light
    self.version = version
    unixMilliseconds = time
    faults = ["reader", "broker", "webhooks", "rooms", "inventory", "site", "disk", "panel"].compactMap { part in
      guard let fact = json[part], fact["good"] == .bool(false) else { return nil }
      return part + ": " + (fact["code"]?.text ?? "?")
    }
    reader = FleetBoard.Part(json["reader"])
    isClockGood = json["clock"]?["good"].flatMap { if case .bool(let isGood) = $0 { isGood } else { nil } }
    isClockNeeded = json["clock"]?["needed"] == .bool(true)
    // A stranger's numbers may be too large to be added.
    let (sum, overflow) = (json["outbox"]?.wholeNumber ?? 0).addingReportingOverflow(
      json["webhooks_waiting"]?.wholeNumber ?? 0)
    waiting = overflow ? .max : sum
    certificateEnd = json["certificate_ends_at"]?.text.flatMap { WallTime.unixMilliseconds(utc: $0) }
  }
}

extension FleetBoard.Part {
  /// `nil` for what is not a part's condition.
  fileprivate init?(_ json: JSON?) {
    guard case .bool(let isGood)? = json?["good"] else { return nil }
    self.init(isGood: isGood, code: json?["code"]?.text ?? "")
  }
}

/// The kinds of trouble that a kiosk can have, the worst first.
enum FleetAlert {
  case offline
  case silent(Duration)
  case unreadable
  case faults([String])
  case certificate(days: Int64)
  case clock
  case waiting(Int64)

  /// Where a kiosk without trouble is.
  static let rankOfNone = 7

  /// Its place among the others: 0 is the worst.
  var rank: Int {
    switch self {
    case .offline: 0
    case .silent: 1
    case .unreadable: 2
    case .faults: 3
    case .certificate: 4
    case .clock: 5
    case .waiting: 6
    }
  }

  var code: String {
    switch self {
    case .offline: "offline"
    case .silent: "silent"
    case .unreadable: "unreadable"
    case .faults: "faults"
    case .certificate: "certificate-expiring"
    case .clock: "clock-unknown"
    case .waiting: "waiting"
    }
  }

  var sentence: String {
    switch self {
    case .offline: "not connected"
    case .silent(let time): "connected, but no state for \(time.brief)"
    case .unreadable: "its state is not one; another program publishes there, or its version is too new"
    case .faults(let faults): faults.joined(separator: ", ")
    case .certificate(let days): days < 0 ? "its certificate has expired" : "its certificate expires in \(days) days"
    case .clock: "its clock is not synchronised, and a message needs it"
    case .waiting(let count): count == 1 ? "1 message waits" : "\(count) messages wait"
    }
  }
}
