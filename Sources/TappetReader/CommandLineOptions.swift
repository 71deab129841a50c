// The command line of tappet-reader.

import CPlatform
import TappetPlatform

/// The action that the command line requests.
enum CommandLineOptions: Equatable {
  case help
  case version
  /// Open the device and report to the parent through `socket`.
  case serve(socket: Int32, device: String?)
  /// Send the connection strings of the devices that libnfc finds to the parent through `socket`.
  case list(socket: Int32)
  /// A usage error, as a sentence fragment.
  case mistake(String)

  /// Parses the arguments of C's `main`.
  init(_ count: Int32, _ words: UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>) {
    var options = LongOptions()
    options.add("socket", "s", takesValue: true)
    options.add("device", "d", takesValue: true)
    options.add("list", "l")
    options.add("help", "h")
    options.add("version", "V")
    var socket: Int32?
    var device: String?
    var lists = false
    while true {
      switch options.next(count, words) {
      case .option("h", _):
        self = .help
        return
      case .option("V", _):
        self = .version
        return
      case .option("d", let value): device = value
      case .option("l", _): lists = true
      case .option(_, let value):
        guard let number = Int32(value), number >= 0 else {
          self = .mistake("--socket must be the number of a file descriptor, not '\(value)'")
          return
        }
        socket = number
      case .missingValue(let word):
        self = .mistake("\(word) requires a value")
        return
      case .unknown(let word), .operand(let word):
        self = .mistake("unexpected argument '\(word)'")
        return
      case .end:
        guard let socket else {
          self = .mistake("--socket is missing")
          return
        }
        self = lists ? .list(socket: socket) : .serve(socket: socket, device: device)
        return
      }
    }
  }

  /// The program's purpose, for users who start it by hand.
  static let purpose = """
    tappet-reader is the part of Tappet that reads NFC tags. It is started by 'tappet run' and by programs that
    use libtappet; to read a tag by hand, use 'tappet tag read'.

    """

  /// The text of `--help`.
  static let helpText = """
    usage: tappet-reader --socket FD [--device CONNSTRING | --list]

    \(purpose)
      --socket FD            the SOCK_SEQPACKET socket to its parent
      --device CONNSTRING    libnfc's connection string, such as pn532_uart:/dev/ttyUSB0
                             (default: the first device that libnfc finds)
      --list                 send the connection strings of the devices that libnfc finds
      --version              print the protocol's version
      --help                 print this help

    Exit status: 0 the parent closed the socket, 1 the device cannot be used, 2 usage error.

    """
}
