// A line that may hold a key or a passphrase: read whole and bounded, without leaving it in a stream's buffer, and without
// showing it when a person, or a USB scanner that types like one, enters it at a terminal.

import CPlatform
import TappetCore

enum QuietInput {
  /// The first line of a file, or of standard input; nil when it cannot be read, is too long, or was broken off.
  ///
  /// The caller's to wipe.
  static func line(path: String?, prompt: String, sizeMax: Int = Limits.tagURLSizeMax) -> [UInt8]? {
    if let path {
      let file = tp_open(path, O_RDONLY | O_CLOEXEC | O_NOCTTY, 0)
      guard file >= 0 else { return nil }
      defer { close(file) }
      return line(from: file, stop: nil, sizeMax: sizeMax)
    }
    guard isatty(0) == 1 else { return line(from: 0, stop: nil, sizeMax: sizeMax) }
    return typedLine(prompt, sizeMax: sizeMax)
  }

  /// The same for a key or a passphrase, whose file must be its owner's alone; `what` names it in the refusal.
  static func privateLine(
    path: String?, prompt: String, what: String, sizeMax: Int = Limits.tagURLSizeMax
  ) throws(SecretRefusal) -> [UInt8] {
    if let path, PrivateFile.isOpenToOthers(path) {
      throw SecretRefusal(sentence: PrivateFile.openSentence(path), status: .failure)
    }
    guard let line = line(path: path, prompt: prompt, sizeMax: sizeMax) else {
      throw SecretRefusal(
        sentence: "no \(what) of at most \(sizeMax) bytes can be read from \(path ?? "standard input")",
        status: .failure)
    }
    return line
  }

  /// With the echo off; whatever ends it, the terminal is as it was.
  private static func typedLine(_ prompt: String, sizeMax: Int) -> [UInt8]? {
    guard let stop = StopSignals() else { return nil }
    return withoutEcho(prompt) { line(from: 0, stop: stop, sizeMax: sizeMax) }
  }

  /// Asks, and lets `read` take the answer while a terminal does not show it; signals must be held back.
  static func withoutEcho<Answer>(_ prompt: String, _ read: () -> Answer) -> Answer {
    var before = termios()
    let isTerminal = tcgetattr(0, &before) == 0
    if isTerminal {
      var quiet = before
      quiet.c_lflag &= ~tcflag_t(ECHO)
      tcsetattr(0, TCSAFLUSH, &quiet)
    }
    defer {
      if isTerminal {
        tcsetattr(0, TCSAFLUSH, &before)
        Output.complain("")
      }
    }
    // Only now: whoever answers at once is not heard.
    Output.prompt(prompt)
    return read()
  }

  private static func line(from file: Int32, stop: StopSignals?, sizeMax: Int) -> [UInt8]? {
    // One piece of memory for all of it: what grows leaves copies behind.
    var text = [UInt8](repeating: 0, count: sizeMax + 2)
    var size = 0
    while true {
      if let stop, !stop.waitReadable(file, for: nil) {
        LibCrypto.wipe(&text)
        return nil
      }
      let count = text.withUnsafeMutableBytes { read(file, $0.baseAddress?.advanced(by: size), $0.count - size) }
      if count < 0, tp_errno() == EINTR { continue }
      let seen = text[size..<size + max(0, count)]
      size += max(0, count)
      if let end = seen.firstIndex(of: UInt8(ascii: "\n")) {
        size = end
        break
      }
      if count == 0 { break }
      if count < 0 || size == text.count {
        LibCrypto.wipe(&text)
        return nil
      }
    }
    if size > 0, text[size - 1] == UInt8(ascii: "\r") { size -= 1 }
    guard size <= sizeMax else {
      LibCrypto.wipe(&text)
      return nil
    }
    for index in size..<text.count { text[index] = 0 }
    text.removeLast(text.count - size)
    return text
  }
}

/// The signals that end a program at a terminal, held back while its screen has to be tidied up first.
final class StopSignals {
  private let descriptor: Int32
  private var before = sigset_t()

  init?() {
    var set = sigset_t()
    sigemptyset(&set)
    for number in [SIGINT, SIGTERM, SIGHUP, SIGQUIT, SIGTSTP] { sigaddset(&set, number) }
    sigprocmask(SIG_BLOCK, &set, &before)
    descriptor = signalfd(-1, &set, tp_sfd_flags())
    if descriptor < 0 {
      sigprocmask(SIG_SETMASK, &before, nil)
      return nil
    }
  }

  deinit {
    // What came has been obeyed.
    var information = signalfd_siginfo()
    while read(descriptor, &information, MemoryLayout<signalfd_siginfo>.size) > 0 {}
    close(descriptor)
    sigprocmask(SIG_SETMASK, &before, nil)
  }

  /// Waits until `file` has something; false: a signal came, or the time is up.
  ///
  /// `file` below zero: there is nothing to wait for but the signals.
  func waitReadable(_ file: Int32, for limit: Duration?) -> Bool {
    var entries = [
      pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0), pollfd(fd: file, events: Int16(POLLIN), revents: 0),
    ]
    let milliseconds = limit.map { Int32(clamping: $0.wholeMilliseconds) } ?? -1
    while poll(&entries, 2, milliseconds) == -1 { if tp_errno() != EINTR { return false } }
    return entries[0].revents == 0 && entries[1].revents != 0
  }
}
