// Options and operands, by getopt_long.

import CPlatform

/// One option of a command.
struct CommandOption {
  var name: StaticString
  var takesValue = false
}

/// A command's words, taken apart.
struct Arguments {
  private var values: [(name: String, value: String?)] = []
  private(set) var operands: [String] = []

  /// The value of an option given, or nil.
  func value(_ name: String) -> String? { values.last { $0.name == name }?.value }

  /// Whether an option was given.
  func has(_ name: String) -> Bool { values.contains { $0.name == name } }

  /// The same without these options.
  func without(_ names: [String]) -> Arguments {
    var rest = self
    rest.values.removeAll { value in names.contains { $0 == value.name } }
    return rest
  }

  /// Nil after getopt_long has complained, or after help was printed: `status` says which.
  static func parse(
    _ words: [String], command: String, options: [CommandOption], operandsMax: Int = 0
  ) -> Result<Arguments, Stop> {
    var arguments = Arguments()
    let all = options + [CommandOption(name: "help")]
    var table = all.map {
      option(
        name: UnsafeRawPointer($0.name.utf8Start).assumingMemoryBound(to: CChar.self),
        has_arg: $0.takesValue ? required_argument : no_argument, flag: nil, val: 0)
    }
    table.append(option())
    var vector: [UnsafeMutablePointer<CChar>?] = (["tappet \(command)"] + words).map { strdup($0) }
    let owned = vector
    vector.append(nil)
    defer { for word in owned { free(word) } }
    tp_reset_getopt()
    while true {
      var index: Int32 = 0
      let found = getopt_long(Int32(owned.count), &vector, "h", &table, &index)
      if found == -1 { break }
      let isHelp = found == 104 || (found == 0 && Int(index) == all.count - 1)
      if isHelp {
        Output.print(Help.text(for: command) ?? Help.overview)
        return .failure(Stop(status: .success))
      }
      guard found == 0, all.indices.contains(Int(index)) else { return .failure(Stop(status: .usage)) }
      arguments.values.append(("\(all[Int(index)].name)", tp_optarg().map { String(cString: $0) }))
    }
    for word in vector[Int(tp_optind())..<owned.count] {
      if let word { arguments.operands.append(String(cString: word)) }
    }
    guard arguments.operands.count <= operandsMax else {
      Output.complain("tappet \(command): '\(arguments.operands[operandsMax])' is one word too many")
      return .failure(Stop(status: .usage))
    }
    return .success(arguments)
  }

  /// Why a command does not go on.
  struct Stop: Error { var status: ExitStatus }
}

extension CommandOption {
  static let config = CommandOption(name: "config", takesValue: true)
  static let json = CommandOption(name: "json")
}
