// tappet secret share: shows a secret's key as a code that a phone or another kiosk can import.

import CPlatform
import TappetCommandLine
import TappetCore
import TappetJSON
import TappetKiosk
import TappetPlatform
import TappetQR

extension Command {
  static var secretShare: Command {
    Command(
      words: "secret share", section: .secrets, summary: "show a secret as a QR code, for a phone or another kiosk",
      operands: [.secretID],
      options: [
        CommandOption("url", "print only the share URL"),
        CommandOption("out", "FILE", .file, "write the code to a new SVG file (mode 0600)").orElse,
      ],
      details: """
        Shows the secret as a QR code for a minute, or until a key is pressed; then the terminal is cleared. The
        code contains the key: anyone who photographs it can make tags. The phone app keeps three secrets per
        action; the command warns when a fourth secret is shared.
        """,
      usageError: { arguments in
        if let path = arguments.value("out") {
          if arguments.has("url") { return "--url and --out cannot be combined" }
          return path.hasSuffixBytes(".svg") ? nil : "--out must be a file name that ends in .svg"
        }
        if arguments.has("url") || isatty(1) == 1 { return nil }
        return "standard output is not a terminal; specify --url for the share URL, or --out FILE for an SVG file"
      },
      body: .running { (arguments, configuration) throws(CommandFailure) in
        let answer = try SecretClient(configuration).ask(
          .shareSecret(id: arguments.operands[0], isForBackup: false))
        guard let secretPayload = answer.secretPayload else { throw .malformedAnswer }
        recordFull(answer.json)
        var url = secretPayload.withBytes { Array($0) }
        defer { LibCrypto.wipe(&url) }
        if arguments.has("url") {
          url.append(UInt8(ascii: "\n"))
          return Output.write(bytes: url)
        }
        let code: QRCode
        do throws(QRCodeError) { code = try QRCode(url) } catch { throw .failed(error.sentence) }
        if let path = arguments.value("out") { return try write(code, to: path) }
        let name = [answer.json["action"]?.text, answer.json["label"]?.text].compactMap { $0 }
        try CodeScreen.show(code, name: name.joined(separator: ": "))
      })
  }

  /// Warns if the phone app cannot store more secrets: it accepts three per action, a kiosk a thousand.
  private static func recordFull(_ answer: JSON) {
    let (others, max) = (answer["others_shared"]?.wholeNumber ?? 0, Int64(Limits.appSecretsPerActionMax))
    guard others >= max else { return }
    let action = answer["action"]?.text ?? ""
    Output.printError(
      "\(others) other secrets of \(action) have already been shared; the phone app keeps \(max) per action,"
        + " and a phone that has these secrets refuses any other.")
  }

  private static func write(_ code: QRCode, to path: String) throws(CommandFailure) {
    var bytes = Array(code.svg.utf8)
    defer { LibCrypto.wipe(&bytes) }
    try PrivateFile.create(path, bytes)
    Output.printError("\(path) contains the key: anyone who sees it can make tags. Delete it after use.")
  }
}
