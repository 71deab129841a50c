// Access to the configuration and the running kiosk, for the commands.

import CPlatform
import TappetConfig
import TappetCore
import TappetJSON
import TappetKiosk
import TappetMessages
import TappetPlatform
import TappetStore

package enum KioskAccess {
  package static let defaultPath = "/etc/tappet/kiosk.yaml"

  /// Returns the path in option `--config`, otherwise the default.
  package static func path(_ arguments: Arguments) -> String { arguments.value("config") ?? usualPath }

  /// The path used without `--config`: from the environment variable TAPPET_CONFIG, otherwise the built-in default.
  package static var usualPath: String {
    guard let path = secure_getenv("TAPPET_CONFIG"), path.pointee != 0 else { return defaultPath }
    return String(cString: path)
  }

  /// Loads the configuration, or parses the given text, and prints all errors found.
  @export(interface)
  package static func load(
    _ arguments: Arguments, files: NamedFiles = .ignored, text: Result<TextFile, SystemError>? = nil
  ) throws(CommandFailure) -> KioskConfiguration {
    switch ConfigurationParser.load(path: path(arguments), files: files, text: text) {
    case .loaded(let configuration):
      if let zone = configuration.calendar.timeZone { WallTime.adopt(timeZone: zone) }
      return configuration
    case .refused(let problems):
      for problem in problems { Output.printError(problem.sentence) }
      if case .cannotRead(let error) = problems.first?.kind, error.code == ENOENT {
        Output.printError("Use 'tappet init' to create the file, or '--config FILE' to specify its path.")
      }
      var failure = CommandFailure.reported(.configuration, FailureCode.configuration)
      failure.mistakes = problems.map { $0.json }
      throw failure
    }
  }

  /// Loads the configuration; if it contains errors, prints a warning and uses only the control socket's path.
  @export(interface)
  package static func loadRunning(_ arguments: Arguments) throws(CommandFailure) -> KioskConfiguration {
    let path = path(arguments)
    guard case .refused(let problems) = ConfigurationParser.load(path: path, files: .ignored),
      let control = ConfigurationParser.controlSocket(path: path)
    else { return try load(arguments) }
    var configuration = KioskConfiguration.bare()
    configuration.controlSocket = control
    guard let kiosk = try? RunningKiosk.find(configuration), let state = kiosk.ask(.status)?.json["state"]?.text
    else { return try load(arguments) }
    configuration.stateFolder = state
    for problem in problems { Output.printError("warning: " + problem.sentence) }
    Output.printError("warning: the file has errors; using the kiosk that is listening on \(control)")
    return configuration
  }

  /// Checks that root may write a file specified in the configuration at `path`: a file outside the configuration's
  /// folder may be written only if no other user can change the configuration.
  @export(interface)
  package static func requireWritable(
    _ file: String, namedBy path: String, orGiven option: String? = nil
  ) throws(CommandFailure) {
    guard geteuid() == 0, FileOwner.isOpenToOthers(path) else { return }
    guard let folder = resolvedPath(AtomicFiles.folder(of: path)),
      let target = resolvedPath(AtomicFiles.folder(of: file)), (target + "/").begins(with: folder + "/")
    else {
      throw .refused(
        "\(path) is writable by users other than root and refers to \(file), which is outside its folder, so root will "
          + "not write to that file; make root the owner of \(path) (chown root:tappet, chmod 640)"
          + (option.map { ", or specify the file with --\($0)" } ?? ""))
    }
  }

  /// Opens the configuration's database.
  @export(interface)
  package static func openStore(_ configuration: KioskConfiguration) throws(CommandFailure) -> SecretStore {
    do throws(SecretStoreError) { return try SecretStore.open(folder: configuration.stateFolder) } catch {
      throw .failed(error.sentence)
    }
  }
}

/// A connection to the running kiosk.
package struct RunningKiosk {
  private let socket: UnixSocket

  private init(_ socket: UnixSocket) { self.socket = socket }

  /// Connects to the kiosk of this configuration; returns `nil` if it is not running.
  ///
  /// Throws if the listener is neither root, this user, the service's user nor the folder's owner: where others can
  /// write to the folder, another program could replace the socket, receive requests, and send any response.
  @export(interface)
  package static func find(_ configuration: KioskConfiguration) throws(CommandFailure) -> RunningKiosk? {
    guard let socket = try? UnixSocket.connect(to: configuration.controlSocket) else { return nil }
    let peer = socket.peer?.user
    if let peer, FileOwner.isTrusted(peer, at: configuration.controlSocket) { return RunningKiosk(socket) }
    throw .failed(
      "the program listening on \(configuration.controlSocket) is not the kiosk: it runs as another user "
        + "(\(peer.map { String($0) } ?? "unknown")); nothing was sent; check which program this is",
      FailureCode.kioskDistrusted)
  }

  /// Whether this user is not allowed to connect to the control socket, so that a running kiosk cannot be found.
  @export(interface)
  package static func isForbidden(_ configuration: KioskConfiguration) -> Bool {
    do throws(SystemError) { _ = try UnixSocket.connect(to: configuration.controlSocket) } catch {
      return error.code == EACCES
    }
    return false
  }

  /// Returns a message that explains why no kiosk was found, and what to do.
  @export(interface)
  package static func absence(_ configuration: KioskConfiguration) -> String {
    let path = configuration.controlSocket
    if isForbidden(configuration) {
      return "this user is not allowed to connect to \(path), so a running kiosk cannot be found; use sudo, or set "
        + "'control: /run/tappet/control' and join the group tappet"
    }
    return "no kiosk is running with this configuration (nothing is listening on \(path)); use 'tappet run' to start it"
  }

  /// The socket's descriptor, for callers that wait for several descriptors.
  package var fileDescriptor: Int32 { socket.fileDescriptor }

  /// Sends a message; returns false if the kiosk does not accept it.
  package func send(_ request: KioskRequest) -> Bool {
    let message = request.message
    var bytes = ControlMessage.encode(message.json, enclosing: message.secretPayload)
    defer { LibCrypto.wipe(&bytes) }
    return socket.send(bytes)
  }

  /// Receives the next message without waiting.
  package func receive() -> UnixSocket.Receipt { socket.receive(sizeMax: Limits.controlReplySizeMax) }

  /// Sends a request and waits for the response with its payload; returns `nil` if no response arrives in time.
  @export(interface)
  package func ask(
    _ request: KioskRequest, waiting limit: Duration = .seconds(3)
  ) -> ControlMessage? {
    guard send(request), socket.waitReadable(for: limit) else { return nil }
    let memory = UnsafeMutableRawBufferPointer.allocate(byteCount: Limits.controlReplySizeMax, alignment: 16)
    defer {
      LibCrypto.wipe(memory)
      memory.deallocate()
    }
    guard let size = socket.receive(into: memory), size > 0 else { return nil }
    return ControlMessage(UnsafeRawBufferPointer(rebasing: memory[..<size]))
  }
}

/// A client that sends requests to the running kiosk, which has the sealing key and applies changes immediately; if no
/// kiosk is running, this process handles the requests.
package struct KioskClient {
  let configuration: KioskConfiguration

  package init(configuration: KioskConfiguration) { self.configuration = configuration }

  /// Sends requests and returns the last response; if no kiosk is running, `direct` handles the request.
  @export(interface)
  package func ask(
    _ requests: [KioskRequest], waiting limit: Duration = .seconds(30),
    direct: () throws(CommandFailure) -> ControlMessage
  ) throws(CommandFailure) -> ControlMessage {
    guard let kiosk = try RunningKiosk.find(configuration) else { return try judged(direct()) }
    for request in requests.dropLast() { _ = try judged(kiosk.ask(request, waiting: limit)) }
    return try judged(requests.last.flatMap { kiosk.ask($0, waiting: limit) })
  }

  /// Sends a request that only a running kiosk can handle.
  @export(interface)
  package func ask(_ request: KioskRequest) throws(CommandFailure) -> JSON {
    try ask([request]) { () throws(CommandFailure) in
      throw .failed(RunningKiosk.absence(configuration), FailureCode.kioskAbsent)
    }.json
  }

  private func judged(_ answer: ControlMessage?) throws(CommandFailure) -> ControlMessage {
    guard let answer else {
      throw .failed(
        "the running kiosk does not respond; check its log, and whether the request was executed",
        FailureCode.kioskSilent)
    }
    guard let sentence = answer.json["error"]?.text else { return answer }
    throw answer.json["refused"] == .bool(true) ? .refused(sentence) : .failed(sentence)
  }
}

extension ConfigurationProblem {
  /// The error as JSON.
  fileprivate var json: JSON {
    .object([
      "code": .string(kind.code), "file": .string(file), "line": .number(Int64(position.line)),
      "column": .number(Int64(position.column)), "text": .string(sentence),
    ])
  }
}

extension AtomicFilesError {
  package var failure: CommandFailure { .failed("\(path) cannot be written: \(error.text); nothing was changed") }
}
