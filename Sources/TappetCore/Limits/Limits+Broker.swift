// Limits of the connection to the broker.

extension Limits {
  /// A link on which a PUBACK takes longer is dead, even if the broker sends other things.
  package static let acknowledgeTimeout: Duration = .seconds(20)
  /// A broker that is silent for longer although it owes an answer is left for the next one.
  ///
  /// Clusters have a new leader within that time; a keepalive of 10 s would notice a frozen node after 15 s.
  package static let clusterAnswerTimeout: Duration = .seconds(5)
  /// The longest time that a broker may be given for an answer.
  package static let answerTimeoutMax: Duration = .seconds(60)
  /// From the first SYN to CONNACK; without it a TLS server that never answers would hold the link forever.
  package static let connectTimeout: Duration = .seconds(20)
  /// The time that a silent resolver may take before the broker's thread counts as dead.
  ///
  /// It tries several servers, twice, for several seconds each.
  package static let resolverPatienceMax: Duration = .seconds(180)
  /// Addresses of one name that are tried in turn.
  package static let addressesMax = 8
  /// Interval between two looks at the socket during a handshake.
  ///
  /// Before CONNACK libmosquitto's own wish to write is not reliable: 2.0.20 spins, 2.0.11 sleeps.
  package static let handshakeTurn: Duration = .milliseconds(50)
  /// Time that an orderly close has for the status message's PUBACK and the DISCONNECT.
  ///
  /// Less than a service manager or a person waits.
  package static let linkCloseMax: Duration = .milliseconds(800)
  /// The end of the program waits this long for the broker's thread; a name server that hangs must not hold it up.
  package static let linkJoinMax: Duration = .milliseconds(1200)
  /// Bytes of the link thread's stack.
  ///
  /// OpenSSL's handshake takes some 60 KB at its deepest; the default of 8 MB would count against memory locks.
  package static let linkStackSize = 512 * 1024
  /// The ceilings of the pause before the broker is tried again.
  package static var reconnect: Backoff { Backoff(.seconds(1), upTo: .seconds(64)) }
  /// The longest wait before the next broker of several is tried, after an attempt with another one failed.
  package static let nextBrokerDelayMax: Duration = .milliseconds(100)
  /// Rounds over several brokers before the backoff's ceiling doubles: an election takes up to ten seconds.
  package static let electionRounds = 8
  /// A connection that lasted this long was a good one: the backoff starts again from its first ceiling.
  package static let connectionProvedAfter: Duration = .seconds(30)
  /// Connections lost within `stormWindow` before they had proved themselves; more are a storm.
  ///
  /// The cause is two programs with one client id, or a broker that throws us out. For each of several brokers: a
  /// cluster without a leader accepts connections, takes no message, and so loses some at each election.
  package static let stormCount = 10
  /// See `stormCount`: with the backoff between them, eleven such losses take three minutes.
  package static let stormWindow: Duration = .seconds(600)
  /// The pause that lets a storm pass.
  package static let stormRest: Duration = .seconds(60)
  /// Connections that the broker closed with a message in flight until that is suspect, and sent alone.
  static let closesOfSuspect = 2
  /// The same until it is set aside: three that it ended alone.
  package static let closesUntilAside = closesOfSuspect + 3
  /// The largest number of those that is kept; it only orders what was set aside.
  static let closesMax = 1_000
  /// Counts of these in memory; the store has them, too.
  static let suspectsMax = 1_024
  /// Without an answer, a connection that stays for so long works: a suspect may be sent on it.
  static let suspectQuietMin: Duration = .seconds(2)
  /// A broker that closes the connection later than this after a message does so for another reason.
  static let suspectAnswerMax: Duration = .seconds(10)
  /// Suspects give way to other messages for so long.
  static let suspectWaitMax: Duration = .seconds(10)
  /// The first and the last pause between two trials of messages that were set aside.
  static let asidePauseMin: Duration = .seconds(60)
  static let asidePauseMax: Duration = .seconds(3_600)
  /// Connections closed at messages that are made again at once, until a message is acknowledged or the backoff begins.
  static let quickClosesMax = 20
}
