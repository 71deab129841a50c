// Passes the site's bundles to the core and to the store.

import TappetBroker
import TappetConfig
import TappetCore
import TappetMessages
import TappetPlatform
import TappetSQLite
import TappetStore

extension Runtime {
  /// Handles a message on the site's topic; returns false for other topics.
  func heardSite(_ message: LinkMessage) -> Bool {
    guard let topic = configuration.broker?.siteTopic, message.topic == topic else { return false }
    // An empty message clears the retained bundle; the door keeps its people.
    if message.size == 0 { return true }
    do throws(SiteRefusal) {
      inbox.append(.site(.arrived(.success(try SiteBundle(arrived: message.payload, size: message.size)))))
    } catch { inbox.append(.site(.arrived(.failure(error)))) }
    return true
  }

  /// Handles the broker's reply to the site's subscription; returns false for other subscriptions.
  func answeredSite(_ index: Int, isGranted: Bool) -> Bool {
    guard configuration.site != nil, index == configuration.broker?.commandTopics.count else { return false }
    inbox.append(.site(.subscribed(isGranted: isGranted)))
    return true
  }

  /// Checks and applies a bundle on the store thread.
  func apply(_ bundle: SiteBundle) {
    guard let site = configuration.site, let key = site.key else { return }
    let application = SiteApplication(
      bundle: bundle, site: site.name, key: key, publicKey: site.publicKey,
      actions: Set(configuration.actions.map { $0.name }), limit: configuration.secretsPerActionMax)
    askStore(isRequired: true) { secrets in application.run(in: secrets) }
  }
}

/// A bundle, and everything needed to apply it.
private struct SiteApplication: Sendable {
  var bundle: SiteBundle
  var site: String
  var key: SecretKey
  var publicKey: VerifyingKey
  var actions: Set<String>
  var limit: Int

  /// Applies the bundle; blocks on the disk.
  func run(in secrets: StoreThread.Secrets) -> SecretNotice {
    do throws(SiteFault) {
      let store: SecretStore
      do throws(SecretStoreError) { store = try secrets.get() } catch { throw .secrets(error) }
      let record = try apply(to: store)
      do throws(SecretStoreError) {
        return .siteEnded(.success(record), try store.usableSecrets())
      } catch { throw .secrets(error) }
    } catch { return .siteEnded(.failure(error.refusal), nil) }
  }

  private func apply(to store: SecretStore) throws(SiteFault) -> SiteRecord {
    guard bundle.isSigned(by: publicKey) else { throw .refused(.badSignature) }
    let content: SiteContent
    do throws(SiteRefusal) { content = try bundle.content(sealedUnder: key) } catch { throw .refused(error) }
    let now = SystemClock().now().unixSeconds
    let entry = AuditEntry(unixSeconds: now, peer: .current(), operation: "site-applied", subject: site)
    return try store.apply(
      content, of: bundle, at: site, actions: actions, limit: limit, unixSeconds: now, noting: entry
    ).record
  }
}

extension SiteFault {
  /// The fault, expressed as a refusal for the core.
  fileprivate var refusal: SiteRefusal {
    switch self {
    case .refused(let refusal): refusal
    case .secrets(.store(let error)), .secrets(.secret(.store(let error))): .notStored(error.fault)
    case .secrets: .notStored(.other(0))
    }
  }
}
