// A question to many kiosks and their answers: whom to ask, who has answered, what is still awaited. Does no I/O.

import TappetBroker
import TappetCommandLine
import TappetConfig
import TappetCore
import TappetJSON
import TappetPlatform

/// An answer of a kiosk to 'fleet run check'.
struct FleetAnswer {
  /// The condition of one part.
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

/// A kiosk that is asked, or is not.
struct FleetSubject {
  enum State {
    /// Not asked yet.
    case unasked
    case asked(nonce: String, until: Instant)
    case answered(FleetAnswer)
    /// Something came in answer that is not one.
    case unreadable
    /// The broker does not take the question.
    case refused(code: Int32)
    case silent
    /// Not connected, or its name cannot be part of a topic.
    case offline, unnameable
  }

  let clientID: String
  var isOnline = false
  var state = State.unasked
}

/// A check that is asked of a fleet.
struct FleetInquiry {
  /// A question that is to be published.
  struct Question {
    var topic: String
    var nonce: String
    /// Whom it is for; `nil` means everybody.
    var clientID: String?
  }

  private let topic: String
  /// The kiosks that were named; empty means all.
  private let wanted: [String]
  private let patience: Duration
  private(set) var subjects: [FleetSubject] = []
  private var places: [String: Int] = [:]
  /// Places that have not been asked, the last one first.
  private var unasked: [Int] = []
  private var waiting = 0
  private var hasBegun = false

  /// The topics to subscribe to.
  static let filters = ["tappet/+/status", "tappet/+/check"]

  /// A question at `topic`, in which a level `+` stands for each kiosk's name.
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
      // One that connects later was not asked, and is not waited for.
      guard wanted.isEmpty, !hasBegun, subjects.count < Limits.fleetBoardsMax else { return }
      add(clientID)
    }
    if let place = places[clientID] { subjects[place].isOnline = isOnline }
  }

  /// Answers to other questions, and those of nobody who was asked, do not count.
  private mutating func takeAnswer(_ payload: [UInt8], of clientID: String) {
    guard let place = places[clientID], case .asked(let nonce, _) = subjects[place].state else { return }
    guard let answer = FleetAnswer(payload) else {
      // Somebody else's question may have a large answer, too; the nonce is in the front.
      guard payload.containsNonce(nonce) else { return }
      return settle(place, .unreadable)
    }
    if answer.nonce == nonce { settle(place, .answered(answer)) }
  }

  /// The broker does not take a question; `nil` means the one to everybody.
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

  /// The kiosks are known: returns the question to everybody, where there is one.
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

  /// The next question of one kiosk; `nil` when enough are waited for, or all were asked.
  mutating func next(at now: Instant, nonce: () -> String) -> Question? {
    guard waiting < Limits.fleetQuestionsMax, let place = unasked.popLast() else { return nil }
    let question = Question(
      topic: topic(for: subjects[place].clientID), nonce: nonce(), clientID: subjects[place].clientID)
    ask(place, question.nonce, at: now)
    return question
  }

  /// Gives up those whose time is over; returns when the next one's is, `nil` when none is waited for.
  mutating func expire(at now: Instant) -> Instant? {
    var next: Instant?
    guard waiting > 0 else { return nil }
    for place in subjects.indices {
      guard case .asked(_, let until) = subjects[place].state else { continue }
      if until <= now { settle(place, .silent) } else { next = min(next ?? until, until) }
    }
    return next
  }

  /// Whether nobody is waited for and nobody is still to be asked.
  var isDone: Bool { waiting == 0 && unasked.isEmpty }
}

extension FleetAnswer {
  /// The answer in a message as docs/json.md describes it; `nil` when it is another.
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
  /// Whether the nonce occurs in the front of a message.
  fileprivate func containsNonce(_ nonce: String) -> Bool {
    let (front, nonce) = (prefix(Limits.fleetStateSizeMax), Array(nonce.utf8))
    guard front.count >= nonce.count else { return false }
    return (0...front.count - nonce.count).contains { front[$0..<$0 + nonce.count].elementsEqual(nonce) }
  }
}
