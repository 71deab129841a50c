// The configuration and what hangs on it, as the commands need them.

import CPlatform
import TappetCore
import TappetDevices
import TappetRuntime

enum Settings {
  static let defaultPath = "/etc/tappet/kiosk.yaml"

  /// The configuration that `--config` names; every mistake in it is complained of.
  static func load(_ arguments: Arguments) -> Configuration? {
    switch ConfigFile.load(path: arguments.value("config") ?? defaultPath) {
    case .loaded(let configuration): return configuration
    case .refused(let problems):
      for problem in problems { Output.complain(problem.sentence) }
      if case .cannotRead(let error) = problems.first?.kind, error.code == ENOENT {
        Output.complain("Make one with 'tappet init', or say where it is with '--config FILE'.")
      }
      return nil
    }
  }

  /// The database of the configuration; its trouble is complained of.
  static func openVault(_ configuration: Configuration) -> Vault? {
    do throws(VaultError) { return try Vault.open(configuration) } catch {
      Output.complain("tappet: \(error.sentence)")
      return nil
    }
  }
}

/// A conversation with the running kiosk.
struct RunningKiosk {
  private let socket: LocalSocket

  /// Nil when none runs with this configuration.
  init?(_ configuration: Configuration) {
    guard let socket = try? LocalSocket.connect(to: configuration.controlSocket) else { return nil }
    self.socket = socket
  }

  /// Why there is none, and what to do.
  static func absence(_ configuration: Configuration) -> String {
    let path = configuration.controlSocket
    do throws(SystemError) { _ = try LocalSocket.connect(to: path) } catch {
      if error.code == EACCES {
        return
          "this user may not reach \(path), so it cannot be seen whether a kiosk runs; use sudo, or set 'control: /run/tappet/control' and join the group tappet"
      }
    }
    return "no kiosk runs with this configuration (nobody listens at \(path)); start one with 'tappet run'"
  }

  /// Asks, and waits for the answer with what it encloses; nil when none came in time.
  func converse(_ request: JSON, enclosing enclosure: SecretBytes?, waiting limit: Duration) -> ControlMessage? {
    var message = ControlMessage.encode(request, enclosing: enclosure)
    defer { LibCrypto.wipe(&message) }
    guard socket.send(message), socket.waitReadable(for: limit) else { return nil }
    let memory = UnsafeMutableRawBufferPointer.allocate(byteCount: Limits.controlReplySizeMax, alignment: 16)
    defer {
      LibCrypto.wipe(memory)
      memory.deallocate()
    }
    guard let size = socket.receive(into: memory), size > 0 else { return nil }
    return ControlMessage(UnsafeRawBufferPointer(rebasing: memory[..<size]))
  }

  /// For whoever waits for more than this.
  var fileDescriptor: Int32 { socket.fileDescriptor }

  /// Says something; false when the kiosk does not take it.
  func send(_ request: JSON) -> Bool { socket.send(request.encoded()) }

  /// What it says next, without waiting.
  func receive() -> LocalSocket.Receipt { socket.receive(sizeMax: Limits.controlReplySizeMax) }

  /// Asks, and waits for the answer; nil when none came in time.
  func ask(_ request: String, waiting limit: Duration = .seconds(3)) -> JSON? {
    ask(.object(["request": .string(request)]), waiting: limit)
  }

  /// Asks with more than a name.
  func ask(_ request: JSON, waiting limit: Duration = .seconds(3)) -> JSON? {
    guard socket.send(request.encoded()), socket.waitReadable(for: limit) else {
      return nil
    }
    guard case .message(let bytes) = socket.receive(sizeMax: Limits.controlReplySizeMax) else { return nil }
    return JSON(decoding: bytes)
  }
}
