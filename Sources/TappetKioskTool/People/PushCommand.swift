// tappet people push: publishes the people of this kiosk, sealed and signed, to all doors of the site.

import CPlatform
import TappetBroker
import TappetCommandLine
import TappetConfig
import TappetCore
import TappetJSON
import TappetMessages
import TappetPlatform
import TappetStore

enum PushCommand {
  static func run(_ arguments: Arguments) throws(CommandFailure) {
    let configuration = try KioskAccess.load(arguments, files: .used)
    guard let site = configuration.site, let key = site.key else {
      throw .refused("the configuration contains no 'site'; use 'tappet people keys' to create a site")
    }
    let signer = try signer(arguments.operands[0], site)
    var settings = try BrokerChoice.settings(arguments)
    // The site message may exceed the usual size limit.
    settings.siteTopic = site.topic
    let store = try open(configuration)
    let client = try BrokerClient(settings)
    defer { client.shutdown() }
    _ = try client.connectToAny()
    let dialogue = RequestSession(client)
    let kept = try kept(dialogue, site)
    let draft = try draft(store, site, key, signer, after: kept, isTrial: arguments.has("dry-run"))
    if !arguments.has("dry-run") { try publish(draft.bundle, dialogue) }
    report(draft, site, arguments)
  }

  /// A bundle and its plaintext content.
  private struct Draft {
    var bundle: SiteBundle
    var content: SiteContent
  }

  private static func signer(_ path: String, _ site: SiteSettings) throws(CommandFailure) -> SigningKey {
    switch TextFile.read(path, sizeMax: Limits.keyFileSizeMax) {
    case .failure(let error): throw .failed("\(path) cannot be read: \(error.text)")
    case .success(var file):
      defer { LibCrypto.wipe(&file.bytes) }
      guard file.mode & 0o077 == 0 else {
        throw .refused("\(path) can be read by others; run: chmod 600 \(path)")
      }
      guard let line = try? file.firstLine(), let signer = SigningKey(hex: line[...]) else {
        throw .refused("\(path) does not contain a key from 'tappet people keys' (64 hex digits)")
      }
      guard (try? signer.publicKey()) == site.publicKey else {
        throw .refused(
          "\(path) does not match 'public_key' of 'site': the doors would refuse every push signed with this key")
      }
      return signer
    }
  }

  private static func open(_ configuration: KioskConfiguration) throws(CommandFailure) -> SecretStore {
    do throws(SecretStoreError) { return try SecretStore.open(folder: configuration.stateFolder) } catch {
      guard case .sealingKey(.lost) = error else { throw .failed(error.sentence) }
      throw .failed(
        "only the running kiosk has the sealing key, which the service manager provides; run this command with "
          + "the same credential: systemd-run --pipe --wait --property=LoadCredentialEncrypted=… tappet people push …")
    }
  }

  /// Returns the version of the bundle that the broker retains; 0 if it retains no bundle of this site.
  private static func kept(_ dialogue: RequestSession, _ site: SiteSettings) throws(CommandFailure) -> Int64 {
    let grant = dialogue.subscribe(site.topic, qos: 1)
    guard case .granted = grant else {
      try dialogue.requireConnection()
      Output.printError(
        "The broker does not allow this client to read \(site.topic); the number of the last push is known only to "
          + "this machine.")
      return 0
    }
    // The broker retains one message per topic, and sends it immediately.
    dialogue.collect(until: Limits.retainedQuietMax) { $0.topic == site.topic }
    try dialogue.requireConnection()
    var version: Int64 = 0
    for message in dialogue.messages where message.topic == site.topic {
      guard let bundle = try? SiteBundle(arrived: message.payload, size: message.size), bundle.site == site.name,
        bundle.isSigned(by: site.publicKey)
      else { continue }
      version = max(version, bundle.version)
    }
    return version
  }

  /// Creates a bundle of this kiosk's people, and records it before it is published.
  private static func draft(
    _ store: SecretStore, _ site: SiteSettings, _ key: SecretKey, _ signer: SigningKey, after kept: Int64,
    isTrial: Bool
  ) throws(CommandFailure) -> Draft {
    for _ in 0..<5 {
      let known: SiteRecord?
      let facts: (content: SiteContent, unreadable: Int, changes: Int64)
      do throws(SecretStoreError) {
        known = try store.siteRecord()
        facts = try store.siteContent()
      } catch { throw .failed(error.sentence) }
      guard facts.unreadable == 0 else {
        throw .refused(
          "\(facts.unreadable) of the people's secrets cannot be decrypted, and would be missing at the doors; "
            + "use 'tappet secret list' to find these secrets, and remove them first")
      }
      let (version, isOver) = max(kept, known?.site == site.name ? known?.version ?? 0 : 0).addingReportingOverflow(1)
      guard !isOver else {
        throw .refused("the last push has the largest possible number; create a site with a different name")
      }
      let bundle: SiteBundle
      do throws(CryptoError) {
        bundle = try SiteBundle(facts.content, of: site.name, version: version, sealedUnder: key, signedBy: signer)
      } catch {
        throw .failed("the people cannot be sealed: OpenSSL or the system's random number generator failed")
      }
      guard bundle.bytes.count <= Limits.siteBundleSizeMax else {
        throw .refused(
          "the people need \(bundle.bytes.count) bytes, but a push is limited to \(Limits.siteBundleSizeMax) bytes")
      }
      let draft = Draft(bundle: bundle, content: facts.content)
      if isTrial { return draft }
      if try note(draft, since: facts.changes, in: store) { return draft }
    }
    throw .failed("the people on this machine keep changing; try again")
  }

  /// Records the draft; returns false if the people have changed since they were read.
  private static func note(
    _ draft: Draft, since changes: Int64, in store: SecretStore
  ) throws(CommandFailure) -> Bool {
    let now = SystemClock().now().unixSeconds
    let entry = AuditEntry(
      unixSeconds: now, peer: .current(), operation: "people-pushed", subject: draft.bundle.site,
      detail: "version \(draft.bundle.version): people \(draft.content.people.count), "
        + "tags \(draft.content.tags.count)")
    do throws(SecretStoreError) {
      return try store.recordPushed(draft.content, draft.bundle, since: changes, unixSeconds: now, noting: entry)
    } catch { throw .failed(error.sentence) }
  }

  private static func publish(_ bundle: SiteBundle, _ dialogue: RequestSession) throws(CommandFailure) {
    let topic = SiteSettings.topic(of: bundle.site)
    switch dialogue.publish(topic, bundle.bytes, isRetained: true, limit: Limits.sitePushMax) {
    case .taken: break
    case .refused(let code):
      throw CommandFailure(
        status: .publishRefused, sentence: "the broker refused the bundle: \(LinkFailure.publishRefusal(code))",
        code: FailureCode.publishUnacknowledged)
    case .none:
      try dialogue.requireConnection()
      throw CommandFailure(
        status: .publishRefused,
        sentence: "the broker did not acknowledge the bundle, which may be too large (\(bundle.bytes.count) bytes)",
        code: FailureCode.publishUnacknowledged)
    }
  }

  private static func report(_ draft: Draft, _ site: SiteSettings, _ arguments: Arguments) {
    let (people, tags) = (draft.content.people.count, draft.content.tags.count)
    if let report = arguments.report {
      return report.set(
        .object([
          "site": .string(site.name), "topic": .string(site.topic), "version": .number(draft.bundle.version),
          "people": .number(Int64(people)), "tags": .number(Int64(tags)),
          "bytes": .number(Int64(draft.bundle.bytes.count)), "pushed": .bool(!arguments.has("dry-run")),
        ]))
    }
    Output.print(
      (arguments.has("dry-run") ? "Would push" : "Pushed") + " version \(draft.bundle.version) to site \(site.name): "
        + "\(plural(people, "person", "people")), \(plural(tags, "tag")), "
        + "\(draft.bundle.bytes.count) bytes")
  }
}
