// Limits of commands that are received over the broker.

extension Limits {
  /// Maximum number of command topics; each represents one sender, or one way to trust senders.
  package static let commandTopicsMax = 16
  /// Maximum size of a command, in bytes: a dozen short members, or an action URL in the older format.
  package static let commandSizeMax = 2 * 1024
  /// Maximum length of a command that is one word, in letters.
  package static let outputWordSizeMax = 8
  /// Maximum length of a command's id, in bytes; the replies repeat it.
  package static let commandIDSizeMax = 64
  /// Maximum length of a nonce, in bytes; a UUID has 36.
  package static let commandNonceSizeMax = 64
  /// Minimum length of a nonce, in bytes; shorter ones repeat.
  package static let commandNonceSizeMin = 8
  /// Default maximum difference between a command's time and the clock; the same as in the ESP32 firmware.
  package static let commandWindow: Duration = .seconds(5)
  /// Longest configurable command window; with a longer one, commands would have to be remembered for too long.
  package static let commandWindowMax: Duration = .seconds(600)
  /// Maximum time by which a token may be in the future with `lax`, due to a phone's clock that is set by hand.
  package static let laxWindow: Duration = .seconds(86_400)
  /// Number of tokens under unknown keys after which `commandWindow` applies to a topic; old phones try a few times.
  package static let guessesMax = 10
  /// Time without such tokens after which the topic's configured window applies again; slower guessing takes decades.
  package static let guessesQuietMin: Duration = .seconds(600)
  /// Default maximum number of commands per topic, in a burst and per minute.
  package static let commandsPerMinute: Int64 = 30
  /// Largest configurable number of commands per minute; a sender that exceeds it is in an endless loop.
  package static let commandsPerMinuteMax: Int64 = 600
  /// Maximum number of tokens and signatures remembered per topic; more are refused within the same window.
  package static let commandsRememberedMax = 1024
  /// Number of outputs, actions and people whose newest command is remembered, beyond which old ones are forgotten.
  package static let commandSubjectsMax = 512
  /// Maximum length of the text about one part in the response to a check, in bytes.
  package static let checkTextSizeMax = 512
  /// Maximum number of accepted commands whose completion report is pending; beyond it, the oldest is not reported.
  package static let commandRepliesMax = 64
  /// Maximum number of replies to refused commands per topic, in a burst and per minute; a flood must not be answered
  /// with a flood.
  package static let refusalRepliesMax = 60
  /// Command window for lines in rooms, which people type and which pass through two homeservers; see `commandWindow`.
  package static let roomCommandWindow: Duration = .seconds(30)
  /// Maximum number of users who may command a kiosk in a room.
  package static let roomUsersMax = 64
  /// Number of users in one message to tappet-matrix; at 255 bytes each, they fit into `roomWireSizeMax`.
  package static let roomUsersPerOrder = 16
  /// Highest power level that a configuration may require; homeservers assign 100 to administrators, and 150 to owners.
  package static let roomPowerLevelMax: Int64 = 1000
  /// Maximum number of rows from the tap log in the reply to `!history`.
  package static let roomHistoryMax = 10
  /// Timeout of a long poll for new events.
  package static let roomPollMax: Duration = .seconds(30)
  /// Maximum size of a response about rooms, in bytes; 20 lines of 64 KB do not fit, and are not commands.
  package static let roomAnswerSizeMax = 1024 * 1024
  /// Maximum size of a message between the kiosk and tappet-matrix, in bytes.
  package static let roomWireSizeMax = 8 * 1024
  /// Maximum length of a position in the homeserver's events, in bytes; leaves room for the rest of `roomWireSizeMax`.
  package static let roomPositionSizeMax = 4 * 1024
  /// Maximum length of a line that could be a command, in bytes.
  package static let roomLineSizeMax = 512
  /// Backoff after a homeserver failure.
  package static var roomRetry: Backoff { Backoff(.seconds(1), upTo: .seconds(60)) }
  /// Number of consecutive immediate responses after which a homeserver that always has more is polled once a second.
  package static let roomHastyAnswersMax = 20
  /// Number of messages to the device in a full response, after which the homeserver may have more, and the interval at
  /// which it is then polled.
  package static let roomPageCount = 100
  package static let roomPageInterval: Duration = .milliseconds(100)
  /// Time without a sign of life after which the process counts as hung; it sends one after each response or failure.
  package static let roomSignMax: Duration = .seconds(180)
  /// Pause before a new process reads a session, certificates or keys that could not be read, as on a full disk.
  package static let roomFilesRetry: Duration = .seconds(15)
  /// Number of attempts without a valid certificate after which a new process reads the files again.
  package static let roomCertificateTriesMax = 5
  /// Number of processes in a row that die before they have read a response, after which the next one starts from the
  /// present: the response at this position would kill each of them.
  package static let roomDeathsMax = 2
  /// Maximum number of attempts to send a reply.
  package static let roomAnswerTriesMax = 5
  /// Pause before a reply is sent again, unless the homeserver specifies one.
  package static let roomAnswerRetry: Duration = .seconds(2)
  /// Time after which a reply that the homeserver has not acknowledged is sent again; longer than all attempts.
  package static let roomAnswerAgain: Duration = .seconds(60)
  /// Maximum number of reactions and replies waiting for the homeserver; a new one replaces the oldest.
  package static let roomAnswersMax = 64
  /// Minimum time between two attempts to join a room, so that invitations do not become a flood of requests.
  package static let roomJoinInterval: Duration = .seconds(15)
  /// Maximum number of attempts to join a room while the homeserver does not answer.
  package static let roomJoinTriesMax = 5
  /// Shortest delay of a last will; a third of it is the interval of its renewals.
  package static let roomWillMin: Duration = .seconds(60)
  /// Longest delay of a last will; homeservers that support one are usually limited to a day.
  package static let roomWillMax: Duration = .seconds(86_400)
  /// Default delay of a last will: longer than a reboot.
  package static let roomWillDefault: Duration = .seconds(300)
  /// Maximum size of a last will's event, in bytes; leaves room for the rest of `roomWireSizeMax`.
  package static let roomWillSizeMax = 6 * 1024
  /// Time after which a homeserver that does not support the last will is asked again.
  package static let roomWillRecheck: Duration = .seconds(3600)
  /// Number of failed requests after which a last will counts as failing.
  package static let roomWillFailuresMax = 5
  /// Time for which a process that is to stop tries to cancel the last will; less than `helperEndMax`.
  package static let roomWillEndMax: Duration = .seconds(4)
  /// Maximum number of invitations that are remembered, so that each is answered once.
  package static let roomInvitationsMax = 64
  /// Maximum number of commands from rooms that are in progress.
  package static let roomCommandsMax = 64
  /// Maximum number of answered commands that are recorded; a homeserver that repeats an answer repeats the last ones.
  package static let roomCommandsAnsweredMax: Int64 = 512
  /// Time after which a timed opening (command 4 of the firmware) pulses the stop output.
  package static let firmwareStopsAfter: Duration = .seconds(10)
  /// Time after which a timed opening (command 4 of the firmware) pulses the close output.
  package static let firmwareClosesAfter: Duration = .seconds(60)
  /// Maximum time that the stop or close of a timed opening waits for its line, after a reload or a start.
  package static let firmwareLateMax: Duration = .seconds(60)
  /// Interval between retries while the line of a stop or close is unavailable.
  package static let firmwareRetryInterval: Duration = .seconds(1)
  /// Interval between reports in the format of the firmware.
  package static let firmwareReportInterval: Duration = .seconds(600)
  /// Maximum size of MQTT 5 correlation data that is returned, in bytes; UUIDs (RFC 4122) take 16 or 36.
  package static let correlationSizeMax = 128
  /// Maximum number of messages per topic and second that the link passes on; excess messages are discarded.
  package static let commandsPerSecondMax = 200
  /// Maximum size of the commands that a broker may send in one burst, in bytes.
  package static let commandBytesMax: Int64 = 4 << 20
  /// Maximum rate of commands after such a burst, in bytes per second.
  package static let commandBytesPerSecond: Int64 = 256 * 1024
}
