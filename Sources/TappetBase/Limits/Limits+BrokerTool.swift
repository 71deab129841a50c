// Limits of the broker tool, `tappet mqtt`.

extension Limits {
  /// Maximum size of the messages waiting to be printed, in bytes; above it, the broker's data is read more slowly.
  ///
  /// The same amount may be in the process of being printed; the total is the memory that a flood adds to 'mqtt sub'.
  package static let brokerToolBacklogMax = 128 << 10
  /// Time for which messages in quick succession are collected, so that not every message wakes the printing thread.
  package static let brokerToolGathering: Duration = .milliseconds(2)
  /// Maximum number of messages sent but not yet acknowledged.
  package static let brokerToolInFlightMax = 100
  /// Maximum number of messages read but not yet acknowledged; less than the capacity of the link thread's mailbox
  /// (`mailboxCapacity`).
  package static let brokerToolUnacknowledgedMax = 1000
  /// Time without a retained message after which all retained messages are assumed to have arrived.
  package static let retainedQuietMax: Duration = .seconds(1)
  /// The same time once the broker has responded to a request sent after the subscriptions.
  package static let retainedQuietMin: Duration = .milliseconds(250)
  /// Time limit for an unknown server on a port to send its first bytes.
  package static let probeStepMax: Duration = .milliseconds(1500)
  /// Maximum delay before the next connection attempt, as in the phone app.
  package static let brokerToolRetryMax: Duration = .seconds(64)
  /// Number of connections lost within `lossStormWindow` after which reconnecting pauses, as in the phone app.
  package static let lossStormMax = 10
  /// Period in which lost connections are counted.
  package static let lossStormWindow: Duration = .seconds(60)
  /// Pause before reconnecting after a storm of lost connections.
  package static let lossStormRest: Duration = .seconds(60)
  /// Maximum number of retained messages that one run of 'mqtt clean' handles.
  package static let cleanedTopicsMax = 100_000
  /// Maximum number of benchmark messages sent but not yet acknowledged; if reached, a slow broker delays the next
  /// ones.
  package static let benchUnacknowledgedMax = 1000
  /// Maximum number of messages of a benchmark, which keeps one byte for each.
  package static let benchMessagesMax: Int64 = 10_000_000
  /// Maximum number of publishing clients of a benchmark; ten thousand clients need as many local ports.
  package static let benchClientsMax: Int64 = 10_000
  /// Minimum number of clients for which the memory per client can be distinguished from that of the process.
  package static let benchMemoryClientsMin = 50
  /// Connect timeout of one benchmark client.
  package static let benchConnectMax: Duration = .seconds(20)
  /// Interval at which the clients of a benchmark retry partial writes.
  package static let swarmWriteRetry: Duration = .milliseconds(1)
  /// Maximum duration of a single wait for events in a benchmark or a bridge check.
  package static let benchTurn: Duration = .milliseconds(100)
  /// Maximum size of the retained messages that 'mqtt diff' keeps for each broker, in bytes.
  package static let comparedSizeMax = 64 << 20
  /// Maximum number of topics whose last JSON object is kept for 'mqtt sub --diff'.
  package static let comparedTopicsMax = 10_000
  /// Number of round trips that 'mqtt stats' measures.
  package static let roundTripsMeasured = 50
  /// Maximum number of commands of each kind in the broker tool's history, as in the phone app.
  package static let historyEntriesMax = 10
  /// Maximum size of a command in the history, in bytes; larger commands are omitted.
  package static let historyEntrySizeMax = 16_384
  /// Maximum number of recent messages that 'mqtt sub' keeps, as in the phone app.
  package static let recentMessagesMax = 50
  /// Number of bytes kept of each of these messages.
  package static let recentPayloadSizeMax = 16_384
  /// Maximum size of the file with the recent messages, in bytes: base64, and escaped topics of up to 64 KB.
  package static let recentFileSizeMax = 32 << 20
  /// Time within which a repeated command does not move up in the history, so that scripts do not wear out the SD card.
  package static let historyRepeatInterval: Duration = .seconds(60)
  /// Maximum number of topic levels that 'mqtt monitor' keeps; each takes at most 180 bytes with its value.
  package static let treeNodesMax = 250_000
  /// Maximum number of levels in one topic; mosquitto rejects topics with more.
  package static let treeDepthMax = 200
  /// Maximum total length of the names of all topic levels in the tree, in bytes.
  package static let treeNamesSizeMax = 8 << 20
  /// Maximum length of a value that the tree shows, in bytes.
  package static let treeValueSizeMax = 48
  /// Maximum number of lines of the tree that are kept sorted during selection; a larger number is sorted at the end.
  package static let treeRowsInOrderMax = 1000
  /// Shortest interval between two redraws of the tree.
  package static let treeDrawingInterval: Duration = .milliseconds(100)
  /// Maximum number of kiosks that 'fleet' keeps; each takes less than a kilobyte.
  package static let fleetBoardsMax = 20_000
  /// Maximum size of a state message, in bytes; a kiosk sends less than one kilobyte.
  package static let fleetStateSizeMax = 16_384
  /// Time without a state message after which a kiosk counts as silent; a connected kiosk sends one each minute, and
  /// has missed two.
  package static let fleetSilenceMax: Duration = .seconds(150)
  /// Number of days before a certificate's expiry at which an alert is first shown, as on the kiosk itself.
  package static let fleetCertificateDaysMin: Int64 = 14
  /// Shortest interval between two redraws of the list of kiosks.
  package static let fleetDrawingInterval: Duration = .milliseconds(500)
  /// Interval between redraws while only the displayed ages change.
  package static let fleetAgeInterval: Duration = .seconds(1)
  /// Time for which the changes of many kiosks are collected, so that not every change wakes the screen's thread.
  package static let fleetGathering: Duration = .milliseconds(50)
  /// Default timeout for the responses of kiosks.
  package static let fleetAnswerMax: Duration = .seconds(10)
  /// Maximum number of pending requests if each kiosk has its own topic; the broker queues as many replies.
  package static let fleetQuestionsMax = 100
  /// Number of consecutive failed attempts after which a publisher gives up its remaining messages.
  package static let publisherAttemptsMax = 3
}
