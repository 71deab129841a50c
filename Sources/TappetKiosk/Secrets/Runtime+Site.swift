// The site's bundles on their way to the core, and into the store.

import TappetBroker
import TappetConfig
import TappetCore
import TappetMessages
import TappetPlatform
import TappetSQLite
import TappetStore

extension Runtime {
  /// Takes a message if it came on the site's topic.
  func heardSite(_ message: LinkMessage) -> Bool {
    guard let topic = configuration.broker.siteTopic, message.topic == topic else { return false }
    // An empty message ends what the broker keeps; the door keeps its people.
    if message.size == 0 { return true }
    do throws(SiteRefusal) {
      inbox.append(.site(.arrived(.success(try SiteBundle(arrived: message.payload, size: message.size)))))
    } catch { inbox.append(.site(.arrived(.failure(error)))) }
    return true
  }

  /// Takes the broker's answer to a subscription if it is the site's.
  func answeredSite(_ index: Int, isGranted: Bool) -> Bool {
    guard configuration.site != nil, index == configuration.broker.commandTopics.count else { return false }
    inbox.append(.site(.subscribed(isGranted: isGranted)))
    return true
  }

  /// Has the store's thread check a bundle and put it into force.
  func apply(_ bundle: SiteBundle) {
    guard let site = configuration.site, let key = site.key else { return }
    let application = SiteApplication(
      bundle: bundle, site: site.name, key: key, publicKey: site.publicKey,
      actions: Set(configuration.actions.map { $0.name }), limit: configuration.secretsPerActionMax)
    askStore(isRequired: true) { secrets in application.run(in: secrets) }
  }
}

/// A bundle, and everything that is needed to put it into force.
private struct SiteApplication: Sendable {
  var bundle: SiteBundle
  var site: String
  var key: SecretKey
  var publicKey: VerifyingKey
  var actions: Set<String>
  var limit: Int

  /// Blocks on the disk.
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
  /// The fault as the core knows it.
  fileprivate var refusal: SiteRefusal {
    switch self {
    case .refused(let refusal): refusal
    case .secrets(.store(let error)), .secrets(.secret(.store(let error))): .notStored(error.fault)
    case .secrets: .notStored(.other(0))
    }
  }
}
