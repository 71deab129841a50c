// The reader with a device in trouble, and the parent with a reader in trouble.

import Foundation
import TappetCore
import TestSupport
import Testing

@Suite(.serialized) struct ReaderFaultTests {
  /// The reader says why, ends, and works again afterwards.
  private func expectLost(_ rig: ReaderRig, _ fault: ReaderFault) throws {
    guard case .message(.lost(fault, _)) = try rig.nextEvent() else { throw TestFault("lost(\(fault))") }
    #expect(try rig.nextEvent() == .closed)
    #expect(rig.reader?.finish() == .exited(1))
  }

  private func expectTapWorks(_ rig: ReaderRig) throws {
    try rig.tell("place ntag213 url=\(tagURL)")
    #expect(try rig.reading().model == .ntag213)
  }

  @Test(.enabled(if: access("/proc/sys/kernel/seccomp", F_OK) == 0, "this kernel has no seccomp"))
  func `once its device is open, the reader is sandboxed, and can still read tags`() throws {
    let rig = try ReaderRig()
    try rig.startReady()
    let status = try String(contentsOfFile: "/proc/\(try #require(rig.reader).pid)/status", encoding: .utf8)
    #expect(status.contains("NoNewPrivs:\t1") && status.contains("Seccomp:\t2"), "\(status)")
    #expect(status.contains("CapEff:\t0000000000000000"), "\(status)")
    // Root's reader is nobody.
    let user = geteuid() == 0 ? 65534 : geteuid()
    #expect(status.contains("Uid:\t\(user)\t\(user)\t\(user)\t\(user)\n"), "\(status)")
    try expectTapWorks(rig)
  }

  #if arch(x86_64)
    @Test(.enabled(if: geteuid() == 0, "only root may stop a process that is not dumpable"))
    func `a compromised reader cannot open, change, start or signal anything`() throws {
      let rig = try ReaderRig()
      try rig.startReady()
      let pid = try #require(rig.reader).pid
      for number in 0...2 {
        #expect(try FileManager.default.destinationOfSymbolicLink(atPath: "/proc/\(pid)/fd/\(number)") == "/dev/null")
      }
      let results = try injectedCalls(into: pid)
      #expect(results["getpid"] == String(pid) && results.count == 39)
      let allowed = Set(results.filter { $0.value != "EPERM" }.keys)
      #expect(allowed == ["getpid", "TCGETS", "FIONREAD", "F_GETFL", "O_NONBLOCK"], "\(results)")
      try expectTapWorks(rig)
    }
  #endif

  @Test func `an unplugged reader is lost, then not found, and works again when plugged in`() throws {
    let rig = try ReaderRig()
    try rig.startReady()
    try rig.tell("unplug")
    try expectLost(rig, .ioError)
    try rig.start()
    try expectLost(rig, .notFound)
    try rig.tell("plug")
    try rig.startReady()
    try expectTapWorks(rig)
  }

  @Test func `an unresponsive reader is lost as silent, and returns when it responds`() throws {
    let rig = try ReaderRig()
    try rig.startReady()
    try rig.tell("stall on")
    try expectLost(rig, .silent)
    try rig.start()
    try expectLost(rig, .silent)
    try rig.tell("stall off")
    try rig.startReady()
    try expectTapWorks(rig)
  }

  @Test func `a lost response while the device is opened does not crash the reader`() throws {
    for commands in [0, 1, 2, 3, 5, 9, 14] {
      let rig = try ReaderRig()
      try rig.tell("stall after \(commands)")
      try rig.start()
      var event = try rig.nextEvent()
      if case .message(.ready) = event { event = try rig.nextEvent() }
      guard case .message(.lost) = event else { throw TestFault("lost after \(commands); \(event)") }
      #expect(try rig.nextEvent() == .closed)
      #expect(rig.reader?.finish() == .exited(1))
    }
  }

  @Test func `a response that makes libnfc abort ends the child only`() throws {
    let rig = try ReaderRig()
    try rig.startReady()
    try rig.tell("chip-corrupt status")
    try rig.tell("place ntag213 url=\(tagURL)")
    guard case .message(.tagArrived) = try rig.nextEvent() else { throw TestFault("tagArrived") }
    #expect(try rig.nextEvent() == .closed)
    #expect(rig.reader?.finish() == .signaled(SIGABRT))
    try rig.startReady()
    #expect(try rig.reading().model == .ntag213)
  }

  @Test func `a damaged frame from the chip is reported as a broken line`() throws {
    let rig = try ReaderRig()
    try rig.startReady()
    try rig.tell("chip-corrupt checksum")
    try expectLost(rig, .ioError)
    try rig.startReady()
    try expectTapWorks(rig)
  }

  @Test func `a killed reader's port can be reopened immediately`() throws {
    let rig = try ReaderRig()
    try rig.startReady()
    rig.reader?.kill()
    #expect(try rig.nextEvent() == .closed)
    #expect(rig.reader?.finish() == .signaled(SIGKILL))
    try rig.startReady()
    try expectTapWorks(rig)
  }

  @Test func `a second reader on the same device is reported as busy`() throws {
    let rig = try ReaderRig()
    try rig.startReady()
    let second = try ReaderRig()
    try second.start(device: "pn532_uart:" + rig.link)
    guard case .message(.lost(.busy, _)) = try second.nextEvent() else { throw TestFault("busy") }
    try expectTapWorks(rig)
  }

  @Test func `a missing device is reported as not found`() throws {
    let rig = try ReaderRig()
    for device in ["pn532_uart:/dev/tappet-none", "pn532_uart:", "nonsense", ""] {
      try rig.start(device: device)
      try expectLost(rig, .notFound)
    }
  }

  @Test func `a chip finds tags again automatically after a brown-out`() throws {
    let rig = try ReaderRig()
    try rig.startReady()
    try rig.tell("brownout")
    try rig.tell("place ntag213 url=\(tagURL)")
    // Without a new start.
    #expect(try rig.reading().model == .ntag213)
  }

  @Test func `a tag that stays during a brown-out is the same tap, and a removed tag is a new one`() throws {
    let rig = try ReaderRig()
    try rig.startReady()
    try rig.tell("place ntag213 url=\(tagURL) uid=04a1b2c3d4e5f6")
    let first = try rig.reading().uid
    for dip in 1...20 {
      let before = try rig.counter("command-14")
      try rig.tell("brownout")
      // Two in a row, now and then.
      if dip.isMultiple(of: 5) { try rig.tell("brownout") }
      try rig.until("the chip is set up again") { try rig.counter("command-14") > before }
      // The tag answers turn after turn without being looked for: the next dip must not hit each attempt.
      try rig.until("the tag is found again") {
        let (looks, questions) = (try rig.counter("command-4a"), try rig.counter("command-42"))
        try rig.until("it is asked twice") { try rig.counter("command-42") >= questions + 2 }
        return try rig.counter("command-4a") == looks
      }
    }
    try rig.tell("place ntag215 url=\(tagURL) uid=04a1b2c3d4e5f7")
    #expect(try rig.nextEvent() == .message(.tagLeft(first)))
    #expect(try rig.reading().uid != first)
    try rig.take()
    try rig.tell("brownout", "place ntag213 url=\(tagURL) uid=04a1b2c3d4e5f6")
    #expect(try rig.reading().uid == first)
  }

  @Test func `a reader with closed standard descriptors still opens its device`() throws {
    let rig = try ReaderRig()
    let script = rig.folder.appendingPathComponent("closed")
    try "#!/bin/sh\nexec '\(try Programs.built("tappet-reader").path)' \"$@\" 0<&- 1>&- 2>&-\n".write(
      to: script, atomically: true, encoding: .utf8)
    try FileManager.default.setAttributes([.posixPermissions: 0o755], ofItemAtPath: script.path)
    try rig.start(executable: script.path)
    guard case .message(.ready) = try rig.next() else { throw TestFault("ready") }
    try expectTapWorks(rig)
  }

  @Test func `a reader that is told to end switches the field off first`() throws {
    let rig = try ReaderRig()
    try rig.startReady()
    let before = try rig.counter("command-16")
    rig.reader?.stop()
    #expect(try rig.nextEvent() == .closed)
    #expect(rig.reader?.finish() == .exited(0))
    #expect(try rig.counter("command-16") == before + 1)
  }

  @Test(arguments: ["end of the socket", "signal"])
  func `the reader ends after a signal or a closed socket`(_ way: String) throws {
    let rig = try ReaderRig()
    let process = try rig.start()
    guard case .message(.ready) = try rig.next() else { throw TestFault("ready") }
    if way == "signal" {
      kill(process.pid, SIGTERM)
    } else {
      shutdown(process.fileDescriptor, Int32(SHUT_WR))
    }
    #expect(try rig.nextEvent() == .closed)
    #expect(process.finish() == .exited(0))
  }

  @Test func `a reader reports that it is alive`() throws {
    let rig = try ReaderRig()
    try rig.startReady()
    #expect(try rig.next() == .message(.heartbeat))
  }
}

@Suite(.serialized) struct ReaderDeafTests {
  @Test(arguments: 1...8)
  func `a reader that stops responding while it reads a tag is lost`(_ commands: Int) throws {
    let rig = try ReaderRig()
    try rig.startReady()
    try rig.tell("place ntag203 url=\(tagURL)")
    try rig.tell("stall after \(commands)")
    while true {
      let event = try rig.nextEvent()
      if case .message(.lost(let fault, _)) = event {
        #expect(fault == .silent)
        break
      }
      if event == .closed { throw TestFault("lost") }
    }
    #expect(try rig.nextEvent() == .closed)
  }
}
