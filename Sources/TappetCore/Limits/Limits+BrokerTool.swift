// Bounds of the broker tool, `tappet mqtt`.

extension Limits {
  /// Bytes of messages that wait to be printed; a broker that sends more is read more slowly.
  ///
  /// As many again are being printed; both are what a flood adds to the memory of 'mqtt sub'.
  package static let brokerToolBacklogMax = 128 << 10
  /// How long what comes in quick succession is gathered: each by itself would wake the thread that prints it.
  package static let brokerToolGathering: Duration = .milliseconds(2)
  /// Messages that are sent and not yet acknowledged.
  package static let brokerToolInFlightMax = 100
  /// Messages that were read and not yet acknowledged: fewer than the link's thread takes at once (`mailboxCapacity`).
  package static let brokerToolUnacknowledgedMax = 1000
  /// How long no retained message has come when there are no more.
  package static let retainedQuietMax: Duration = .seconds(1)
  /// The same after the broker has answered a question that came after the subscriptions.
  package static let retainedQuietMin: Duration = .milliseconds(250)
  /// How long a stranger on a port has for its first words.
  package static let strangerPatienceMax: Duration = .milliseconds(1500)
  /// The longest wait before another attempt to connect, as in the phone app.
  package static let brokerToolRetryMax: Duration = .seconds(64)
  /// Lost connections within `lossStormWindow` after which it rests, as in the phone app.
  package static let lossStormMax = 10
  /// The time within which lost connections are counted.
  package static let lossStormWindow: Duration = .seconds(60)
  /// How long it rests after a storm.
  package static let lossStormRest: Duration = .seconds(60)
  /// Retained messages that one run of 'mqtt clean' takes.
  package static let cleanedTopicsMax = 100_000
  /// Messages of a measurement that are sent and not yet acknowledged: a broker that is too slow delays what is due.
  package static let benchUnacknowledgedMax = 1000
  /// Messages of one measurement: a byte is kept of each.
  package static let benchMessagesMax: Int64 = 10_000_000
  /// Publishing clients of a measurement; ten thousand need as many ports of this machine.
  package static let benchClientsMax: Int64 = 10_000
  /// Clients from which on the memory of each can be told from what the process takes anyway.
  package static let benchMemoryClientsMin = 50
  /// The longest time for one of them to connect.
  package static let benchConnectMax: Duration = .seconds(20)
  /// Interval between two attempts of many clients to write what did not go out as a whole.
  package static let swarmWriteRetry: Duration = .milliseconds(1)
  /// The longest wait of a measurement for news.
  package static let benchTurn: Duration = .milliseconds(100)
  /// Bytes of retained messages that 'mqtt diff' keeps of each broker.
  package static let comparedSizeMax = 64 << 20
  /// Topics whose last JSON object is kept for 'mqtt sub --diff'.
  package static let comparedTopicsMax = 10_000
  /// Topics that 'mqtt top' counts; each takes about half a kilobyte.
  package static let ratedTopicsMax = 100_000
  /// Round trips that 'mqtt stats' measures.
  package static let roundTripsMeasured = 50
  /// Commands of each kind in the history of the broker tool, as in the phone app.
  package static let historyEntriesMax = 10
  /// Bytes of a command that the history keeps; a longer one is left out.
  package static let historyEntrySizeMax = 16_384
  /// Newest messages of 'mqtt sub' that are kept, as in the phone app.
  package static let recentMessagesMax = 50
  /// Bytes that are kept of each.
  package static let recentPayloadSizeMax = 16_384
  /// Bytes of the file with them: base64, topics of up to 64 KB with their escapes.
  package static let recentFileSizeMax = 32 << 20
  /// The time within which a command that is repeated does not move up in the history: a script wears no card out.
  package static let historyRepeatInterval: Duration = .seconds(60)
  /// Levels of topics that 'mqtt sub --tree' keeps; each takes at most 180 bytes with its value.
  package static let treeNodesMax = 250_000
  /// Levels of one topic; mosquitto refuses a topic with more.
  package static let treeDepthMax = 200
  /// Bytes of all their names.
  package static let treeNamesSizeMax = 8 << 20
  /// Bytes of a value that the tree shows.
  package static let treeValueSizeMax = 48
  /// Lines of the tree that are kept in order while they are picked out of many; more are sorted together.
  package static let treeRowsInOrderMax = 1000
  /// The shortest time between two drawings of the tree.
  package static let treeDrawingInterval: Duration = .milliseconds(100)
  /// Kiosks that 'fleet' keeps; each takes less than a kilobyte.
  package static let fleetBoardsMax = 20_000
  /// Bytes of a state message; a kiosk's has less than one kilobyte.
  package static let fleetStateSizeMax = 16_384
  /// A connected kiosk tells its state each minute; one that has missed two is silent.
  package static let fleetSilenceMax: Duration = .seconds(150)
  /// Days before the end of a certificate from which on it is a trouble, as on the kiosk itself.
  package static let fleetCertificateDaysMin: Int64 = 14
  /// The shortest time between two drawings of the list of kiosks.
  package static let fleetDrawingInterval: Duration = .milliseconds(500)
  /// The time between two drawings while nothing changes but the ages.
  package static let fleetAgeInterval: Duration = .seconds(1)
  /// How long the changes of many kiosks are gathered: each by itself would wake the screen's thread.
  package static let fleetGathering: Duration = .milliseconds(50)
  /// How long kiosks may take to answer, if the command line does not say.
  package static let fleetAnswerMax: Duration = .seconds(10)
  /// Questions that are not answered yet, where each kiosk has a topic: the broker's queue for us has room for their
  /// answers.
  package static let fleetQuestionsMax = 100
  /// Attempts in a row that fail before a publisher gives up what it still has.
  package static let publisherAttemptsMax = 3
}
