// Questions to a person, line by line: any terminal will do, and a pipe. A signal ends the interview in order, so that whoever asks
// can take back what was begun.

import CPlatform
import TappetCore
import TappetDevices

/// Asks on stderr, reads from standard input.
final class Interview {
  /// Whether a person sits there.
  static var isPossible: Bool { isatty(0) == 1 }

  /// A signal came, or the input ended: every further question has no answer.
  private(set) var isOver = false
  /// Readable when a signal came that ends the interview.
  let signals: Int32
  private var pending: [UInt8] = []
  private var before = sigset_t()

  /// From now on SIGINT, SIGTERM and SIGHUP end the interview and not the program.
  init() {
    var mask = sigset_t()
    sigemptyset(&mask)
    for number in [SIGINT, SIGTERM, SIGHUP] { sigaddset(&mask, number) }
    pthread_sigmask(SIG_BLOCK, &mask, &before)
    signals = signalfd(-1, &mask, tp_sfd_flags())
  }

  deinit {
    LibCrypto.wipe(&pending)
    if signals >= 0 { close(signals) }
    // What came meanwhile was an answer to a question of ours; it is taken note of, and not acted on a second time.
    var none = timespec()
    var mask = sigset_t()
    sigemptyset(&mask)
    for number in [SIGINT, SIGTERM, SIGHUP] { sigaddset(&mask, number) }
    while sigtimedwait(&mask, nil, &none) > 0 {}
    pthread_sigmask(SIG_SETMASK, &before, nil)
  }

  /// Whether a signal came while something else was done.
  func wasInterrupted() -> Bool {
    if !isOver { isOver = isReadable(signals) }
    return isOver
  }

  /// The answer without spaces around it, or what is usual for an empty one; nil when the interview is over.
  func ask(_ question: String, usual: String? = nil) -> String? {
    Output.prompt(question + (usual.map { $0.isEmpty ? " [none]: " : " [\($0)]: " } ?? ": "))
    guard let line = readLine() else {
      Output.complain("")
      return nil
    }
    let text = String(decoding: line, as: UTF8.self)
    let isUsual = text.utf8.allSatisfy { $0 == 0x20 || $0 == 0x09 }
    return isUsual ? usual ?? "" : Self.trimmed(text)
  }

  /// Yes or no; nil when the interview is over.
  func confirm(_ question: String, usual: Bool) -> Bool? {
    while let answer = ask(question + (usual ? " [Y/n]" : " [y/N]")) {
      switch answer {
      case "": return usual
      case "y", "Y", "yes", "Yes": return true
      case "n", "N", "no", "No": return false
      default: Output.complain("  Answer y or n.")
      }
    }
    return nil
  }

  /// A passphrase, without echo; nil when the interview is over.
  func secret(_ question: String) -> SecretText? {
    guard var line = QuietInput.withoutEcho(question + ": ", readLine) else { return nil }
    return SecretText.taking(&line)
  }

  /// A line without its end.
  private func readLine() -> [UInt8]? {
    var block = [UInt8](repeating: 0, count: 4096)
    defer { LibCrypto.wipe(&block) }
    while !isOver {
      if let end = pending.firstIndex(of: UInt8(ascii: "\n")) {
        let line = pending[..<end]
        let kept = Array(line.last == UInt8(ascii: "\r") ? line.dropLast() : line)
        pending.removeSubrange(...end)
        return kept
      }
      var entries = [
        pollfd(fd: 0, events: Int16(POLLIN), revents: 0), pollfd(fd: signals, events: Int16(POLLIN), revents: 0),
      ]
      guard poll(&entries, 2, -1) > 0 else { continue }
      if entries[1].revents != 0 { break }
      let count = block.withUnsafeMutableBytes { read(0, $0.baseAddress, $0.count) }
      guard count > 0, pending.count < Limits.configurationSizeMax else { break }
      pending += block.prefix(count)
    }
    isOver = true
    return nil
  }

  private func isReadable(_ descriptor: Int32) -> Bool {
    var entry = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
    return poll(&entry, 1, 0) > 0
  }

  private static func trimmed(_ text: String) -> String {
    var rest = Substring(text).utf8
    while let first = rest.first, first == 0x20 || first == 0x09 { rest = rest.dropFirst() }
    while let last = rest.last, last == 0x20 || last == 0x09 { rest = rest.dropLast() }
    return String(decoding: rest, as: UTF8.self)
  }
}
