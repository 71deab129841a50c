// What a runtime is made of, opened in such an order that a failure leaves nothing behind: what can fail first, threads last.

import CPlatform
import TappetCore
import TappetDevices

/// The open parts of a `Runtime`.
struct RuntimeParts {
  var configuration: Configuration
  var openedAt: Moment
  var seed: (UInt64, UInt64, UInt64, UInt64)
  var lock: KioskLock
  var trace: LightTrace?
  var summary: OutboxSummary
  var secrets: [TagSecret]
  /// Why the secrets' copy could not be brought up to date.
  var copyTrouble: StoreError?
  var reactor: Reactor
  var clockWatch: ClockWatch
  var mailbox: Mailbox<Runtime.Notice>
  var panel: RuntimePanel
  var secretThread: SecretThread
  var broker: BrokerLink
  var storeThread: StoreThread

  /// Opens all of them, or none.
  static func open(_ configuration: Configuration, lightTracePath: String?) throws(RuntimeError) -> RuntimeParts {
    var configuration = configuration
    let clock = SystemClock()
    let now = clock.now()
    guard let seed = Self.seed() else { throw .noRandomness }
    let lock = try Self.lock(configuration.stateFolder)
    let trace: LightTrace?
    do throws(SystemError) {
      trace = try lightTracePath.map { (path) throws(SystemError) in try LightTrace(path: path) }
    } catch { throw .lightTrace(path: lightTracePath ?? "", error) }
    let vault: Vault
    let secrets: [TagSecret]
    let summary: OutboxSummary
    do throws(VaultError) {
      vault = try Vault.recovered(configuration)
      secrets = try vault.usableSecrets()
      if configuration.storesTimestampKey { configuration.timestampKey = try vault.timestampKey() }
    } catch { throw .vault(error) }
    do throws(StoreError) {
      let clockIsGood = clock.isSynchronised() || !configuration.checksClock
      summary = try vault.store.summary(at: now, clockIsGood: clockIsGood)
    } catch { throw .vault(.store(error)) }
    let copyTrouble = vault.store.backupTrouble
    do throws(SystemError) {
      let reactor = try Reactor()
      let clockWatch = try ClockWatch()
      let panel = try RuntimePanel(configuration.panel, reactor: reactor, trace: trace)
      // All that the store can have been asked finds room: an answer that is lost would leave a tap without its light.
      let mailbox = try Mailbox<Runtime.Notice>(capacity: Limits.noticesMax)
      if let recovery = vault.recovery { mailbox.post(.recovered(recovery)) }
      let broker = try BrokerLink(settings: configuration.broker) { mailbox.post(.link($0)) }
      let storeThread: StoreThread
      do throws(SystemError) {
        storeThread = try Self.storeThread(vault.store, configuration.stateFolder, mailbox)
      } catch {
        broker.shutdown()
        throw error
      }
      return RuntimeParts(
        configuration: configuration, openedAt: now, seed: seed, lock: lock, trace: trace, summary: summary,
        secrets: secrets, copyTrouble: copyTrouble, reactor: reactor, clockWatch: clockWatch, mailbox: mailbox,
        panel: panel, secretThread: SecretThread { mailbox.post(.secrets($0)) }, broker: broker,
        storeThread: storeThread)
    } catch { throw .system(error) }
  }

  private static func lock(_ folder: String) throws(RuntimeError) -> KioskLock {
    let lock: KioskLock?
    do throws(StoreError) { lock = try KioskLock.take(folder: folder) } catch { throw .vault(.store(error)) }
    guard let lock else { throw .stateInUse(folder: folder) }
    return lock
  }

  private static func storeThread(
    _ store: sending Store, _ folder: String, _ mailbox: Mailbox<Runtime.Notice>
  ) throws(SystemError) -> StoreThread {
    try StoreThread(
      store,
      replace: { () throws(StoreError) in
        let clock = SystemClock()
        let fresh = try Store.recovered(
          folder: folder, bootID: clock.bootID(), unixSeconds: clock.now().unixSeconds)
        if let recovery = fresh.recovery { mailbox.post(.recovered(recovery)) }
        return fresh.store
      }, post: { mailbox.post(.store($0)) })
  }

  private static func seed() -> (UInt64, UInt64, UInt64, UInt64)? {
    guard let bytes = try? LibCrypto.random(count: 32) else { return nil }
    func word(_ index: Int) -> UInt64 { bytes[index * 8..<index * 8 + 8].reduce(0) { $0 << 8 | UInt64($1) } }
    return (word(0), word(1), word(2), word(3))
  }
}
