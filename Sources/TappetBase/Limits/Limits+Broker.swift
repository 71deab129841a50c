// Limits of the connection to the broker.

extension Limits {
  /// PUBACK timeout, after which a link counts as dead even if the broker sends other packets.
  package static let acknowledgeTimeout: Duration = .seconds(20)
  /// Minimum interval between two publications of the retained status, however often others replace it.
  package static let statusIntervalMin: Duration = .seconds(5)
  /// Maximum size of the statuses of others that a broker may send in one burst, in bytes.
  package static let statusBytesMax: Int64 = 64 * 1024
  /// Time without an expected response after which the next broker is tried.
  ///
  /// Clusters elect a new leader within that time; a keepalive of 10 s would detect a frozen node only after 15 s.
  package static let clusterAnswerTimeout: Duration = .seconds(5)
  /// Longest configurable response timeout of a broker.
  package static let answerTimeoutMax: Duration = .seconds(60)
  /// Maximum time from the first SYN to CONNACK; without this limit, a silent TLS server would block the link forever.
  package static let connectTimeout: Duration = .seconds(20)
  /// Maximum time that an unresponsive resolver may take before the broker's thread counts as dead.
  ///
  /// The resolver tries several servers, twice, for several seconds each.
  package static let resolverPatienceMax: Duration = .seconds(180)
  /// Keepalives to try, in seconds, at a broker that refuses a longer one; mosquitto's limit is at least 10 s.
  package static let keepaliveFallbackSeconds: [UInt16] = [60, 10]
  /// Maximum number of addresses per host name that are tried in turn.
  package static let addressesMax = 8
  /// Interval at which the socket is polled during a handshake.
  ///
  /// Before CONNACK, libmosquitto's want-write state is unreliable: 2.0.20 spins, 2.0.11 sleeps.
  package static let handshakeTurn: Duration = .milliseconds(50)
  /// Time limit of an orderly close, for the status message's PUBACK and the DISCONNECT.
  ///
  /// It is shorter than the time that a service manager or a person waits.
  package static let linkCloseMax: Duration = .milliseconds(800)
  /// Maximum time that shutdown waits for the broker's thread; an unresponsive name server must not delay it.
  package static let linkJoinMax: Duration = .milliseconds(1200)
  /// Size of the link thread's stack, in bytes.
  ///
  /// OpenSSL's handshake takes up to 60 KB; the default of 8 MB would count against the limit on locked memory.
  package static let linkStackSize = 512 * 1024
  /// Ceilings of the backoff before the broker is retried.
  package static var reconnect: Backoff { Backoff(.seconds(1), upTo: .seconds(64)) }
  /// Maximum delay before the next of several brokers is tried after a failed attempt.
  package static let nextBrokerDelayMax: Duration = .milliseconds(100)
  /// Number of rounds through several brokers before the backoff's ceiling doubles; an election takes up to 10 s.
  package static let electionRounds = 8
  /// Duration after which a connection counts as proved, so that the backoff restarts from its first ceiling.
  package static let connectionProvedAfter: Duration = .seconds(30)
  /// Maximum number of unproved connections lost within `stormWindow`; more losses are a storm.
  ///
  /// The cause is two programs with the same client id, or a broker that disconnects the client. The limit applies to
  /// each of several brokers: a cluster without a leader accepts connections but no messages, and so loses some
  /// connections at each election.
  package static let stormCount = 10
  /// Period in which `stormCount` losses are counted; with the backoff between them, eleven losses take three minutes.
  package static let stormWindow: Duration = .seconds(600)
  /// Pause after a storm of lost connections.
  package static let stormRest: Duration = .seconds(60)
  /// Number of connections the broker closes with a message in flight before the message is suspect and sent alone.
  package static let closesOfSuspect = 2
  /// Number of connections that the broker closes before a message is set aside, three of them while only that message
  /// is in flight.
  package static let closesUntilAside = closesOfSuspect + 3
  /// Largest stored number of closed connections per message; it only determines the order of the messages set aside.
  package static let closesMax = 1_000
  /// Maximum number of messages whose closed connections are counted in memory; the counts are also in the store.
  package static let suspectsMax = 1_024
  /// Time after which a connection without a response is assumed to work, so that a suspect may be sent on it.
  package static let suspectQuietMin: Duration = .seconds(2)
  /// If the broker closes the connection within this time after a message is sent, the message is suspected.
  package static let suspectAnswerMax: Duration = .seconds(10)
  /// Maximum time for which suspects yield to other messages.
  package static let suspectWaitMax: Duration = .seconds(10)
  /// Minimum and maximum pause between retries of messages that were set aside.
  package static let asidePauseMin: Duration = .seconds(60)
  package static let asidePauseMax: Duration = .seconds(3_600)
  /// Maximum number of immediate reconnects after closes caused by messages, until a message is acknowledged or the
  /// backoff starts.
  package static let quickClosesMax = 20
}
