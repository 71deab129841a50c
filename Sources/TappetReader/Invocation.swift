// The command line. Two options and two questions: a parser of its own is smaller than getopt's tables.

/// What the command line asks for.
enum Invocation: Equatable {
  case help
  case version
  /// Open the device and report to the parent at `socket`.
  case serve(socket: Int32, device: String?)
  /// What is wrong with it, as half a sentence.
  case mistake(String)

  /// Reads the words behind the program's name; `--option=value` and `--option value` are the same.
  init(_ words: [String]) {
    var socket: Int32?
    var device: String?
    var rest = words[...]
    while let word = rest.popFirst() {
      let (option, attached) = Self.split(word)
      switch option {
      case "--help", "-h":
        self = .help
        return
      case "--version":
        self = .version
        return
      case "--socket", "--device":
        guard let value = attached ?? rest.popFirst() else {
          self = .mistake("\(option) needs a value")
          return
        }
        if option == "--device" {
          device = value
        } else if let number = Int32(value), number >= 0 {
          socket = number
        } else {
          self = .mistake("--socket needs a descriptor's number, not '\(value)'")
          return
        }
      default:
        self = .mistake("unknown argument '\(word)'")
        return
      }
    }
    self = socket.map { .serve(socket: $0, device: device) } ?? .mistake("no --socket was given")
  }

  /// `--option=value` into its two parts.
  private static func split(_ word: String) -> (option: String, value: String?) {
    let bytes = Array(word.utf8)
    guard let equals = bytes.firstIndex(of: UInt8(ascii: "=")) else { return (word, nil) }
    return (
      String(decoding: bytes[..<equals], as: UTF8.self), String(decoding: bytes[(equals + 1)...], as: UTF8.self)
    )
  }

  /// What the program is, for a person who called it by hand.
  static let purpose = """
    tappet-reader is the part of Tappet that reads NFC tags. 'tappet run' and programs that use libtappet
    start it by themselves; to read a tag by hand, use 'tappet tag read'.

    """

  /// The answer to `--help`.
  static let helpText = """
    usage: tappet-reader --socket FD [--device CONNSTRING]

    \(purpose)
      --socket FD            the SOCK_SEQPACKET socket to its parent
      --device CONNSTRING    libnfc's connection string, such as pn532_uart:/dev/ttyUSB0;
                             left out: the first device that libnfc finds
      --version              print the protocol's version
      --help                 print this

    Exit status: 0 the parent let go of it, 1 the device cannot be used, 2 a wrong call.

    """
}
