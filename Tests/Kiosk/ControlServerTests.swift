import Foundation
import TappetConfig
import TappetCore
import TappetPlatform
import TestSupport
import Testing

@testable import TappetKiosk

@Suite struct ControlServerTests {
  private let reactor: Reactor
  private let path = TestFolder.make("control") + "/socket"

  init() throws { reactor = try Reactor() }

  private func turn(until isDone: () -> Bool) throws {
    let isOver = try eventually {
      if isDone() { return true }
      try reactor.turn(timeout: .seconds(1))
      return isDone()
    }
    try #require(isOver)
  }

  @Test func `flooding clients get one request served per turn, and so do all others`() throws {
    var served: [UInt64] = []
    let server = try ControlServer(listener: .listen(at: path), reactor: reactor) { _, client in
      served.append(client.number)
    }
    defer { withExtendedLifetime(server) {} }
    var clients: [UnixSocket] = []
    for _ in 0..<3 { clients.append(try .connect(to: path)) }
    for client in clients.dropLast() { for _ in 0..<20 { #expect(client.send(Array("{}".utf8))) } }
    #expect(clients[2].send(Array("{}".utf8)))
    var turns = 0
    while served.count < 41, turns < 1000 {
      let before = served.count
      try reactor.turn(timeout: .seconds(1))
      turns += 1
      let inThisTurn = served[before...]
      #expect(Set(inThisTurn).count == inThisTurn.count, "\(inThisTurn)")
    }
    #expect(served.count == 41)
    #expect(served.prefix(6).contains(3), "\(served)")
  }

  @Test func `the kiosk's helper processes get no response, and every other process does`() throws {
    let helpers = Helpers()
    let result = TestFolder.make("helper") + "/result"
    let program = TestFolder.make("helper") + "/program"
    try """
    #!/usr/bin/env python3
    import socket
    client = socket.socket(socket.AF_UNIX, socket.SOCK_SEQPACKET)
    client.connect("\(path)")
    try:
        client.send(b"{}")
        answer = client.recv(512)
    except OSError:
        answer = b""
    open("\(result)", "w").write(f"{len(answer)} bytes\\n")
    """.write(toFile: program, atomically: true, encoding: .utf8)
    try FileManager.default.setAttributes([.posixPermissions: 0o755], ofItemAtPath: program)
    let server = try ControlServer(
      listener: .listen(at: path), reactor: reactor,
      isRefused: { $0.peer.map { helpers.contains($0.process) } ?? true },
      answer: { _, client in client.send(.null) })
    defer { withExtendedLifetime(server) {} }
    try helpers.rooms.start(program, "--socket", [], reactor)
    try turn { textSoFar(result).hasSuffix("\n") }
    #expect(textSoFar(result) == "0 bytes\n")
    let other = try TestProcess(URL(fileURLWithPath: program))
    defer { other.stop(SIGKILL) }
    try turn { textSoFar(result) == "4 bytes\n" }
  }

  @Test func `a watcher that does not read is disconnected, and others hear on`() throws {
    let server = try ControlServer(listener: .listen(at: path), reactor: reactor, clientsMax: 2) { _, client in
      client.isWatching = true
      client.send(.null)
    }
    let clients = try (0..<3).map { _ in try UnixSocket.connect(to: path) }
    for client in clients { client.send(Array("{}".utf8)) }
    try turn { clients.allSatisfy { $0.waitReadable(for: .zero) } }
    #expect(clients[2].receive(sizeMax: 512) != .message(Array("null".utf8)))
    #expect(clients[0].receive(sizeMax: 512) == .message(Array("null".utf8)))
    let event = [UInt8](repeating: 0x20, count: 4096)
    for _ in 0..<1000 {
      server.tellWatchers { _ in event }
      while case .message = clients[0].receive(sizeMax: 8192) {}
    }
    #expect(clients[1].isHungUp && !clients[0].isHungUp && server.isWatched)
  }

  @Test func `connections are reserved for root when all others are in use`() throws {
    var isRoot = false
    var answered = 0
    let server = try ControlServer(
      listener: .listen(at: path), reactor: reactor, isTrusted: { _ in isRoot },
      answer: { _, client in
        answered += 1
        client.send(.null)
      })
    defer { withExtendedLifetime(server) {} }
    var silent: [UnixSocket] = []
    func connect() throws -> Bool {
      let client = try UnixSocket.connect(to: path)
      silent.append(client)
      let before = answered
      client.send(Array("{}".utf8))
      var isRefused = false
      try turn {
        if answered > before { return true }
        if case .message = client.receive(sizeMax: 512) { isRefused = true }
        return isRefused
      }
      return !isRefused
    }
    for place in 1...Limits.controlClientsMax {
      #expect(try connect() == (place <= Limits.controlClientsMax - Limits.controlPlacesKept), "\(place)")
    }
    isRoot = true
    #expect(try connect())
    #expect(try connect())
    #expect(try !connect())
    silent.removeAll()
    isRoot = false
    try turn { (try? connect()) == true }
    #expect(answered > Limits.controlClientsMax)
  }
}
