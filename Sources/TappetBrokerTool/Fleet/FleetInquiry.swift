// A request to many kiosks and their responses: which kiosks to query, which have responded, and which responses are
// pending. Does no I/O.

import TappetBroker
import TappetCommandLine
import TappetConfig
import TappetCore
import TappetJSON
import TappetPlatform

/// A kiosk's response to 'fleet run check'.
struct FleetAnswer {
  /// The status of one part.
  struct Finding {
    var part: String
    var isGood: Bool
    var code: String
    var text: String
  }

  var nonce: String
  var version: String
  var time: String
  var findings: [Finding]

  var isGood: Bool { findings.allSatisfy { $0.isGood } }
}

/// A kiosk to which the request may be sent.
struct FleetSubject {
  enum State {
    /// The request has not been sent yet.
    case unasked
    case asked(nonce: String, until: Instant)
    case answered(FleetAnswer)
    /// The response is malformed.
    case unreadable
    /// The broker rejected the request.
    case refused(code: Int32)
    case silent
    /// The kiosk is offline, or its name is not valid in a topic.
    case offline, unnameable
  }

  let clientID: String
  var isOnline = false
  var state = State.unasked
}

/// A check requested from the kiosks of a fleet.
struct FleetInquiry {
  /// A request to be published.
  struct Question {
    var topic: String
    var nonce: String
    /// The addressed kiosk; `nil` means all kiosks.
    var clientID: String?
  }

  private let topic: String
  /// The kiosks specified on the command line; empty means all.
  private let wanted: [String]
  private let patience: Duration
  private(set) var subjects: [FleetSubject] = []
  private var places: [String: Int] = [:]
  /// Indexes of kiosks to which no request has been sent yet, in reverse order.
  private var unasked: [Int] = []
  private var waiting = 0
  private var hasBegun = false

  /// The topics to subscribe to.
  static let filters = ["tappet/+/status", "tappet/+/check"]

  /// Creates a request to `topic`, in which each kiosk's name replaces a `+` level.
  init(topic: String, kiosks: [String], patience: Duration) {
    self.topic = topic
    wanted = kiosks
    self.patience = patience
    for clientID in kiosks where places[clientID] == nil { add(clientID) }
  }

  private mutating func add(_ clientID: String) {
    places[clientID] = subjects.count
    subjects.append(FleetSubject(clientID: clientID))
  }

  private var isForEach: Bool { topic.utf8.contains(UInt8(ascii: "+")) }

  private func topic(for clientID: String) -> String {
    topic.split(separator: "/", omittingEmptySubsequences: false).map { $0 == "+" ? clientID : String($0) }
      .joined(separator: "/")
  }

  // MARK: Messages

  mutating func take(_ message: LinkMessage, at now: Instant) {
    guard let (clientID, part) = Fleet.parts(of: message.topic) else { return }
    if part == "status" {
      takeStatus(message.payload.elementsEqual("online".utf8), of: clientID)
    } else if part == "check", !message.isRetained {
      takeAnswer(message.payload, of: clientID)
    }
  }

  private mutating func takeStatus(_ isOnline: Bool, of clientID: String) {
    if places[clientID] == nil {
      // A kiosk that connects later received no request, so no response is expected.
      guard wanted.isEmpty, !hasBegun, subjects.count < Limits.fleetBoardsMax else { return }
      add(clientID)
    }
    if let place = places[clientID] { subjects[place].isOnline = isOnline }
  }

  /// Ignores responses to other requests, and responses from kiosks without a pending request.
  private mutating func takeAnswer(_ payload: [UInt8], of clientID: String) {
    guard let place = places[clientID], case .asked(let nonce, _) = subjects[place].state else { return }
    guard let answer = FleetAnswer(payload) else {
      // A large response may also belong to a different client's request; the nonce is near its start.
      guard payload.containsNonce(nonce) else { return }
      return settle(place, .unreadable)
    }
    if answer.nonce == nonce { settle(place, .answered(answer)) }
  }

  /// Handles the broker's rejection of a request; `clientID` is `nil` for the request to all kiosks.
  mutating func refused(_ clientID: String?, code: Int32) {
    for place in subjects.indices where clientID == nil || subjects[place].clientID == clientID {
      if case .asked = subjects[place].state { settle(place, .refused(code: code)) }
    }
  }

  private mutating func settle(_ place: Int, _ state: FleetSubject.State) {
    if case .asked = subjects[place].state { waiting -= 1 }
    subjects[place].state = state
  }

  // MARK: Questions

  /// Starts the requests once the kiosks are known; returns the request to all kiosks if they share a topic.
  mutating func begin(at now: Instant, nonce: () -> String) -> Question? {
    hasBegun = true
    for place in subjects.indices {
      let subject = subjects[place]
      if !subject.isOnline {
        settle(place, .offline)
      } else if isForEach, !BrokerSettings.isClientID(subject.clientID) || !subject.clientID.isPrintable {
        settle(place, .unnameable)
      } else {
        unasked.append(place)
      }
    }
    unasked.reverse()
    guard !isForEach, !unasked.isEmpty else { return nil }
    let question = Question(topic: topic, nonce: nonce(), clientID: nil)
    for place in unasked { ask(place, question.nonce, at: now) }
    unasked = []
    return question
  }

  private mutating func ask(_ place: Int, _ nonce: String, at now: Instant) {
    subjects[place].state = .asked(nonce: nonce, until: now + patience)
    waiting += 1
  }

  /// Returns the next request to a single kiosk; `nil` if too many are pending or all have been sent.
  mutating func next(at now: Instant, nonce: () -> String) -> Question? {
    guard waiting < Limits.fleetQuestionsMax, let place = unasked.popLast() else { return nil }
    let question = Question(
      topic: topic(for: subjects[place].clientID), nonce: nonce(), clientID: subjects[place].clientID)
    ask(place, question.nonce, at: now)
    return question
  }

  /// Expires overdue requests; returns the next deadline, or `nil` if no request is pending.
  mutating func expire(at now: Instant) -> Instant? {
    var next: Instant?
    guard waiting > 0 else { return nil }
    for place in subjects.indices {
      guard case .asked(_, let until) = subjects[place].state else { continue }
      if until <= now { settle(place, .silent) } else { next = min(next ?? until, until) }
    }
    return next
  }

  /// Whether all requests have been sent, and no response is pending.
  var isDone: Bool { waiting == 0 && unasked.isEmpty }
}

extension FleetAnswer {
  /// Parses a response as described in docs/json.schema.json; returns `nil` for any other message.
  init?(_ payload: [UInt8]) {
    guard payload.count <= Limits.fleetStateSizeMax, let json = JSON(decoding: payload, roundsFractions: true),
      let nonce = json["nonce"]?.text, let version = json["version"]?.text, let time = json["time"]?.text,
      WallTime.unixMilliseconds(utc: time) != nil, let findings = json["findings"]?.elements
    else { return nil }
    self.init(nonce: nonce, version: version, time: time, findings: [])
    for finding in findings {
      guard let part = finding["part"]?.text, case .bool(let isGood)? = finding["good"] else { return nil }
      self.findings.append(
        Finding(part: part, isGood: isGood, code: finding["code"]?.text ?? "", text: finding["text"]?.text ?? ""))
    }
  }
}

extension [UInt8] {
  /// Whether the nonce occurs near the start of a message.
  fileprivate func containsNonce(_ nonce: String) -> Bool {
    let (front, nonce) = (prefix(Limits.fleetStateSizeMax), Array(nonce.utf8))
    guard front.count >= nonce.count else { return false }
    return (0...front.count - nonce.count).contains { front[$0..<$0 + nonce.count].elementsEqual(nonce) }
  }
}
