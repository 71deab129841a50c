// The kiosk as the product of a Swift package: a small public API over the modules that implement it.

import TappetConfig
import TappetCore
import TappetKiosk
import TappetMessages
import TappetPlatform
import TappetStore

/// A failure, described in a human-readable sentence.
public struct KioskError: Error, Sendable {
  /// A sentence that states what happened, where, and what to do.
  public var sentence: String
}

/// An event, as recorded in the log.
public struct KioskEvent: Sendable {
  /// The event's name in the log, such as `tap-accepted`.
  public var name: String
  /// A human-readable sentence.
  public var sentence: String
  /// The fields in the same order as in the log, such as `action` and `uid`.
  public var fields: [(key: String, value: String)]
}

/// A running tap-to-publish kiosk.
///
/// A kiosk is confined to one thread: create, run and stop it there. Its handlers are called on that thread.
public final class Kiosk {
  private let runtime: Runtime

  /// Called with the name of each light that is shown.
  public var onLight: (String) -> Void = { _ in }
  /// Called with each event.
  public var onEvent: (KioskEvent) -> Void = { _ in }

  /// Opens a kiosk with the configuration file at `path`; the kiosk starts when `run` is called.
  ///
  /// `secrets` are accepted in addition to those in the store; each is an action's name and a key as 64 hex digits.
  public init(configurationAt path: String, secrets: [(action: String, key: String)] = []) throws(KioskError) {
    let configuration: KioskConfiguration
    switch ConfigurationParser.load(path: path) {
    case .loaded(let loaded): configuration = loaded
    case .refused(let problems): throw KioskError(sentence: problems.map { $0.sentence }.joined(separator: "\n"))
    }
    if let sentence = configuration.foreignZoneSentence { throw KioskError(sentence: sentence) }
    var own: [TagSecret] = []
    for secret in secrets { own.append(try Kiosk.secret(secret.action, secret.key, configuration)) }
    do throws(RuntimeError) { runtime = try Runtime(configuration, ownSecrets: own) } catch {
      throw KioskError(sentence: error.sentence)
    }
    runtime.observers.onLight = { [unowned self] in onLight($0.name) }
    runtime.observers.onRecord = { [unowned self] in
      onEvent(KioskEvent(name: $0.name, sentence: $0.sentence, fields: $0.fields))
    }
  }

  /// Runs the kiosk until it has shut down after a call of `stop`.
  public func run() throws(KioskError) {
    do throws(RuntimeError) {
      try runtime.start()
      defer { runtime.close() }
      try runtime.begin()
      while !runtime.isFinished { try runtime.dispatch(timeout: nil) }
    } catch { throw KioskError(sentence: error.sentence) }
  }

  /// Requests a shutdown, when called from one of the kiosk's handlers; a second call ends the kiosk immediately.
  public func stop() { runtime.stop() }

  /// Triggers an action in the same way as a button press; the panel's lock and the action's confirmation apply.
  public func press(action: String) { runtime.press(action: action, at: Instant.now()) }

  /// Numbers of accepted, delivered and refused taps and presses.
  public var counts: (accepted: Int, delivered: Int, refused: Int) {
    let counters = runtime.counts.counters
    return (Int(counters.accepted), Int(counters.delivered), Int(counters.refused))
  }

  private static func secret(
    _ action: String, _ digits: String, _ configuration: KioskConfiguration
  ) throws(KioskError) -> TagSecret {
    guard let index = configuration.actions.first(where: { $0.name == action })?.index else {
      throw KioskError(sentence: "there is no action '\(action)' in the configuration")
    }
    guard let key = SecretKey(hex: digits) else { throw KioskError(sentence: "a key must have 64 hex digits") }
    return TagSecret(
      id: "own-\(action)", action: action, index: index, key: key,
      createdUnixSeconds: SystemClock().now().unixSeconds, label: nil)
  }
}
