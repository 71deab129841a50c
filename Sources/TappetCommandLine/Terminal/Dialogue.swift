// A dialogue with a browser instead of a terminal: lines and questions go to the parent process as JSON, and its
// answers come back. 'tappet init --web' is the parent.
//
//     {"line":"\nBroker"}                                              a line for the user; this one is a heading
//     {"line":"the host is empty","bad":true}                          a mistake
//     {"line":"Hold the tag to the reader","bad":false,"seconds":60}   what the user has this long for
//     {"progress":"writing … 12 of 38"}                                a line that the next one replaces
//     {"question":"Broker","default":"broker.example","kind":"text"}   the answer is "=" and its bytes
//     {"question":"Reader","kind":"text","choices":[{"answer":"none","text":"No reader"}],"other":"Device"}
//     {"result":0}                                                     the exit status, which ends the dialogue

import CPlatform
import TappetCore
import TappetJSON
import TappetPlatform

/// The answers to a question that a browser shows as buttons.
package struct Choices {
  /// The question without the words that are typed as answers.
  var question: String
  /// Each answer, with its text.
  var answers: [(String, String)]
  /// Label of the field for any other answer; `nil` if there are no others.
  var other: String?

  package init(_ question: String, _ answers: [(String, String)], other: String? = nil) {
    (self.question, self.answers, self.other) = (question, answers, other)
  }
}

/// The child's end of a dialogue.
///
/// Confined to the main thread.
package final class Dialogue {
  /// The form of an answer.
  enum Kind: String {
    case text, secret, yes
  }

  /// The dialogue that replaces the terminal; `nil` if there is none.
  nonisolated(unsafe) package static var current: Dialogue?

  private let parent: UnixSocket

  package init(_ parent: UnixSocket) { self.parent = parent }

  func tell(_ line: String, isBad: Bool = false, seconds: Int64? = nil) {
    send([
      "line": .string(line.escapedLines), "bad": .bool(isBad), "seconds": seconds.map { .number($0) } ?? .null,
    ])
  }

  func progress(_ text: String) { send(["progress": .string(text.escaped)]) }

  /// Reports the exit status at the end.
  package func end(_ status: Int32) { send(["result": .number(Int64(status))]) }

  /// Asks a question, and waits; `nil` if the parent has closed the socket, or a signal arrives.
  func ask(
    _ question: String, default usual: String? = nil, _ kind: Kind, _ choices: Choices? = nil,
    endedBy signals: HeldSignals
  ) -> [UInt8]? {
    _ = parent.send(Dialogue.message(question, default: usual, kind, choices).encoded())
    let known = [usual].compactMap { $0 } + (choices?.answers ?? []).map { $0.0 }
    while true {
      switch parent.receive(sizeMax: Limits.answerSizeMax) {
      case .closed: return nil
      // The first byte is "=": an empty message would be taken for the end.
      case .message(let bytes): return Dialogue.meaning(of: Array(bytes.dropFirst()), among: known)
      case .nothing: guard case .readable = signals.wait(for: parent.fileDescriptor, until: nil) else { return nil }
      }
    }
  }

  /// Returns the message with a question; its texts, some of which come from files, are escaped.
  static func message(_ question: String, default usual: String?, _ kind: Kind, _ choices: Choices?) -> JSON {
    let answers = choices?.answers.map { answer, text in
      JSON.object(["answer": .string(answer.escaped), "text": .string(text.escaped)])
    }
    return .object([
      "question": .string((choices?.question ?? question).escaped), "default": .optional(usual?.escaped),
      "kind": .string(kind.rawValue), "choices": answers.map { .array($0) } ?? .null,
      "other": .optional(choices?.other?.escaped),
    ])
  }

  /// Returns the known answer that the browser was shown as this text, or else the text.
  static func meaning(of typed: [UInt8], among known: [String]) -> [UInt8] {
    known.first { $0.escaped.utf8.elementsEqual(typed) }.map { Array($0.utf8) } ?? typed
  }

  private func send(_ members: KeyValuePairs<String, JSON>) {
    _ = parent.send(JSON.object(members.map { .init(name: $0.key, value: $0.value) }).encoded())
  }
}
