// The questions that were asked in rooms, and which event each is.

import TappetCore

/// The questions that are open; the kiosk has one at a time, and the next one may begin before the last is closed.
struct RoomQuestions {
  private struct Question {
    var number: UInt64
    var room: String
    /// `nil` until the homeserver has said.
    var event: String?
    /// How it has ended, if it was closed before that.
    var closing: String?
  }

  private var questions: [Question] = []
  /// Reactions to events that are not known yet: the answer to a question can be there before that to its request.
  private var early: [(room: String, event: String, answer: RoomAnswer)] = []

  mutating func ask(_ number: UInt64, in room: String) {
    if questions.count >= Limits.roomAnswersMax { questions.removeFirst() }
    questions.append(Question(number: number, room: room))
  }

  /// The question has become this event; returns the reactions to it that were there before, and the room and the text
  /// of its end, if it was closed meanwhile.
  mutating func said(_ number: UInt64, as event: String) -> ([RoomAnswer], end: (room: String, text: String)?) {
    guard let place = questions.firstIndex(where: { $0.number == number }) else { return ([], nil) }
    questions[place].event = event
    let question = questions[place]
    if let text = question.closing {
      questions.remove(at: place)
      return ([], (question.room, text))
    }
    let answers = early.filter { $0.room == question.room && $0.event == event }.map { $0.answer }
    return (answers.map { RoomAnswer(question: number, user: $0.user, power: $0.power, isYes: $0.isYes) }, nil)
  }

  /// The answer that a reaction is; `nil` unless it is to the very event of a question that is open.
  mutating func reacted(to event: String, in room: String, _ answer: RoomAnswer) -> RoomAnswer? {
    if let question = questions.first(where: { $0.room == room && $0.event == event && $0.closing == nil }) {
      var answer = answer
      answer.question = question.number
      return answer
    }
    guard questions.contains(where: { $0.room == room && $0.event == nil }) else { return nil }
    if early.count >= Limits.roomAnswersMax { early.removeFirst() }
    early.append((room, event, answer))
    return nil
  }

  /// Forgets the question; returns its room and event, if it has one.
  ///
  /// One whose request is `underWay` is kept until the answer to that, because its end comes after it in the room.
  mutating func close(_ number: UInt64, _ text: String, underWay: Bool) -> (room: String, event: String)? {
    guard let place = questions.firstIndex(where: { $0.number == number }) else { return nil }
    let question = questions[place]
    early.removeAll { $0.room == question.room }
    if question.event == nil, underWay {
      questions[place].closing = text
      return nil
    }
    questions.remove(at: place)
    return question.event.map { (question.room, $0) }
  }
}
