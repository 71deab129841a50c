// The table of commands for tools/documentation/command-pages, which generates tappet(1) and a page per command group.

import TappetCommandLine
import TappetJSON

enum ManualTable {
  /// A JSON array with an object for each page.
  static var pages: JSON { .array(CommandGroup.all.map { page($0) }) }

  private static func page(_ group: CommandGroup) -> JSON {
    let isForBroker = group.commands.contains { $0.isForBroker }
    return .object([
      "word": .string(group.word), "section": .string(group.commands[0].section.title),
      "summary": .string(group.summary), "details": .string(group.details),
      "commands": .array(group.commands.map { entry($0) }),
      "broker_options": .array(isForBroker ? Command.brokerOptions.map { option($0) } : []),
    ])
  }

  private static func entry(_ command: Command) -> JSON {
    let own = command.options.dropFirst(command.isForBroker ? Command.brokerOptions.count : 0)
    return .object([
      "words": .string(command.words), "synopsis": .array(command.synopsisParts.map { .string($0.text) }),
      "summary": .string(command.summary), "details": .string(command.details),
      "operands": .array(command.operands.map { .string($0.name) }), "options": .array(own.map { option($0) }),
      "example": .optional(command.example),
    ])
  }

  private static func option(_ option: CommandOption) -> JSON {
    .object([
      "name": .string(option.name), "value": .optional(option.value), "summary": .string(option.summary),
    ])
  }
}

extension Command {
  /// Whether the options start with the broker options, which a page describes only once.
  fileprivate var isForBroker: Bool {
    options.count >= Self.brokerOptions.count
      && zip(options, Self.brokerOptions).allSatisfy { $0.name == $1.name && $0.value == $1.value }
  }
}
