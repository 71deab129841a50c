// The commands of 'tappet people': one set of people for all doors of a site.

import TappetCommandLine
import TappetCore
import TappetJSON

extension Command {
  static var peopleKeys: Command {
    Command(
      words: "people keys", section: .people, summary: "make the keys with which people are pushed to all doors",
      operands: [Operand("FOLDER", .folder)], options: [.json],
      details: """
        Makes two files in FOLDER and prints the lines for the kiosk.yaml of every door. site.key opens what is
        pushed: copy it to every door. push.key signs it: it stays with the person who pushes, because whoever
        has it decides who may enter. The lines have the public key that belongs to it.
        """,
      example: "tappet people keys /etc/tappet", body: .plain(SiteKeys.run))
  }

  static var peoplePush: Command {
    Command(
      words: "people push", section: .people, summary: "give all doors of the site the people of this one",
      operands: [Operand("KEYFILE", .file)],
      options: brokerOptions + [CommandOption("dry-run", "say what would be pushed, and push nothing"), .json],
      abbreviatesOptions: true,
      details: """
        Publishes all people here, their limits and the secrets of their tags to the doors of the site that
        kiosk.yaml names with 'site': sealed under the site's key, signed with KEYFILE, the push.key that
        'people keys' made, and kept by the broker for doors that are away. Each push has a larger number than
        the last one. A door applies it as a whole: people of the site who are not in it lose access, and so do
        tags that are not. People whom somebody added at a door, and who never were in a push, stay there.
        Push from one place. Exit status as 'mqtt pub'.
        """,
      example: "sudo tappet people push push.key", usageError: usageErrorOfBroker, body: .plain(PushCommand.run))
  }
}
