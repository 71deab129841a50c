// Limits on a kiosk's external input: its broker, its files, and the programs on its control socket.

extension Limits {
  // MARK: JSON
  /// Maximum number of values in a JSON text.
  ///
  /// A value of two bytes takes cJSON 80 bytes, and up to 150 more as `JSON`, so all take 15 MB at most. A response
  /// with the devices of 500 people has 40,000 values.
  package static let jsonValuesMax = 64 * 1024
  /// Maximum number of values in a homeserver's response about all rooms, for the commands: 1,000 rooms with ten
  /// messages each take 200,000 values, which take cJSON 25 MB.
  package static let roomTableValuesMax = 256 * 1024
  /// Maximum number of values in a backup: 10,000 secrets with ten values each, and three for each sealed value.
  package static let backupValuesMax = 1024 * 1024
  /// Maximum nesting depth of JSON; cJSON's own limit.
  package static let jsonDepthMax = 1000
  // MARK: Files
  /// Maximum number of key derivation iterations.
  ///
  /// Exporters use 2,000 to 600,000; a slow board does a million in 4 s.
  package static let bundleIterationsMax: UInt64 = 1_000_000
  /// Maximum nesting depth of ASN.1 in a certificate or key file; a .p12 has 12 levels.
  package static let certificateFileDepthMax = 32
  // MARK: The broker
  /// Maximum number of unsolicited bytes from a broker to a client without subscriptions.
  ///
  /// A handshake with a long chain and session tickets takes 20 KB.
  package static let linkUnaskedSizeMax: Int64 = 256 * 1024
  /// Maximum size of one response, a PUBACK or PINGRESP, in bytes: 2 to 100 with TLS, more with MQTT 5's reason string.
  package static let linkAnswerSizeMax: Int64 = 512
  /// Maximum time that 'tappet check --deliver' waits for each response, and for the return of its message.
  package static let deliveryProbeMax: Duration = .seconds(5)
  /// Time before MQTT 5 is retried with a broker that reported that it does not support it; brokers are updated.
  package static let fallbackMax: Duration = .seconds(7 * 24 * 3600)
  /// The same time for a broker that only closed the connection, which may have had a different cause.
  package static let doubtfulFallbackMax: Duration = .seconds(24 * 3600)
  /// Number of consecutive attempts without CONNACK before 3.1.1 may be tried with a broker that has used MQTT 5: an
  /// attacker who can cut a connection must not choose the version.
  package static let hangUpsUntilDoubt = 5
  /// Number of bytes that one call of libmosquitto reads before the received data is checked: four TLS records of
  /// maximum size.
  package static let linkReadSizeMax = 64 * 1024
  /// Receive window, in bytes: maximum amount of unread data that a broker may send to a client without subscriptions.
  package static let linkWindow: Int32 = 16 * 1024
  // MARK: The control socket
  /// Maximum number of clients on the control socket.
  package static let controlClientsMax = 16
  /// Number of these clients reserved for root and the kiosk's own user, so that the programs of a group cannot lock
  /// them out.
  package static let controlPlacesKept = 2
  /// Maximum number of clients accepted per turn of the loop; the remaining clients are accepted in the next.
  package static let controlAcceptsPerTurn = 4
  // MARK: The page's server
  /// Maximum number of connections to tappet-web, in all and from one address.
  package static let webConnectionsMax = 128
  package static let webConnectionsPerAddress = 16
  /// Maximum number of connections from one IPv6 network (/64): half of them all, because one computer has as many
  /// addresses in it as it likes, but all devices of a home may be in it, too.
  package static let webConnectionsPerNetwork = 64
  /// Time after which a connection that is silent, or sends a request slowly, is closed; less before its first request,
  /// which a browser has when it connects.
  package static let webSilenceSeconds = 15
  package static let webFirstRequestMax: Duration = .seconds(6)
  /// Memory for the headers of one connection, in bytes.
  package static let webConnectionMemory = 32 * 1024
  /// Maximum size of a form, in bytes.
  package static let webBodySizeMax = 4 * 1024
  /// Maximum number of streams of events; the kiosk's connections besides them are for single requests.
  package static let webStreamsMax = 24
  /// Maximum number of them for browsers that are not paired, which leaves some to those that are.
  package static let webStrangersMax = 12
  /// Maximum number of streams of such browsers from one network, and of one paired device: three open pages, each with
  /// a request about the broker.
  package static let webStrangersPerNetwork = 6
  package static let webStreamsPerDevice = 6
  /// Maximum number of bytes that a stream may lag behind.
  package static let webStreamSizeMax = 64 * 1024
  /// Maximum size of a message from the kiosk, in bytes.
  package static let webMessageSizeMax = 32 * 1024
  /// Maximum number of requests from one network, in a second, about which the kiosk is asked: some households have one
  /// address for all.
  package static let webAsksPerSecond = 50
  /// Time in which the kiosk must respond.
  package static let webAnswerMax: Duration = .seconds(3)
  /// Maximum sizes of a file of the page, and of a certificate or key, in bytes.
  package static let webFileSizeMax = 64 * 1024
  package static let webCertificateSizeMax = 4 * 1024
  /// Lifetime of the cookie, the maximum that browsers accept: 400 days.
  package static let webCookieSeconds = 400 * 24 * 3600
  /// Maximum amount of memory for data: 128 connections with TLS take 10 MB.
  package static let webDataMax = 32 << 20
  /// Times before this, in November 2023, are those of a clock that was not set.
  package static let webClockMin: Int64 = 1_700_000_000
  // MARK: The page
  /// Maximum number of connections from tappet-web: its streams, and one for each request in progress.
  package static let pageClientsMax = 32
  /// Maximum number of paired devices.
  package static let pageDevicesMax = 64
  /// Number of buttons on the page if the configuration does not list them, and maximum number.
  package static let pageUsualTiles = 4
  package static let pageTilesMax = 8
  /// Maximum number of names under which the page is served.
  package static let pageNamesMax = 16
  /// Time in which a pairing code must be typed: a walk from the terminal to the tablet.
  package static let pairingTime: Duration = .seconds(300)
  /// Maximum number of attempts at a pairing code, which has 100 million possible values, from one network and in all.
  package static let pairingAttemptsPerNetwork = 5
  package static let pairingAttemptsMax = 50
  /// Sizes of the page's password, in bytes.
  package static let pagePasswordSizeMin = 12
  package static let pagePasswordSizeMax = 128
  /// Number of wrong passwords of a device after which it must wait.
  package static let passwordAttemptsMax = 5
  /// Time for which the password does not have to be entered again.
  package static let pageAgainTime: Duration = .seconds(300)
  /// Maximum age of a press on the page.
  package static let pagePressAgeMax: Duration = .seconds(5)
  /// Maximum time by which a press may be ahead: the page hears the kiosk's time every 10 s, and always late.
  package static let pagePressAheadMax: Duration = .milliseconds(100)
  /// Maximum age of the form of a page without script, which reloads every 10 s.
  package static let pageFormAgeMax: Duration = .seconds(30)
  /// Time for which the id of a press is remembered: longer than any press is accepted.
  package static let pagePressMemory: Duration = .seconds(60)
  /// Maximum number of remembered presses of a device: more than one a second.
  package static let pagePressesMax = 64
  /// Maximum length of the id of a press, in bytes; a UUID has 36.
  package static let pagePressIDSizeMax = 64
  /// Maximum number of entries whose author on the page is remembered until their outcome.
  package static let pageOriginsMax = 64
  /// Number of the log's newest records for the page, and maximum size of those in a response.
  package static let pageRecordsMax = 100
  package static let pageRecordsSizeMax = 24 * 1024
  /// Maximum number of taps in a response; with the longest names, they fit into `webMessageSizeMax`.
  package static let pageTapsMax = 40
  /// Longest span of the tap log that is requested at once: the longest day, when the clocks are put back.
  package static let pageSpanMax: Duration = .seconds(25 * 3600)
  /// Interval of the beat on a stream; a page that hears nothing for 25 s turns grey.
  package static let pageBeat: Duration = .seconds(10)
  /// Maximum number of requests about the store room that wait at the same time.
  package static let pageStockWaitingMax = 8
  /// Response timeout of the page's inventory process, after which it is killed; the same as that of tappet-web.
  package static let pageStockAnswerMax = webAnswerMax
  /// Maximum delay before the process starts a request: with a busy timeout of a second, it responds before the
  /// response timeout, or refuses the request.
  package static let pageStockStartMax: Duration = .milliseconds(1800)
  /// Idle time after which the page's inventory process ends.
  package static let pageStockIdle: Duration = .seconds(60)
  /// Maximum size of the things in an answer; with their surroundings, they fit into `webMessageSizeMax`.
  package static let pageStockAnswerSizeMax = 20 * 1024
  /// Maximum number of places that a refusal names if several were meant.
  package static let namedPlacesMax = 5
  /// Maximum duration of a set-up in a browser, and maximum size of the lines that a browser that returns is shown.
  package static let setupTimeMax: Duration = .seconds(1800)
  package static let setupHistorySizeMax = 24 * 1024
  /// Time after which a set-up that is to stop is killed.
  package static let setupStopMax: Duration = .seconds(10)
  /// Maximum number of processes for requests about the broker: two for each of two browsers.
  package static let pageToolsMax = 4
  /// Time limits for a connection and a response of the broker to the page.
  package static let pageBrokerTimeout: Duration = .seconds(8)
  /// Maximum sizes of a topic or filter on the page, and of the shown start of a message, in bytes.
  package static let pageTopicSizeMax = 256
  package static let pageMessageSizeMax = 4096
  /// Maximum number of messages that the page shows at once, and per second after that.
  package static let pageMessagesAtOnce = 50
  package static let pageMessagesPerSecond = 20
  /// The same in bytes; tappet-web ends a stream that lags behind by `webStreamSizeMax`.
  package static let pageMessagesSizeAtOnce = 32 * 1024
  /// Interval over which messages are batched.
  package static let pageMessagesInterval: Duration = .milliseconds(200)
  /// Maximum size of the list of kiosks; with its surroundings, it fits into `webMessageSizeMax`.
  package static let pageKiosksSizeMax = 24 * 1024
  /// Size of a backup's parts, and the number of those that the browser has not received: in hexadecimal digits, one
  /// fits into `webMessageSizeMax`, and all into `webStreamSizeMax`.
  package static let pageBackupPartSize = 14 * 1024
  package static let pageBackupWindow = 2
  /// Minimum time between two parts: with 1.4 MB/s, the kiosk has time for everything else.
  package static let pageBackupPause: Duration = .milliseconds(10)
  /// Maximum time in which the browser must receive a part.
  package static let pageBackupStall: Duration = .seconds(20)
  /// Minimum interval between two states on a stream.
  package static let pageStateInterval: Duration = .milliseconds(100)
}
