// Commands in rooms that require the store: the last taps, and suspending or resuming a person. The store thread
// replies after its commit, so that an acknowledged change survives a power failure.

import CPlatform
import TappetConfig
import TappetCore
import TappetMessages
import TappetPlatform
import TappetSQLite
import TappetStore

extension Runtime {
  /// Executes a command of `user` on the store thread, and replies in the room.
  func serve(_ address: CommandReply.Address, by user: String) {
    let hasRoom: Bool
    switch address.target {
    case .person(let name, let isSuspended):
      // The audit entry names the user.
      let peer = LocalPeer(user: geteuid(), process: getpid(), program: user)
      hasRoom = ask(isSuspended ? .suspendPerson(name) : .resumePerson(name), by: peer, for: .room(address))
    case .history: hasRoom = askForHistory(address)
    case .action, .output, .timedOpening, .report, .status, .check, nil: return
    }
    if !hasRoom { refuse(address, SharedSentence.tooManyRequests) }
  }

  private func askForHistory(_ address: CommandReply.Address) -> Bool {
    guard let age = configuration.historyAge else {
      refuse(address, "kiosk.yaml sets 'history: none', so no log is kept")
      return true
    }
    let since = max(0, now().unixMilliseconds - age.wholeMilliseconds)
    return askStore(isRequired: false) { [configuration] secrets in
      do throws(SecretStoreError) {
        return .history(.success(try secrets.get().lastLines(configuration, since: since)), for: address)
      } catch { return .history(.failure(error), for: address) }
    }
  }

  /// Replies with the result of a command about a person.
  func served(_ address: CommandReply.Address, _ failure: SecretFailure?) {
    if let failure { return refuse(address, failure.sentence) }
    send(CommandReply(address: address, result: .done), at: now())
  }

  /// Replies with the last rows of the tap log.
  func served(_ address: CommandReply.Address, _ lines: Result<[String], SecretStoreError>) {
    switch lines {
    case .failure(let error): refuse(address, error.sentence)
    case .success(let lines):
      reply(to: address, lines.isEmpty ? "The log is empty." : lines.joined(separator: "\n"))
    }
  }

  private func refuse(_ address: CommandReply.Address, _ sentence: String) {
    reply(to: address, "Refused: " + sentence + ".")
  }
}

extension SecretStore {
  /// Returns the last rows of the tap log, one line each, with the person's name.
  fileprivate func lastLines(
    _ configuration: KioskConfiguration, since: Int64
  ) throws(SecretStoreError) -> [String] {
    let names = try personNames()
    do throws(DatabaseError) {
      return try store.history(in: since..<Int64.max, limit: Limits.roomHistoryMax).records.reversed().map { row in
        row.line(configuration, person: row.person.flatMap { names[$0] }, hidesTags: true)
      }
    } catch { throw .store(error) }
  }
}
