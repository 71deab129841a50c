// tappet secret share: a secret's key as a code that a phone or another kiosk takes over.

import CPlatform
import TappetCore
import TappetDevices
import TappetRuntime

enum SecretShareCommand {
  static func run(_ words: [String]) -> ExitStatus {
    let options: [CommandOption] = [
      .config, CommandOption(name: "url"), CommandOption(name: "out", takesValue: true),
    ]
    switch Arguments.parse(words, command: "secret share", options: options, operandsMax: 1) {
    case .failure(let stop): return stop.status
    case .success(let arguments):
      guard let id = arguments.operands.first else {
        Output.complain("tappet secret share: say which; 'tappet secret list' shows the ids")
        return .usage
      }
      if let refusal = misuse(arguments) {
        Output.complain("tappet secret share: \(refusal)")
        return .usage
      }
      guard let configuration = Settings.load(arguments) else { return .configuration }
      return SecretCommand.perform("secret share") { () throws(SecretRefusal) in
        try share(id, SecretDoor(configuration: configuration), arguments)
      }
    }
  }

  /// Looked at before the key leaves its place.
  private static func misuse(_ arguments: Arguments) -> String? {
    if let path = arguments.value("out") {
      if arguments.has("url") { return "--url prints and --out draws; give one of them" }
      if !path.hasSuffixBytes(".png"), !path.hasSuffixBytes(".svg") {
        return "--out takes a FILE whose name ends in .png or .svg"
      }
      return nil
    }
    if arguments.has("url") || isatty(1) == 1 { return nil }
    return "standard output is no terminal; give --url for the text, or --out FILE for a picture"
  }

  private static func share(_ id: String, _ door: SecretDoor, _ arguments: Arguments) throws(SecretRefusal) {
    let answer = try door.ask("secret-share", JSON.Member.text("id", id))
    guard let enclosure = answer.enclosure else {
      throw SecretRefusal(sentence: "the kiosk's answer makes no sense", status: .failure)
    }
    var url = enclosure.withBytes { Array($0) }
    defer { LibCrypto.wipe(&url) }
    if arguments.has("url") {
      url.append(UInt8(ascii: "\n"))
      return Output.write(bytes: url)
    }
    let code: QRCode
    do throws(QRCodeError) { code = try QRCode(url) } catch {
      throw SecretRefusal(sentence: error.sentence, status: .failure)
    }
    if let path = arguments.value("out") { return try write(code, to: path) }
    let name = [answer.json["action"]?.text, answer.json["label"]?.text].compactMap { $0 }.joined(separator: ": ")
    try CodeScreen.show(code, name: name)
  }

  private static func write(_ code: QRCode, to path: String) throws(SecretRefusal) {
    var bytes: [UInt8]
    if path.hasSuffixBytes(".svg") {
      bytes = Array(code.svg.utf8)
    } else {
      let scale = Limits.qrCodeScale
      bytes = PNGImage.encode(grey: code.pixels(scale: scale), width: code.width * scale) ?? []
    }
    defer { LibCrypto.wipe(&bytes) }
    guard !bytes.isEmpty else { throw SecretRefusal(sentence: "there is no memory for the picture", status: .failure) }
    do throws(SystemError) { try PrivateFile.make(path, bytes) } catch {
      throw SecretRefusal(sentence: error.cannotMake(path), status: .failure)
    }
    Output.complain("\(path) holds the key: whoever sees it can make tags; delete it when it is not needed any more.")
  }
}

extension SystemError {
  func cannotMake(_ path: String) -> String {
    code == EEXIST
      ? "\(path) is there already; delete it, or give another name" : "\(path) cannot be written: \(text)"
  }
}

extension QRCodeError {
  var sentence: String {
    switch self {
    case .tooLong(let size): "\(size) bytes are too many for a QR code; give the secret a shorter label"
    case .library: "the QR code could not be made; the system is out of memory"
    }
  }
}

extension String {
  /// `hasSuffix` compares characters.
  func hasSuffixBytes(_ suffix: String) -> Bool {
    utf8.count >= suffix.utf8.count && utf8.suffix(suffix.utf8.count).elementsEqual(suffix.utf8)
  }
}
