// The questions asked in rooms, and the Matrix event that contains each question.

import TappetCore

/// The open questions: usually one, but the kiosk may ask the next before the last is closed.
struct RoomQuestions {
  private struct Question {
    var number: UInt64
    var room: String
    /// Id of the question's event; `nil` until the homeserver has reported it.
    var event: String?
    /// Closing text, if the question was closed before its event was known.
    var closing: String?
  }

  private var questions: [Question] = []
  /// Reactions to unknown events: a user's answer can arrive before the homeserver's response to the question.
  private var early: [(room: String, event: String, answer: RoomAnswer)] = []

  mutating func ask(_ number: UInt64, in room: String) {
    if questions.count >= Limits.roomAnswersMax { questions.removeFirst() }
    questions.append(Question(number: number, room: room))
  }

  /// Records the question's event; returns the reactions that arrived before it, or the room and the closing text if
  /// the question was closed in the meantime.
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

  /// Returns the answer that a reaction represents; `nil` unless the reaction is to the event of an open question.
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

  /// Removes the question; returns its room and event, if the event is known.
  ///
  /// If the question is still being sent (`underWay`), it is kept until the response arrives, because the closing text
  /// must follow the question in the room.
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
