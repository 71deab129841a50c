// The commands of 'tappet people': one set of people for all doors of a site.

import TappetCommandLine
import TappetCore
import TappetJSON

extension Command {
  static var peopleKeys: Command {
    Command(
      words: "people keys", section: .people, summary: "create the keys for pushing people to all doors",
      operands: [Operand("FOLDER", .folder)], options: [.json],
      details: """
        Creates two files in FOLDER and prints the lines for the kiosk.yaml of every door. site.key decrypts a
        push: copy it to every door. push.key signs a push: keep it with the person who pushes, because anyone
        who has this key can decide who may enter. The lines contain its public key.
        """,
      example: "tappet people keys /etc/tappet", body: .plain(SiteKeys.run))
  }

  static var peoplePush: Command {
    Command(
      words: "people push", section: .people, summary: "publish this kiosk's people to all doors of the site",
      operands: [Operand("KEYFILE", .file)],
      options: brokerOptions + [CommandOption("dry-run", "show what would be pushed, without pushing it"), .json],
      abbreviatesOptions: true,
      details: """
        Publishes all people of this kiosk, their limits and the secrets of their tags to the doors of the site
        that 'site' in kiosk.yaml specifies. The push is sealed under the site's key, signed with KEYFILE (the
        push.key from 'people keys'), and retained by the broker for doors that are offline. Each push has a
        larger number than the previous one. A door applies a push as a whole: people of the site who are not in
        the push lose access, and so do tags that are not in it. People who were added at a door, and were never
        in a push, stay there. Always push from the same place. Exit status as for 'mqtt pub'.
        """,
      example: "sudo tappet people push push.key", usageError: usageErrorOfBroker, body: .plain(PushCommand.run))
  }
}
