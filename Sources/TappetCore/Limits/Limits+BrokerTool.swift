// Limits of the broker tool, `tappet mqtt`.

extension Limits {
  /// Bytes of messages waiting to be printed; above this, the broker's data is read more slowly.
  ///
  /// The same amount again is being printed; together they are the memory that a flood adds to 'mqtt sub'.
  package static let brokerToolBacklogMax = 128 << 10
  /// Time for which messages in quick succession are collected, so that not each of them wakes the printing thread.
  package static let brokerToolGathering: Duration = .milliseconds(2)
  /// Messages sent but not yet acknowledged.
  package static let brokerToolInFlightMax = 100
  /// Messages read but not yet acknowledged: fewer than the mailbox of the link's thread holds (`mailboxCapacity`).
  package static let brokerToolUnacknowledgedMax = 1000
  /// Time without a retained message after which all of them have arrived.
  package static let retainedQuietMax: Duration = .seconds(1)
  /// The same time once the broker has answered a request sent after the subscriptions.
  package static let retainedQuietMin: Duration = .milliseconds(250)
  /// Time for an unknown server on a port to send its first bytes.
  package static let probeStepMax: Duration = .milliseconds(1500)
  /// Longest delay before the next connection attempt, as in the phone app.
  package static let brokerToolRetryMax: Duration = .seconds(64)
  /// Lost connections within `lossStormWindow` after which reconnecting pauses, as in the phone app.
  package static let lossStormMax = 10
  /// The time within which lost connections are counted.
  package static let lossStormWindow: Duration = .seconds(60)
  /// Pause before reconnecting after a storm of lost connections.
  package static let lossStormRest: Duration = .seconds(60)
  /// Retained messages that one run of 'mqtt clean' handles.
  package static let cleanedTopicsMax = 100_000
  /// Messages of a benchmark sent but not yet acknowledged: a broker that is too slow delays the messages that are due.
  package static let benchUnacknowledgedMax = 1000
  /// Messages of one benchmark, which keeps one byte for each.
  package static let benchMessagesMax: Int64 = 10_000_000
  /// Publishing clients of a benchmark; ten thousand need the same number of local ports.
  package static let benchClientsMax: Int64 = 10_000
  /// Fewest clients for which the memory of each can be distinguished from that of the process.
  package static let benchMemoryClientsMin = 50
  /// Connect timeout of one benchmark client.
  package static let benchConnectMax: Duration = .seconds(20)
  /// Interval at which many clients retry partial writes.
  package static let swarmWriteRetry: Duration = .milliseconds(1)
  /// Longest time that a benchmark waits for an event.
  package static let benchTurn: Duration = .milliseconds(100)
  /// Bytes of retained messages that 'mqtt diff' keeps for each broker.
  package static let comparedSizeMax = 64 << 20
  /// Topics whose last JSON object is kept for 'mqtt sub --diff'.
  package static let comparedTopicsMax = 10_000
  /// Topics that 'mqtt top' counts; each takes about half a kilobyte.
  package static let ratedTopicsMax = 100_000
  /// Round trips that 'mqtt stats' measures.
  package static let roundTripsMeasured = 50
  /// Commands of each kind in the history of the broker tool, as in the phone app.
  package static let historyEntriesMax = 10
  /// Bytes of a command that the history keeps; longer ones are omitted.
  package static let historyEntrySizeMax = 16_384
  /// Newest messages of 'mqtt sub' that are kept, as in the phone app.
  package static let recentMessagesMax = 50
  /// Bytes of each of those messages that are kept.
  package static let recentPayloadSizeMax = 16_384
  /// Bytes of the file with the newest messages: base64, topics of up to 64 KB with their escapes.
  package static let recentFileSizeMax = 32 << 20
  /// Time within which a repeated command does not move up in the history, so that scripts do not wear out the card.
  package static let historyRepeatInterval: Duration = .seconds(60)
  /// Topic levels that 'mqtt sub --tree' keeps; each takes at most 180 bytes with its value.
  package static let treeNodesMax = 250_000
  /// Levels of one topic; mosquitto refuses a topic with more.
  package static let treeDepthMax = 200
  /// Bytes of the names of all topic levels in the tree.
  package static let treeNamesSizeMax = 8 << 20
  /// Bytes of a value that the tree shows.
  package static let treeValueSizeMax = 48
  /// Lines of the tree that are kept sorted during selection; a larger number is sorted at the end.
  package static let treeRowsInOrderMax = 1000
  /// Shortest interval between two redraws of the tree.
  package static let treeDrawingInterval: Duration = .milliseconds(100)
  /// Kiosks that 'fleet' keeps; each takes less than a kilobyte.
  package static let fleetBoardsMax = 20_000
  /// Bytes of a state message; a kiosk sends less than one kilobyte.
  package static let fleetStateSizeMax = 16_384
  /// Time without a state after which a kiosk is silent: a connected kiosk sends one each minute, and has missed two.
  package static let fleetSilenceMax: Duration = .seconds(150)
  /// Days before a certificate's expiry from which on an alert is shown, as on the kiosk itself.
  package static let fleetCertificateDaysMin: Int64 = 14
  /// Shortest interval between two redraws of the list of kiosks.
  package static let fleetDrawingInterval: Duration = .milliseconds(500)
  /// Interval between two redraws while only the ages change.
  package static let fleetAgeInterval: Duration = .seconds(1)
  /// Time for which the changes of many kiosks are collected, so that not each of them wakes the screen's thread.
  package static let fleetGathering: Duration = .milliseconds(50)
  /// Default time for kiosks to answer.
  package static let fleetAnswerMax: Duration = .seconds(10)
  /// Maximum number of pending requests if each kiosk has its own topic; the broker queues as many replies.
  package static let fleetQuestionsMax = 100
  /// Consecutive failed attempts before a publisher gives up its remaining messages.
  package static let publisherAttemptsMax = 3
}
