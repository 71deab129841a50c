// Descriptors, sockets, waits and children against the kernel.

import Foundation
import TappetCore
import TappetPlatform
import TestSupport
import Testing

@Suite struct DescriptorTests {
  private let folder = TemporaryFolder()

  init() throws {
    try FileManager.default.createDirectory(atPath: folder.path, withIntermediateDirectories: true)
  }

  @Test func `a descriptor is closed with its last reference`() throws {
    var file: FileDescriptor? = try .open("/dev/null", O_RDWR)
    let number = try #require(file?.number)
    #expect(fcntl(number, F_GETFD) == FD_CLOEXEC)
    file = nil
    #expect(fcntl(number, F_GETFD) == -1)
  }

  @Test func `an error names the failed call`() {
    #expect(throws: SystemError(call: "open", code: ENOENT)) { try FileDescriptor.open("/nothing/here", O_RDONLY) }
  }

  @Test func `messages keep their boundaries, and a truncated one reports its size`() throws {
    let ends = try UnixSocket.pair()
    let child = UnixSocket(owning: ends.child)
    #expect(ends.ours.receive(sizeMax: 4) == .nothing)
    #expect(child.send([1, 2, 3]))
    #expect(child.send([4, 5, 6, 7, 8]))
    #expect(ends.ours.receive(sizeMax: 4) == .message([1, 2, 3]))
    var memory = [UInt8](repeating: 0, count: 4)
    #expect(try ends.ours.receiveMessage(into: &memory) == 5)
    #expect(memory == [4, 5, 6, 7])
    #expect(!ends.ours.isHungUp)
    child.endSending()
    #expect(ends.ours.receive(sizeMax: 4) == .closed)
  }

  @Test(arguments: [UnixSocket.Kind.stream, .packets])
  func `a socket left by a killed process is replaced, and a socket in use is not`(_ kind: UnixSocket.Kind) throws {
    let path = folder.path + "/socket"
    let first = try UnixSocket.listen(at: path, kind)
    #expect(throws: SystemError(call: "bind", code: EADDRINUSE)) { try UnixSocket.listen(at: path, kind) }
    // As after a kill: the file stays.
    let leftover = folder.path + "/leftover"
    #expect(rename(path, leftover) == 0)
    shutdown(first.fileDescriptor, Int32(SHUT_RDWR))
    let second = try UnixSocket.listen(at: leftover, kind)
    let client = try UnixSocket.connect(to: leftover, kind)
    let server = try #require(try second.accept())
    #expect(client.send([9]))
    #expect(server.receive(sizeMax: 4) == .message([9]))
    #expect(server.peer?.process == getpid())
  }

  @Test func `a regular file at the socket's path is kept`() throws {
    let path = folder.path + "/file"
    #expect(FileManager.default.createFile(atPath: path, contents: nil))
    #expect(throws: SystemError(call: "bind", code: EADDRINUSE)) { try UnixSocket.listen(at: path) }
    #expect(access(path, F_OK) == 0)
  }

  @Test func `a wait lasts at least its time, and ends when something is ready`() throws {
    let ends = try UnixSocket.pair()
    let limit = Duration.nanoseconds(2_300_000)
    let started = Instant.now()
    #expect(Poll.wait(ends.ours.fileDescriptor, limit: limit).isEmpty)
    #expect(Instant.now() - started >= limit)
    #expect(Poll.wait(ends.ours.fileDescriptor, for: .writable, limit: nil) == .writable)
    #expect(UnixSocket(owning: ends.child).send([1]))
    let ready = Poll.wait([(-1, .readable), (ends.ours.fileDescriptor, .readable)], for: nil)
    #expect(ready[0].isEmpty)
    #expect(ready[1].contains(.readable))
  }

  @Test func `a child gets one descriptor and the chosen variables, and is reaped once`() throws {
    setenv("TAPPET_PLATFORM_TEST", "yes", 1)
    defer { unsetenv("TAPPET_PLATFORM_TEST") }
    let ends = try UnixSocket.pair()
    // The inherited descriptor is 3, and there is no 4.
    let script = "printf '%s' \"$TAPPET_PLATFORM_TEST$HOME\" >&3; (: >&4) 2>/dev/null && exit 4; exit 3"
    let child = try ChildProcess.spawn(
      "/bin/sh", ["-c", script], variables: ["TAPPET_PLATFORM"], inherited: ends.child)
    child.waitForEnd(limit: .seconds(Int64(patience)))
    #expect(ends.ours.receive(sizeMax: 64) == .message(Array("yes".utf8)))
    #expect(child.reap() == .exited(3))
    #expect(child.reap() == .exited(3))
    #expect(throws: SystemError(call: "posix_spawn", code: ENOENT)) {
      try ChildProcess.spawn("/nothing/here", [], variables: [], inherited: ends.child)
    }
  }

  @Test func `a blocked signal is read from the descriptor, and not delivered`() throws {
    // The mask belongs to the thread: all of it happens on one that ends.
    let outcome = Outcome()
    let thread = Thread {
      outcome.value = (try? SignalDescriptor.open([SIGUSR2])).flatMap { signals in
        pthread_kill(pthread_self(), SIGUSR2)
        return signals.next()
      }
      outcome.done.signal()
    }
    thread.start()
    #expect(outcome.done.wait(timeout: .now() + patience) == .success)
    #expect(outcome.value == SIGUSR2)
  }

  private final class Outcome: @unchecked Sendable {
    var value: Int32?
    let done = DispatchSemaphore(value: 0)
  }
}
