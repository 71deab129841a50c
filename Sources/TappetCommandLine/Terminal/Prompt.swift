// Line-based prompts, which work on any terminal and with a pipe. A signal ends the dialogue gracefully, so that the
// command can undo its changes. Secrets are not echoed.

import CPlatform
import TappetConfig
import TappetCore
import TappetMessages
import TappetPlatform

/// Interactive prompts on stderr, with input from stdin.
package final class Prompt {
  /// Whether prompting is possible.
  package static var isPossible: Bool { isatty(0) == 1 || Dialogue.current != nil }

  private let signals: HeldSignals
  private let lines = LineReader(0, sizeMax: Limits.answerSizeMax)
  private var hasEnded = false
  /// Whether `<` is not an answer, but returns to the previous question.
  package var canGoBack = false
  /// Whether the last line was `<`; the question has no answer then, as when the dialogue has ended.
  package private(set) var isGoingBack = false
  /// The number of questions so far.
  package private(set) var questionCount = 0

  /// Starts a dialogue, during which a signal ends the dialogue instead of the program.
  package init(holding numbers: [Int32] = HeldSignals.ending) { signals = HeldSignals(numbers) }

  /// Whether a signal has arrived or the input has ended, so that no further answer is possible.
  package var isOver: Bool { hasEnded || signals.hasArrived }

  /// Descriptor that is readable when a signal has arrived.
  package var signalDescriptor: Int32 { signals.fileDescriptor }

  /// Returns the answer without surrounding spaces, or the default if it is empty; `nil` when the dialogue has ended.
  ///
  /// A terminal shows the question, and a browser the choices.
  @export(interface)
  package func ask(_ question: String, default usual: String? = nil, _ choices: Choices? = nil) -> String? {
    let prompt = question + (usual.map { $0.isEmpty ? " [none]: " : " [\($0)]: " } ?? ": ")
    let typed =
      Dialogue.current.map { $0.ask(question, default: usual, .text, choices, endedBy: signals) } ?? edited(prompt)
    guard let line = accepted(typed) else {
      if hasEnded { Output.printError("") }
      return nil
    }
    let isSpace = { (byte: UInt8) in byte == 0x20 || byte == 0x09 }
    guard let first = line.firstIndex(where: { !isSpace($0) }), let last = line.lastIndex(where: { !isSpace($0) })
    else { return usual ?? "" }
    return String(decoding: line[first...last], as: UTF8.self)
  }

  /// Prompts for yes or no; returns `nil` when the dialogue has ended.
  @export(interface)
  package func confirm(_ question: String, default usual: Bool) -> Bool? {
    if let dialogue = Dialogue.current {
      return accepted(dialogue.ask(question, default: usual ? "y" : "n", .yes, endedBy: signals)).map { $0 == [0x79] }
    }
    while let answer = ask(question + (usual ? " [Y/n]" : " [y/N]")) {
      switch answer {
      case "": return usual
      case "y", "Y", "yes", "Yes": return true
      case "n", "N", "no", "No": return false
      default: Output.printError("  Answer y or n.")
      }
    }
    return nil
  }

  /// Prompts for a line that is not echoed; returns `nil` when the dialogue has ended.
  @export(interface)
  package func secret(_ question: String) -> SecretBytes? {
    if let dialogue = Dialogue.current {
      guard var line = accepted(dialogue.ask(question, .secret, endedBy: signals)) else { return nil }
      return SecretBytes(taking: &line)
    }
    let mode = TerminalMode.quiet()
    defer { withExtendedLifetime(mode) {} }
    let stops = HeldSignals([SIGCONT])
    repeat {
      mode?.renew()
      // Printed after the echo is off, so that even an immediate answer is not shown.
      Output.printPrompt(question + ": ")
    } while hasContinued(stops)
    let line = accepted(typed())
    if mode != nil { Output.printError("") }
    guard var line else { return nil }
    return SecretBytes(taking: &line)
  }

  /// Waits until a line can be read; returns true if the process was stopped and continued instead.
  private func hasContinued(_ stops: HeldSignals) -> Bool {
    guard !hasEnded, isatty(0) == 1 else { return false }
    let ready = Poll.wait(
      [(signals.fileDescriptor, .readable), (0, .readable), (stops.fileDescriptor, .readable)], for: nil)
    return ready[0].isEmpty && ready[1].isEmpty && stops.consume()
  }

  /// Shows a prompt and reads a line, with editing keys on a terminal.
  private func edited(_ prompt: String) -> [UInt8]? {
    let text = prompt.escapedLines
    switch hasEnded ? .ended : LineEditor.read(text, endedBy: signals.fileDescriptor) {
    case .line(let line): return line
    case .tooLong:
      Output.printError("  An answer has at most \(Limits.answerSizeMax) bytes; a longer text goes into a file.")
      return edited(prompt)
    case .ended: return nil
    case .unavailable:
      Output.printPrompt(text)
      return typed()
    }
  }

  /// Reads a line as it is typed.
  private func typed() -> [UInt8]? {
    guard !hasEnded, let line = lines.next(endedBy: signals), !(line.isEmpty && lines.isOver) else { return nil }
    return line
  }

  /// Counts the question, and returns the line unless it is `<`.
  private func accepted(_ line: [UInt8]?) -> [UInt8]? {
    questionCount += 1
    isGoingBack = false
    guard let line else {
      hasEnded = true
      return nil
    }
    isGoingBack = canGoBack && line.elementsEqual("<".utf8)
    return isGoingBack ? nil : line
  }
}

// MARK: - Single prompts

extension Prompt {
  /// Returns whether to prompt before an action: false with `--yes`; throws if there is no terminal to prompt on.
  package static func isNeeded(for what: String, _ arguments: Arguments) throws(CommandFailure) -> Bool {
    if arguments.has("yes") { return false }
    guard isPossible else { throw .refused(what + "; add --yes to confirm") }
    return true
  }

  /// Requires the user to type `word` as confirmation; `fact` is the message if prompting is impossible.
  package static func require(
    _ word: String, _ reason: String, fact: String = "this cannot be undone", _ arguments: Arguments
  ) throws(CommandFailure) {
    guard try isNeeded(for: fact, arguments) else { return }
    guard Prompt().ask("\(reason) Type '\(word)' to continue") == word else { throw .refused("not done") }
  }

  /// Requires consent, by prompt or `--force`, to replace files that already exist.
  @export(interface)
  package static func requireReplacement(of paths: [String], _ arguments: Arguments) throws(CommandFailure) {
    let present = paths.filter { access($0, F_OK) == 0 }
    if present.isEmpty || arguments.has("force") { return }
    let list = present.joined(separator: ", ")
    guard isPossible else {
      throw .refused(
        "\(list) already exist\(present.count == 1 ? "s; use --force to replace it" : "; use --force to replace them")")
    }
    guard Prompt().confirm("Replace \(list)?", default: false) == true else { throw .refused("nothing was changed") }
  }

  /// Throws if the file of --passphrase-file cannot be used, so that only this is reported.
  @export(interface)
  package static func requirePassphraseFile(_ arguments: Arguments) throws(CommandFailure) {
    guard let file = arguments.value("passphrase-file"), file != "-" else { return }
    do throws(CommandFailure) {
      _ = try privateLine(from: file, question: "Passphrase", what: "passphrase")
    } catch { throw .refused(error.sentence ?? "") }
  }

  /// Returns the passphrase of `path` from --passphrase-file or the terminal; `nil` if neither is available.
  @export(interface)
  package static func passphrase(of path: String, _ arguments: Arguments) -> SecretBytes? {
    guard let file = arguments.value("passphrase-file") else {
      return isPossible ? Prompt(holding: HeldSignals.typed).secret("Passphrase of \(path)") : nil
    }
    do throws(CommandFailure) {
      return try privateLine(from: file == "-" ? nil : file, question: "Passphrase", what: "passphrase")
    } catch {
      Output.printError("tappet: \(error.sentence ?? "")")
      return nil
    }
  }

  /// Reads the first line of a file or of standard input, without echo on a terminal.
  @export(interface)
  package static func line(
    from path: String?, question: String, what: String, sizeMax: Int = Limits.tagURLSizeMax
  ) throws(CommandFailure) -> SecretBytes {
    var line: SecretBytes?
    if path == nil, isPossible {
      line = Prompt(holding: HeldSignals.typed).secret(question + " (not shown)")
      if line == nil { throw .refused("no \(what) was entered") }
    } else {
      let file = try input(path)
      defer { if file > 0 { close(file) } }
      do throws(FirstLineError) {
        if var bytes = try FirstLine.next(from: file, sizeMax: sizeMax) { line = SecretBytes(taking: &bytes) }
      } catch {
        switch error {
        case .system: throw unreadable(what, sizeMax, path)
        case .text(let fault): throw .failed(fault.sentence(path ?? "standard input"))
        }
      }
    }
    guard let line, line.count <= sizeMax else { throw unreadable(what, sizeMax, path) }
    return line
  }

  /// Opens a file; standard input without a path.
  private static func input(_ path: String?) throws(CommandFailure) -> Int32 {
    guard let path else { return 0 }
    do throws(SystemError) {
      return try checked("open") { tp_open(path, O_RDONLY | O_CLOEXEC | O_NOCTTY, 0) }
    } catch { throw .failed("\(path) cannot be read: \(error.text)") }
  }

  private static func unreadable(_ what: String, _ sizeMax: Int, _ path: String?) -> CommandFailure {
    .failed("cannot read a \(what) of at most \(sizeMax) bytes from \(path ?? "standard input")")
  }

  /// Reads all non-empty lines of a file or of standard input, at least one; on a terminal, prompts for a single line.
  ///
  /// `trim` returns the relevant part of a line.
  package static func lines(
    from path: String?, question: String, what: String, trim: ([UInt8]) -> [UInt8] = { $0 }
  ) throws(CommandFailure) -> [SecretBytes] {
    let sizeMax = Limits.tagURLSizeMax
    func trimmed(_ line: inout [UInt8]) -> SecretBytes {
      var text = trim(line)
      LibCrypto.wipe(&line)
      return SecretBytes(taking: &text)
    }
    if path == nil, isPossible {
      var typed = try line(from: nil, question: question, what: what).withBytes { Array($0) }
      return [trimmed(&typed)]
    }
    let file = try input(path)
    defer { if file > 0 { close(file) } }
    let reader = LineReader(file, sizeMax: sizeMax)
    var lines: [SecretBytes] = []
    while !reader.isOver {
      guard var line = reader.next(), lines.count < Limits.configuredSecretsMax else {
        throw unreadable(what, sizeMax, path)
      }
      let secret = trimmed(&line)
      if secret.count > 0 { lines.append(secret) }
    }
    guard !lines.isEmpty else { throw .refused("there is no \(what) in \(path ?? "standard input")") }
    return lines
  }

  /// Reads the first line like `line`, but rejects a file that other users can read.
  package static func privateLine(
    from path: String?, question: String, what: String, sizeMax: Int = Limits.tagURLSizeMax
  ) throws(CommandFailure) -> SecretBytes {
    if let path, PrivateFile.isOpenToOthers(path) {
      throw .failed("\(path) can be read by others; run: chmod 600 \(path)")
    }
    return try line(from: path, question: question, what: what, sizeMax: sizeMax)
  }
}

extension CertificateProblem {
  /// The error message, with a hint if a passphrase is missing.
  package var promptSentence: String {
    @export(interface) get {
      switch self {
      case .keyEncrypted(let path), .bundleEncrypted(let path):
        "\(path) has a passphrase, which was not entered: run this command on a terminal, or specify a file with mode "
          + "0600 with --passphrase-file"
      default: sentence
      }
    }
  }
}
