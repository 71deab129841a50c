// The running kiosk's responses to the tool.

import CPlatform
import TappetCore
import TappetJSON
import TappetMessages
import TappetPlatform
import TappetStore

extension Runtime {
  /// Returns whether the client is one of the kiosk's helpers, and kills that helper: a helper connects only if it was
  /// compromised.
  ///
  /// A helper runs as the kiosk's own user, who may see keys.
  func refuses(_ client: ControlServer.Client) -> Bool {
    guard let peer = client.peer, helpers.contains(peer.process) else { return false }
    log(LogRecord(refused: peer))
    kill(peer.process, SIGKILL)
    return true
  }

  /// Handles one request.
  func answer(_ message: ControlMessage, from client: ControlServer.Client) {
    let request: KioskRequest
    do throws(KioskRequestError) { request = try KioskRequest(message) } catch {
      return client.send(.failure(error.sentence))
    }
    serve(request, for: client)
  }

  /// Performs one request.
  func serve(_ request: KioskRequest, for client: ControlServer.Client) {
    switch request {
    case .status:
      let status = view.json(maySeeKeys: client.maySeeKeys)
      client.send(client.page == nil ? status : status.withoutFolders)
    case .watch:
      client.isWatching = true
      client.send(view.json(maySeeKeys: client.maySeeKeys))
    case .lockPanel:
      feed(.panel(.lockAsked))
      client.send(.object(["locked": kiosk.status.isLocked.map { .bool($0) } ?? .null]))
    case .listOutputs: listOutputs(for: client)
    // A request that waited until its client gave up must not move anything any longer.
    case .switchOutput where client.isGone, .testCommand where client.isGone: break
    case .switchOutput(let name, let wanted): switchOutput(name, wanted, for: client)
    case .testCommand(let topic, let sample): testCommand(sample, topic: topic, for: client)
    case .dropEntries(let id): dropEntries(id, for: client)
    case .retryEntries(let id): retryEntries(id, for: client)
    case .reloadSession:
      feed(.webhooksReplaced)
      client.send(.object(["reloaded": .bool(true)]))
    case .nextTag: sendNextTag(to: client)
    case .watchTags: sendAllTags(to: client)
    case .beginTagJob(let job): beginTagJob(job, for: client)
    case .cancelTagJob: cancelTagJob(of: client)
    case .stagePeople(let rows): stage(rows, for: client)
    case .offerPairing(let name, let level): offerPairing(name, level, for: client)
    case .page: client.send(.failure("this request is served only on the page's socket"))
    case .secrets(let request): serve(request, for: client)
    }
  }

  /// Encodes a tag reading for the tool, which interprets it.
  func describe(_ reading: TagReading) -> JSON {
    .object([
      "uid": .string(Hex.encode(reading.uid.bytes)), "model": .number(Int64(reading.model.rawValue)),
      "memory": .string(Hex.encode(reading.bytes)),
    ])
  }
}
