// Limits of commands that are received over the broker.

extension Limits {
  /// Number of command topics; each represents one sender, or one way to trust senders.
  package static let commandTopicsMax = 16
  /// Bytes of a command: a dozen short members, or an action URL of the older form.
  package static let commandSizeMax = 2 * 1024
  /// Letters of a command that is one word: `toggle` is the longest.
  package static let outputWordSizeMax = 8
  /// Bytes of a command's id, which the replies repeat.
  package static let commandIDSizeMax = 64
  /// Bytes of a nonce; a UUID has 36.
  package static let commandNonceSizeMax = 64
  /// Fewest characters of a nonce; shorter ones repeat.
  package static let commandNonceSizeMin = 8
  /// Default tolerance between a command's time and the clock; the same as in the ESP32 firmware.
  package static let commandWindow: Duration = .seconds(5)
  /// Longest command window; with a longer one, commands would have to be remembered for too long.
  package static let commandWindowMax: Duration = .seconds(600)
  /// Tolerance for a token's time in the future with `lax`: a phone in another time zone, or with a drifting clock.
  package static let laxWindow: Duration = .seconds(86_400)
  /// Tokens under unknown keys after which a topic's window is `commandWindow`: an old phone tries a few times.
  package static let guessesMax = 10
  /// Time without such tokens after which the topic's own window applies again; slower guessing takes decades.
  package static let guessesQuietMin: Duration = .seconds(600)
  /// Default number of commands of one topic, per burst and per minute.
  package static let commandsPerMinute: Int64 = 30
  /// Largest configurable number of commands per minute; a faster sender is a loop.
  package static let commandsPerMinuteMax: Int64 = 600
  /// Tokens and signatures of a topic that are remembered; if more arrive within their window, they are refused.
  package static let commandsRememberedMax = 1024
  /// Bytes of the text about one part in the answer to a check.
  package static let checkTextSizeMax = 512
  /// Accepted commands whose completion report is pending; for a further one the oldest is not reported.
  package static let commandRepliesMax = 64
  /// Replies to refused commands of a topic, per burst and per minute: a flood must not be answered with a flood.
  package static let refusalRepliesMax = 60
  /// `commandWindow` for lines in rooms, which people type and which pass through two homeservers.
  package static let roomCommandWindow: Duration = .seconds(30)
  /// Users who may command a kiosk in a room.
  package static let roomUsersMax = 64
  /// Highest power level that a configuration may require: homeservers assign 100, and 150 to owners.
  package static let roomPowerLevelMax: Int64 = 1000
  /// Rows of the log of taps in the answer to `!history`.
  package static let roomHistoryMax = 10
  /// Timeout of a long poll for new events.
  package static let roomPollMax: Duration = .seconds(30)
  /// Bytes of an answer about rooms; 20 lines of 64 KB do not fit, and are not commands.
  package static let roomAnswerSizeMax = 1024 * 1024
  /// Bytes of one message between the kiosk and the listening process.
  package static let roomWireSizeMax = 8 * 1024
  /// Bytes of a line that could be a command.
  package static let roomLineSizeMax = 512
  /// Backoff after a homeserver failure.
  package static var roomRetry: Backoff { Backoff(.seconds(1), upTo: .seconds(60)) }
  /// Answers in a row within a second, after which a homeserver that always has more is polled once a second.
  package static let roomHastyAnswersMax = 20
  /// Time without a sign of life after which the process counts as hung: it sends one after each answer or failure.
  package static let roomSignMax: Duration = .seconds(180)
  /// Attempts to send one answer.
  package static let roomAnswerTriesMax = 5
  /// Reactions and replies waiting for the homeserver; a further one replaces the oldest.
  package static let roomAnswersMax = 16
  /// Time after which the firmware's command 4 stops.
  package static let firmwareStopsAfter: Duration = .seconds(10)
  /// Time after which the firmware's command 4 closes.
  package static let firmwareClosesAfter: Duration = .seconds(60)
  /// Time that a stop or a close waits for its line, after a reload or a start.
  package static let firmwareLateMax: Duration = .seconds(60)
  /// Interval at which the line is searched for again.
  package static let firmwareRetryInterval: Duration = .seconds(1)
  /// Interval of the firmware's reports.
  package static let firmwareReportInterval: Duration = .seconds(600)
  /// Bytes of MQTT 5's correlation data that are returned; RFC 4122 names take 16 or 36.
  package static let correlationSizeMax = 128
  /// Messages per topic and second that the link passes on; excess messages are discarded.
  package static let commandsPerSecondMax = 200
  /// Bytes of commands that a broker may send in one burst.
  package static let commandBytesMax: Int64 = 4 << 20
  /// Bytes of commands per second after such a burst.
  package static let commandBytesPerSecond: Int64 = 256 * 1024
}
