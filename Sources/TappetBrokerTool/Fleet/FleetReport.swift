// The responses from a fleet, as a table with all faults, and as JSON.

import TappetCommandLine
import TappetCore
import TappetJSON
import TappetMessages

/// The outcome for each kiosk, with the worst first.
struct FleetReport {
  private let subjects: [FleetSubject]

  init(_ subjects: [FleetSubject]) {
    self.subjects = subjects.sorted {
      $0.rank == $1.rank ? $0.clientID < $1.clientID : $0.rank < $1.rank
    }
  }

  /// Whether there is at least one kiosk, and all kiosks have responded without faults.
  var isGood: Bool { !subjects.isEmpty && subjects.allSatisfy { $0.result == "good" } }

  func print() {
    for line in lines() { Output.print(line) }
    Output.printError(summary)
    guard subjects.contains(where: { $0.result == "silent" }) else { return }
    Output.printError(
      "A kiosk that did not respond does not accept 'run check' on this topic with this key (commands.md), or its "
        + "clock differs from this machine's; its log states the reason ('command-refused').")
  }

  /// Returns a line for each kiosk, and a line for each additional part with a fault.
  func lines() -> [String] {
    let names = subjects.map { $0.clientID.escaped }
    let width = min(32, names.reduce(0) { max($0, $1.unicodeScalars.count) })
    return zip(subjects, names).flatMap { subject, name in
      subject.sentences.enumerated().map { index, sentence in
        let front = index == 0 ? name : ""
        let space = String(repeating: " ", count: max(0, width - front.unicodeScalars.count))
        return front + space + "  " + Help.padded(subject.mark, 6) + sentence.escaped
      }
    }
  }

  /// The totals as a sentence.
  var summary: String {
    if subjects.isEmpty { return "no kiosks found on this broker" }
    let count = subjects.count
    let answered = subjects.count { $0.answer != nil }
    let bad = subjects.count { $0.result == "bad" }
    return "\(plural(count, "kiosk")), \(answered) responded, \(bad) with problems"
  }

  var json: JSON {
    .object([
      "kiosks": .array(
        subjects.map { subject in
          .object([
            "client_id": .string(subject.clientID), "result": .string(subject.result),
            "version": .optional(subject.answer?.version), "time": .optional(subject.answer?.time),
            "findings": subject.answer.map { .array($0.findings.map { $0.json }) } ?? .null,
          ])
        })
    ])
  }
}

extension FleetAnswer.Finding {
  fileprivate var json: JSON {
    .object(["part": .string(part), "good": .bool(isGood), "code": .string(code), "text": .string(text)])
  }
}

extension FleetSubject {
  var answer: FleetAnswer? { if case .answered(let answer) = state { answer } else { nil } }

  /// The outcome as a machine-readable word.
  var result: String {
    switch state {
    case .answered(let answer): answer.isGood ? "good" : "bad"
    case .unreadable: "unreadable"
    case .refused: "refused"
    case .unasked, .asked, .silent: "silent"
    case .offline: "offline"
    case .unnameable: "unnameable"
    }
  }

  /// Sort rank: 0 is the worst.
  fileprivate var rank: Int {
    ["bad", "unreadable", "refused", "silent", "unnameable", "offline"].firstIndex(of: result) ?? 6
  }

  fileprivate var mark: String {
    switch result {
    case "good": "ok"
    case "bad": "FAIL"
    default: "-"
    }
  }

  fileprivate var sentences: [String] {
    switch state {
    case .answered(let answer) where answer.isGood:
      [plural(answer.findings.count, "part is good", "parts are good")]
    case .answered(let answer): answer.findings.filter { !$0.isGood }.map { $0.part + ": " + $0.text }
    case .unreadable: ["malformed response: the kiosk is a newer version, or another program publishes to its topic"]
    case .refused(let code): ["the broker refused the command: \(LinkFailure.publishRefusal(code))"]
    case .unasked, .asked, .silent: ["no response"]
    case .offline: ["not connected"]
    case .unnameable: ["its client id cannot be used in a topic"]
    }
  }
}
