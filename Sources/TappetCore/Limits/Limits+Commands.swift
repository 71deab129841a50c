// Limits of commands that come in over the broker.

extension Limits {
  /// Topics with commands; each is one sender, or one way to trust senders.
  package static let commandTopicsMax = 16
  /// Bytes of a command: a dozen short members, or an action URL of the older form.
  package static let commandSizeMax = 2 * 1024
  /// Letters of a command that is one word: `toggle` is the longest.
  package static let outputWordSizeMax = 8
  /// Bytes of a command's id, which returns in the replies.
  package static let commandIDSizeMax = 64
  /// Bytes of a nonce; a UUID has 36.
  package static let commandNonceSizeMax = 64
  /// Characters of a nonce: shorter ones repeat.
  package static let commandNonceSizeMin = 8
  /// Difference between a command's time and the clock, if the configuration sets no other; the ESP32 firmware's own.
  package static let commandWindow: Duration = .seconds(5)
  /// A longer one would have to be remembered for too long.
  package static let commandWindowMax: Duration = .seconds(600)
  /// How far ahead a token's time may be with `lax`: a phone in another time zone, or whose clock drifts.
  package static let laxWindow: Duration = .seconds(86_400)
  /// Tokens under no known key after which a topic's window is `commandWindow`: an old phone tries a few times.
  package static let guessesMax = 10
  /// Time without such tokens after which the topic's own window counts again; slower guesses take decades.
  package static let guessesQuietMin: Duration = .seconds(600)
  /// Commands of one topic at once and per minute, if the configuration sets no other number.
  package static let commandsPerMinute: Int64 = 30
  /// A faster sender is a loop.
  package static let commandsPerMinuteMax: Int64 = 600
  /// Tokens and signatures of a topic that are remembered; with more within their window, further ones are refused.
  package static let commandsRememberedMax = 1024
  /// Bytes of what the answer to a check says about one part.
  package static let checkTextSizeMax = 512
  /// Accepted commands whose end is still to be reported; for a further one the oldest is not reported.
  package static let commandRepliesMax = 64
  /// Replies to refused commands of a topic, at once and per minute: a flood must not be answered by another one.
  package static let refusalRepliesMax = 60
  /// `commandWindow` for lines in rooms, which pass through two homeservers, and which people type.
  package static let roomCommandWindow: Duration = .seconds(30)
  /// Users who may command a kiosk in a room.
  package static let roomUsersMax = 64
  /// The highest power level that a configuration may ask for: homeservers give 100, and 150 to owners.
  package static let roomPowerLevelMax: Int64 = 1000
  /// Rows of the log of taps in the answer to `!history`.
  package static let roomHistoryMax = 10
  /// Time that a homeserver may wait for news before it answers.
  package static let roomPollMax: Duration = .seconds(30)
  /// Bytes of an answer about rooms; 20 lines of 64 KB do not fit, and are not commands.
  package static let roomAnswerSizeMax = 1024 * 1024
  /// Bytes of one message between the kiosk and the process that listens.
  package static let roomWireSizeMax = 8 * 1024
  /// Bytes of a line that could be a command.
  package static let roomLineSizeMax = 512
  /// The pauses after a homeserver failed.
  package static var roomRetry: Backoff { Backoff(.seconds(1), upTo: .seconds(60)) }
  /// Without a sign for this long the process hangs: it gives one after each answer, and each failure.
  package static let roomSignMax: Duration = .seconds(180)
  /// Attempts to give one answer.
  package static let roomAnswerTriesMax = 5
  /// Reactions and replies that wait for the homeserver; the oldest makes room.
  package static let roomAnswersMax = 16
  /// The firmware's command 4 stops after this time.
  package static let firmwareStopsAfter: Duration = .seconds(10)
  /// The firmware's command 4 closes after this time.
  package static let firmwareClosesAfter: Duration = .seconds(60)
  /// Time that a stop or a close waits for its line, after a reload or a start.
  package static let firmwareLateMax: Duration = .seconds(60)
  /// The line is looked for again after this time.
  package static let firmwareRetryInterval: Duration = .seconds(1)
  /// Interval of the firmware's reports.
  package static let firmwareReportInterval: Duration = .seconds(600)
  /// Bytes of MQTT 5's correlation data that are returned; RFC 4122 names take 16 or 36.
  package static let correlationSizeMax = 128
  /// Messages of a topic and a second that the link passes on; what is more is thrown away.
  package static let commandsPerSecondMax = 200
  /// Bytes of commands that a broker may send at once.
  package static let commandBytesMax: Int64 = 4 << 20
  /// Bytes of commands per second from then on.
  package static let commandBytesPerSecond: Int64 = 256 * 1024
}
