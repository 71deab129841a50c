// The parts of a runtime, opened in such an order that a failure leaves nothing behind: fallible parts first, threads
// last.

import CPlatform
import TappetBroker
import TappetConfig
import TappetCore
import TappetMessages
import TappetPlatform
import TappetSQLite
import TappetStore

/// The open parts of a `Runtime`.
struct RuntimeParts {
  var configuration: KioskConfiguration
  var settings: KioskSettings
  var openedAt: Moment
  var seed: (UInt64, UInt64, UInt64, UInt64)
  var summary: OutboxSummary
  var secrets: [TagSecret]
  var learnedTags: [ExternalTag]
  var announced: AnnouncedTopics
  var reactor: Reactor
  var clock: ClockMonitor
  var mailbox: Mailbox<Runtime.Notice>
  var panel: RuntimePanel
  /// The link to the broker; `nil` if no broker is configured.
  var broker: BrokerLink?
  var store: StoreHost

  /// Returns what the store contains of earlier lives.
  private static func summary(
    of store: Store, _ configuration: KioskConfiguration, clockIsGood: Bool, at now: Moment
  ) throws(DatabaseError) -> OutboxSummary {
    var summary = try store.summary(at: now, clockIsGood: clockIsGood)
    summary.arrivals = try store.arrivals(
      of: configuration.actions.compactMap { $0.removal == nil ? nil : $0.name })
    summary.workedWebhooks = try store.workedWebhooks()
    summary.tagCounts = try store.tagCounts()
    summary.openings = try store.timedOpenings()
    summary.roomPosition = try store.roomPosition()
    summary.roomCommands = try store.roomCommands()
    summary.wrongCodes = try store.wrongCodes()
    return summary
  }

  /// Opens all parts, or none.
  static func open(
    _ configuration: KioskConfiguration, lightTracePath: String?, ownSecrets: [TagSecret]
  ) throws(RuntimeError) -> RuntimeParts {
    var configuration = configuration
    let clock = SystemClock()
    let now = clock.now()
    guard let seed = Self.seed() else { throw .noRandomness }
    let lock = try Self.lock(configuration.stateFolder)
    let trace: LightTrace?
    do throws(SystemError) {
      trace = try lightTracePath.map { (path) throws(SystemError) in try LightTrace(path: path) }
    } catch { throw .lightTrace(path: lightTracePath ?? "", error) }
    let secretStore: SecretStore
    let secrets: [TagSecret]
    let learnedTags: [ExternalTag]
    var summary: OutboxSummary
    let announced: AnnouncedTopics
    let latestTime: Int64?
    var settings = KioskSettings(configuration)
    do throws(SecretStoreError) {
      secretStore = try SecretStore.recovered(folder: configuration.stateFolder)
      secrets = try secretStore.usableSecrets()
      learnedTags = try secretStore.learnedTags().map { $0.tag }
      if configuration.storesPassword { configuration.broker?.password = try secretStore.brokerPassword() }
      if configuration.storesTimestampKey { configuration.timestampKey = try secretStore.timestampKey() }
      settings.commands = configuration.commandPlans
    } catch { throw .secretStore(error) }
    do throws(DatabaseError) {
      latestTime = try secretStore.store.latestTime()
      let isBelieved = clock.isSynchronized() && SystemClock.secondsBehind(now, latestTime) == nil
      let clockIsGood = isBelieved || !configuration.checksClock
      summary = try Self.summary(of: secretStore.store, configuration, clockIsGood: clockIsGood, at: now)
      // An unreadable record is treated as missing: the signature and seal of the next bundle are still checked.
      if configuration.site != nil { summary.site = try? secretStore.siteRecord() }
      for (index, endpoint) in (configuration.broker?.endpoints ?? []).enumerated() {
        settings.fallbacks[index] = try secretStore.store.fallback(at: endpoint.text)
        if try secretStore.store.isLastBroker(endpoint.text) { settings.firstEndpoint = index }
      }
      announced = AnnouncedTopics(try secretStore.store.announcedTopics())
      settings.hasAnnounced = !announced.isEmpty
    } catch { throw .secretStore(.store(error)) }
    let replicaError = secretStore.store.replicaError
    do throws(SystemError) {
      let reactor = try Reactor()
      let clockMonitor = try ClockMonitor(latest: latestTime)
      let panel = try RuntimePanel(configuration, reactor: reactor, trace: trace)
      // The capacity covers all replies from the store; a lost reply would leave a tap without its light.
      let mailbox = try Mailbox<Runtime.Notice>(capacity: Limits.noticesMax)
      if let recovery = secretStore.recovery { mailbox.post(.recovered(recovery)) }
      if let fault = secretStore.store.openFault { mailbox.post(.store(.checkFailed(fault))) }
      let broker = try configuration.broker.map { (settings) throws(SystemError) in try BrokerLink(settings, mailbox) }
      let storeThread: StoreThread
      do throws(SystemError) {
        storeThread = try Self.storeThread(secretStore.store, configuration.stateFolder, mailbox)
      } catch {
        broker?.shutdown()
        throw error
      }
      storeThread.submit(.keepHistory(configuration.historyAge))
      return RuntimeParts(
        configuration: configuration, settings: settings, openedAt: now, seed: seed, summary: summary, secrets: secrets,
        learnedTags: learnedTags, announced: announced, reactor: reactor, clock: clockMonitor, mailbox: mailbox,
        panel: panel, broker: broker,
        store: StoreHost(lock: lock, thread: storeThread, ownSecrets: ownSecrets, replicaError: replicaError))
    } catch { throw .system(error) }
  }

  private static func lock(_ folder: String) throws(RuntimeError) -> KioskLock {
    let lock: KioskLock?
    do throws(DatabaseError) { lock = try KioskLock.acquire(folder: folder) } catch {
      throw .secretStore(.store(error))
    }
    guard let lock else { throw .stateInUse(folder: folder) }
    return lock
  }

  private static func storeThread(
    _ store: sending Store, _ folder: String, _ mailbox: Mailbox<Runtime.Notice>
  ) throws(SystemError) -> StoreThread {
    // Without a broker, this is the first thread.
    LibCrypto.prepare()
    return try StoreThread(
      store,
      replace: { () throws(DatabaseError) in
        let clock = SystemClock()
        let fresh = try Store.recovered(
          folder: folder, bootID: clock.bootID(), unixSeconds: clock.now().unixSeconds)
        if let recovery = fresh.recovery { mailbox.post(.recovered(recovery)) }
        return fresh.store
      }, post: { mailbox.post(.store($0)) })
  }

  private static func seed() -> (UInt64, UInt64, UInt64, UInt64)? {
    guard let bytes = try? LibCrypto.random(count: 32) else { return nil }
    func word(_ index: Int) -> UInt64 { UInt64(bigEndianBytes: bytes[index * 8..<index * 8 + 8]) }
    return (word(0), word(1), word(2), word(3))
  }
}

extension BrokerLink {
  /// Starts the thread of a kiosk's link, which posts to the kiosk's mailbox.
  convenience init(_ settings: BrokerSettings, _ mailbox: Mailbox<Runtime.Notice>) throws(SystemError) {
    try self.init(
      settings: settings, post: { mailbox.post(.link($0)) },
      receive: { mailbox.post(.reception($0, at: Instant.now())) })
  }
}
