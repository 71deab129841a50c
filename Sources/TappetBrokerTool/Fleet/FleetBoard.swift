// A kiosk according to the retained messages on its topics tappet/ID/status and tappet/ID/state.

import TappetCommandLine
import TappetCore
import TappetJSON
import TappetMessages
import TappetPlatform

/// One kiosk of a fleet.
struct FleetBoard {
  /// The status of one part.
  struct Part {
    var isGood: Bool
    var code: String
  }

  /// The members of a kiosk's last state message that matter to an administrator.
  struct State {
    var version: String
    var unixMilliseconds: Int64
    var light: String
    /// The parts with a fault, as `part: code`.
    var faults: [String]
    /// `nil` if the message does not contain the reader's status.
    var reader: Part?
    /// `nil` if the kiosk had not queried the kernel yet.
    var isClockGood: Bool?
    var isClockNeeded: Bool
    /// Number of pending messages, for the broker and for web servers.
    var waiting: Int64
    /// Expiry time of the first certificate to expire; `nil` if there are no certificates.
    var certificateEnd: Int64?
  }

  let clientID: String
  /// Whether the kiosk is connected; `nil` until the broker has sent its status.
  private(set) var isOnline: Bool?
  private(set) var state: State?
  /// Whether the retained message on the state topic is invalid.
  private(set) var isUnreadable = false

  init(_ clientID: String) { self.clientID = clientID }

  mutating func take(status payload: [UInt8]) {
    isOnline = payload.isEmpty ? nil : payload.elementsEqual("online".utf8)
  }

  mutating func take(state payload: [UInt8]) {
    // A later version may add members that are unknown here, including fractions.
    let isRead = payload.count <= Limits.fleetStateSizeMax
    state = isRead ? JSON(decoding: payload, roundsFractions: true).flatMap { State($0) } : nil
    isUnreadable = state == nil && !payload.isEmpty
  }

  /// Whether the broker no longer retains any message from the kiosk.
  var isGone: Bool { isOnline == nil && state == nil && !isUnreadable }

  /// Returns the time since the last state message; `nil` if there was none.
  func silence(at unixMilliseconds: Int64) -> Duration? {
    state.map { .milliseconds(max(0, unixMilliseconds - $0.unixMilliseconds)) }
  }

  /// Returns the whole days until the first certificate expires, negative afterwards; `nil` if there are none.
  func certificateDays(at unixMilliseconds: Int64) -> Int64? {
    state?.certificateEnd.map { ($0 - unixMilliseconds) / 86_400_000 }
  }

  /// Returns the sort rank among all kiosks; 0 is the most severe.
  func rank(at unixMilliseconds: Int64) -> Int { trouble(at: unixMilliseconds)?.rank ?? FleetAlert.rankOfNone }

  /// Returns the most severe alert; `nil` if there is none.
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
  /// Parses a state message as described in docs/json.schema.json; returns `nil` for any other message.
  init?(_ json: JSON) {
    guard let light = json["light"]?.text, let version = json["version"]?.text,
      let time = json["time"]?.text.flatMap({ WallTime.unixMilliseconds(utc: $0) })
    else { return nil }
    self.light = light
    self.version = version
    unixMilliseconds = time
    faults = KioskPart.allCases.compactMap { part in
      guard let fact = json[part.rawValue], fact["good"] == .bool(false) else { return nil }
      return part.rawValue + ": " + (fact["code"]?.text ?? "?")
    }
    reader = FleetBoard.Part(json["reader"])
    isClockGood = json["clock"]?["good"].flatMap { if case .bool(let isGood) = $0 { isGood } else { nil } }
    isClockNeeded = json["clock"]?["needed"] == .bool(true)
    // The sum of numbers from an untrusted message may overflow.
    let (messages, requests) = (json["outbox"]?.wholeNumber ?? 0, json["webhooks_waiting"]?.wholeNumber ?? 0)
    guard messages >= 0, requests >= 0 else { return nil }
    let (sum, overflow) = messages.addingReportingOverflow(requests)
    waiting = overflow ? .max : sum
    certificateEnd = json["certificate_ends_at"]?.text.flatMap { WallTime.unixMilliseconds(utc: $0) }
  }
}

extension FleetBoard.Part {
  /// Parses the status of a part; `nil` for any other value.
  fileprivate init?(_ json: JSON?) {
    guard case .bool(let isGood)? = json?["good"] else { return nil }
    self.init(isGood: isGood, code: json?["code"]?.text ?? "")
  }
}

/// The kinds of alert that a kiosk can have, the most severe first.
enum FleetAlert {
  case offline
  case silent(Duration)
  case unreadable
  case faults([String])
  case certificate(days: Int64)
  case clock
  case waiting(Int64)

  /// The rank of a kiosk without an alert.
  static let rankOfNone = 7

  /// Sort rank: 0 is the most severe.
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
    case .silent(let time): "connected, but no state received for \(time.brief)"
    case .unreadable: "its state is malformed: another program publishes to its topic, or its version is too new"
    case .faults(let faults): faults.joined(separator: ", ")
    case .certificate(let days): days < 0 ? "its certificate has expired" : "its certificate expires in \(days) days"
    case .clock: "its clock is not synchronized, but a message needs the time"
    case .waiting(let count): plural(count, "pending message")
    }
  }
}
